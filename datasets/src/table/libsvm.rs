//! The text format of libsvm and svmlight: `response index:value index:value ...`, one row a line.
//!
//! Indices count from 1 (or from 0, where that is said); those of a row may stand in any order, each once.
//! `#` begins a comment, `qid:` pairs are passed over, lines may end in CR LF, empty lines do not count as
//! rows, and zeros written out are dropped. The number of columns is the largest index in the file, unless a
//! width is given: values at larger indices are then counted and left out. One large index takes no memory
//! for those before it: see [`Occurring`](super::Occurring).

use std::path::Path;

use crate::bytes::number::{decimal, explain, first_characters, whole};
use crate::bytes::parallel::{self, Parsed};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::records::RecordCounts;
use crate::table::assemble::{Block, ByRows, Entries, RowBlock, Tiles, compress};
use crate::table::gaps::Gaps;
use crate::table::loaded::Loaded;
use crate::table::{Matrix, Table};

/// Bytes at the beginning that tell how the entries lie. No more: some allocators stop giving pieces of
/// memory back to the system that are no larger than one they have seen come and go.
const SAMPLE: usize = 1 << 16;

/// About how many bytes of text an entry takes, and how many times larger text is that was compressed.
const TEXT: usize = 8;
const INFLATED: usize = 4;

/// Reads a libsvm file, gzip or not, with `threads` threads; the result is the same for any number of them.
///
/// The matrix is always [`Matrix::Sparse`], n rows by p columns; [`Table::occurring`] says which columns it
/// has.
///
/// # Errors
/// Every line that breaks the format, NaN and infinite numbers, gzip data that are cut off, a file without
/// rows or without features, and what the system refuses.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.svm");
/// std::fs::write(&path, "1.5 1:2 3:0.5\n-1 2:4 # a comment\n")?;
/// let table = raddle_datasets::libsvm::read(&path, 1)?;
/// assert_eq!((table.x.rows(), table.x.cols(), table.x.nonzeros()), (2, 3, 3));
/// assert_eq!(table.y, [1.5, -1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, threads: usize) -> Result<Table, ReadError> {
    let source = Source::open(path.as_ref())?;
    let (Loaded { x, occurring, y, .. }, _) = load(&source, &Indices::default(), threads)?;
    let format = "libsvm".into();
    let y = y.unwrap_or_default();
    let records = RecordCounts::of(y.len());
    Ok(Table { x, occurring, y, format, records, ..Table::described_by(&source) })
}

/// How indices are read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Indices {
    /// They count from 0.
    pub(super) zero_based: bool,
    /// The number of columns. Default: the largest index.
    pub(super) width: Option<u32>,
    /// Whether a value may be missing, `nan`.
    pub(super) gaps: Gaps,
}

impl Indices {
    /// Shift of an index so that it counts from 1.
    fn shift(self) -> u64 {
        u64::from(self.zero_based)
    }

    /// The largest index that is stored, counted from 1.
    fn most(self) -> u64 {
        u64::from(self.width.unwrap_or(u32::MAX))
    }
}

/// The features, and the response apart; and how many values lie at indices beyond the width.
pub(super) fn load(source: &Source, indices: &Indices, threads: usize) -> Result<(Loaded, u64), ReadError> {
    let path = &source.path;
    let tiles = tiles(source, indices)?;
    let about = source.stored().len() * if source.is_packed() { INFLATED } else { 1 } / TEXT;
    let entries = |thread| Entries::new(&tiles, thread, about);
    let (blocks, entries) =
        parallel::parse_into(source, source.blocks(), 1, threads, entries, |entries, text| {
            rows(entries, text, indices)
        })?;
    let (blocks, beyond): (Vec<RowBlock>, Vec<u64>) = blocks.into_iter().unzip();
    let beyond: u64 = beyond.iter().sum();
    let y: Vec<f64> = blocks.iter().flat_map(|block| &block.y).copied().collect();
    check_rows(&y, path)?;
    let compressed = compress(&blocks, entries, threads);
    let (x, occurring) = compressed.map_err(|message| ReadError::file(path, message))?;
    if beyond == 0 {
        check_columns(x.cols(), path)?;
    }
    Ok((Loaded { occurring, y: Some(y), ..Loaded::of(Matrix::Sparse(x)) }, beyond))
}

/// Refuses a text without rows.
pub(super) fn check_rows(y: &[f64], path: &Path) -> Result<(), ReadError> {
    let why = "there are no rows, only comments or empty lines: expected `y 1:x1 2:x2 ...`";
    if y.is_empty() { Err(ReadError::file(path, why)) } else { Ok(()) }
}

