//! [`Replica`]: the number of tokens of each topic, and the priors.

use super::messages::Change;

/// The number of tokens of each topic and the priors, equal on every worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replica {
    /// n_k.
    pub(crate) topics: Vec<i64>,
    /// alpha_k.
    pub(crate) alpha: Vec<f64>,
    /// beta, without the factor of the course.
    pub(crate) beta: f64,
}

raddle::state!(Replica { topics, alpha, beta });

impl Replica {
    /// Returns the number of tokens of each topic.
    pub fn topics(&self) -> &[i64] {
        &self.topics
    }

    pub(crate) fn commit(&mut self, change: &Change) {
        for (total, moved) in self.topics.iter_mut().zip(&change.moved) {
            *total += moved;
        }
        if let Some((alpha, beta)) = &change.priors {
            self.alpha.clone_from(alpha);
            self.beta = *beta;
        }
    }
}
