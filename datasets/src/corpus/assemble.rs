//! Assembles a corpus from blocks of (document, word, count), whatever the order of the file.

use super::data::Corpus;
use crate::bytes::memory::{believable, check_entries};
use crate::bytes::parallel::{self, Parsed, each_line};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// The content of one block of lines, in its order.
#[derive(Default)]
pub(super) struct Piece {
    /// Runs of one document each: (document, number of its words below).
    runs: Vec<(u32, u32)>,
    words: Vec<u32>,
    counts: Vec<u16>,
    /// Number of entries in the file, zeros included.
    pub(super) entries: u64,
    /// Sum of all counts.
    tokens: u64,
}

/// The largest count of one word in one document.
const MOST_OF_A_WORD: u64 = u32::MAX as u64;

/// The most tokens of a corpus, which bounds the memory.
const MOST_TOKENS: u64 = 1 << 36;

impl Piece {
    /// Adds an entry; an error if the count is too large. A count of 0 adds nothing.
    pub(super) fn add(&mut self, document: u32, word: u32, count: u64) -> Result<(), String> {
        if count > MOST_OF_A_WORD {
            return Err(format!("the count {count}: at most {MOST_OF_A_WORD} can be counted"));
        }
        if self.tokens + count > MOST_TOKENS {
            return Err(too_many());
        }
        self.push(document, word, count);
        Ok(())
    }

    /// Adds an entry of a text that is in memory.
    pub(super) fn push(&mut self, document: u32, word: u32, mut count: u64) {
        self.entries += 1;
        self.tokens += count;
        while count > 0 {
            let some = count.min(u64::from(u16::MAX));
            match self.runs.last_mut() {
                Some((last, length)) if *last == document => *length += 1,
                _ => self.runs.push((document, 1)),
            }
            self.words.push(word);
            self.counts.push(some as u16);
            count -= some;
        }
    }

    /// Returns the sum of all counts.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Adds `by` to the numbers of all documents.
    pub(super) fn shift(&mut self, by: u32) {
        self.runs.iter_mut().for_each(|(document, _)| *document += by);
    }

    /// Iterates over the runs: (document, its words, their counts).
    fn parts(&self) -> impl Iterator<Item = (u32, &[u32], &[u16])> {
        let mut at = 0;
        self.runs.iter().map(move |&(document, length)| {
            let range = at..at + length as usize;
            at = range.end;
            (document, &self.words[range.clone()], &self.counts[range])
        })
    }
}

/// Parses a block of lines. `entry` parses a line that is not blank into (document, word, count), or `None`
/// for a comment.
pub(super) fn block(
    text: &[u8],
    entry: impl Fn(&[u8]) -> Result<Option<(u32, u32, u64)>, String>,
) -> Parsed<Piece> {
    let mut piece = Piece::default();
    let lines = each_line(text, |line| match entry(line)? {
        Some((document, word, count)) => piece.add(document, word, count),
        None => Ok(()),
    })?;
    Ok((piece, lines))
}

fn too_many() -> String {
    format!("with this the counts come to more than {MOST_TOKENS} tokens: are they counts?")
}

/// Checks that there is memory for this number of tokens.
pub(super) fn few_enough(tokens: u64) -> Result<(), String> {
    if tokens > MOST_TOKENS { Err(too_many()) } else { Ok(()) }
}

/// The statements in the head of a file.
pub(super) struct Stated {
    pub(super) documents: u32,
    pub(super) words: u32,
    pub(super) entries: u64,
    /// `true` if entries have a count; otherwise each counts 1.
    pub(super) counted: bool,
    /// Line that states the number of entries, for messages.
    pub(super) line: &'static str,
    /// Length of the head in bytes.
    pub(super) bytes: usize,
    pub(super) lines: usize,
    /// Parses a block of lines.
    pub(super) block: fn(&[u8], &Self) -> Parsed<Piece>,
}

/// Reads the entries after a head, and checks their number against the head.
pub(super) fn load(source: &Source, threads: usize, stated: &Stated) -> Result<Corpus, ReadError> {
    let (blocks, parse) = (source.blocks().skip(stated.bytes), |text: &[u8]| (stated.block)(text, stated));
    let pieces = parallel::parse(source, blocks, stated.lines + 1, threads, parse)?;
    let entries = pieces.iter().map(|piece| piece.entries).sum();
    let tokens = pieces.iter().map(|piece| piece.tokens).fold(0, u64::saturating_add);
    check(source, stated, entries, tokens)?;
    Ok(corpus(stated.documents as usize, stated.words as usize, pieces))
}