/// Refuses a text without columns.
pub(super) fn check_columns(count: usize, path: &Path) -> Result<(), ReadError> {
    let why = "no row has a feature: expected `y 1:x1 2:x2 ...`";
    if count == 0 { Err(ReadError::file(path, why)) } else { Ok(()) }
}

/// Gives away rows in the order of the text, as soon as a few blocks have been parsed.
pub(super) fn each(
    source: &Source,
    indices: &Indices,
    threads: usize,
    mut take: impl FnMut(ByRows) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let one = Tiles::of(Vec::new());
    let parse = |text: &[u8]| {
        let mut entries = Entries::new(&one, 0, text.len() / TEXT);
        let ((block, _), lines) = rows(&mut entries, text, indices)?;
        Ok((entries.by_rows(block), lines))
    };
    parallel::parse_each(source, source.blocks(), 1, threads, parse, |rows| take(rows).map(|()| true))
}

/// Tiles into which the rows at the beginning fall evenly. What is wrong there is for who reads it all to
/// say.
pub(super) fn tiles(source: &Source, indices: &Indices) -> Result<Tiles, ReadError> {
    let beginning = source.beginning(SAMPLE)?;
    let one = Tiles::of(Vec::new());
    let mut entries = Entries::new(&one, 0, SAMPLE / TEXT);
    let _ = rows(&mut entries, &beginning, indices);
    Ok(Tiles::of(entries.columns()))
}

/// Parses a block of lines; with how many values lie beyond the width.
fn rows(entries: &mut Entries<'_>, text: &[u8], indices: &Indices) -> Parsed<(RowBlock, u64)> {
    const LARGEST: u64 = u32::MAX as u64;
    // As constants they cost nothing at each of the values.
    match (indices.shift(), indices.most()) {
        (0, LARGEST) => rows_with(entries, text, (0, LARGEST, indices.gaps)),
        (shift, most) => rows_with(entries, text, (shift, most, indices.gaps)),
    }
}

/// Rows of indices that count from 1 less the shift, up to the largest.
#[inline(always)]
fn rows_with(entries: &mut Entries<'_>, text: &[u8], indices: (u64, u64, Gaps)) -> Parsed<(RowBlock, u64)> {
    let mut block = entries.block();
    let (mut lines, mut beyond) = (0, 0);
    let mut rest = text;
    while !rest.is_empty() {
        rest = row(rest, &mut block, indices, &mut beyond).map_err(|message| (lines, message))?;
        lines += 1;
    }
    Ok(((block.end(), beyond), lines))
}

/// Parses one line and returns what follows it.
#[inline(always)]
fn row<'a>(
    line: &'a [u8],
    rows: &mut Block<'_, '_>,
    (shift, most, gaps): (u64, u64, Gaps),
    beyond: &mut u64,
) -> Result<&'a [u8], String> {
    let line = skip_blanks(line);
    if let Some(next) = end_of_line(line) {
        return Ok(next);
    }
    let y = decimal(line).or_else(|| gaps.read(line));
    let (y, length) = y.ok_or_else(|| format!("the response: {}{}", explain(line), Gaps::cure(line)))?;
    let mut rest = skip_separator(&line[length..], line).map_err(|why| no_response(&line[length..], why))?;
    let (first, mut previous, mut more) = (rest, 0, 0);
    loop {
        if let Some(next) = end_of_line(rest) {
            *beyond += more;
            rows.finish(y, previous.min(most) as u32);
            return Ok(next);
        }
        let pair = rest;
        let Some((index, value, length)) = split_pair(pair).or_else(|| gap(pair, gaps)) else {
            rest = odd_pair(pair)?;
            continue;
        };
        // Past the largest number there is 0, which is never above `previous`.
        let (given, index) = (index, index.wrapping_add(shift));
        if index <= previous || index > most {
            let index = given.saturating_add(shift);
            if index == 0 || index > u64::from(u32::MAX) {
                return Err(bad_index(index, shift));
            }
            if index <= previous {
                return unsorted_row(first, y, rows, (shift, most, gaps), beyond);
            }
            more += 1;
        } else {
            rows.push(index as u32 - 1, value);
        }
        previous = index;
        rest = skip_separator(&pair[length..], pair)?;
    }
}

