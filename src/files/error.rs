//! [`FileError`]: the reason that a model's files were not read or written.

use std::fmt;
use std::path::{Path, PathBuf};

/// Failure to read or write the files of a model. Its text names the file and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The path, or its content, is not what it should be.
    #[error("{}: {why}", .path.display())]
    Refused {
        /// The file or folder.
        path: PathBuf,
        /// The reason, and what to do.
        why: String,
    },
    /// A line of a file is not what it should be.
    #[error("{}, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason, and what to do.
        why: String,
    },
    /// The file could not be written.
    #[error("{}: cannot write: {why}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: String,
    },
}

impl FileError {
    /// A path that is not what it should be.
    pub fn refused(path: &Path, why: impl fmt::Display) -> Self {
        Self::Refused { path: path.into(), why: why.to_string() }
    }

    /// A line, from 1, that is not what it should be.
    pub fn line(path: &Path, line: usize, why: impl fmt::Display) -> Self {
        Self::Line { path: path.into(), line, why: why.to_string() }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, why: impl fmt::Display) -> Self {
        Self::Write { path: path.into(), why: why.to_string() }
    }
}
