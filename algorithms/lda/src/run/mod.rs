//! The topic model as a program of the engine: a run's schedule, replica and pinned block, and what they say
//! to each other.
//!
//! To be read from `program.rs`, which has the verbs. What a task samples is in `kernels/`; `statistics.rs`
//! has the sums that tasks and shards answer, `conclusion.rs` what a boundary makes of them.

pub(crate) mod annealing;
pub(crate) mod conclusion;
pub(crate) mod evaluation_times;
pub(crate) mod messages;
pub(crate) mod pinned;
pub(crate) mod program;
pub(crate) mod replica;
pub(crate) mod restored;
pub(crate) mod schedule;
pub(crate) mod spec;
pub(crate) mod statistics;
