//! Messages of tasks and shards, and changes that become visible: [`Partial`], [`Change`].

use crate::evaluate::perplexity::Score;

/// Sums that add up over tasks and shards.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// How the tokens of each topic changed.
    pub(crate) moved: Vec<i32>,
    /// By how much totals that were fixed within a task were off when it ended, at most: sum over topics.
    pub(crate) unseen: u64,
    /// For alpha: the numerators of the topics, and the common denominator.
    pub(crate) alpha: Vec<f64>,
    pub(crate) alpha_all: f64,
    /// For beta: the numerator.
    pub(crate) beta: f64,
    /// Joint log-likelihood: what words and documents contribute.
    pub(crate) words: f64,
    pub(crate) documents: f64,
    /// The held-out sets' scores.
    pub(crate) scores: Vec<Score>,
}

raddle::state!(Partial { moved, unseen, alpha, alpha_all, beta, words, documents, scores });

impl Partial {
    pub(crate) fn add(&mut self, other: Self) {
        sum(&mut self.moved, other.moved, |sum, part| *sum += part);
        sum(&mut self.alpha, other.alpha, |sum, part| *sum += part);
        sum(&mut self.scores, other.scores, |sum, part| sum.add(part));
        self.unseen = self.unseen.max(other.unseen);
        self.alpha_all += other.alpha_all;
        self.beta += other.beta;
        self.words += other.words;
        self.documents += other.documents;
    }
}

/// Change that a round or boundary makes visible.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// How n_k changes.
    pub(crate) moved: Vec<i64>,
    /// New priors, alpha and beta, where they are optimised.
    pub(crate) priors: Option<(Vec<f64>, f64)>,
}

raddle::state!(Change { moved, priors });

/// Adds two lists of which one may be empty.
fn sum<T>(sums: &mut Vec<T>, parts: Vec<T>, add: impl Fn(&mut T, T)) {
    match sums.is_empty() {
        true => *sums = parts,
        false => sums.iter_mut().zip(parts).for_each(|(sum, part)| add(sum, part)),
    }
}
