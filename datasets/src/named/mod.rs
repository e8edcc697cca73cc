//! Reads data by the names that users give: a path, the name of a public set, or a specification to generate
//! from. Each kind of data is read into memory, or opened in a file that is read on demand.

mod corpora;
mod ratings;
mod tables;

pub use corpora::read_any_corpus;
pub use ratings::read_any_ratings;
pub use tables::{read_any, read_samples};

use crate::bytes::source::names_a_file;
use crate::error::RegistryError;
use crate::registry::{PublicSet, SetKind, not_found, verified_set};

/// The place of the data that a name stands for.
#[derive(Clone, Copy)]
enum Origin {
    /// The program itself.
    Embedded,
    /// A `synth:` specification.
    Generated,
    Public(&'static PublicSet),
    /// A file, a folder or standard input.
    File,
}

impl Origin {
    fn of(source: &str, kind: SetKind) -> Result<Self, RegistryError> {
        match (kind, source) {
            (SetKind::Table, "diabetes") | (SetKind::Corpus, "pydoc") => return Ok(Self::Embedded),
            (SetKind::Table | SetKind::Ratings, _) if source.starts_with("synth:") => {
                return Ok(Self::Generated);
            }
            _ => {}
        }
        match verified_set(kind, source) {
            Some(set) => Ok(Self::Public(set)),
            None if names_a_file(source) => Ok(Self::File),
            None => Err(not_found(source, kind)),
        }
    }
}
