//! The first line of delimited text: what divides its cells, and the names of its columns.

use crate::encoding::utf8;
use crate::error::ReadError;
use crate::number::decimal;
use crate::quoting::Quoting;
use crate::source::Source;
use crate::table::missing::is_missing;

/// What may divide cells; of equally frequent ones the last counts.
const SEPARATORS: &[u8] = b"|\t;,";

/// The form of the rows, and where they begin.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) quoting: Quoting,
    /// The names of the columns, where the first line holds them; one that has none is called by its number.
    pub(crate) names: Option<Vec<String>>,
    /// Columns.
    pub(crate) width: usize,
    /// What lies before the first row.
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    /// What users should know of it.
    pub(crate) notes: Vec<String>,
}

impl Head {
    /// Of a file whose first line holds names if it holds a text, unless `no_header` says that it holds none.
    pub(crate) fn of(source: &Source, no_header: bool) -> Result<Self, ReadError> {
        let (beginning, end) = first_record(source)?;
        let (before, lines) = before_first(&beginning);
        let record = &beginning[before..end];
        let quoting = Quoting { separator: separator(record) };
        let at = |why: String| ReadError::at(&source.path, lines + 1, why);
        let first = record.strip_suffix(b"\n").unwrap_or(record);
        let mut width = 0;
        let mut is_text = false;
        quoting
            .each(first, |_, cell| {
                width += 1;
                is_text |= !is_missing(cell.raw) && !is_number(cell.raw);
                Ok(true)
            })
            .map_err(at)?;
        let mut head = Self { quoting, names: None, width, bytes: before, lines, notes: Vec::new() };
        if is_text && !no_header {
            utf8(first).map_err(at)?;
            let (names, note) = named(quoting.texts(first).map_err(at)?);
            head.names = Some(names);
            head.notes.push(
                "the first line is taken for the names of the columns (--no-header: it is data)".into(),
            );
            head.notes.extend(note);
            head.bytes = end;
            head.lines += memchr::memchr_iter(b'\n', record).count().max(1);
        }
        Ok(head)
    }

    /// A column as messages name it.
    pub(crate) fn column(&self, j: usize) -> String {
        let unnamed = unnamed(j);
        match self.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if *name != unnamed => format!("column {} ({name})", j + 1),
            _ => unnamed,
        }
    }

    /// The names of all columns, those without one by their number.
    pub(crate) fn all_names(&self) -> Vec<String> {
        self.names.clone().unwrap_or_else(|| (0..self.width).map(unnamed).collect())
    }
}

/// What a column without a name is called.
pub(crate) fn unnamed(j: usize) -> String {
    format!("column {}", j + 1)
}

/// Names in place of empty ones, and what is to be said of these.
fn named(mut names: Vec<String>) -> (Vec<String>, Option<String>) {
    let empty: Vec<usize> = (0..names.len()).filter(|&j| names[j].is_empty()).collect();
    empty.iter().for_each(|&j| names[j] = unnamed(j));
    let numbers = empty.iter().map(|j| (j + 1).to_string()).collect::<Vec<_>>().join(",");
    let note = match &empty[..] {
        [] => return (names, None),
        [0] => {
            "column 1 has no name, as the index that pandas writes: if it is one, leave it out by --drop 1"
                .into()
        }
        [_] => format!("column {numbers} has no name: leave it out by --drop {numbers}, or name it"),
        _ => format!("columns {numbers} have no names: leave them out by --drop {numbers}, or name them"),
    };
    (names, Some(note))
}

fn is_number(cell: &[u8]) -> bool {
    // Infinite values and those beyond a double are data, if bad ones.
    decimal(cell).is_some_and(|(_, length)| length == cell.len())
        || std::str::from_utf8(cell).is_ok_and(|cell| cell.parse::<f64>().is_ok())
}

/// The beginning of the text, and where in it the first record ends.
fn first_record(source: &Source) -> Result<(Vec<u8>, usize), ReadError> {
    let mut length = 1 << 16;
    loop {
        let beginning = source.beginning(length)?;
        let (before, lines) = before_first(&beginning);
        let rest = &beginning[before..];
        let end = Quoting { separator: separator(rest) }.record_end(rest).map(|end| before + end);
        let is_whole = beginning.len() + 3 < length;
        match end {
            Some(end) if is_whole || end < beginning.len() => return Ok((beginning, end)),
            None if is_whole || length > crate::blocks::LONGEST_LINE => {
                let why = "a quote is not closed: close it, or double quotes inside a cell";
                return Err(ReadError::at(&source.path, lines + 1, why));
            }
            _ if length > crate::blocks::LONGEST_LINE => {
                return Err(ReadError::at(&source.path, lines + 1, crate::blocks::too_long()));
            }
            _ => length *= 16,
        }
    }
}

/// Bytes and lines before the first line that is neither empty nor a `#` comment.
pub(crate) fn before_first(text: &[u8]) -> (usize, usize) {
    let mut bytes = 0;
    for (lines, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() && !line.starts_with(b"#") {
            return (bytes, lines);
        }
        bytes += line.len();
    }
    (text.len(), memchr::memchr_iter(b'\n', text).count())
}

/// The candidate that the first line has most of, outside of quotes.
pub(crate) fn separator(text: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0; SEPARATORS.len()], false);
    for &byte in text {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some(at) = SEPARATORS.iter().position(|&separator| separator == byte) {
                    counts[at] += 1;
                }
            }
        }
    }
    let best = (0..SEPARATORS.len()).max_by_key(|&at| counts[at]);
    best.map_or(b',', |at| SEPARATORS[at])
}