/// Pairs of a line whose indices do not ascend: sorts the pairs behind its response `y`, which begin the
/// text.
#[cold]
fn unsorted_row<'a>(
    mut rest: &'a [u8],
    y: f64,
    rows: &mut Block<'_, '_>,
    (shift, most, gaps): (u64, u64, Gaps),
    beyond: &mut u64,
) -> Result<&'a [u8], String> {
    rows.take_back();
    let mut pairs = Vec::new();
    let next = loop {
        if let Some(next) = end_of_line(rest) {
            break next;
        }
        let Some((given, value, length)) = split_pair(rest).or_else(|| gap(rest, gaps)) else {
            rest = odd_pair(rest)?;
            continue;
        };
        let index = given.saturating_add(shift);
        if index == 0 || index > u64::from(u32::MAX) {
            return Err(bad_index(index, shift));
        }
        pairs.push((index, value));
        rest = skip_separator(&rest[length..], rest)?;
    };
    pairs.sort_by_key(|&(index, _)| index);
    if let Some(twice) = pairs.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(format!("index {} appears twice in this row: keep one value", twice[0].0 - shift));
    }
    for &(index, value) in &pairs {
        match index <= most {
            true => rows.push(index as u32 - 1, value),
            false => *beyond += 1,
        }
    }
    rows.finish(y, pairs.last().map_or(0, |&(index, _)| index.min(most)) as u32);
    Ok(next)
}

/// A well-formed `index:value` at the start of `text`, and its length.
#[inline]
fn split_pair(text: &[u8]) -> Option<(u64, f64, usize)> {
    let (index, colon) = whole(text)?;
    let value = text.get(colon + 1..).filter(|_| text[colon] == b':')?;
    let (value, length) = decimal(value)?;
    Some((index, value, colon + 1 + length))
}

/// A pair whose value is missing, where some may be.
#[cold]
fn gap(text: &[u8], gaps: Gaps) -> Option<(u64, f64, usize)> {
    let (index, colon) = whole(text)?;
    let value = text.get(colon + 1..).filter(|_| text.get(colon) == Some(&b':'))?;
    let (value, length) = gaps.read(value)?;
    Some((index, value, colon + 1 + length))
}

#[inline]
fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().position(|&byte| byte != b' ' && byte != b'\t').unwrap_or(text.len());
    &text[blanks..]
}

/// Rest of the text behind the blanks after a word; a word must not run into the next one.
#[inline]
fn skip_separator<'a>(text: &'a [u8], word: &[u8]) -> Result<&'a [u8], String> {
    match text {
        [b' ', next, ..] if *next > b' ' => Ok(&text[1..]),
        [] | [b' ' | b'\t' | b'\r' | b'\n' | b'#', ..] => Ok(skip_blanks(text)),
        _ => Err(format!("`{}`: put a blank between the numbers", first_characters(word))),
    }
}

/// Text behind the line, when `text` is at its end or at a comment.
#[inline]
fn end_of_line(text: &[u8]) -> Option<&[u8]> {
    match text {
        [] => Some(text),
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => Some(next),
        [b'\r'] => Some(&[]),
        [b'#', ..] => {
            let end = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
            Some(&text[end..])
        }
        _ => None,
    }
}

/// Passes over a `qid:` pair; anything else that is not `index:value` is said to be wrong.
#[cold]
fn odd_pair(text: &[u8]) -> Result<&[u8], String> {
    let end = text.iter().position(|byte| b" \t\r\n#".contains(byte)).unwrap_or(text.len());
    let (pair, shown) = (&text[..end], first_characters(text));
    if pair.starts_with(b"qid:") {
        return Ok(skip_blanks(&text[end..]));
    }
    let Some(colon) = pair.iter().position(|&byte| byte == b':') else {
        return Err(format!("`{shown}` has no colon: write every feature as index:value"));
    };
    match whole(pair) {
        Some((_, length)) if length == colon => {
            let value = &text[colon + 1..];
            Err(format!("the value of `{shown}`: {}{}", explain(value), Gaps::cure(value)))
        }
        _ => Err(format!("the index of `{shown}` is not a whole number of 1 or more")),
    }
}

/// Error for a response that is not followed by a blank.
#[cold]
fn no_response(rest: &[u8], why: String) -> String {
    match rest.first() {
        Some(b':') => "there is no response: every line begins with one, as in `y 1:x1 2:x2`; write 0 where it is unknown".into(),
        Some(b',') => "there are several responses: give each row one".into(),
        _ => why,
    }
}

#[cold]
fn bad_index(index: u64, shift: u64) -> String {
    match index {
        0 => {
            "index 0: libsvm indices count from 1; if those of this file count from 0, say so by --zero-based"
                .into()
        }
        // As it is written.
        _ => format!("index {} is too large: at most {} columns fit", index - shift, u32::MAX),
    }
}
