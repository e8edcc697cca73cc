//! [`Source`]: a corpus in memory, or one that is read on demand.

use std::borrow::Cow;
use std::sync::Arc;

use raddle_datasets::{Corpus, ReadError, StoredCorpus};

/// A corpus in memory, or one that is read on demand.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Memory(&'a Corpus),
    Stored(&'a Arc<StoredCorpus>),
}

impl Source<'_> {
    /// Returns the number of documents.
    pub(crate) fn documents(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.documents(),
            Self::Stored(corpus) => corpus.documents(),
        }
    }

    /// Returns the number of words, V.
    pub(crate) fn words(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.words(),
            Self::Stored(corpus) => corpus.words(),
        }
    }

    /// Returns the number of tokens of a document.
    pub(crate) fn length(self, document: u32) -> u64 {
        match self {
            Self::Memory(corpus) => corpus.length(document as usize),
            Self::Stored(corpus) => corpus.length(document as usize),
        }
    }

    /// Returns a word as text.
    pub(crate) fn word(self, word: u32) -> String {
        match self {
            Self::Memory(corpus) => corpus.word(word),
            Self::Stored(corpus) => corpus.described().word(word),
        }
    }

    /// Calls `see` with (word, count) of these documents, in any order.
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

    /// Returns a corpus that has at least these documents.
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
