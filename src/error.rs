//! What can go wrong in a run.

use std::path::PathBuf;

use thiserror::Error;

/// Why a run failed. Nothing that was written before is lost.
#[derive(Debug, Error)]
pub enum EngineError {
    /// A program or a schedule panicked; the other workers were ended.
    #[error("a worker ended the run: {0}")]
    Worker(String),
    /// The threads of a generation could not be started.
    #[error("{threads} threads could not be started: {why}; ask for fewer")]
    Start {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        why: String,
    },
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
    /// A checkpoint that cannot be written, read or used.
    #[error("checkpoint {}: {why}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
}
