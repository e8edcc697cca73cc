//! Reads corpora by the names that users give.

use std::path::Path;

use crate::bytes::source::names_a_file;
use crate::corpus::{Corpus, CorpusOptions, read_corpus};
use crate::error::ReadError;
use crate::registry::{SetKind, absent, as_path, corpus_entry, embedded, load_corpus, unknown_corpus};

/// Reads a corpus by name: `pydoc` (the embedded one), the name of a public corpus, or the path of a file or
/// folder.
///
/// # Errors
/// The errors of [`read_corpus`] and of the registry.
pub fn read_any_corpus(source: &str, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let source = &*as_path(source);
    let is_known = source == "pydoc" || corpus_entry(source).is_some();
    if let Some(words) = options.vocabulary.as_ref().filter(|_| is_known) {
        let why = format!("a known corpus has its own vocabulary: do not give {} for it", words.display());
        return Err(ReadError::file(Path::new(source), why));
    }
    match source {
        "pydoc" => Ok(embedded::pydoc()),
        _ if corpus_entry(source).is_some() => load_corpus(source, options.threads),
        _ if names_a_file(source) => read_corpus(source, options),
        _ => {
            let absent = absent(source, &[SetKind::Corpus, SetKind::Texts]);
            Err(absent.unwrap_or_else(|| unknown_corpus(source)).into())
        }
    }
}
