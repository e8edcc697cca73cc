//! Errors in data, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why data could not be read. The message names the file, the line if there is one, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused access: no such file, no permission, a folder, too little memory.
    #[error("{}: cannot read: {source}", path.display())]
    Io {
        /// The file as the user named it.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A line that does not follow its format.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file as the user named it.
        path: PathBuf,
        /// The line, from 1; in a compressed file, the line of the decompressed text.
        line: usize,
        /// The error, and what to do.
        message: String,
    },
    /// A file that is unusable as a whole: empty, of an unknown format, or without the named response.
    #[error("{}: {message}", path.display())]
    File {
        /// The file as the user named it.
        path: PathBuf,
        /// The error, and what to do.
        message: String,
    },
    /// A name that belongs to no file on this machine.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A `synth:` specification that is not valid.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl ReadError {
    /// Returns the line of the error, from 1, if it concerns one line.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Line { line, .. } => Some(*line),
            _ => None,
        }
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    pub(crate) fn at(path: &Path, line: usize, message: impl Into<String>) -> Self {
        Self::Line { path: path.into(), line, message: in_one_line(message.into()) }
    }

    pub(crate) fn file(path: &Path, message: impl Into<String>) -> Self {
        Self::File { path: path.into(), message: in_one_line(message.into()) }
    }
}

/// Escapes text from a file, so that the message stays on one line whatever the text is.
fn in_one_line(message: String) -> String {
    match message.contains(char::is_control) {
        true => message.replace(char::is_control, " "),
        false => message,
    }
}

/// Why a public set is not available.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No set of the kind has this name.
    #[error("`{name}` is neither {neither}{known}")]
    Unknown {
        /// Name that was asked for.
        name: String,
        /// Description of what the name could be.
        neither: &'static str,
        /// Known names.
        known: String,
    },
    /// There is no data folder.
    #[error("no folder to look for {file} in: set RADDLE_DATA to the folder that holds it")]
    NoFolder {
        /// The file, relative to the data folder.
        file: &'static str,
    },
    /// The set with this name has another kind of data.
    #[error("`{name}` is {what}")]
    OtherKind {
        /// Name that was asked for.
        name: String,
        /// Kind of its data, with the programs that read it.
        what: String,
    },
    /// The data folder lacks the file.
    #[error("{}: no such file: {how}", looked_for.display())]
    Missing {
        /// The file, relative to the data folder.
        file: &'static str,
        /// Full path of the missing file.
        looked_for: PathBuf,
        /// How to get the file.
        how: String,
    },
    /// The file is not the one in the registry.
    #[error("{}: its SHA-256 is {found}, not {expected}: get the file again, or read it by its path", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// SHA-256 of the file.
        found: String,
        /// SHA-256 in the registry.
        expected: &'static str,
    },
}

/// Why a `synth:` specification is not valid.
#[derive(Debug, thiserror::Error)]
#[error("{spec}: {message}")]
pub struct SpecError {
    /// The specification as the user gave it.
    pub spec: String,
    /// The error, and what to do.
    pub message: String,
}

/// A flaw in one line of a block: the line, from 0 within the block, and the message.
pub(crate) type Flaw = (usize, String);
