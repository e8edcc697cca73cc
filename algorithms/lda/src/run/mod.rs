//! The topic model as a program of the engine: the schedule, replica and pinned block of a run, and their
//! messages.
//!
//! Start reading at `program.rs`. What a task samples is in `kernels/`; `statistics.rs` has the sums that
//! tasks and shards return, and `conclusion.rs` what a boundary makes of them.

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
