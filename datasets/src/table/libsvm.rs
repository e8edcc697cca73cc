//! The text format of libsvm and svmlight: `response index:value index:value ...`, one row per line.
//!
//! Indices count from 1 (or from 0, if an option says so); those of a row may come in any order, each once.
//! `#` starts a comment, `qid:` pairs are skipped, lines may end with CR LF, empty lines are not rows, and
//! explicit zeros are dropped. The number of columns is the largest index in the file, unless a width is
//! given: values at larger indices are then counted and left out. A large index takes no memory for the
//! columns before it: see [`Occurring`](super::Occurring).

use std::path::Path;

use crate::bytes::number::{decimal, explain, first_characters, whole};
use crate::bytes::parallel::{self, Parsed};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::records::RecordCounts;
use crate::table::assemble::{Block, ByRows, Entries, RowBlock, Tiles, compress};
use crate::table::gaps::Gaps;
use crate::table::{Format, Matrix, Table};

/// Bytes at the start that show how the entries are distributed. No more than this, as some allocators keep
/// freed memory of sizes that they have seen before.
const SAMPLE: usize = 1 << 16;

/// Approximate bytes of text per entry; then the ratio of text to its compressed size.
const TEXT: usize = 8;
const INFLATED: usize = 4;

/// Reads a libsvm file, compressed or not, with `threads` threads; the result is the same for any number.
///
/// The matrix is always [`Matrix::Sparse`], n rows by p columns; [`Table::occurring`] says which columns it
/// has.
///
/// # Errors
/// If a line does not follow the format, a number is NaN or infinite, compressed data are truncated, the file
/// has no rows or no features, or the system refuses access.
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
    let (table, _) = load(&source, &Indices::default(), threads)?;
    let records = RecordCounts::of(table.y.len());
    Ok(Table { records, ..table.described(&source, Format::Libsvm) })
}

/// How indices are read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Indices {
    /// `true` if indices count from 0.
    pub(super) zero_based: bool,
    /// Number of columns; `None` for the largest index.
    pub(super) width: Option<u32>,
    /// Treatment of `nan`, a missing value.
    pub(super) gaps: Gaps,
}

impl Indices {
    /// Returns what to add to an index so that it counts from 1.
    fn shift(self) -> u64 {
        u64::from(self.zero_based)
    }

    /// Returns the largest index that is kept, from 1.
    fn most(self) -> u64 {
        u64::from(self.width.unwrap_or(u32::MAX))
    }
}

/// Returns the features and the separate response, and how many values lie at indices beyond the width.
pub(super) fn load(source: &Source, indices: &Indices, threads: usize) -> Result<(Table, u64), ReadError> {
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
    Ok((Table { occurring, y, ..Table::of(Matrix::Sparse(x)) }, beyond))
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

/// Passes rows on in the order of the text, after every few blocks.
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

/// Returns tiles into which the first rows fall evenly. Errors in them are left to the reader of the whole
/// text.
pub(super) fn tiles(source: &Source, indices: &Indices) -> Result<Tiles, ReadError> {
    let beginning = source.beginning(SAMPLE)?;
    let one = Tiles::of(Vec::new());
    let mut entries = Entries::new(&one, 0, SAMPLE / TEXT);
    let _ = rows(&mut entries, &beginning, indices);
    Ok(Tiles::of(entries.columns()))
}

/// Parses a block of lines; also returns how many values lie beyond the width.
fn rows(entries: &mut Entries<'_>, text: &[u8], indices: &Indices) -> Parsed<(RowBlock, u64)> {
    const LARGEST: u64 = u32::MAX as u64;
    // As constants, shift and limit cost nothing at each value.
    match (indices.shift(), indices.most()) {
        (0, LARGEST) => rows_with(entries, text, Kept { shift: 0, most: LARGEST, gaps: indices.gaps }),
        (shift, most) => rows_with(entries, text, Kept { shift, most, gaps: indices.gaps }),
    }
}

/// The indices that are kept: from 1 after the shift, up to the limit.
#[derive(Clone, Copy)]
struct Kept {
    shift: u64,
    most: u64,
    gaps: Gaps,
}

/// Parses rows.
#[inline(always)]
fn rows_with(entries: &mut Entries<'_>, text: &[u8], kept: Kept) -> Parsed<(RowBlock, u64)> {
    let mut block = entries.block();
    let (mut lines, mut beyond) = (0, 0);
    let mut rest = text;
    while !rest.is_empty() {
        rest = row(rest, &mut block, kept, &mut beyond).map_err(|message| (lines, message))?;
        lines += 1;
    }
    Ok(((block.end(), beyond), lines))
}

/// Parses one line; returns the text after it.
#[inline(always)]
fn row<'a>(
    line: &'a [u8],
    rows: &mut Block<'_, '_>,
    Kept { shift, most, gaps }: Kept,
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
        // The largest number wraps around to 0, which is never above `previous`.
        let (given, index) = (index, index.wrapping_add(shift));
        if index <= previous || index > most {
            let index = given.saturating_add(shift);
            if index == 0 || index > u64::from(u32::MAX) {
                return Err(bad_index(index, shift));
            }
            if index <= previous {
                return unsorted_row(first, y, rows, Kept { shift, most, gaps }, beyond);
            }
            more += 1;
        } else {
            rows.push(index as u32 - 1, value);
        }
        previous = index;
        rest = skip_separator(&pair[length..], pair)?;
    }
}

/// Handles a line whose indices do not ascend: sorts the pairs after its response `y`, which `text` starts
/// with.
#[cold]
fn unsorted_row<'a>(
    mut rest: &'a [u8],
    y: f64,
    rows: &mut Block<'_, '_>,
    Kept { shift, most, gaps }: Kept,
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

/// Parses a well-formed `index:value` at the start of `text`; also returns its length.
#[inline]
fn split_pair(text: &[u8]) -> Option<(u64, f64, usize)> {
    let (index, colon) = whole(text)?;
    let value = text.get(colon + 1..).filter(|_| text[colon] == b':')?;
    let (value, length) = decimal(value)?;
    Some((index, value, colon + 1 + length))
}

/// Parses a pair with a missing value, where that is allowed.
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

/// Skips the blanks after a word; the next word must not follow directly.
#[inline]
fn skip_separator<'a>(text: &'a [u8], word: &[u8]) -> Result<&'a [u8], String> {
    match text {
        [b' ', next, ..] if *next > b' ' => Ok(&text[1..]),
        [] | [b' ' | b'\t' | b'\r' | b'\n' | b'#', ..] => Ok(skip_blanks(text)),
        _ => Err(format!("`{}`: put a blank between the numbers", first_characters(word))),
    }
}

/// Returns the text after the line, if `text` is at the end of one or at a comment.
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

/// Skips a `qid:` pair; anything else that is not `index:value` is an error.
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

/// Makes the error for a response without a blank after it.
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
        // The index as it is written.
        _ => format!("index {} is too large: at most {} columns fit", index - shift, u32::MAX),
    }
}
