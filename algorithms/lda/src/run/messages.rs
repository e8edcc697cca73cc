//! Messages of tasks and shards, and changes that become visible: [`Partial`], [`Change`].

use crate::evaluate::perplexity::Score;

/// The result of a task, of a shard, or of neighbouring shards.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// Change of the number of tokens of each topic.
    pub(crate) moved: Vec<i64>,
    /// Largest error of the totals that a task or shard read, summed over topics: for a round, of totals that
    /// were fixed within a task; at a boundary, of the whole epoch before.
    pub(crate) unseen: u64,
    /// Sums of each shard that has any. They are floating-point numbers that are added in shard order, so
    /// they are not merged here.
    pub(crate) sums: Vec<Sums>,
}

raddle::state!(Partial { moved, unseen, sums });

impl Partial {
    /// Makes a result of sums only.
    pub(crate) fn of(sums: Sums) -> Self {
        Self { sums: vec![sums], ..Self::default() }
    }

    /// Adds the result of the shard's next task.
    pub(crate) fn fold(&mut self, next: Self) {
        self.add_moved(next.moved, next.unseen);
        for sums in next.sums {
            match self.sums.first_mut() {
                Some(so_far) => so_far.add(sums),
                None => self.sums.push(sums),
            }
        }
    }

    /// Merges the result of the next shards.
    pub(crate) fn merge(&mut self, mut right: Self) {
        self.add_moved(right.moved, right.unseen);
        self.sums.append(&mut right.sums);
    }

    fn add_moved(&mut self, moved: Vec<i64>, unseen: u64) {
        sum(&mut self.moved, moved, |sum, part| *sum += part);
        self.unseen = self.unseen.max(unseen);
    }
}

/// Sums over tasks and shards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    /// For alpha: the numerators of the topics; then the common denominator.
    pub(crate) alpha: Vec<f64>,
    pub(crate) alpha_all: f64,
    /// For beta: the numerator.
    pub(crate) beta: f64,
    /// Joint log-likelihood: the terms of words; then those of documents.
    pub(crate) words: f64,
    pub(crate) documents: f64,
    /// Scores of the held-out sets; then estimates of them.
    pub(crate) scores: Vec<Score>,
    pub(crate) estimates: Vec<Score>,
}

raddle::state!(Sums { alpha, alpha_all, beta, words, documents, scores, estimates });

impl Sums {
    pub(crate) fn add(&mut self, other: Self) {
        sum(&mut self.alpha, other.alpha, |sum, part| *sum += part);
        sum(&mut self.scores, other.scores, |sum, part| sum.add(part));
        sum(&mut self.estimates, other.estimates, |sum, part| sum.add(part));
        self.alpha_all += other.alpha_all;
        self.beta += other.beta;
        self.words += other.words;
        self.documents += other.documents;
    }
}

/// A change that a round or boundary makes visible.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Change of n_k.
    pub(crate) moved: Vec<i64>,
    /// New priors, alpha and beta, if they are optimised.
    pub(crate) priors: Option<(Vec<f64>, f64)>,
    /// `true` if an estimate is enough, so that held-out documents are not scored.
    pub(crate) is_estimated: bool,
}

raddle::state!(Change { moved, priors, is_estimated });

/// Adds two lists, of which one may be empty.
fn sum<T>(sums: &mut Vec<T>, parts: Vec<T>, add: impl Fn(&mut T, T)) {
    match sums.is_empty() {
        true => *sums = parts,
        false => sums.iter_mut().zip(parts).for_each(|(sum, part)| add(sum, part)),
    }
}
