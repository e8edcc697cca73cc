//! Converts a bag of words from text to a file of pieces.

use std::path::Path;

use super::layout::{COUNTS, CorpusFacts, ENTRIES, LENGTHS, WORD_COUNTS, WORDS};
use crate::arrays::pieces::{Pieces, PiecesWriter};
use crate::bytes::source::Source;
use crate::corpus::{Corpus, CorpusFormat, assemble, docword, ldac, matrix_market};
use crate::error::ReadError;

/// Writes to the file what the readers would hold in memory. If the entries of a document are not contiguous,
/// all entries are read into memory first.
pub(super) fn write(
    source: &Source,
    format: CorpusFormat,
    threads: usize,
    path: &Path,
) -> Result<(Pieces, CorpusFacts), ReadError> {
    if format == CorpusFormat::Ldac {
        return filled(&ldac::load(source, threads)?, format, path);
    }
    let stated = match format {
        CorpusFormat::Docword => docword::stated(source)?,
        _ => matrix_market::stated(source)?,
    };
    let mut filling = Filling::create(path)?;
    let take = |document, words: &[u32], counts: &[u16]| filling.take(document, words, counts);
    if assemble::each(source, threads, &stated, take)? {
        return filling.finish(stated.documents as usize, stated.words as usize, format);
    }
    drop(filling);
    filled(&assemble::load(source, threads, &stated)?, format, path)
}

/// Writes a corpus that is in memory.
fn filled(corpus: &Corpus, format: CorpusFormat, path: &Path) -> Result<(Pieces, CorpusFacts), ReadError> {
    let mut filling = Filling::create(path)?;
    for document in 0..corpus.documents() {
        let (words, counts): (Vec<u32>, Vec<u16>) = corpus.document(document).unzip();
        if !words.is_empty() {
            filling.take(document as u32, &words, &counts)?;
        }
    }
    filling.finish(corpus.documents(), corpus.words(), format)
}

/// A file that is being filled with documents in ascending order. The numbers of documents and words are
/// trusted only at the end, when they have been checked.
struct Filling {
    out: PiecesWriter,
    /// The document in progress.
    document: u32,
    words: Vec<u32>,
    counts: Vec<u16>,
    /// For each document before it that has words: (document, entries, tokens).
    ended: Vec<(u32, u32, u64)>,
    word_counts: Vec<u64>,
}

impl Filling {
    fn create(path: &Path) -> Result<Self, ReadError> {
        let own = [WORDS.entry(), COUNTS.entry(), ENTRIES.entry(), LENGTHS.entry(), WORD_COUNTS.entry()];
        let (words, counts, ended, word_counts) = Default::default();
        Ok(Self { out: PiecesWriter::create(path, own)?, document: 0, words, counts, ended, word_counts })
    }

    /// Adds entries to the document in progress, or starts a later one.
    fn take(&mut self, document: u32, words: &[u32], counts: &[u16]) -> Result<(), ReadError> {
        if document != self.document {
            self.end()?;
            self.document = document;
        }
        self.words.extend_from_slice(words);
        self.counts.extend_from_slice(counts);
        Ok(())
    }

    /// Ends the document in progress.
    fn end(&mut self) -> Result<(), ReadError> {
        let bounds = [0, self.words.len()];
        assemble::sort_words(&bounds, &mut self.words, &mut self.counts);
        self.out.push(WORDS, &self.words)?;
        self.out.push(COUNTS, &self.counts)?;
        for (&word, &count) in self.words.iter().zip(&self.counts) {
            if self.word_counts.len() <= word as usize {
                self.word_counts.resize(word as usize + 1, 0);
            }
            self.word_counts[word as usize] += u64::from(count);
        }
        let tokens = self.counts.iter().map(|&count| u64::from(count)).sum();
        self.ended.push((self.document, self.words.len() as u32, tokens));
        self.words.clear();
        self.counts.clear();
        Ok(())
    }

    fn finish(
        mut self,
        documents: usize,
        words: usize,
        format: CorpusFormat,
    ) -> Result<(Pieces, CorpusFacts), ReadError> {
        self.end()?;
        let (mut entries, mut lengths) = (vec![0_u32; documents], vec![0_u64; documents]);
        for &(document, some, tokens) in self.ended.iter().filter(|ended| ended.1 > 0) {
            (entries[document as usize], lengths[document as usize]) = (some, tokens);
        }
        self.word_counts.resize(words, 0);
        self.out.push(ENTRIES, &entries)?;
        self.out.push(LENGTHS, &lengths)?;
        self.out.push(WORD_COUNTS, &self.word_counts)?;
        let about = CorpusFacts { format: format.to_string(), width: self.word_counts.len() };
        Ok((self.out.finish(&about)?, about))
    }
}
