//! Faults of files, said so that they can be mended.

use std::io;
use std::path::{Path, PathBuf};

/// Reason for which data could not be read. The text names the file, the line where there is one, and what to
/// do.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused: no such file, no permission, a folder, a full memory.
    #[error("{}: cannot read: {source}", path.display())]
    Io {
        /// The file as it was named.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// One line is not what its format asks for.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file as it was named.
        path: PathBuf,
        /// The line, counted from 1; in a gzip file, the line of the text inside.
        line: usize,
        /// The fault there, and what to do.
        message: String,
    },
    /// The file as a whole is not usable: empty, of an unknown format, without the named response.
    #[error("{}: {message}", path.display())]
    File {
        /// The file as it was named.
        path: PathBuf,
        /// The fault, and what to do.
        message: String,
    },
    /// The name is not that of a file that is here.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A `synth:` specification cannot be followed.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl ReadError {
    /// The line at fault, counted from 1, where one line is.
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

/// A message that shows what stands in a file stays one line, whatever that is.
fn in_one_line(message: String) -> String {
    match message.contains(char::is_control) {
        true => message.replace(char::is_control, " "),
        false => message,
    }
}

/// Reason for which a public set is not at hand.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No set has this name.
    #[error("`{name}` is neither a file nor a public set: known sets are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No set of ratings has this name.
    #[error("`{name}` is neither a file nor a public set of ratings: known sets are {known}")]
    UnknownRatings {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No corpus has this name.
    #[error("`{name}` is neither a file, a folder nor a public corpus: known are pydoc (embedded), {known}")]
    UnknownCorpus {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// There is no folder to look in.
    #[error("no folder to look for {file} in: set RADDLE_DATA to the folder that holds it")]
    NoFolder {
        /// The file, below the data folder.
        file: &'static str,
    },
    /// The set of this name has another form.
    #[error("`{name}` is {what}")]
    OtherKind {
        /// The name asked for.
        name: String,
        /// The form of its data, with the programs that read it.
        what: String,
    },
    /// The folder does not hold the file.
    #[error("{}: no such file: {how}", looked_for.display())]
    Missing {
        /// The file, below the data folder.
        file: &'static str,
        /// The whole path that was looked for.
        looked_for: PathBuf,
        /// The way to have it.
        how: String,
    },
    /// The file is another one than that of the registry.
    #[error("{}: its SHA-256 is {found}, not {expected}: get the file again, or read it by its path", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// The registry's digest.
        expected: &'static str,
    },
}

/// Reason for which a `synth:` specification cannot be followed.
#[derive(Debug, thiserror::Error)]
#[error("{spec}: {message}")]
pub struct SpecError {
    /// The specification as it was given.
    pub spec: String,
    /// The fault, and what to do.
    pub message: String,
}

/// Flaw of one line of a block: the line, counted from 0 within the block, and the message.
pub(crate) type Flaw = (usize, String);
