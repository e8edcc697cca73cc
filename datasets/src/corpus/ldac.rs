//! LDA-C, the format of the first implementation of LDA: a line per document, `N word:count ...` with N
//! pairs; words count from 0.

use super::assemble::{self, Piece};
use super::data::Corpus;
use crate::bytes::memory::believable;
use crate::bytes::number::first_characters;
use crate::bytes::parallel::{self, Parsed, each_line};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Returns `true` if a text that starts like this is LDA-C: every complete line has as many pairs as it
/// states, and one line has any. Lines of libsvm start with a response instead.
pub(super) fn begins(beginning: &[u8]) -> bool {
    let mut pairs = 0;
    let lines = beginning.split_inclusive(|&byte| byte == b'\n');
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let Some(stated) = fields.next().and_then(whole) else { return false };
        // The bytes may end within a line or within a pair.
        let is_whole = line.ends_with(b"\n");
        let fields: Vec<&[u8]> = fields.collect();
        let sure = if is_whole { fields.len() } else { fields.len().saturating_sub(1) };
        if !fields[..sure].iter().all(|field| pair(field).is_ok()) {
            return false;
        }
        let found = fields.len() as u64;
        if found > stated || (is_whole && found != stated) {
            return false;
        }
        pairs += found;
    }
    pairs > 0
}

/// The documents of a block of lines, numbered from 0 in the block.
#[derive(Default)]
struct Documents {
    piece: Piece,
    count: u32,
    /// The largest word's number plus one.
    width: u32,
}

/// Reads a file; the largest word's number determines how many words there are.
pub(super) fn load(source: &Source, threads: usize) -> Result<Corpus, ReadError> {
    let blocks = parallel::parse(source, source.blocks(), 1, threads, block)?;
    let (mut documents, mut width, mut entries, mut tokens) = (0u64, 0, 0, 0u64);
    let mut pieces = Vec::with_capacity(blocks.len());
    let refuse = |why| ReadError::file(&source.path, why);
    for Documents { mut piece, count, width: words } in blocks {
        if documents + u64::from(count) > u64::from(u32::MAX) {
            return Err(refuse("more than 4294967295 documents are not supported".into()));
        }
        piece.shift(documents as u32);
        (documents, width) = (documents + u64::from(count), words.max(width));
        (entries, tokens) = (entries + piece.entries, tokens.saturating_add(piece.tokens()));
        pieces.push(piece);
    }
    assemble::few_enough(tokens).map_err(refuse)?;
    let width = believable("words", width.into(), entries).map_err(refuse)?;
    Ok(assemble::corpus(documents as usize, width, pieces))
}

fn block(text: &[u8]) -> Parsed<Documents> {
    let mut documents = Documents::default();
    let lines = each_line(text, |line| document(line, &mut documents))?;
    Ok((documents, lines))
}

fn document(line: &[u8], documents: &mut Documents) -> Result<(), String> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let first = fields.next().unwrap_or_default();
    let stated = whole(first).ok_or_else(|| {
        format!(
            "`{}` is no number of pairs: a document is `N word:count ...` with N pairs",
            first_characters(first)
        )
    })?;
    let mut found = 0;
    for field in fields {
        let (word, count) = pair(field)?;
        documents.piece.add(documents.count, word, count)?;
        documents.width = documents.width.max(word + 1);
        found += 1;
    }
    if found != stated {
        return Err(format!("{found} pairs word:count, but the line says {stated}: was it cut off?"));
    }
    documents.count += 1;
    Ok(())
}

/// Parses `word:count`.
fn pair(field: &[u8]) -> Result<(u32, u64), String> {
    let shown = || first_characters(field);
    let colon = memchr::memchr(b':', field).ok_or_else(|| format!("`{}` is no pair word:count", shown()))?;
    let (word, count) = (whole(&field[..colon]), whole(&field[colon + 1..]));
    let (Some(word), Some(count)) = (word, count) else {
        return Err(format!("`{}` is no pair word:count of whole numbers from 0", shown()));
    };
    match u32::try_from(word) {
        Ok(word) if word < u32::MAX => Ok((word, count)),
        _ => Err(format!("the word {word}: at most 4294967294 is supported")),
    }
}

/// Parses a field that consists of digits only.
fn whole(field: &[u8]) -> Option<u64> {
    let is_digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(field).ok().filter(|_| is_digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_hold_what_they_say_are_known() {
        for text in
            ["3 0:1 2:4 5:1\n2 1:2 2:1\n", "0\n1 4:2", "2 0:1 7:3\r\n\r\n0\r\n", "500 0:1 2:4 5", "9 1:2 3:"]
        {
            assert!(begins(text.as_bytes()), "{text:?}");
        }
        // A text, numbers, no pair at all, and libsvm with a label.
        for text in [
            "",
            "the ship\n",
            "3\n4\n5\n",
            "0\n0\n",
            "1 3:1 5:2\n",
            "-1 3:1\n",
            "2 1:0.5 2:1\n",
            "1 3:1 4",
            "2 x:1 y:2\n",
        ] {
            assert!(!begins(text.as_bytes()), "{text:?}");
        }
    }
}
