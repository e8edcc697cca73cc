//! Checkpoints: boundaries as folders of files, readable with any number of workers. `CHECKPOINT.md` lays
//! them out byte by byte.
//!
//! Workers write the learned state of their shards ([`Program::save_state`](crate::Program::save_state); not
//! the data it was made from) and their blocks, side by side, one record at a time. The first worker adds the
//! replica, the learned state of pinned block and schedule
//! ([`Program::save_pinned`](crate::Program::save_pinned),
//! [`Schedule::save_state`](crate::Schedule::save_state)), and progress.
//! [`Program::restored`](crate::Program::restored) and the first rounds make anew all that these leave out. A
//! manifest with the lengths and digests of all parts is renamed into its place last ([`manifest`]): a
//! checkpoint is there whole or not at all.
//!
//! Where the guard has not gone back to an earlier boundary, it holds the boundary as it was before it was
//! concluded: the run that is resumed evaluates and concludes it anew, under its own target.

mod due;
pub(crate) mod folder;
pub(crate) mod manifest;
pub(crate) mod part;

use std::path::{Path, PathBuf};

pub use self::due::CheckpointEvery;
pub(crate) use self::due::Due;
pub use self::folder::has_checkpoint;
pub(crate) use self::folder::{CheckpointWriter, SubmittedParts, commit_parts, last_generation, remove};
use self::folder::{Found, find};
use self::manifest::Manifest;
use crate::base::error::EngineError;
use crate::base::identity::Identity;

/// A checkpoint that has been found and checked.
pub(crate) struct Checkpoint {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    /// Later ones that do not fit, each with the reason.
    pub(crate) unfit: Vec<String>,
}

impl Checkpoint {
    /// Folder of the checkpoint.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Epochs completed at it, as its name says; 0 if it has been renamed.
    pub(crate) fn epoch(&self) -> u64 {
        folder::epoch_of(&self.folder).unwrap_or(0)
    }

    /// The last checkpoint in the folder that is whole and of the run with this identity.
    ///
    /// # Errors
    /// [`EngineError::Checkpoint`], of the last one of all, if there is none.
    pub(crate) fn read(path: &Path, identity: &Identity) -> Result<Self, EngineError> {
        let found = find(path, identity).map_err(|(path, why)| refuse(&path, why))?;
        let Found { folder, manifest, unfit } = found;
        let passed_by = |(path, why): (PathBuf, String)| {
            format!("{}; {} is used instead", refuse(&path, why), folder.display())
        };
        Ok(Self { unfit: unfit.into_iter().map(passed_by).collect(), folder, manifest })
    }
}

/// Error: the folder has no new checkpoint.
pub(crate) fn unwritten(folder: &Path, why: &std::io::Error) -> EngineError {
    let left = if has_checkpoint(folder) { "; the one before is still there" } else { "" };
    refuse(folder, format!("it cannot be written: {why}{left}"))
}

pub(crate) fn refuse(path: &Path, why: String) -> EngineError {
    EngineError::Checkpoint { path: path.to_owned(), why }
}
