//! UCI bag of words: D, W and N on three lines, then N lines `document word count`; documents and words count
//! from 1.

use super::assemble::{self, Piece, Stated};
use super::data::Corpus;
use crate::bytes::market::{check_end, index, number};
use crate::bytes::number::whole;
use crate::bytes::parallel::Parsed;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Returns `true` if a text starts as such a file does, whatever the numbers.
pub(super) fn begins(text: &[u8]) -> bool {
    numbers(text).is_ok()
}

pub(crate) fn load(source: &Source, threads: usize) -> Result<Corpus, ReadError> {
    assemble::load(source, threads, &stated(source)?)
}

/// Parses the head of a file.
pub(super) fn stated(source: &Source) -> Result<Stated, ReadError> {
    head(&source.beginning(1 << 12)?).map_err(|(line, message)| ReadError::at(&source.path, line, message))
}

/// Parses the head; the error has the line, from 1.
fn head(text: &[u8]) -> Result<Stated, (usize, String)> {
    let ([documents, words, entries], bytes) = numbers(text)?;
    let named = |line: usize, what: &str, count: u64| {
        let why = || format!("{count} {what}: at most 4294967295 are supported");
        u32::try_from(count).map_err(|_| (line, why()))
    };
    let (documents, words) = (named(1, "documents", documents)?, named(2, "words", words)?);
    let line = "the third line";
    Ok(Stated { documents, words, entries, counted: true, line, bytes, lines: 3, block })
}

/// Parses the three numbers; returns them and the length of their lines in bytes.
fn numbers(text: &[u8]) -> Result<([u64; 3], usize), (usize, String)> {
    let (mut numbers, mut bytes) = ([0u64; 3], 0);
    let what = ["documents", "words", "entries"];
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    for (at, number) in numbers.iter_mut().enumerate() {
        let line = lines.next().unwrap_or_default();
        bytes += line.len();
        let line = line.trim_ascii();
        match whole(line) {
            Some((value, length)) if length == line.len() => *number = value,
            _ => return Err((at + 1, format!("expected the number of {} alone on the line", what[at]))),
        }
    }
    Ok((numbers, bytes))
}

/// Parses a block of lines.
fn block(text: &[u8], head: &Stated) -> Parsed<Piece> {
    assemble::block(text, |line| entry(line, head).map(Some))
}

fn entry(line: &[u8], head: &Stated) -> Result<(u32, u32, u64), String> {
    let mut rest = line;
    let document = index(&mut rest, "document", head.documents.into())? as u32;
    let word = index(&mut rest, "word", head.words.into())? as u32;
    let count = number(&mut rest, "count")?;
    check_end(rest).map(|()| (document, word, count))
}
