//! The Lasso as a program of the engine: the shards, pinned block and replica of a run, and their messages.
//!
//! Start reading at `program.rs`, which has the steps of the engine. An epoch of the working set:
//! `certificate.rs` (a pass over all columns), `schedule.rs` (choose and relate), `pinned.rs` (enter, solve)
//! on `gram_tiles.rs`.
//!
//! A *column* is data; its number is a *variable* to the engine. A column whose gradient exceeds the
//! threshold is a *violator*, one that the schedule examines is a *candidate*, and one in the working set is
//! a *member*, at its *slot*.

pub(crate) mod boundary_solution;
mod by_group;
mod candidates;
pub(crate) mod certificate;
mod coordinate_step;
pub(crate) mod gram_tiles;
pub(crate) mod gram_tree;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod pinned;
pub(crate) mod points;
pub(crate) mod program;
pub(crate) mod progress;
pub(crate) mod replica;
pub(crate) mod restored;
mod ridge;
pub(crate) mod schedule;
pub(crate) mod shard;
pub(crate) mod solution;
pub(crate) mod solved_columns;
pub(crate) mod solver_checkpoint;
pub(crate) mod spec;
pub(crate) mod start;
