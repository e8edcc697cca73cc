//! Folders that no run can have written are refused.

use std::io::Write as _;
use std::path::Path;

use raddle::files::{ModelFiles as _, NewModel};
use raddle_datasets::{Tokenizer, npy, npz};

use super::names::{ALPHA, COUNTS, DOC_TOPIC, DOCUMENTS};
use super::{Model, Saved};

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

/// Writes a changed model of 2 topics and 3 words, and reads it back.
fn read_back(
    change: impl FnOnce(&mut serde_json::Value),
    files: &[(&str, Vec<u8>)],
) -> Result<Model, String> {
    let folder = tempfile::tempdir().unwrap();
    opened(folder.path(), change, files).map(|saved| saved.model)
}

/// Opens a model in this folder with a changed `model.json`; all digests are right.
fn opened(
    folder: &Path,
    change: impl FnOnce(&mut serde_json::Value),
    files: &[(&str, Vec<u8>)],
) -> Result<Saved, String> {
    let path = folder.join("run");
    let mut about = serde_json::json!({
        "topics": 2, "words": 3, "documents": 1, "tokens": 4, "alpha": 0.5, "beta": 0.01, "word_priors": [[2, 1, 1.5]],
        "ending": "converged", "evaluated_epoch": null, "validation_perplexity": null, "test_perplexity": null,
        "vocabulary": ["sea", "ship", "mast"], "tokenizer": null,
    });
    change(&mut about);
    let mut run = NewModel::replace(&path).unwrap();
    for (name, bytes) in files {
        run.write(name, |out| out.write_all(bytes)).unwrap();
    }
    run.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
    run.commit("lda", "1.0").unwrap();
    drop(run);
    Saved::open(&path).map_err(|why| why.to_string())
}

/// Makes `topic_word_counts.npz` with this many topics and words: 3 tokens of the first word in topic 0, and
/// one of the last.
fn npz((topics, words): (usize, usize)) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let starts = (0..=topics as u64).map(|topic| topic.min(1) * 2);
    let starts: Vec<u64> = starts.collect();
    let indices = [0, words as u32 - 1];
    npz::csr(&mut out, (topics, words), starts.into_iter(), (2, indices.into_iter()), [3, 1].into_iter())
        .unwrap();
    out.into_inner()
}

/// Makes counts of 2 topics and 3 words, in single precision.
fn npz_of(counts: [f32; 2]) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let bits = counts.map(f32::to_bits);
    npz::csr(&mut file, (2, 3), [0, 2, 2].into_iter(), (2, [0, 2].into_iter()), bits.into_iter()).unwrap();
    let mut file = file.into_inner();
    // The archive ends with the counts: a header of 128 bytes, and eight bytes of counts.
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

/// Returns the checksum that an archive has for each member.
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
    let outside =
        |which: &str| format!("model.json: the word prior {which} is outside of the model, or not above 0");
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
    let two =
        |found: &str| format!("{COUNTS}: {found}, but model.json says 2 and 3: the files are of two models");
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
        read_back(|about| about["alpha"] = serde_json::Value::Null, &[(COUNTS, npz((2, 3))), (ALPHA, alpha)])
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
        assert!(error.contains("alpha and beta are not 2 numbers and one, all above 0"), "{wrong}: {error}");
    }
}
#[test]
fn topics_of_other_documents_are_refused_by_their_file() {
    let read = |named: bool, files: &[(&str, Vec<u8>)]| {
        let folder = tempfile::tempdir().unwrap();
        let change = |about: &mut serde_json::Value| about["named_documents"] = named.into();
        let files: Vec<_> = files.iter().cloned().chain([(COUNTS, npz((2, 3)))]).collect();
        let saved = opened(folder.path(), change, &files).unwrap();
        let shares = saved.documents().map_err(|why| why.to_string())?;
        Ok::<_, String>((shares.top(0, 9), shares.name(0)))
    };
    // Topic 0 has 3 of 4 tokens, and each topic half a token more.
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
