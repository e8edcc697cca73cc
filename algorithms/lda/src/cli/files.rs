//! The files of a model.

use std::io::{self, Write as _};
use std::path::Path;

use raddle::cli::{Error, ModelFolder, Session, VersionOf};
use raddle::files::ModelFiles as _;
use raddle_datasets::{Corpus, Csc, Matrix, Tokenizer, Vocabulary, npy, npz, sparse_npz};
use raddle_lda::{Fit, MOST_TOPICS, TopicWords};
use serde::{Deserialize, Serialize};

use super::evaluations;

/// The counts of words in topics.
const COUNTS: &str = "topic_word_counts.npz";
/// The counts of topics in documents.
pub(crate) const DOC_TOPIC: &str = "doc_topic.npz";
/// Names of the rows of `doc_topic.npz`, a line each, where documents have names.
pub(crate) const DOCUMENTS: &str = "documents.txt";
/// alpha of each topic, where they differ.
const ALPHA: &str = "alpha.npy";

/// `model.json`: what inference needs beside the counts, and how the model came about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    pub(crate) topics: usize,
    pub(crate) words: usize,
    pub(crate) documents: usize,
    pub(crate) tokens: u64,
    /// Of every topic; in the file one number if it is the same, else nothing, and `alpha.npy` has them.
    #[serde(rename = "alpha", with = "short_alpha")]
    pub(crate) alpha: Vec<f64>,
    pub(crate) beta: f64,
    /// (word, topic, what was added to beta), from 0.
    pub(crate) word_priors: Vec<(u32, u32, f32)>,
    /// How the run ended, and what it had come to when it was last evaluated.
    pub(crate) ending: String,
    pub(crate) evaluated_epoch: Option<u64>,
    pub(crate) validation_perplexity: Option<f64>,
    pub(crate) test_perplexity: Option<f64>,
    pub(crate) vocabulary: Option<Vec<String>>,
    /// The rule that divided texts into words; none of bags of words. Models before there was a choice name none.
    #[serde(default = "old_rule")]
    pub(crate) tokenizer: Option<Tokenizer>,
    /// Documents that were not trained on, so that `doc_topic.npz` has no topics of them.
    #[serde(default)]
    pub(crate) held_out_documents: u64,
    /// `documents.txt` has the documents' names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) named_documents: bool,
    /// Of a corpus that changes: which version of it the model is of.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<VersionOf>,
}

fn old_rule() -> Option<Tokenizer> {
    Some(Tokenizer::of_old_models())
}

/// The number that all are, if they are.
pub(crate) fn symmetric(alpha: &[f64]) -> Option<f64> {
    alpha.first().copied().filter(|first| alpha.iter().all(|other| other == first))
}

/// A list of equal numbers as one.
mod short_alpha {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(alpha: &[f64], to: S) -> Result<S::Ok, S::Error> {
        super::symmetric(alpha).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.into_iter().collect())
    }
}

impl Model {
    pub(crate) fn new(fit: &Fit, counts: &TopicWords, vocabulary: Option<&Vocabulary>) -> Self {
        let last = fit.evaluations().last();
        Self {
            topics: fit.topics(),
            words: fit.words(),
            documents: fit.documents(),
            tokens: fit.totals().iter().map(|&total| total.unsigned_abs()).sum(),
            alpha: fit.alpha().to_vec(),
            beta: fit.beta(),
            word_priors: counts.priors.clone(),
            ending: fit.report.ending.name().into(),
            evaluated_epoch: last.map(|last| last.epoch),
            validation_perplexity: last.and_then(|last| last.validation),
            test_perplexity: last.and_then(|last| last.test),
            vocabulary: vocabulary.map(|words| words.iter().map(str::to_owned).collect()),
            tokenizer: None,
            held_out_documents: 0,
            named_documents: false,
            version: None,
        }
    }

