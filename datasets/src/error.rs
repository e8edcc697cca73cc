//! What can be wrong with a file, said so that it can be mended.

use std::io;
use std::path::{Path, PathBuf};

use crate::registry::RegistryError;
use crate::table::generate::SpecError;

/// Why data could not be read. The text names the file, the line where there is one, and what to do.
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
        /// What is wrong there and what to do.
        message: String,
    },
    /// The file as a whole is not usable: empty, of an unknown format, without the named response.
    #[error("{}: {message}", path.display())]
    File {
        /// The file as it was named.
        path: PathBuf,
        /// What is wrong and what to do.
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
