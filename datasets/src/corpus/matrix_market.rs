//! Matrix Market, documents by words: `%%MatrixMarket matrix coordinate integer|real|pattern general`.

use super::assemble::{self, Piece, Stated};
use super::data::Corpus;
use crate::bytes::market::{self, MarketHead, MarketKind};
use crate::bytes::number::{decimal, explain, first_characters, whole};
use crate::bytes::parallel::Parsed;
use crate::bytes::source::Source;
use crate::error::ReadError;

const KIND: MarketKind = MarketKind {
    banner: "a corpus is `%%MatrixMarket matrix coordinate integer|real|pattern general`, documents by words",
    sizes: "documents words entries",
};

/// Beyond this number a double does not distinguish whole counts.
const LARGEST: f64 = (1u64 << 53) as f64;

pub(super) fn load(source: &Source, threads: usize) -> Result<Corpus, ReadError> {
    assemble::load(source, threads, &stated(source)?, block)
}

/// Parses the head of a file.
pub(super) fn stated(source: &Source) -> Result<Stated, ReadError> {
    let head = market::head(&source.beginning(1 << 16)?, &KIND);
    let stated = head.map(|MarketHead { rows, columns, entries, pattern, bytes, lines }| Stated {
        documents: rows,
        words: columns,
        entries,
        counted: !pattern,
        line: "the size line",
        bytes,
        lines,
    });
    stated.map_err(|(line, message)| ReadError::at(&source.path, line, message))
}

/// Parses a block of lines.
pub(super) fn block(text: &[u8], head: &Stated) -> Parsed<Piece> {
    assemble::block(text, |line| match line.first() {
        None | Some(b'%') => Ok(None),
        _ => entry(line, head).map(Some),
    })
}

fn entry(line: &[u8], head: &Stated) -> Result<(u32, u32, u64), String> {
    let mut rest = line;
    let document = index(&mut rest, "row", head.documents)?;
    let word = index(&mut rest, "column", head.words)?;
    let mut count = 1;
    if head.counted {
        let (value, length) = decimal(rest).ok_or_else(|| format!("the count: {}", explain(rest)))?;
        if value < 0.0 || value.fract() != 0.0 || value > LARGEST {
            return Err(format!(
                "the count {value} is not a whole number of 0 or more: weights are not supported"
            ));
        }
        (count, rest) = (value as u64, rest[length..].trim_ascii_start());
    }
    match rest.is_empty() {
        true => Ok((document, word, count)),
        false => Err(format!("`{}` is more than the entry: one entry a line", first_characters(rest))),
    }
}

/// Parses an index from 1 to `most` and removes it from the line.
fn index(rest: &mut &[u8], what: &str, most: u32) -> Result<u32, String> {
    let word = first_characters(rest);
    let (number, length) = whole(rest).ok_or_else(|| format!("the {what} `{word}` is not a whole number"))?;
    *rest = rest[length..].trim_ascii_start();
    match (1..=u64::from(most)).contains(&number) {
        true => Ok((number - 1) as u32),
        false => Err(format!("the {what} {number} lies outside of 1 to {most}: indices count from 1")),
    }
}