    /// Flaw of a description that no model can have, if there is one.
    fn fault(&self) -> Option<String> {
        let Self { topics, words, alpha, beta, word_priors, vocabulary, .. } = self;
        let is_prior = |prior: f64| prior.is_finite() && prior > 0.0;
        if *topics == 0 || alpha.len() != *topics || !alpha.iter().chain([beta]).all(|&prior| is_prior(prior))
        {
            return Some(format!("alpha and beta are not {topics} numbers and one, all above 0"));
        }
        if self.tokenizer.is_some_and(|rule| !rule.is_known()) {
            return Some(
                "its texts were divided into words by a rule of a newer version of this program".into(),
            );
        }
        let known = vocabulary.as_ref().map_or(*words, Vec::len);
        if known != *words {
            return Some(format!("the vocabulary has {known} words, not {words}"));
        }
        let is_outside = |&&(word, topic, weight): &&(u32, u32, f32)| {
            word as usize >= *words || topic as usize >= *topics || !is_prior(weight.into())
        };
        let (word, topic, weight) = word_priors.iter().find(is_outside)?;
        Some(format!("the word prior ({word}, {topic}, {weight}) is outside of the model, or not above 0"))
    }

    /// A word as text, or its number from 1.
    pub(crate) fn word(&self, word: u32) -> String {
        let text = self.vocabulary.as_ref().and_then(|words| words.get(word as usize));
        text.cloned().unwrap_or_else(|| format!("word {}", u64::from(word) + 1))
    }
}

/// Writes the model into the run's folder, nothing of it held dense.
pub(crate) fn write(
    session: &mut Session,
    fit: &Fit,
    counts: &TopicWords,
    model: &Model,
    documents: Option<&Vocabulary>,
) -> Result<(), Error> {
    let (topics, words) = (counts.topics(), counts.words);
    session.write("topic_word.npy", |out| {
        npy::header(out, "<f4", &[topics, words])?;
        let mut row = vec![0.0; words];
        (0..topics).try_for_each(|topic| {
            counts.probabilities(topic, &mut row);
            npy::f32s(out, &row)
        })
    })?;
    session.write(COUNTS, |out| {
        let (indices, values) = (counts.indices.iter().copied(), counts.counts.iter().copied());
        let starts = counts.starts.iter().copied();
        npz::csr(out, (topics, words), starts, (counts.indices.len(), indices), values)
    })?;
    let rows = fit.document_topics();
    session.write(DOC_TOPIC, |out| {
        let mut starts = vec![0u64];
        starts.extend((0..fit.documents()).scan(0, |end, document| {
            *end += rows.of(document).len() as u64;
            Some(*end)
        }));
        let length = starts.last().copied().unwrap_or(0) as usize;
        let entries = || (0..fit.documents()).flat_map(|document| rows.of(document));
        let indices = entries().map(|(topic, _)| topic);
        let values = entries().map(|(_, count)| count);
        npz::csr(out, (fit.documents(), topics), starts.into_iter(), (length, indices), values)
    })?;
    if let Some(names) = documents {
        session.write(DOCUMENTS, |out| {
            // A name that held the end of a line would be two.
            names.iter().try_for_each(|name| writeln!(out, "{}", name.replace(char::is_control, " ")))
        })?;
    }
    if symmetric(fit.alpha()).is_none() {
        session.write(ALPHA, |out| {
            npy::header(out, "<f8", &[topics])?;
            fit.alpha().iter().try_for_each(|alpha| out.write_all(&alpha.to_le_bytes()))
        })?;
    }
    session
        .write("evaluations.tsv", |out| out.write_all(evaluations::table(fit.evaluations()).as_bytes()))?;
    session.write("topics.txt", |out| {
        (0..topics).try_for_each(|topic| {
            let top = counts.top(topic, 20).into_iter().map(|(word, _)| model.word(word));
            let share = counts.total(topic) as f64 / model.tokens.max(1) as f64;
            writeln!(out, "{}\t{share:.6}\t{}", topic + 1, top.collect::<Vec<_>>().join(" "))
        })
    })?;
    Ok(session.write("model.json", |out| Ok(serde_json::to_writer(out, model)?))?)
}

