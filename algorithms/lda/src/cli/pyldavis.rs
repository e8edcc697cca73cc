//! Writes `pyldavis.json`.

use std::io::{self, Write as _};

use raddle::files::ModelFiles as _;
use raddle_cli::{Error, Session};
use raddle_datasets::Corpus;
use raddle_lda::files::Model;
use raddle_lda::{Fit, TopicWords};

/// Writes `pyldavis.json`, the named arguments of `pyLDAvis.prepare`, as a stream.
pub(crate) fn write(
    session: &mut Session,
    fit: &Fit,
    counts: &TopicWords,
    corpus: &Corpus,
    model: &Model,
) -> Result<(), Error> {
    let rows = fit.document_topics();
    let trained: Vec<usize> =
        (0..fit.documents()).filter(|&document| !rows.of(document).is_empty()).collect();
    Ok(session.write("pyldavis.json", |out| {
        write!(out, "{{\"topic_term_dists\":[")?;
        let mut row = vec![0.0; counts.words];
        for topic in 0..counts.topics() {
            counts.probabilities(topic, &mut row);
            write!(out, "{}", if topic > 0 { "," } else { "" })?;
            list(out, row.iter())?;
        }
        write!(out, "],\"doc_topic_dists\":[")?;
        let all: f64 = model.alpha.iter().sum();
        for (number, &document) in trained.iter().enumerate() {
            let (mut theta, length) = (model.alpha.clone(), corpus.length(document) as f64 + all);
            rows.of(document)
                .into_iter()
                .for_each(|(topic, count)| theta[topic as usize] += f64::from(count));
            write!(out, "{}", if number > 0 { "," } else { "" })?;
            list(out, theta.iter().map(|weight| (weight / length) as f32))?;
        }
        write!(out, "],\"doc_lengths\":")?;
        list(out, trained.iter().map(|&document| corpus.length(document)))?;
        let words: Vec<String> = (0..counts.words as u32).map(|word| model.word(word)).collect();
        write!(out, ",\"vocab\":{},\"term_frequency\":", serde_json::to_string(&words)?)?;
        let mut frequency = vec![0u64; counts.words];
        trained.iter().flat_map(|&document| corpus.document(document)).for_each(|(word, count)| {
            frequency[word as usize] += u64::from(count);
        });
        list(out, frequency.iter())?;
        write!(out, "}}")
    })?)
}

fn list<T: std::fmt::Display>(out: &mut impl io::Write, values: impl Iterator<Item = T>) -> io::Result<()> {
    write!(out, "[")?;
    for (number, value) in values.enumerate() {
        write!(out, "{}{value}", if number > 0 { "," } else { "" })?;
    }
    write!(out, "]")
}
