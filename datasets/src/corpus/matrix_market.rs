//! Matrix Market, documents by words: `%%MatrixMarket matrix coordinate integer|real|pattern general`.

use super::Corpus;
use super::assemble::{self, Piece, Stated};
use crate::error::ReadError;
use crate::number::{decimal, explain, first_characters, whole};
use crate::parallel::Parsed;
use crate::source::Source;

/// What every Matrix Market file begins with.
pub(super) const MAGIC: &[u8] = b"%%MatrixMarket";

/// Counts are whole; beyond this a double no longer tells them apart.
const LARGEST: f64 = (1u64 << 53) as f64;

struct Head {
    documents: u32,
    words: u32,
    entries: u64,
    pattern: bool,
    bytes: usize,
    lines: usize,
}

pub(super) fn load(source: &Source, threads: usize) -> Result<Corpus, ReadError> {
    let head = head(&source.beginning(1 << 16)?);
    let head = head.map_err(|(line, message)| ReadError::at(&source.path, line, message))?;
    let stated = Stated {
        documents: head.documents as usize,
        words: head.words as usize,
        entries: head.entries,
        line: "the size line",
        bytes: head.bytes,
        lines: head.lines,
    };
    assemble::load(source, threads, stated, |text| block(text, &head))
}

/// The head, or the line at fault, counted from 1.
fn head(text: &[u8]) -> Result<Head, (usize, String)> {
    let (mut bytes, mut pattern) = (0, false);
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        bytes += line.len();
        let words = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        if number == 1 {
            pattern = match words.as_slice() {
                [_, "matrix", "coordinate", "real" | "integer" | "double", "general"] => false,
                [_, "matrix", "coordinate", "pattern", "general"] => true,
                _ => {
                    let why = "a corpus is `%%MatrixMarket matrix coordinate integer|real|pattern general`, \
                               documents by words";
                    return Err((1, why.into()));
                }
            };
        } else if words.first().is_some_and(|word| !word.starts_with('%')) {
            let sizes: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
            let sizes = match sizes.as_deref() {
                Some(&[documents, words, entries]) => {
                    u32::try_from(documents).ok().zip(u32::try_from(words).ok()).map(|(d, w)| (d, w, entries))
                }
                _ => None,
            };
            let Some((documents, words, entries)) = sizes else {
                let why =
                    "the size line must be three whole numbers below 4294967296: documents words entries";
                return Err((number, why.into()));
            };
            return Ok(Head { documents, words, entries, pattern, bytes, lines: number });
        }
    }
    Err((1, "there is no size line: was the file cut off?".into()))
}

fn block(text: &[u8], head: &Head) -> Parsed<Piece> {
    let (mut piece, mut lines) = (Piece::default(), 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'%' {
            let (document, word, count) = entry(line, head).map_err(|message| (lines, message))?;
            piece.push(document, word, count);
        }
        lines += 1;
    }
    Ok((piece, lines))
}

fn entry(line: &[u8], head: &Head) -> Result<(u32, u32, u64), String> {
    let mut rest = line;
    let document = index(&mut rest, "row", head.documents)?;
    let word = index(&mut rest, "column", head.words)?;
    let mut count = 1;
    if !head.pattern {
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

/// Takes an index from 1 to `most` off the line.
fn index(rest: &mut &[u8], what: &str, most: u32) -> Result<u32, String> {
    let word = first_characters(rest);
    let (number, length) = whole(rest).ok_or_else(|| format!("the {what} `{word}` is not a whole number"))?;
    *rest = rest[length..].trim_ascii_start();
    match (1..=u64::from(most)).contains(&number) {
        true => Ok((number - 1) as u32),
        false => Err(format!("the {what} {number} lies outside of 1 to {most}: indices count from 1")),
    }
}
