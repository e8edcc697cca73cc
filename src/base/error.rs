//! Errors of a run: [`EngineError`].

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Reason that a run failed. Nothing that was written before is lost.
#[derive(Error)]
pub enum EngineError {
    /// A program or a schedule failed: the text gives the verb, the shard, the epoch and round, and where a
    /// panic began. The other workers were ended.
    #[error("a worker ended the run: {0}")]
    Worker(String),
    /// Another process of the run is gone, or sends bytes that cannot be read; the coordinator reports the
    /// cause.
    #[error("{0}")]
    Process(String),
    /// The threads of a generation could not be started.
    #[error("{threads} threads could not be started: {why}; ask for fewer")]
    Start {
        /// Threads asked for.
        threads: usize,
        /// The operating system's reason.
        why: String,
    },
    /// A function that makes shards or blocks failed: see `LazyParts`.
    #[error("{what} {number} cannot be made: {why}")]
    Make {
        /// A shard or a block.
        what: &'static str,
        /// Number of the shard or block.
        number: u32,
        /// The reason that the function gives.
        why: String,
    },
    /// The run was asked to end before its first boundary, and could not wait for it: there is no model yet.
    #[error("{} before the first boundary: there is no model yet, and nothing is written", if *interrupted { "interrupted" } else { "the time limit came" })]
    BeforeBoundary {
        /// `true` if a [`Stop`](crate::stop::Stop) asked for it, `false` if the time limit did.
        interrupted: bool,
    },
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
    /// Two ways to carry out a run give different results: see `replay::check`.
    #[error(
        "{how}, the run differs in epoch {epoch} from the one on 1 worker, first in {part}; usual causes: \
         {causes}"
    )]
    Replay {
        /// The way in which the differing run was carried out.
        how: String,
        /// The first epoch that differs, counted from 0.
        epoch: u64,
        /// The first part that differs, such as `shard 3`.
        part: String,
        /// Usual causes of a difference in such a part.
        causes: &'static str,
    },
    /// A checkpoint that cannot be written, read or used.
    #[error("checkpoint {}: {why}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The fault, and the remedy.
        why: String,
    },
}

/// The text of [`Display`](fmt::Display), because `Debug` is shown if a `main` returns the error.
impl fmt::Debug for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