/// `pyldavis.json`: the arguments of `pyLDAvis.prepare`, by name, streamed.
pub(crate) fn write_pyldavis(
    session: &mut Session,
    fit: &Fit,
    counts: &TopicWords,
    (corpus, model): (&Corpus, &Model),
) -> Result<(), Error> {
    let rows = fit.document_topics();
    let trained: Vec<usize> =
        (0..fit.documents()).filter(|&document| !rows.of(document).is_empty()).collect();
    Ok(session.write("pyldavis.json", |out| {
        write!(out, "{{\"topic_term_dists\":[")?;
        let mut row = vec![0.0; counts.words];
        for topic in 0..counts.topics() {
            counts.probabilities(topic, &mut row);
            list(out, topic > 0, row.iter())?;
        }
        write!(out, "],\"doc_topic_dists\":[")?;
        let all: f64 = model.alpha.iter().sum();
        for (number, &document) in trained.iter().enumerate() {
            let (mut theta, length) = (model.alpha.clone(), corpus.length(document) as f64 + all);
            rows.of(document)
                .into_iter()
                .for_each(|(topic, count)| theta[topic as usize] += f64::from(count));
            list(out, number > 0, theta.iter().map(|weight| (weight / length) as f32))?;
        }
        write!(out, "],\"doc_lengths\":")?;
        list(out, false, trained.iter().map(|&document| corpus.length(document)))?;
        let words: Vec<String> = (0..counts.words as u32).map(|word| model.word(word)).collect();
        write!(out, ",\"vocab\":{},\"term_frequency\":", serde_json::to_string(&words)?)?;
        let mut frequency = vec![0u64; counts.words];
        trained.iter().flat_map(|&document| corpus.document(document)).for_each(|(word, count)| {
            frequency[word as usize] += u64::from(count);
        });
        list(out, false, frequency.iter())?;
        write!(out, "}}")
    })?)
}

fn list<T: std::fmt::Display>(
    out: &mut impl io::Write,
    comma: bool,
    values: impl Iterator<Item = T>,
) -> io::Result<()> {
    write!(out, "{}[", if comma { "," } else { "" })?;
    for (number, value) in values.enumerate() {
        write!(out, "{}{value}", if number > 0 { "," } else { "" })?;
    }
    write!(out, "]")
}

/// Reads a model; its folder is open, for what else is in it.
pub(crate) fn read(path: &Path) -> Result<(Model, TopicWords, ModelFolder), Error> {
    let folder = ModelFolder::open(path, "lda")?;
    let mut model: Model = folder.about()?;
    model.alpha = match model.alpha.first() {
        Some(alpha) => vec![*alpha; model.topics.min(MOST_TOPICS)],
        None => alphas(&folder.read(ALPHA)?, model.topics).ok_or_else(|| {
            Error::input(format!("{}: not one number for each topic", path.join(ALPHA).display()))
        })?,
    };
    if let Some(fault) = model.fault() {
        return Err(Error::input(format!("{}: {fault}", path.join("model.json").display())));
    }
    let counts = counts(&folder, &model)?;
    Ok((model, counts, folder))
}

/// The numbers of what was written, if there is one for each topic.
fn alphas(bytes: &[u8], topics: usize) -> Option<Vec<f64>> {
    let mut header = Vec::new();
    npy::header(&mut header, "<f8", &[topics]).ok()?;
    let (numbers, rest) = bytes.strip_prefix(&header[..])?.as_chunks();
    let is_whole = numbers.len() == topics && rest.is_empty();
    is_whole.then(|| numbers.iter().map(|&number| f64::from_le_bytes(number)).collect())
}

/// A sparse matrix of the model.
pub(crate) fn sparse(folder: &ModelFolder, name: &str) -> Result<Csc, Error> {
    let refuse = |why: &str| Error::input(format!("{}: {why}", folder.path().join(name).display()));
    match sparse_npz(&folder.read(name)?).map_err(|why| refuse(&why))? {
        Matrix::Sparse(columns) => Ok(columns),
        Matrix::Dense(_) => Err(refuse("the counts are not sparse")),
    }
}

