//! The public corpora that are known by name.

use std::path::{Path, PathBuf};

use super::folder::{compare, data_folder, find};
use crate::bytes::source::{Source, digest};
use crate::corpus::{Corpus, CorpusOptions, read_corpus};
use crate::error::{ReadError, RegistryError};

/// A public corpus: a UCI bag of words with its vocabulary.
#[derive(Clone, Debug)]
pub struct CorpusEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// File of counts, relative to the data folder.
    pub file: &'static str,
    /// SHA-256 of the file of counts as stored.
    pub sha256: &'static str,
    /// Vocabulary file, relative to the data folder.
    pub vocabulary: &'static str,
    /// SHA-256 of the vocabulary, decompressed.
    pub vocabulary_sha256: &'static str,
    /// Number of documents, D.
    pub documents: usize,
    /// Number of words, V.
    pub words: usize,
    /// Number of (document, word) pairs.
    pub nonzeros: usize,
    /// Number of tokens.
    pub tokens: u64,
    /// Number of tokens in the training documents of the published split.
    pub train_tokens: u64,
}

/// Every corpus that is known by name, except the embedded one.
pub static CORPORA: [CorpusEntry; 4] = [
    CorpusEntry {
        name: "ap",
        file: "lda/docword.ap.txt.gz",
        sha256: "163666f89e33eba117644bf20b00f681ac37cf14bc3f756442828c3700c8c8be",
        vocabulary: "lda/vocab.ap.txt.gz",
        vocabulary_sha256: "fbf0d0f836cb2b0360bd3cae0f71c2f34b140b1dd8dd0d0bdb618a64704337f6",
        documents: 2_246,
        words: 10_473,
        nonzeros: 302_031,
        tokens: 435_838,
        train_tokens: 390_273,
    },
    CorpusEntry {
        name: "20ng",
        file: "lda/docword.20ng.txt.gz",
        sha256: "2546f3cbf5d0b0eff00fb8789a6ebd04bd6b88847cd9b3f6390531d8171c26fa",
        vocabulary: "lda/vocab.20ng.txt.gz",
        vocabulary_sha256: "a687034ec39b2e638bf3d25ae4604c3077c25cdd7d5e49b7201069ed05c521d9",
        documents: 18_804,
        words: 20_781,
        nonzeros: 1_476_340,
        tokens: 2_264_143,
        train_tokens: 2_013_348,
    },
    CorpusEntry {
        name: "win32",
        file: "lda/docword.win32.txt.gz",
        sha256: "6b49e8e4b5b7df4943c4b4677e8f67ce1c36df821bbb7b0d796dd53029dd102b",
        vocabulary: "lda/vocab.win32.txt.gz",
        vocabulary_sha256: "a474742b5e58e179616fc4fdd1f93f68b4fc9747ec290dcab376f161016bc5f2",
        documents: 48_060,
        words: 19_232,
        nonzeros: 3_297_038,
        tokens: 8_310_259,
        train_tokens: 7_477_344,
    },
    CorpusEntry {
        name: "imdb",
        file: "lda/docword.imdb.txt.gz",
        sha256: "ac5c0d8266e2b7f14dc5ccb87cf52b7f000575a9c5b9a7497a9a5c6de7bc1fc2",
        vocabulary: "lda/vocab.imdb.txt.gz",
        vocabulary_sha256: "f5e3a506675b0fd95382e960d42f6dd0c5a5bd585acbb5961ae14c86c531c48c",
        documents: 99_989,
        words: 36_335,
        nonzeros: 8_388_803,
        tokens: 10_196_564,
        train_tokens: 9_174_948,
    },
];

/// Returns the entry with this name.
pub(crate) fn corpus_entry(name: &str) -> Option<&'static CorpusEntry> {
    CORPORA.iter().find(|entry| entry.name == name)
}

/// Makes the error for a name that no corpus has.
pub(crate) fn unknown_corpus(name: &str) -> RegistryError {
    let known = CORPORA.each_ref().map(|entry| entry.name).join(", ");
    RegistryError::UnknownCorpus { name: name.into(), known }
}

/// Reads a public corpus with `threads` threads and checks its counts and words against the registry.
///
/// # Errors
/// If the name is unknown, a file is missing or differs from the registry's, or the reader fails.
pub fn load_corpus(name: &str, threads: usize) -> Result<Corpus, ReadError> {
    let entry = corpus_entry(name).ok_or_else(|| unknown_corpus(name))?;
    let folder = data_folder().ok_or(RegistryError::NoFolder { file: entry.file })?;
    loaded(entry, &folder, threads)
}

fn loaded(entry: &'static CorpusEntry, folder: &Path, threads: usize) -> Result<Corpus, ReadError> {
    let (counts, words) = paths_in(entry, folder)?;
    let options = CorpusOptions { vocabulary: Some(words), threads, ..CorpusOptions::default() };
    let mut corpus = read_corpus(&counts, &options)?;
    compare(&counts, &corpus.digest, entry.sha256)?;
    corpus.name = entry.name.into();
    Ok(corpus)
}

/// Returns the paths of a corpus's counts and words; the words are checked.
pub(crate) fn paths_of_corpus(entry: &'static CorpusEntry) -> Result<(PathBuf, PathBuf), ReadError> {
    let folder = data_folder().ok_or(RegistryError::NoFolder { file: entry.file })?;
    paths_in(entry, &folder)
}

fn paths_in(entry: &'static CorpusEntry, folder: &Path) -> Result<(PathBuf, PathBuf), ReadError> {
    let of = |file| find(entry.name, file, folder);
    let (counts, words) = (of(entry.file)?, of(entry.vocabulary)?);
    let found = digest(&Source::open(&words)?.content()?);
    compare(&words, &found, entry.vocabulary_sha256)?;
    Ok((counts, words))
}
