//! [`SavedDocuments`]: the topics and names of a model's own documents.

use raddle::files::{FileError, ModelFolder};
use raddle_datasets::Csc;

use super::about::Model;
use super::names::{DOC_TOPIC, DOCUMENTS};
use super::sparse::sparse;

/// The topics of a model's own documents.
#[derive(Debug)]
pub struct SavedDocuments {
    /// Count of each topic in each document, a matrix of documents by topics in compressed columns.
    pub counts: Csc,
    /// Number of tokens of each document plus the sum of alpha.
    lengths: Vec<f64>,
    alpha: Vec<f64>,
    /// Names of the documents, if there are any.
    pub names: Option<Vec<String>>,
}

impl SavedDocuments {
    /// Reads them from the folder of a model.
    pub(super) fn read(folder: &ModelFolder, model: &Model) -> Result<Self, FileError> {
        let broken = |why: &str| FileError::refused(&folder.path().join(DOC_TOPIC), why);
        let counts = sparse(folder, DOC_TOPIC)?;
        if (counts.rows(), counts.cols()) != (model.documents, model.topics) {
            return Err(broken("it has other documents or topics than model.json"));
        }
        let alpha = model.alpha.clone();
        let mut lengths = vec![alpha.iter().sum::<f64>(); model.documents];
        for column in counts.outer_iterator() {
            column.iter().for_each(|(document, &count)| lengths[document] += count);
        }
        let names = match model.named_documents {
            true => {
                let names =
                    String::from_utf8(folder.read(DOCUMENTS)?).map_err(|_| broken("names are no text"))?;
                let names: Vec<String> = names.lines().map(str::to_owned).collect();
                if names.len() != model.documents {
                    return Err(broken("it has other documents than documents.txt"));
                }
                Some(names)
            }
            false => None,
        };
        Ok(Self { counts, lengths, alpha, names })
    }

    /// Returns (document, share) of the documents with the largest share of a topic, without documents that
    /// lack the topic.
    pub fn top(&self, topic: usize, most: usize) -> Vec<(usize, f64)> {
        let column = self.counts.outer_view(topic);
        let share = |(document, count): (usize, &f64)| {
            (document, (count + self.alpha[topic]) / self.lengths[document])
        };
        let mut shares: Vec<(usize, f64)> =
            column.iter().flat_map(|column| column.iter().map(share)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares.truncate(most);
        shares
    }

    /// Returns the name of a document, or its number from 1.
    pub fn name(&self, document: usize) -> String {
        let name = self.names.as_ref().and_then(|names| names.get(document));
        name.cloned().unwrap_or_else(|| (document + 1).to_string())
    }
}