fn counts(folder: &ModelFolder, model: &Model) -> Result<TopicWords, Error> {
    let columns = sparse(folder, COUNTS)?;
    let broken = |why: String| Error::input(format!("{}: {why}", folder.path().join(COUNTS).display()));
    if (columns.rows(), columns.cols()) != (model.topics, model.words) {
        let (rows, cols) = (columns.rows(), columns.cols());
        return Err(broken(format!(
            "{rows} topics of {cols} words, but model.json says {} and {}: the files are of two models",
            model.topics, model.words
        )));
    }
    let mut entries = Vec::with_capacity(columns.nnz());
    for (word, column) in (0u32..).zip(columns.outer_iterator()) {
        for (topic, &count) in column.iter() {
            if count < 0.0 || count.fract() != 0.0 || count > f64::from(u32::MAX) {
                return Err(broken(format!("the count {count} is not a whole number of 0 or more")));
            }
            entries.push((word, topic as u32, count as u32));
        }
    }
    let priors = (model.word_priors.clone(), model.beta);
    Ok(TopicWords::from_counts((model.topics, model.words), entries.iter().copied(), priors))
}

#[cfg(test)]
mod tests {
    use raddle::cli::{Earlier, RunFolder};

    use super::super::documents::Shares;
    use super::*;

    #[test]
    fn models_that_name_no_rule_divide_texts_as_they_did() {
        let text = r#"{"topics": 1, "words": 1, "documents": 1, "tokens": 1, "alpha": 1.0, "beta": 0.01,
            "word_priors": [], "ending": "converged", "evaluated_epoch": null, "validation_perplexity": null,
            "test_perplexity": null, "vocabulary": ["ship"]"#;
        let read = |more: &str| serde_json::from_str::<Model>(&format!("{text}{more}}}")).expect("a model");
        assert_eq!(read("").tokenizer, Some(Tokenizer::of_old_models()));
        assert_eq!(read(", \"tokenizer\": null").tokenizer, None);
        let newer = r#", "tokenizer": {"words": "unicode", "min_letters": null, "version": 99}"#;
        assert!(read(newer).fault().is_some_and(|why| why.contains("newer version")));
    }

    /// A model of 2 topics of 3 words, changed, written and read back.
    fn read_back(
        change: impl FnOnce(&mut serde_json::Value),
        files: &[(&str, Vec<u8>)],
    ) -> Result<Model, String> {
        let folder = tempfile::tempdir().unwrap();
        opened(folder.path(), change, files).map(|(model, ..)| model)
    }

    /// A model in this folder, whose `model.json` is changed; all digests are right.
    fn opened(
        folder: &Path,
        change: impl FnOnce(&mut serde_json::Value),
        files: &[(&str, Vec<u8>)],
    ) -> Result<(Model, TopicWords, ModelFolder), String> {
        let path = folder.join("run");
        let mut about = serde_json::json!({
            "topics": 2, "words": 3, "documents": 1, "tokens": 4, "alpha": 0.5, "beta": 0.01, "word_priors": [[2, 1, 1.5]],
            "ending": "converged", "evaluated_epoch": null, "validation_perplexity": null, "test_perplexity": null,
            "vocabulary": ["sea", "ship", "mast"], "tokenizer": null,
        });
        change(&mut about);
        let mut run = RunFolder::hold(&path, Earlier::Replaced).unwrap();
        for (name, bytes) in files {
            run.write(name, |out| out.write_all(bytes)).unwrap();
        }
        run.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
        run.commit("lda", "1.0").unwrap();
        drop(run);
        read(&path).map_err(|why| why.to_string())
    }

    /// `topic_word_counts.npz` of so many topics and words: 3 tokens of the first word in topic 0, one of the last.
    fn npz((topics, words): (usize, usize)) -> Vec<u8> {
        let mut out = std::io::Cursor::new(Vec::new());
        let starts = (0..=topics as u64).map(|topic| topic.min(1) * 2);
        let starts: Vec<u64> = starts.collect();
        let indices = [0, words as u32 - 1];
        npz::csr(&mut out, (topics, words), starts.into_iter(), (2, indices.into_iter()), [3, 1].into_iter())
            .unwrap();
        out.into_inner()
    }

