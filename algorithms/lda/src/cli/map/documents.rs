//! [`Documents`]: the documents with the largest share of a topic.

use raddle_datasets::Vocabulary;
use raddle_lda::files::Model;

use super::best::Best;
use super::short::{rounded, short};

/// Number of documents per topic.
const MOST: usize = 5;

/// The documents with the largest share of each topic: (n_dk + alpha_k) / (n_d + sum of alpha). The prior
/// keeps very short documents from coming first.
pub(super) struct Documents<'a> {
    names: Option<&'a Vocabulary>,
    best: Vec<Best<usize>>,
}

impl<'a> Documents<'a> {
    pub(super) fn of(
        model: &Model,
        topics_of: &dyn Fn(usize) -> Vec<(u32, u32)>,
        names: Option<&'a Vocabulary>,
    ) -> Self {
        let mut best = vec![Best::new(MOST); model.topics];
        let prior: f64 = model.alpha.iter().sum();
        for document in 0..model.documents {
            let topics = topics_of(document);
            let length = prior + topics.iter().map(|&(_, count)| f64::from(count)).sum::<f64>();
            for (topic, count) in topics {
                let topic = topic as usize;
                best[topic].offer((f64::from(count) + model.alpha[topic]) / length, document);
            }
        }
        Self { names, best }
    }

    /// Returns the names of a topic's documents, or their numbers from 1, with its share in each.
    pub(super) fn of_topic(&self, topic: usize) -> Vec<(String, f64)> {
        let name = |document: usize| match self.names.and_then(|names| names.get(document)) {
            Some(name) => short(name),
            None => (document + 1).to_string(),
        };
        self.best[topic].found().iter().map(|&(share, document)| (name(document), rounded(share))).collect()
    }
}
