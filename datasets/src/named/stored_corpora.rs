//! [`StoredCorpus::open`]: corpora in files that are read by parts, of data as users name them.

use std::path::{Path, PathBuf};

use crate::bytes::source::stem;
use crate::corpus::{CorpusFormat, CorpusOptions, StoredCorpus, opened};
use crate::error::ReadError;
use crate::registry::{as_path, compare, corpus_entry, paths_of_corpus};

impl StoredCorpus {
    /// The corpus that users name so, as [`read_any_corpus`](crate::read_any_corpus) has it: from a file of
    /// `folder`, which is made if it is not there, not whole, or of another machine. Several processes that
    /// ask at once make it once. Where the entries of documents follow each other, as such files have them,
    /// they are never in memory as a whole. `None` where the source is no file of a bag of words: texts,
    /// folders, standard input, the embedded corpus.
    ///
    /// # Errors
    /// Those of [`read_any_corpus`](crate::read_any_corpus); a folder that cannot be written to.
    pub fn open(source: &str, options: &CorpusOptions, folder: &Path) -> Result<Option<Self>, ReadError> {
        let source = &*as_path(source);
        let (path, options, entry) = match corpus_entry(source) {
            Some(entry) if options.vocabulary.is_none() => {
                let (path, vocabulary) = paths_of_corpus(entry)?;
                let vocabulary = Some(vocabulary);
                let options =
                    CorpusOptions { vocabulary, threads: options.threads, ..CorpusOptions::default() };
                (path, options, Some(entry))
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
        if let Some(entry) = entry {
            compare(&path, &source.digest(), entry.sha256)?;
        }
        let name = entry.map_or_else(|| stem(&path), |entry| entry.name.into());
        Self::of_file((&source, format, &path), name, &options, folder).map(Some)
    }
}
