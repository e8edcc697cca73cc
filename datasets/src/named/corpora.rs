//! Reads corpora by the names that users give.

use std::path::{Path, PathBuf};

use super::Origin;
use crate::bytes::source::stem;
use crate::corpus::{Corpus, CorpusFormat, CorpusOptions, StoredCorpus, opened, read_corpus};
use crate::error::ReadError;
use crate::registry::{SetKind, as_path, compare, corpus_of, embedded, paths_of_corpus};

/// Reads a corpus by name: `pydoc` (the embedded one), the name of a public corpus, or the path of a file or
/// folder.
///
/// # Errors
/// The errors of [`read_corpus`] and of the registry.
pub fn read_any_corpus(source: &str, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let source = &*as_path(source);
    let origin = Origin::of(source, SetKind::Corpus)?;
    match (origin, &options.vocabulary) {
        (Origin::Embedded | Origin::Public(_), Some(words)) => {
            let why =
                format!("a known corpus has its own vocabulary: do not give {} for it", words.display());
            Err(ReadError::file(Path::new(source), why))
        }
        (Origin::Embedded, None) => Ok(embedded::pydoc()),
        (Origin::Public(set), None) => corpus_of(set, options.threads),
        (Origin::File | Origin::Generated, _) => read_corpus(source, options),
    }
}

impl StoredCorpus {
    /// Opens the corpus that [`read_any_corpus`] would read from `source`, in a file of `folder`. The file is
    /// made if it does not exist, is incomplete, or comes from another kind of machine; several processes
    /// that ask at once make it once. The corpus is never in memory as a whole, provided that the entries of
    /// each document are contiguous, as such files have them. `None` if the source is not a file with a bag
    /// of words: texts, folders, standard input, the embedded corpus.
    ///
    /// # Errors
    /// The errors of [`read_any_corpus`], and a folder that cannot be written to.
    pub fn open(source: &str, options: &CorpusOptions, folder: &Path) -> Result<Option<Self>, ReadError> {
        let source = &*as_path(source);
        let (mut path, mut options, mut known) = (PathBuf::from(source), options.clone(), None);
        if let (Ok(Origin::Public(set)), None) = (Origin::of(source, SetKind::Corpus), &options.vocabulary) {
            let (counts, sha256, vocabulary) = paths_of_corpus(set)?;
            let vocabulary = Some(vocabulary);
            options = CorpusOptions { vocabulary, threads: options.threads, ..CorpusOptions::default() };
            (path, known) = (counts, Some((set.name, sha256)));
        }
        if !path.is_file() {
            return Ok(None);
        }
        let (source, format) = opened(&path, &options)?;
        if !matches!(format, CorpusFormat::Docword | CorpusFormat::MatrixMarket | CorpusFormat::Ldac) {
            return Ok(None);
        }
        let name = match known {
            Some((name, sha256)) => {
                compare(&path, &source.digest(), sha256)?;
                name.into()
            }
            None => stem(&path),
        };
        Self::of_file(&source, format, &path, name, &options, folder).map(Some)
    }
}
