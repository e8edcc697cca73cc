//! Matrix Market, documents by words: `%%MatrixMarket matrix coordinate integer|real|pattern general`.

use super::assemble::{self, Piece, Stated};
use crate::bytes::market::{self, MarketHead, MarketKind, check_end, index};
use crate::bytes::number::{decimal, explain};
use crate::bytes::parallel::Parsed;
use crate::bytes::source::Source;
use crate::error::ReadError;

const KIND: MarketKind = MarketKind {
    banner: "a corpus is `%%MatrixMarket matrix coordinate integer|real|pattern general`, documents by words",
    sizes: "documents words entries",
};

/// Beyond this number a double does not distinguish whole counts.
const LARGEST: f64 = (1u64 << 53) as f64;

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
        block,
    });
    stated.map_err(|(line, message)| ReadError::at(&source.path, line, message))
}

/// Parses a block of lines.
fn block(text: &[u8], head: &Stated) -> Parsed<Piece> {
    assemble::block(text, |line| match line.first() {
        None | Some(b'%') => Ok(None),
        _ => entry(line, head).map(Some),
    })
}

fn entry(line: &[u8], head: &Stated) -> Result<(u32, u32, u64), String> {
    let mut rest = line;
    let document = index(&mut rest, "row", head.documents.into())? as u32;
    let word = index(&mut rest, "column", head.words.into())? as u32;
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
    check_end(rest).map(|()| (document, word, count))
}
