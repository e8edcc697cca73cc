//! [`Saved`]: a model read from a folder.

use std::path::Path;

use raddle::files::{FileError, ModelFolder};
use raddle_datasets::npy;

use super::about::Model;
use super::documents::SavedDocuments;
use super::evaluations;
use super::names::{ALPHA, COUNTS, EVALUATIONS};
use super::sparse::sparse;
use crate::error::LdaError;
use crate::infer::Inference;
use crate::params::MOST_TOPICS;
use crate::run::pinned::Evaluation;
use crate::topic_words::TopicWords;

/// A topic model that `lda fit --out` or [`Fit::save`](crate::Fit::save) wrote; every file that is read is
/// checked.
#[derive(Debug)]
pub struct Saved {
    folder: ModelFolder,
    /// Metadata: priors, words, the rule that splits texts.
    pub model: Model,
    /// Count of each word in each topic.
    pub counts: TopicWords,
}

impl Saved {
    /// Opens the folder of a model. Its documents are read only when needed.
    ///
    /// # Errors
    /// If there is no model, it belongs to another program, or a file is not as it was written.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let folder = ModelFolder::open(path, "lda")?;
        let mut model: Model = folder.about()?;
        model.alpha = match model.alpha.first() {
            Some(alpha) => vec![*alpha; model.topics.min(MOST_TOPICS)],
            None => alphas(&folder.read(ALPHA)?, model.topics)
                .ok_or_else(|| FileError::refused(&path.join(ALPHA), "not one number for each topic"))?,
        };
        if let Some(fault) = model.fault() {
            return Err(FileError::refused(&path.join("model.json"), fault));
        }
        let counts = counts(&folder, &model)?;
        Ok(Self { folder, model, counts })
    }

    /// Returns the opened folder.
    pub fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    /// Returns the digest of the model, [`Fit::digest`](crate::Fit::digest) of the saved fit.
    pub fn digest(&self) -> String {
        self.counts.digest(&self.model.alpha)
    }

    /// Prepares the model for inference on new documents.
    ///
    /// # Errors
    /// The errors of [`Inference::new`].
    pub fn inference(&self) -> Result<Inference, LdaError> {
        Inference::new(&self.counts, self.model.alpha.clone())
    }

    /// Reads the topics and names of the documents that the model was fitted to.
    ///
    /// # Errors
    /// If the files belong to other documents, or are not as they were written.
    pub fn documents(&self) -> Result<SavedDocuments, FileError> {
        SavedDocuments::read(&self.folder, &self.model)
    }

    /// Reads every evaluation of the fit, in order.
    ///
    /// # Errors
    /// If the file is not as it was written.
    pub fn evaluations(&self) -> Result<Vec<Evaluation>, FileError> {
        let refuse = || FileError::refused(&self.folder.path().join(EVALUATIONS), "no table of evaluations");
        evaluations::parsed(&self.folder.read(EVALUATIONS)?).ok_or_else(refuse)
    }
}

/// Parses alpha, if there is one number per topic.
fn alphas(bytes: &[u8], topics: usize) -> Option<Vec<f64>> {
    let mut header = Vec::new();
    npy::header(&mut header, "<f8", &[topics]).ok()?;
    let (numbers, rest) = bytes.strip_prefix(&header[..])?.as_chunks();
    let is_whole = numbers.len() == topics && rest.is_empty();
    is_whole.then(|| numbers.iter().map(|&number| f64::from_le_bytes(number)).collect())
}

fn counts(folder: &ModelFolder, model: &Model) -> Result<TopicWords, FileError> {
    let columns = sparse(folder, COUNTS)?;
    let broken = |why: String| FileError::refused(&folder.path().join(COUNTS), why);
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
    use super::*;

    #[test]
    fn there_is_one_alpha_per_topic_and_nothing_after_them() {
        let mut bytes = Vec::new();
        npy::header(&mut bytes, "<f8", &[2]).unwrap();
        bytes.extend([0.5_f64, 0.25].iter().flat_map(|alpha| alpha.to_le_bytes()));
        assert_eq!(alphas(&bytes, 2), Some(vec![0.5, 0.25]));
        assert_eq!(alphas(&bytes[..bytes.len() - 8], 2), None);
        bytes.push(0);
        assert_eq!(alphas(&bytes, 2), None);
    }
}
