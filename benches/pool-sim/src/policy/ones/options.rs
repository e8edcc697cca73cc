//! [`Options`] of ONES.

/// Score of schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// As published: slots times the predicted remaining time, over the jobs that run; jobs that wait count nothing.
    Published,
    /// Over all jobs, as in the pool.
    All,
}

/// Options of ONES.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number that schedules are compared by.
    pub score: Score,
    /// Schedules that are kept.
    pub population: usize,
    /// Cycles a decision.
    pub cycles: usize,
    /// Random schedules, as many, in place of crossover and mutation.
    pub random: bool,
    /// Uses the work that is left where it is known; else it is predicted.
    pub knowledge: bool,
    /// Epochs from one change of a job's share to the next.
    pub apart: u64,
    /// Training caps begin at the workers that a job asked for; else at its least.
    pub begin_as_requested: bool,
    /// The largest job shrinks where it holds half the cluster and has run for long.
    pub shrink: bool,
}

impl Options {
    /// Options as published, for this score; over all jobs, those that were found better.
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
