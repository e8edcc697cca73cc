//! [`Options`] of ONES.

/// Score of schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Score as published: slots times predicted remaining time, summed over the running jobs; waiting jobs
    /// do not count.
    Published,
    /// Score over all jobs, as in the pool.
    All,
}

/// Options of ONES.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Score that schedules are compared by.
    pub score: Score,
    /// Number of schedules that are kept.
    pub population: usize,
    /// Number of cycles in each decision.
    pub cycles: usize,
    /// `true` for as many random schedules in place of crossover and mutation.
    pub random: bool,
    /// `true` if the work left is used where it is known, else it is always predicted.
    pub knowledge: bool,
    /// Minimum number of epochs between two changes of a job's share.
    pub apart: u64,
    /// `true` if the training cap of a job starts at the workers that it requested, else at its minimum.
    pub begin_as_requested: bool,
    /// `true` if the largest job shrinks once it holds half the cluster and has run for long.
    pub shrink: bool,
}

impl Options {
    /// Options as published for the published score; for the score over all jobs, those that were found to be
    /// better.
    pub fn of(score: Score) -> Self {
        let is_published = score == Score::Published;
        Self {
            score,
            population: 16,
            cycles: 1,
            random: false,
            knowledge: true,
            apart: if is_published { 2 } else { 1 },
            begin_as_requested: !is_published,
            shrink: is_published,
        }
    }
}
