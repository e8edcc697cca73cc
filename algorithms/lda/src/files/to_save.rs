//! [`ToSave`]: the parts of a model from which its files are written.

use std::io::{self, Write as _};
use std::path::Path;

use raddle::files::{FileError, ModelFiles, NewModel, Out};
use raddle_datasets::{Corpus, Vocabulary, npy, npz};

use super::about::{Model, names, symmetric};
use super::evaluations;
use super::names::{ALPHA, COUNTS, DOC_TOPIC, DOCUMENTS, EVALUATIONS};
use crate::model::Fit;
use crate::run::pinned::Evaluation;
use crate::topic_words::TopicWords;

/// The parts of a model, to be written to a folder.
pub struct ToSave<'a> {
    /// Metadata of the model.
    pub model: &'a Model,
    /// Count of each word in each topic.
    pub counts: &'a TopicWords,
    /// Returns (topic, count) of a document, with ascending topics; empty for a held-out document.
    pub topics_of: &'a dyn Fn(usize) -> Vec<(u32, u32)>,
    /// Names of the documents, if there are any.
    pub names: Option<&'a Vocabulary>,
    /// Every evaluation, in order.
    pub evaluations: &'a [Evaluation],
}

impl Fit {
    /// Writes the model to its own folder, as the program does; [`Saved`](super::Saved) and the program can
    /// read it. `corpus` must be the one that was fitted.
    ///
    /// # Errors
    /// If the folder contains a run, or cannot be written.
    pub fn save(&self, path: &Path, corpus: &Corpus) -> Result<(), FileError> {
        let (counts, rows) = (self.topic_words(), self.document_topics());
        let parts = ToSave {
            model: &Model::of(self, &counts, corpus),
            counts: &counts,
            topics_of: &|document| rows.of(document),
            names: names(corpus),
            evaluations: self.evaluations(),
        };
        parts.save(path)
    }
}

impl ToSave<'_> {
    /// Writes the model to its own folder.
    ///
    /// # Errors
    /// If the folder contains a run, or cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        self.commit(NewModel::create(path)?)
    }

    /// Writes the model and replaces the run in the folder, if any, as `lda --out --force` does.
    ///
    /// # Errors
    /// If a run is active in the folder, or the folder cannot be written.
    pub fn replace(&self, path: &Path) -> Result<(), FileError> {
        self.commit(NewModel::replace(path)?)
    }

    fn commit(&self, mut folder: NewModel) -> Result<(), FileError> {
        self.write(&mut folder)?;
        folder.commit("lda", env!("CARGO_PKG_VERSION"))
    }

    /// Writes the files, without any dense matrix in memory.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, to: &mut impl ModelFiles) -> Result<(), FileError> {
        let Self { model, counts, names, evaluations, .. } = *self;
        let (topics, words) = (counts.topics(), counts.words);
        to.write("topic_word.npy", |out| {
            npy::header(out, "<f4", &[topics, words])?;
            let mut row = vec![0.0; words];
            (0..topics).try_for_each(|topic| {
                counts.probabilities(topic, &mut row);
                npy::f32s(out, &row)
            })
        })?;
        to.write(COUNTS, |out| {
            let (indices, values) = (counts.indices.iter().copied(), counts.counts.iter().copied());
            let starts = counts.starts.iter().copied();
            npz::csr(out, (topics, words), starts, (counts.indices.len(), indices), values)
        })?;
        to.write(DOC_TOPIC, |out| self.write_documents(out))?;
        if let Some(names) = names {
            to.write(DOCUMENTS, |out| {
                // A line end inside a name would make two names of it.
                names.iter().try_for_each(|name| writeln!(out, "{}", name.replace(char::is_control, " ")))
            })?;
        }
        if symmetric(&model.alpha).is_none() {
            to.write(ALPHA, |out| {
                npy::header(out, "<f8", &[topics])?;
                npy::f64s(out, &model.alpha)
            })?;
        }
        to.write(EVALUATIONS, |out| out.write_all(evaluations::table(evaluations).as_bytes()))?;
        to.write("topics.txt", |out| {
            (0..topics).try_for_each(|topic| {
                let top = counts.top(topic, 20).into_iter().map(|(word, _)| model.word(word));
                let share = counts.total(topic) as f64 / model.tokens.max(1) as f64;
                writeln!(out, "{}\t{share:.6}\t{}", topic + 1, top.collect::<Vec<_>>().join(" "))
            })
        })?;
        to.write("model.json", |out| Ok(serde_json::to_writer(out, model)?))
    }

    fn write_documents(&self, out: &mut Out) -> io::Result<()> {
        let (documents, topics) = (self.model.documents, self.counts.topics());
        let mut starts = vec![0u64];
        starts.extend((0..documents).scan(0, |end, document| {
            *end += (self.topics_of)(document).len() as u64;
            Some(*end)
        }));
        let length = starts.last().copied().unwrap_or(0) as usize;
        let entries = || (0..documents).flat_map(|document| (self.topics_of)(document));
        let indices = entries().map(|(topic, _)| topic);
        let values = entries().map(|(_, count)| count);
        npz::csr(out, (documents, topics), starts.into_iter(), (length, indices), values)
    }
}
