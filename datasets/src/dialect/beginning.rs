//! [`Beginning`]: the first records of delimited text and the form that they show, such as row names, as R
//! writes them: each row has one cell more than the first line.

use std::path::Path;

use super::comments::{comments, names_behind};
use super::division::{Purpose, Record, find, lossy, records, usual_width};
use super::hash_lines::above;
use super::marks::is_number;
use super::missing::is_missing;
use super::options::Dialect;
use super::separator::Separator;
use crate::bytes::blocks::{LONGEST_LINE, too_long};
use crate::bytes::foreign::printed;
use crate::bytes::line_ends::unified;
use crate::bytes::quoting::{Extent, UNCLOSED};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Bytes that are examined; more if a record does not end within them.
const FIRST: usize = 1 << 16;

/// Additional bytes that are read to find a second record.
const MORE: usize = 1 << 20;

/// The form of a text, as its first records show it.
pub(crate) struct Beginning {
    pub(crate) separator: Separator,
    /// Cells before the first column in each row, which name the rows: 0 or 1.
    pub(crate) lead: usize,
    /// Empty cells after the last column in each row: 0 or 1.
    pub(crate) trail: usize,
    /// Cells of the first record, which may be column names; then those of other records with as many
    /// columns.
    pub(crate) first: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// `true` if the first record is certain to hold names: it follows a `#`, or has cells for the names
    /// only.
    pub(crate) is_named: bool,
    /// Bytes and lines before the first record, and before its end.
    pub(crate) before: (usize, usize),
    pub(crate) behind: (usize, usize),
    /// Notes for users.
    pub(crate) notes: Vec<String>,
}

impl Beginning {
    pub(crate) fn of(source: &Source, dialect: &Dialect, purpose: Purpose) -> Result<Self, ReadError> {
        let mut length = FIRST;
        loop {
            let text = source.first_bytes(length)?;
            let extent = if text.len() + 3 < length { Extent::Whole } else { Extent::Beginning };
            if let Some(why) = printed(&text).filter(|_| dialect.separator.is_none()) {
                return Err(ReadError::file(&source.path, why));
            }
            let (said, skipped) = said_separator(&text);
            let rest = &text[skipped..];
            let hashes = above(rest);
            if hashes == 0 && rest.starts_with(b"#") && extent == Extent::Beginning && length < MORE {
                length *= 16;
                continue;
            }
            let quotes = dialect.quotes;
            let find = || find(&rest[hashes..], extent, purpose, quotes, is_tabs(&source.path));
            let separator = dialect.separator.or(said).unwrap_or_else(find);
            if separator == Separator::Colons && purpose != Purpose::Ratings {
                return Err(ReadError::file(
                    &source.path,
                    "--separator ::, which is for ratings only: name one character, tab or blanks",
                ));
            }
            let (passed, lines, note) = comments(rest, separator, quotes);
            let (passed, lines) = (skipped + passed, lines + usize::from(skipped > 0));
            let mut scratch = Vec::new();
            let rest = unified(&text[passed..], separator.quoting(quotes), &mut scratch);
            let found = records(rest, separator, quotes, extent);
            let Some((first, others)) = found.split_first() else {
                let line = 1 + lines;
                match extent {
                    Extent::Whole => return Err(ReadError::file(&source.path, "there are only empty lines")),
                    Extent::Beginning if length > LONGEST_LINE => {
                        let is_quoted = memchr::memchr(b'"', rest).is_some();
                        let why = if is_quoted { UNCLOSED.into() } else { too_long() };
                        return Err(ReadError::at(&source.path, line, why));
                    }
                    Extent::Beginning => length *= 16,
                }
                continue;
            };
            if found.len() < 3 && extent == Extent::Beginning && length < MORE {
                length *= 16;
                continue;
            }
            let at = |why: String| ReadError::at(&source.path, 1 + lines + first.line, why);
            let cells = separator.texts(first.text, quotes).map_err(at)?;
            let mut beginning = Self::shown(separator, first, others, cells, dialect);
            for place in [&mut beginning.before, &mut beginning.behind] {
                *place = (place.0 + passed, place.1 + lines);
            }
            let said = (skipped > 0).then(|| {
                let name = dialect.separator.or(said).map_or(String::new(), Separator::name);
                format!("the first line, `sep=`, is no row: cells are divided by {name}")
            });
            beginning.notes.splice(0..0, said.into_iter().chain(note));
            return Ok(beginning);
        }
    }

