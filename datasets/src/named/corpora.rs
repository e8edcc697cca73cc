//! Reads corpora by the names that users give.

use std::path::Path;

use crate::bytes::source::names_a_file;
use crate::corpus::{Corpus, CorpusOptions, read_corpus};
use crate::error::ReadError;
use crate::registry::{SetKind, as_path, embedded, load_corpus, not_found, verified_set};

/// Reads a corpus by name: `pydoc` (the embedded one), the name of a public corpus, or the path of a file or
/// folder.
///
/// # Errors
/// The errors of [`read_corpus`] and of the registry.
pub fn read_any_corpus(source: &str, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let source = &*as_path(source);
    let is_public = verified_set(SetKind::Corpus, source).is_some();
    if let Some(words) = options.vocabulary.as_ref().filter(|_| is_public || source == "pydoc") {
        let why = format!("a known corpus has its own vocabulary: do not give {} for it", words.display());
        return Err(ReadError::file(Path::new(source), why));
    }
    match source {
        "pydoc" => Ok(embedded::pydoc()),
        _ if is_public => load_corpus(source, options.threads),
        _ if names_a_file(source) => read_corpus(source, options),
        _ => Err(not_found(source, SetKind::Corpus).into()),
    }
}
