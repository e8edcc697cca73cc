//! [`StoredCorpus::open`]: opens corpora, by the names that users give, in files that are read on demand.

use std::path::{Path, PathBuf};

use crate::bytes::source::stem;
use crate::corpus::{CorpusFormat, CorpusOptions, StoredCorpus, opened};
use crate::error::ReadError;
use crate::registry::{SetKind, as_path, compare, paths_of_corpus, verified_set};

impl StoredCorpus {
    /// Opens the corpus that [`read_any_corpus`](crate::read_any_corpus) would read from `source`, in a file
    /// of `folder`. The file is made if it does not exist, is incomplete, or comes from another kind of
    /// machine; several processes that ask at once make it once. The corpus is never in memory as a whole,
    /// provided that the entries of each document are contiguous, as such files have them. `None` if the
    /// source is not a file with a bag of words: texts, folders, standard input, the embedded corpus.
    ///
    /// # Errors
    /// The errors of [`read_any_corpus`](crate::read_any_corpus), and a folder that cannot be written to.
    pub fn open(source: &str, options: &CorpusOptions, folder: &Path) -> Result<Option<Self>, ReadError> {
        let source = &*as_path(source);
        let (path, options, known) = match verified_set(SetKind::Corpus, source) {
            Some(set) if options.vocabulary.is_none() => {
                let (path, sha256, vocabulary) = paths_of_corpus(set)?;
                let vocabulary = Some(vocabulary);
                let options =
                    CorpusOptions { vocabulary, threads: options.threads, ..CorpusOptions::default() };
                (path, options, Some((set.name, sha256)))
            }
            _ => (PathBuf::from(source), options.clone(), None),
        };
        if !path.is_file() {
            return Ok(None);
        }
        let (source, format) = opened(&path, &options)?;
        if !matches!(format, CorpusFormat::Docword | CorpusFormat::MatrixMarket | CorpusFormat::Ldac) {
            return Ok(None);
        }
        if let Some((_, sha256)) = known {
            compare(&path, &source.digest(), sha256)?;
        }
        let name = known.map_or_else(|| stem(&path), |(name, _)| name.into());
        Self::of_file((&source, format, &path), name, &options, folder).map(Some)
    }
}
