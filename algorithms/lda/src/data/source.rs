//! [`Source`]: a corpus in memory, or one of which parts are read.

use std::borrow::Cow;
use std::sync::Arc;

use raddle_datasets::{Corpus, ReadError, StoredCorpus};

/// A corpus in memory, or one of which parts are read.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Memory(&'a Corpus),
    Stored(&'a Arc<StoredCorpus>),
}

impl Source<'_> {
    /// Number of documents.
    pub(crate) fn documents(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.documents(),
            Self::Stored(corpus) => corpus.documents(),
        }
    }

    /// Number of words, V.
    pub(crate) fn words(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.words(),
            Self::Stored(corpus) => corpus.words(),
        }
    }

    /// Number of tokens of a document.
    pub(crate) fn length(self, document: u32) -> u64 {
        match self {
            Self::Memory(corpus) => corpus.length(document as usize),
            Self::Stored(corpus) => corpus.length(document as usize),
        }
    }

    /// A word as text.
    pub(crate) fn word(self, word: u32) -> String {
        match self {
            Self::Memory(corpus) => corpus.word(word),
            Self::Stored(corpus) => corpus.described().word(word),
        }
    }

    /// Passes over the words of documents, in whatever order: (word, count).
    pub(crate) fn each(self, documents: &[u32], mut see: impl FnMut(u32, u16)) -> Result<(), ReadError> {
        match self {
            Self::Memory(corpus) => {
                let entries = documents.iter().flat_map(|&document| corpus.document(document as usize));
                entries.for_each(|(word, count)| see(word, count));
                Ok(())
            }
            Self::Stored(corpus) => corpus.each(&ascending(documents), |_, word, count| see(word, count)),
        }
    }

    /// A corpus with these documents at least.
    pub(crate) fn some(&self, documents: &[u32]) -> Result<Cow<'_, Corpus>, ReadError> {
        match self {
            Self::Memory(corpus) => Ok(Cow::Borrowed(corpus)),
            Self::Stored(corpus) => corpus.some(&ascending(documents)).map(Cow::Owned),
        }
    }
}

pub(super) fn ascending(documents: &[u32]) -> Vec<u32> {
    let mut documents = documents.to_vec();
    documents.sort_unstable();
    documents
}