    /// Determines the form from the records; `first` has the cells of the first one.
    fn shown(
        separator: Separator,
        record: &Record<'_>,
        others: &[Record<'_>],
        mut first: Vec<(String, bool)>,
        dialect: &Dialect,
    ) -> Self {
        let cells = |record: &Record<'_>| lossy(separator, record.text, dialect.quotes);
        let (rows, mut notes) = (others.iter().map(cells).collect::<Vec<_>>(), Vec::new());
        let (width, is_data, mut is_named) = (usual_width(&rows), dialect.header == Some(false), false);
        let names = names_behind(record.text, separator, dialect.quotes, width);
        if let Some(names) = names.filter(|_| !is_data && !rows.is_empty()) {
            notes.push("the first line is taken for names of the columns behind a `#`".into());
            (first, is_named) = (names, true);
        }
        let (mut lead, mut trail) = (0, 0);
        let is_empty_last = |row: &[(String, bool)]| row.last().is_some_and(|(cell, _)| cell.is_empty());
        let are_alike = rows.iter().all(|row| row.len() == width);
        let of_width: Vec<Vec<(String, bool)>> = rows.into_iter().filter(|row| row.len() == width).collect();
        let all_end_empty =
            width > 1 && !of_width.is_empty() && of_width.iter().all(|row| is_empty_last(row));
        if is_data || of_width.is_empty() || !are_alike {
        } else if first.len() + 1 == width && all_end_empty {
            trail = 1;
            notes.push("every row ends with a separator behind its last cell".into());
        } else if first.len() + 1 == width && are_row_names(separator, &first, &of_width) {
            (lead, is_named) = (1, true);
            notes.push("the first cell of each row is its name, as R writes it, and no column: the names are one less".into());
        } else if first.len() == width + 1 && is_empty_last(&first) && separator != Separator::Blanks {
            first.pop();
            notes.push("the first line ends with a separator behind its last name".into());
        } else if first.len() == width && is_empty_last(&first) && all_end_empty {
            first.pop();
            trail = 1;
            notes.push("every line ends with a separator behind its last cell".into());
        }
        let columns = |row: Vec<(String, bool)>| {
            let end = row.len().saturating_sub(trail);
            row.into_iter().take(end).skip(lead).map(|(cell, _)| cell).collect()
        };
        let rows = of_width.into_iter().map(columns).collect();
        let first = first.into_iter().map(|(cell, _)| cell).collect();
        let end = (record.end, record.line + 1 + memchr::memchr_iter(b'\n', record.text).count());
        let behind = others.first().map_or(end, |next| (next.start, next.line));
        let before = (record.start, record.line);
        Self { separator, lead, trail, first, rows, is_named, before, behind, notes }
    }
}

/// Parses Excel's first line `sep=;`: returns the separator that it names, and its length.
fn said_separator(text: &[u8]) -> (Option<Separator>, usize) {
    let end = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
    let line = &text[..end];
    let line = line.strip_prefix(b"\"").map_or(line, |line| line.strip_suffix(b"\"").unwrap_or(line));
    let (name, separator) = line.split_at(line.len().min(4));
    let found = match separator {
        [b'"' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'] => None,
        [separator] if name.eq_ignore_ascii_case(b"sep=") && separator.is_ascii() => Some(*separator),
        _ => None,
    };
    let next = if text[end..].starts_with(b"\r\n") { end + 2 } else { (end + 1).min(text.len()) };
    match found {
        Some(b' ') => (Some(Separator::Blanks), next),
        Some(separator) => (Some(Separator::Byte(separator)), next),
        None => (None, 0),
    }
}

/// Returns `true` if a file's name says that tabs separate its cells, whatever its compression.
pub(crate) fn is_tabs(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = [".gz", ".zst", ".zstd"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    [".tsv", ".tab"].iter().any(|ending| name.ends_with(ending))
}

/// A cell, and whether it is quoted.
type Cell = (String, bool);

/// Returns `true` if the first cells of the rows are names, as R's `write.table` writes them: distinct, and
/// quoted, counted from 1, or texts before numbers.
///
/// Without quotes, the additional cell may also come from a text or a number that contains the separator, a
/// comma above all: `1,922` is doubtful.
pub(super) fn are_row_names(separator: Separator, first: &[Cell], rows: &[Vec<Cell>]) -> bool {
    let is_text = |(cell, is_quoted): &Cell| *is_quoted || !is_number(cell);
    let leading: Vec<&Cell> = rows.iter().filter_map(|row| row.first()).collect();
    let mut names: Vec<&str> = leading.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if rows.is_empty() || names.len() < rows.len() || !first.iter().all(is_text) {
        return false;
    }
    if leading.iter().all(|(_, is_quoted)| *is_quoted) {
        return true;
    }
    let is_comma = separator == Separator::Byte(b',');
    let are_counted =
        leading.iter().zip(1..).all(|((name, _), number): (_, usize)| *name == number.to_string());
    let are_texts = leading.iter().all(|cell| is_text(cell));
    let is_value = |(cell, _): &Cell| is_number(cell) || is_missing(cell.as_bytes());
    let are_numbers = || rows.iter().all(|row| row.iter().skip(1).all(is_value));
    let is_sure = separator == Separator::Byte(b'\t') || !is_comma && are_numbers();
    // A few rows that are separated by commas may each start with a number in thousands.
    let is_thousand = |row: &Vec<Cell>| {
        row.get(1).is_some_and(|(cell, _)| cell.len() == 3 && cell.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_doubted = is_comma && rows.len() < 3 && (!are_numbers() || rows.iter().any(is_thousand));
    match first.len() {
        1 => separator == Separator::Byte(b'\t') && are_counted,
        _ => are_counted && !is_doubted || are_texts && is_sure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_more_in_each_row_is_its_name_unless_it_may_be_part_of_a_value() {
        let byte = Separator::Byte;
        for (separator, first, rows, are) in [
            (byte(b','), "a,y", &["1,2,3"][..], true),
            (byte(b','), "a,y", &["1,2,3", "2,1,4"], true),
            (byte(b','), "a,y", &["1,922,3"], false),
            (byte(b','), "a,y", &["1,922,3", "2,500,1", "3,100,2"], true),
            (byte(b','), "a,y", &["u,1,2", "v,3,4"], false),
            (byte(b','), "a,y", &["7,2,3", "9,1,4"], false),
            (byte(b','), "1,y", &["1,2,3"], false),
            (byte(b'\t'), "a,y", &["1,2,3"], true),
            (byte(b'\t'), "a,y", &["Mazda,2,x"], true),
            (byte(b'\t'), "y", &["1,2", "2,5"], true),
            (byte(b';'), "a,y", &["Mazda,2,3"], true),
            (byte(b';'), "a,y", &["Mazda,2,x"], false),
            (Separator::Blanks, "a,y", &["1,2,3"], true),
            (byte(b';'), "a,y", &["u,1,2", "u,3,4"], false),
            (byte(b';'), "a,y", &[], false),
        ] {
            let cells =
                |line: &str| -> Vec<Cell> { line.split(',').map(|cell| (cell.into(), false)).collect() };
            let rows: Vec<Vec<Cell>> = rows.iter().map(|row| cells(row)).collect();
            assert_eq!(are_row_names(separator, &cells(first), &rows), are, "{separator} {first} {rows:?}");
        }
    }
}
