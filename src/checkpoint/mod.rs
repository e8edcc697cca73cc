//! Checkpoints: boundaries as folders of files, readable with any number of workers. `CHECKPOINT.md`
//! describes them byte by byte.
//!
//! Workers write the learned state of their shards ([`Program::save_state`](crate::Program::save_state); not
//! the data it was made from) and their blocks, side by side, one record at a time. The first worker adds the
//! replica, the learned state of pinned block and schedule
//! ([`Program::save_pinned`](crate::Program::save_pinned),
//! [`Schedule::save_state`](crate::Schedule::save_state)), and progress.
//! [`RestoreByShard`](crate::RestoreByShard) and the first rounds restore all that these leave out. A
//! manifest with the lengths and digests of all parts is renamed into its place last ([`manifest`]): a
//! checkpoint is there whole or not at all.
//!
//! Unless the guard has rolled back to an earlier boundary, a checkpoint holds the boundary before its
//! conclusion: the resumed run evaluates and concludes it again, under its own target.

mod due;
pub(crate) mod folder;
mod found;
pub(crate) mod manifest;
pub(crate) mod part;

pub use self::due::CheckpointEvery;
pub(crate) use self::due::Due;
pub use self::folder::has_checkpoint;
pub(crate) use self::folder::{
    CheckpointWriter, SubmittedParts, commit_parts, last_generation, refuse, remove, unwritten,
};
pub(crate) use self::found::Checkpoint;