    /// Counts of 2 topics and 3 words, in single precision.
    fn npz_of(counts: [f32; 2]) -> Vec<u8> {
        let mut file = std::io::Cursor::new(Vec::new());
        let bits = counts.map(f32::to_bits);
        npz::csr(&mut file, (2, 3), [0, 2, 2].into_iter(), (2, [0, 2].into_iter()), bits.into_iter())
            .unwrap();
        let mut file = file.into_inner();
        // The archive ends with the counts: a head of 128 bytes, and eight of them.
        let magic = b"\x93NUMPY";
        let at = file.windows(magic.len()).rposition(|bytes| bytes == magic).unwrap();
        let member = at..at + 128 + 8;
        let kind = file[member.clone()].windows(3).position(|bytes| bytes == b"<i4").unwrap();
        let before = crc32(&file[member.clone()]).to_le_bytes();
        file[at + kind..][..3].copy_from_slice(b"<f4");
        let sum = crc32(&file[member]).to_le_bytes();
        let places: Vec<usize> = (0..file.len() - 3).filter(|&at| file[at..at + 4] == before).collect();
        assert_eq!(places.len(), 2, "in front of the member, and in the list of all");
        places.into_iter().for_each(|at| file[at..at + 4].copy_from_slice(&sum));
        file
    }