/// Hands the entries after a head to `take` as (document, its words, their counts), a few blocks at a time,
/// with the checks of [`load`]. Returns `false`, and stops, if a document comes after one with a higher
/// number.
pub(super) fn each(
    source: &Source,
    threads: usize,
    stated: &Stated,
    mut take: impl FnMut(u32, &[u32], &[u16]) -> Result<(), ReadError>,
) -> Result<bool, ReadError> {
    let (blocks, parse) = (source.blocks().skip(stated.bytes), |text: &[u8]| (stated.block)(text, stated));
    let (mut entries, mut tokens, mut last, mut is_in_order) = (0, 0_u64, 0, true);
    parallel::parse_each(source, blocks, stated.lines + 1, threads, parse, |piece| {
        entries += piece.entries;
        tokens = tokens.saturating_add(piece.tokens);
        for (document, words, counts) in piece.parts() {
            if document < last {
                is_in_order = false;
                return Ok(false);
            }
            last = document;
            take(document, words, counts)?;
        }
        Ok(true)
    })?;
    if is_in_order {
        check(source, stated, entries, tokens)?;
    }
    Ok(is_in_order)
}

/// Checks that a file has as many entries as it states, and enough to make its documents and words
/// believable.
fn check(source: &Source, stated: &Stated, entries: u64, tokens: u64) -> Result<(), ReadError> {
    check_entries(entries, stated.entries, stated.line)
        .and_then(|()| few_enough(tokens))
        .and_then(|()| believable("documents", stated.documents.into(), entries))
        .and_then(|_| believable("words", stated.words.into(), entries))
        .map(|_| ())
        .map_err(|why| ReadError::file(&source.path, why))
}

/// Makes a corpus of `documents` documents over `width` words. Each piece is freed once it is copied.
pub(super) fn corpus(documents: usize, width: usize, pieces: Vec<Piece>) -> Corpus {
    let mut starts = vec![0usize; documents + 1];
    for (document, words, _) in pieces.iter().flat_map(Piece::parts) {
        starts[document as usize + 1] += words.len();
    }
    for document in 0..documents {
        starts[document + 1] += starts[document];
    }
    let total = starts[documents];
    let runs = pieces.iter().flat_map(|piece| piece.runs.iter().map(|&(document, _)| document));
    let (mut words, mut counts);
    if runs.is_sorted() {
        (words, counts) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for piece in pieces {
            words.extend_from_slice(&piece.words);
            counts.extend_from_slice(&piece.counts);
        }
    } else {
        (words, counts) = (vec![0; total], vec![0; total]);
        let mut next = starts.clone();
        for piece in pieces {
            for (document, some, how_often) in piece.parts() {
                let at = next[document as usize];
                words[at..at + some.len()].copy_from_slice(some);
                counts[at..at + some.len()].copy_from_slice(how_often);
                next[document as usize] += some.len();
            }
        }
    }
    sort_words(&starts, &mut words, &mut counts);
    let mut corpus = Corpus { starts, words, counts, width, ..Corpus::default() };
    corpus.count_records();
    corpus
}

/// Sorts the words of every document in ascending order.
pub(super) fn sort_words(starts: &[usize], words: &mut [u32], counts: &mut [u16]) {
    for bounds in starts.windows(2) {
        let range = bounds[0]..bounds[1];
        if !words[range.clone()].is_sorted() {
            let pairs = words[range.clone()].iter().copied().zip(counts[range.clone()].iter().copied());
            let mut pairs: Vec<(u32, u16)> = pairs.collect();
            pairs.sort_by_key(|&(word, _)| word);
            for (at, (word, count)) in range.zip(pairs) {
                (words[at], counts[at]) = (word, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(entries: &[(u32, u32, u64)]) -> Piece {
        let mut piece = Piece::default();
        entries.iter().for_each(|&(document, word, count)| piece.push(document, word, count));
        piece
    }

    #[test]
    fn any_order_gives_the_same_corpus() {
        let sorted = corpus(3, 5, vec![piece(&[(0, 1, 2), (0, 4, 1)]), piece(&[(2, 0, 70_000), (2, 3, 1)])]);
        let mixed = corpus(
            3,
            5,
            vec![piece(&[(2, 3, 1), (0, 4, 1)]), piece(&[(2, 0, 70_000), (0, 1, 2), (1, 1, 0)])],
        );
        assert_eq!(sorted, mixed);
        assert_eq!((sorted.tokens(), sorted.length(1), sorted.length(2)), (70_004, 0, 70_001));
        assert_eq!(sorted.document(2).collect::<Vec<_>>(), [(0, 65_535), (0, 4_465), (3, 1)]);
        assert_eq!(sorted.document_frequencies(), [1, 1, 0, 1, 1]);
    }
}
