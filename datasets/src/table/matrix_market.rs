//! Matrix Market: `%%MatrixMarket matrix coordinate|array real|integer|pattern
//! general|symmetric|skew-symmetric`.
//!
//! Coordinate files give sparse matrices (repeated entries add up), array files dense ones.

use super::data::Table;
use super::gaps::Gaps;
use super::matrix::of_columns;
use super::triplets::Triplets;
use crate::bytes::blocks::Blocks;
use crate::bytes::encoding::BYTE_ORDER_MARK;
use crate::bytes::market::{HeadWords, NO_SIZES, check_end, index};
use crate::bytes::memory::{believable, check_entries};
use crate::bytes::number::{decimal, explain};
use crate::bytes::parallel::{self, Parsed, each_line};
use crate::bytes::source::Source;
use crate::error::ReadError;

pub(super) fn load(source: &Source, threads: usize, gaps: Gaps) -> Result<Table, ReadError> {
    let content = source.text()?;
    let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content);
    let at = |line: usize, message: String| ReadError::at(&source.path, line, message);
    let (head, entries) = Head::parse(content, gaps).map_err(|(line, message)| at(line, message))?;
    let first = head.lines + 1;
    let blocks = parallel::parse(source, Blocks::text(entries), first, threads, |text| lines(text, &head))?;
    let count: usize = blocks.iter().map(Vec::len).sum();
    check_entries(count as u64, head.entries as u64, "the size line")
        .map_err(|why| ReadError::file(&source.path, why))?;
    let x = match head.coordinate {
        true => head.believed(count).and_then(|()| head.sparse(blocks.into_iter().flatten())),
        false => {
            let values = blocks.into_iter().flatten().map(|(.., value)| value);
            of_columns(head.rows, head.cols, values.collect()).map(Table::of)
        }
    };
    x.map_err(|message| ReadError::file(&source.path, message))
}

/// Row and column, from 0, and value.
type Entry = (usize, usize, f64);

/// The banner and the size line.
struct Head {
    coordinate: bool,
    pattern: bool,
    /// Factor of an entry's mirror image: 0 if there is none.
    mirror: f64,
    rows: usize,
    cols: usize,
    /// Number of entry lines.
    entries: usize,
    /// Number of lines in the head.
    lines: usize,
    gaps: Gaps,
}

impl Head {
    /// Parses the head; returns it with the text after it. The error has the line, from 1.
    fn parse(text: &[u8], gaps: Gaps) -> Result<(Self, &[u8]), (usize, String)> {
        let words = HeadWords::of(text);
        let banner: Vec<&str> = words.banner.iter().map(String::as_str).collect();
        let (coordinate, pattern, mirror) = kind(&banner).map_err(|message| (1, message))?;
        if words.sizes.is_none() {
            return Err((words.lines, NO_SIZES.into()));
        }
        let (rows, cols, entries) = match (words.numbers().as_deref(), coordinate) {
            (Some(&[rows, cols, entries]), true) => (rows, cols, entries),
            (Some(&[rows, cols]), false) => (rows, cols, rows.saturating_mul(cols)),
            (_, is_sparse) => {
                let sizes = if is_sparse {
                    "three whole numbers: rows columns entries"
                } else {
                    "two whole numbers: rows columns"
                };
                return Err((words.lines, format!("the size line must be {sizes}")));
            }
        };
        let [rows, cols, entries] = [rows, cols, entries].map(|size| size as usize);
        let head = Self { coordinate, pattern, mirror, rows, cols, entries, lines: words.lines, gaps };
        Ok((head, &text[words.bytes..]))
    }

    /// Checks that this number of entries makes the number of rows plausible; columns without entries take no
    /// memory.
    fn believed(&self, entries: usize) -> Result<(), String> {
        believable("rows", self.rows as u64, entries as u64).map(|_| ())
    }

    fn sparse(&self, entries: impl Iterator<Item = Entry>) -> Result<Table, String> {
        let mut triplets = Triplets::new(self.rows, self.cols, self.gaps)?;
        for (row, col, value) in entries {
            triplets.push(row, col, value)?;
            if self.mirror != 0.0 && row != col {
                triplets.push(col, row, self.mirror * value)?;
            }
        }
        Ok(triplets.loaded())
    }
}

/// Parses the banner: coordinate or array, pattern or values, and the factor of the mirror image.
fn kind(banner: &[&str]) -> Result<(bool, bool, f64), String> {
    let &[_, "matrix", layout, field, symmetry] = banner else {
        return Err(
            "expected `%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric`".into(),
        );
    };
    let coordinate = match layout {
        "coordinate" => true,
        "array" if symmetry == "general" && field != "pattern" => false,
        "array" => return Err(format!("an array that is {field} {symmetry}: write it as real general")),
        _ => return Err(format!("`{layout}`: expected coordinate or array")),
    };
    let pattern = match field {
        "real" | "double" | "integer" => false,
        "pattern" => true,
        _ => return Err(format!("`{field}` values: expected real, integer or pattern")),
    };
    match symmetry {
        "general" => Ok((coordinate, pattern, 0.0)),
        "symmetric" => Ok((coordinate, pattern, 1.0)),
        "skew-symmetric" => Ok((coordinate, pattern, -1.0)),
        _ => Err(format!("`{symmetry}`: expected general, symmetric or skew-symmetric")),
    }
}

/// Parses a block of entry lines.
fn lines(text: &[u8], head: &Head) -> Parsed<Vec<Entry>> {
    let mut entries = Vec::new();
    let lines = each_line(text, |line| {
        if line[0] != b'%' {
            entries.push(entry(line, head)?);
        }
        Ok(())
    })?;
    Ok((entries, lines))
}

fn entry(line: &[u8], head: &Head) -> Result<Entry, String> {
    let mut rest = line;
    let (mut row, mut col) = (0, 0);
    if head.coordinate {
        row = index(&mut rest, "row", head.rows as u64)?;
        col = index(&mut rest, "column", head.cols as u64)?;
    }
    let mut value = 1.0;
    if !head.pattern {
        let read = decimal(rest).or_else(|| head.gaps.read(rest));
        let (number, length) =
            read.ok_or_else(|| format!("the value: {}{}", explain(rest), Gaps::cure(rest)))?;
        (value, rest) = (number, rest[length..].trim_ascii_start());
    }
    check_end(rest).map(|()| (row as usize, col as usize, value))
}
