//! [`PrioritySettings`]: the parameters of the priority schedule.

/// Parameters of [`Priority`](super::Priority).
#[derive(Debug, Clone)]
pub struct PrioritySettings {
    /// P: variables updated a round at most; at least 1. Where dependencies are checked, more than 8192 count
    /// as 8192.
    pub parallelism: usize,
    /// P': candidates drawn a batch; at least P. Where dependencies are checked, more than 8192 count as
    /// 8192.
    pub candidates: usize,
    /// Two variables that depend on each other more strongly than this never share a round, nor follow each
    /// other while in flight; `None` checks nothing.
    pub rho: Option<f32>,
    /// The base weight, as a fraction of the mean of the nonzero weights.
    pub base: f64,
    /// Batches drawn a round at most: while rejections leave room, the round is refilled from a fresh batch.
    pub batches: u32,
    /// Rounds an epoch; `None` takes as many as it needs to update every variable once.
    pub rounds: Option<usize>,
    /// Names the streams, with the epoch and the round.
    pub seed: u64,
    /// `true` to keep a log of every round.
    pub explain: bool,
}

/// Variables that are checked against each other at most: their pairs take 134 MB.
const RELATED: usize = 1 << 13;

impl PrioritySettings {
    /// Variables of a round at most: where they are checked against each other, no more than can be.
    pub(super) fn most(&self) -> usize {
        self.limited(self.parallelism)
    }

    /// Candidates of a batch.
    pub(super) fn batch_size(&self) -> usize {
        self.limited(self.candidates.max(self.parallelism))
    }

    fn limited(&self, count: usize) -> usize {
        if self.rho.is_some() { count.clamp(1, RELATED) } else { count.max(1) }
    }

    /// P and P' equal, rho 0.1, base weight 0.01, one refill: STRADS's own, with the refill it lacked.
    pub fn new(parallelism: usize, seed: u64) -> Self {
        let parallelism = parallelism.max(1);
        Self {
            parallelism,
            candidates: parallelism,
            rho: Some(0.1),
            base: 0.01,
            batches: 2,
            rounds: None,
            seed,
            explain: false,
        }
    }
}
