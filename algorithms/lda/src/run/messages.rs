//! Messages of tasks and shards, and changes that become visible: [`Partial`], [`Change`].

use crate::evaluate::perplexity::Score;

/// Answer of a task, of a shard, or of neighbouring shards.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// How the tokens of each topic changed.
    pub(crate) moved: Vec<i64>,
    /// By how much totals were off that a task or shard read, at most: sum over topics. Of a round, totals
    /// that were fixed within a task; at a boundary, all of the epoch before.
    pub(crate) unseen: u64,
    /// Sums of each shard that has some. They are of floating-point numbers and added up in shard order, so
    /// they are not merged.
    pub(crate) sums: Vec<Sums>,
}

raddle::state!(Partial { moved, unseen, sums });

impl Partial {
    /// Sums alone.
    pub(crate) fn of(sums: Sums) -> Self {
        Self { sums: vec![sums], ..Self::default() }
    }

    /// Adds the answer of the shard's next task.
    pub(crate) fn fold(&mut self, next: Self) {
        self.add_moved(next.moved, next.unseen);
        for sums in next.sums {
            match self.sums.first_mut() {
                Some(so_far) => so_far.add(sums),
                None => self.sums.push(sums),
            }
        }
    }

    /// Merges the answer of the shards behind these.
    pub(crate) fn merge(&mut self, mut right: Self) {
        self.add_moved(right.moved, right.unseen);
        self.sums.append(&mut right.sums);
    }

    fn add_moved(&mut self, moved: Vec<i64>, unseen: u64) {
        sum(&mut self.moved, moved, |sum, part| *sum += part);
        self.unseen = self.unseen.max(unseen);
    }
}

/// Sums that add up over tasks and shards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
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

raddle::state!(Sums { alpha, alpha_all, beta, words, documents, scores });

impl Sums {
    pub(crate) fn add(&mut self, other: Self) {
        sum(&mut self.alpha, other.alpha, |sum, part| *sum += part);
        sum(&mut self.scores, other.scores, |sum, part| sum.add(part));
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
