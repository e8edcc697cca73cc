//! Random numbers, counts of what they were drawn for, and counts of steps.

use raddle::random::Stream;
use serde::Serialize;

/// Counts of linear programmes and of their roundings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Roundings {
    /// Linear programmes with an answer.
    pub solved: u64,
    /// Linear programmes without an answer: no placement, not even with fractions.
    pub infeasible: u64,
    /// Linear programmes that the library answered wrongly or not at all, so that cheapest first did: it panicked, gave up, broke a
    /// constraint, or found no placement where there is one.
    pub failed: u64,
    /// Answers all of whose roundings were infeasible.
    pub unrounded: u64,
}

/// Drawing, counts of it, and counts of steps.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) stream: Stream,
    pub(crate) roundings: Roundings,
    pub(crate) steps: u64,
}