    /// The sum that an archive keeps of each member.
    fn crc32(bytes: &[u8]) -> u32 {
        let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum)))
    }

    fn alphas_file(alpha: &[f64]) -> Vec<u8> {
        let mut out = Vec::new();
        npy::header(&mut out, "<f8", &[alpha.len()]).unwrap();
        npy::f64s(&mut out, alpha).unwrap();
        out
    }

    #[test]
    fn what_no_run_can_have_written_of_a_model_is_refused_by_file_and_reason() {
        use serde_json::{Value, json};
        let whole = || vec![(COUNTS, npz((2, 3)))];
        assert_eq!(read_back(|_| (), &whole()).unwrap().alpha, [0.5, 0.5]);
        let priors = "model.json: alpha and beta are not 2 numbers and one, all above 0";
        let outside = |which: &str| {
            format!("model.json: the word prior {which} is outside of the model, or not above 0")
        };
        let rows: [(&str, Value, &str); 17] = [
            ("topics", json!(0), "model.json: alpha and beta are not 0 numbers"),
            ("topics", json!(1_000_000), "model.json: alpha and beta are not 1000000 numbers"),
            ("alpha", json!(0.0), priors),
            ("alpha", json!(-0.5), priors),
            ("beta", json!(0.0), priors),
            ("beta", json!(-1.0), priors),
            ("beta", json!(null), "model.json: invalid type: null"),
            ("beta", json!("much"), "model.json: invalid type: string"),
            ("topics", json!(-1), "model.json: invalid value"),
            ("vocabulary", json!(["sea", "ship"]), "model.json: the vocabulary has 2 words, not 3"),
            ("vocabulary", json!(["a", "b", "c", "d"]), "model.json: the vocabulary has 4 words, not 3"),
            ("word_priors", json!([[3, 0, 1.0]]), &outside("(3, 0, 1)")),
            ("word_priors", json!([[0, 2, 1.0]]), &outside("(0, 2, 1)")),
            ("word_priors", json!([[0, 1, 1.0], [0, 0, 0.0]]), &outside("(0, 0, 0)")),
            ("word_priors", json!([[1, 1, -2.5]]), &outside("(1, 1, -2.5)")),
            (
                "tokenizer",
                json!({"words": "unicode", "min_letters": null, "version": 99}),
                "model.json: its texts were divided into words by a rule of a newer version of this program",
            ),
            ("alpha", json!(null), "alpha.npy: the model in this folder has no such file"),
        ];
        for (member, value, why) in rows {
            let error = read_back(|about| about[member] = value.clone(), &whole()).unwrap_err();
            assert!(error.contains(why), "{member} {value}: {error}");
        }
        let lacks = |about: &mut Value| drop(about.as_object_mut().unwrap().remove("beta"));
        let error = read_back(lacks, &whole()).unwrap_err();
        assert!(error.contains("model.json: missing field `beta`"), "{error}");
    }

    #[test]
    fn counts_and_priors_that_are_not_the_models_are_refused_by_their_file() {
        let two = |found: &str| {
            format!("{COUNTS}: {found}, but model.json says 2 and 3: the files are of two models")
        };
        for (files, why) in [
            (vec![], format!("{COUNTS}: the model in this folder has no such file")),
            (vec![(COUNTS, b"nonsense".to_vec())], format!("{COUNTS}: the npz file is damaged")),
            (vec![(COUNTS, npz((3, 3)))], two("3 topics of 3 words")),
            (vec![(COUNTS, npz((2, 4)))], two("2 topics of 4 words")),
        ] {
            let error = read_back(|_| (), &files).unwrap_err();
            assert!(error.contains(&why), "{error}");
        }
        assert!(read_back(|_| (), &[(COUNTS, npz_of([3.0, 1.0]))]).is_ok());
        for (counts, wrong) in [
            ([3.0, -1.0], "-1"),
            ([-2.0, 1.0], "-2"),
            ([3.0, 0.5], "0.5"),
            ([4_294_967_296.0, 1.0], "4294967296"),
        ] {
            let error = read_back(|_| (), &[(COUNTS, npz_of(counts))]).unwrap_err();
            let why = format!("{COUNTS}: the count {wrong} is not a whole number of 0 or more");
            assert!(error.contains(&why), "{error}");
        }
        let with = |alpha: Vec<u8>| {
            read_back(
                |about| about["alpha"] = serde_json::Value::Null,
                &[(COUNTS, npz((2, 3))), (ALPHA, alpha)],
            )
        };
        assert_eq!(with(alphas_file(&[0.25, 0.5])).unwrap().alpha, [0.25, 0.5]);
        let number = "alpha.npy: not one number for each topic";
        let cut = alphas_file(&[0.25, 0.5])[..100].to_vec();
        for wrong in [Vec::new(), vec![0; 15], cut, alphas_file(&[0.5]), alphas_file(&[0.25, 0.5, 0.75])] {
            let error = with(wrong).unwrap_err();
            assert!(error.contains(number), "{error}");
        }
        for wrong in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let error = with(alphas_file(&[0.5, wrong])).unwrap_err();
            assert!(
                error.contains("alpha and beta are not 2 numbers and one, all above 0"),
                "{wrong}: {error}"
            );
        }
    }
    #[test]
    fn topics_of_other_documents_are_refused_by_their_file() {
        let read = |named: bool, files: &[(&str, Vec<u8>)]| {
            let folder = tempfile::tempdir().unwrap();
            let change = |about: &mut serde_json::Value| about["named_documents"] = named.into();
            let files: Vec<_> = files.iter().cloned().chain([(COUNTS, npz((2, 3)))]).collect();
            let (model, _, folder) = opened(folder.path(), change, &files).unwrap();
            let shares = Shares::read(&folder, &model).map_err(|why| why.to_string())?;
            Ok::<_, String>((shares.top(0, 9), shares.name(0)))
        };
        // Of 4 tokens topic 0 has 3, and each topic half a token more.
        let top = vec![(0, 3.5 / 5.0)];
        let topics = |shape| (DOC_TOPIC, npz(shape));
        assert_eq!(read(false, &[topics((1, 2))]), Ok((top.clone(), "1".into())));
        let names = |text: &[u8]| (DOCUMENTS, text.to_vec());
        assert_eq!(read(true, &[topics((1, 2)), names(b"a post\n")]), Ok((top, "a post".into())));
        let other = "doc_topic.npz: it has other documents or topics than model.json";
        for (named, files, why) in [
            (false, vec![], "doc_topic.npz: the model in this folder has no such file"),
            (false, vec![topics((2, 2))], other),
            (false, vec![topics((1, 1))], other),
            (false, vec![topics((1, 3))], other),
            (true, vec![topics((1, 2))], "documents.txt: the model in this folder has no such file"),
            (true, vec![topics((1, 2)), names(b"")], "it has other documents than documents.txt"),
            (true, vec![topics((1, 2)), names(b"a\nb\n")], "it has other documents than documents.txt"),
            (true, vec![topics((1, 2)), names(b"\xff\n")], "names are no text"),
        ] {
            let error = read(named, &files).unwrap_err();
            assert!(error.ends_with(why), "{error}");
        }
    }
}
