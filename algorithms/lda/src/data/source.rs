//! [`CorpusSource`]: a corpus in memory, or in a file that is read on demand.

use std::borrow::Cow;
use std::sync::Arc;

use raddle_datasets::{Corpus, ReadError, StoredCorpus};

/// A corpus in memory, or in a file of which each process reads only its own documents.
#[derive(Clone, Copy)]
pub enum CorpusSource<'a> {
    /// A corpus in memory.
    Memory(&'a Corpus),
    /// A corpus in a file.
    Stored(&'a Arc<StoredCorpus>),
}

impl<'a> From<&'a Corpus> for CorpusSource<'a> {
    fn from(corpus: &'a Corpus) -> Self {
        Self::Memory(corpus)
    }
}

impl<'a> From<&'a Arc<StoredCorpus>> for CorpusSource<'a> {
    fn from(corpus: &'a Arc<StoredCorpus>) -> Self {
        Self::Stored(corpus)
    }
}

impl<'a> CorpusSource<'a> {
    /// Returns the corpus, if its documents are in memory; else everything known about it but these.
    pub fn described(self) -> &'a Corpus {
        match self {
            Self::Memory(corpus) => corpus,
            Self::Stored(corpus) => corpus.described(),
        }
    }

    /// Returns the number of documents.
    pub fn documents(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.documents(),
            Self::Stored(corpus) => corpus.documents(),
        }
    }

    /// Returns the number of words, V.
    pub fn words(self) -> usize {
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

    /// Returns the number of tokens.
    pub fn tokens(self) -> u64 {
        match self {
            Self::Memory(corpus) => corpus.tokens(),
            Self::Stored(corpus) => corpus.tokens(),
        }
    }

    /// Returns the number of pairs of a document and a word of it.
    pub fn nonzeros(self) -> usize {
        match self {
            Self::Memory(corpus) => corpus.nonzeros(),
            Self::Stored(corpus) => corpus.nonzeros(),
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
    pub(crate) fn some(self, documents: &[u32]) -> Result<Cow<'a, Corpus>, ReadError> {
        match self {
            Self::Memory(corpus) => Ok(Cow::Borrowed(corpus)),
            Self::Stored(corpus) => corpus.some(&ascending(documents)).map(Cow::Owned),
        }
    }
}

fn ascending(documents: &[u32]) -> Vec<u32> {
    let mut documents = documents.to_vec();
    documents.sort_unstable();
    documents
}
