//! Finds the separator of a text: the one that gives its first records the same number of cells.

use std::borrow::Cow;

use super::hash_lines::above;
use super::marks::Marks;
use super::missing::is_missing;
use super::separator::Separator;
use crate::bytes::blocks::Records;
use crate::bytes::line_ends::unified;
use crate::bytes::quoting::{Extent, Quotes};

/// Records that are examined.
pub(super) const SAMPLE: usize = 100;

/// The purpose of reading a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A table of features.
    Table,
    /// One column of numbers or texts: blanks separate nothing.
    Column,
    /// Texts in a column of a table: blanks do not separate cells.
    Texts,
    /// Ratings: `::` may separate fields, and the width is not that of a table.
    Ratings,
}

/// Candidates; of equally good ones the first is taken.
const BYTES: [u8; 4] = [b'\t', b',', b';', b'|'];

/// A record at the start of a text.
pub(super) struct Record<'t> {
    pub(super) text: &'t [u8],
    /// Start and end in the text, including the line end.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Number of the first line, from 0.
    pub(super) line: usize,
}

/// Returns the first records of a text whose lines end with LF or CR LF, without the last one if it may be
/// incomplete.
pub(super) fn records(
    text: &[u8],
    separator: Separator,
    quotes: Option<Quotes>,
    extent: Extent,
) -> Vec<Record<'_>> {
    let mut records = match separator.quoting(quotes) {
        Some(quoting) => Records::new(text, quoting),
        None => Records::of_lines(text),
    };
    let mut first = Vec::new();
    while let Some((line, record)) = records.next() {
        let end = text.len() - records.rest().len();
        if (extent == Extent::Beginning && end == text.len() && !text.ends_with(b"\n"))
            || first.len() > SAMPLE
        {
            break;
        }
        let start = record.as_ptr().addr() - text.as_ptr().addr();
        first.push(Record { text: record, start, end, line });
    }
    first
}

/// How well a separator fits the first records.
struct Fit {
    separator: Separator,
    /// Fraction of the records that have the usual number of cells.
    share: f64,
    /// The usual number of cells.
    width: usize,
    /// Fraction of the cells that are numbers.
    numbers: f64,
    /// `true` if a column consists of numbers.
    has_numbers: bool,
    /// `true` if all cells of a column are several numbers separated by blanks.
    has_lists: bool,
    /// `true` if a cell has an unclosed quote: the separator may be inside quotes.
    leaves_open: bool,
}

/// Fraction of records that must agree: a few records may be wrong.
const ENOUGH: f64 = 0.8;

/// Finds the separator of a text that starts like this. `is_tabs`: the file's name says that it is tabs.
pub(super) fn find(
    text: &[u8],
    extent: Extent,
    purpose: Purpose,
    quotes: Option<Quotes>,
    is_tabs: bool,
) -> Separator {
    let fit = |separator| Fit::of(text, extent, separator, quotes);
    if purpose == Purpose::Ratings && memchr::memmem::find(text, b"::").is_some() {
        let colons = fit(Separator::Colons);
        if colons.divides() {
            return Separator::Colons;
        }
    }
    // A separator that does not occur is no candidate.
    let there = BYTES.into_iter().filter(|&byte| memchr::memchr(byte, text).is_some());
    let mut fits: Vec<Fit> = there.map(|byte| fit(Separator::Byte(byte))).collect();
    let is_tab = |fit: &Fit| fit.separator == Separator::Byte(b'\t');
    if is_tabs && fits.iter().any(|fit| is_tab(fit) && fit.width > 1 && fit.share >= 0.5) {
        return Separator::Byte(b'\t');
    }
    fits.retain(Fit::divides);
    let of_rank = |fit: &Fit| {
        let [is_closed, is_tab] = [!fit.leaves_open, is_tab(fit)].map(|is| f64::from(u8::from(is)));
        [is_closed, fit.share, is_tab, fit.numbers, fit.width as f64]
    };
    // `max_by` takes the last of equals, so the order is reversed.
    let best = fits
        .iter()
        .rev()
        .max_by(|a, b| of_rank(a).partial_cmp(&of_rank(b)).unwrap_or(std::cmp::Ordering::Equal));
    let is_open = match best {
        Some(best) => purpose == Purpose::Table && best.has_lists,
        None => matches!(purpose, Purpose::Table | Purpose::Ratings),
    };
    let blanks = is_open.then(|| fit(Separator::Blanks)).filter(Fit::divides);
    match (best, blanks) {
        (Some(best), Some(blanks)) if blanks.width > best.width => Separator::Blanks,
        (Some(best), _) => best.separator,
        (None, Some(blanks)) if purpose == Purpose::Ratings || blanks.has_numbers => Separator::Blanks,
        (None, _) => of_first_line(text, purpose),
    }
}

/// Finds the separator of a table that starts like this.
pub(crate) fn divided_by(beginning: &[u8], quotes: Option<Quotes>) -> Separator {
    find(&beginning[above(beginning)..], Extent::Beginning, Purpose::Table, quotes, false)
}

impl Fit {
    fn of(text: &[u8], extent: Extent, separator: Separator, quotes: Option<Quotes>) -> Self {
        let mut scratch = Vec::new();
        let text = unified(text, separator.quoting(quotes), &mut scratch);
        let records = records(text, separator, quotes, extent);
        let all = records.len();
        // Records with bad quotes are reported by the reader, and count little less here.
        let whole =
            records.iter().filter_map(|record| Some((record, separator.cells(record.text, quotes).ok()?)));
        let (records, cells): (Vec<_>, Vec<_>) = whole.unzip();
        let flawed = all - records.len();
        // If most records have bad quotes, another separator fits them.
        let flawed = if flawed * 2 > all { 0 } else { flawed };
        let (first, rows) = match &cells[..] {
            [] => (0, &cells[..]),
            [only] => (only.len(), &cells[..]),
            [first, rows @ ..] => (first.len(), rows),
        };
        let width = usual_width(rows);
        let of_width = || rows.iter().filter(|row| row.len() == width);
        // A comment, or a header without a name for the row names or with one too many, says less than a row.
        let is_hash = records.first().is_some_and(|record| record.text.starts_with(b"#"));
        let first = match () {
            () if rows.len() == cells.len() => 0.0,
            () if first == width || is_hash => 1.0,
            () if first.abs_diff(width) == 1 => 0.9,
            () => 0.0,
        };
        let share = (of_width().count() as f64 + first + 0.9 * flawed as f64) / all.max(1) as f64;
        let is_number = |cell: &[u8]| match separator {
            Separator::Byte(b',') => Marks::default().number(cell).is_some(),
            _ => Marks::any_reads(cell),
        };
        let mut numbers = vec![0; width];
        let mut missing = vec![0; width];
        let mut lists = vec![0; width];
        for row in of_width() {
            for (at, (cell, _)) in row.iter().enumerate() {
                numbers[at] += usize::from(is_number(cell));
                missing[at] += usize::from(is_missing(cell));
                lists[at] += usize::from(is_list(cell));
            }
        }
        let is_open = |(cell, is_quoted): &(Cow<'_, [u8]>, bool)| {
            !is_quoted && memchr::memchr_iter(b'"', cell).count() % 2 == 1
        };
        let leaves_open = quotes != Some(Quotes::Letters) && cells.iter().flatten().any(is_open);
        let count = of_width().count();
        let all = |counts: &[usize]| counts.iter().any(|&of_column| count > 0 && of_column == count);
        let has_numbers = (0..width).any(|at| numbers[at] > 0 && numbers[at] + missing[at] == count);
        let numbers = numbers.iter().sum::<usize>() as f64 / (count * width).max(1) as f64;
        Self { separator, share, width, numbers, has_numbers, has_lists: all(&lists), leaves_open }
    }

    fn divides(&self) -> bool {
        self.width > 1 && self.share >= ENOUGH
    }
}

/// Returns the number of cells that most rows have; of equally frequent numbers the largest.
pub(super) fn usual_width<T>(rows: &[Vec<T>]) -> usize {
    let mut widths: Vec<usize> = rows.iter().map(Vec::len).collect();
    widths.sort_unstable();
    let most = widths.chunk_by(|a, b| a == b).max_by_key(|alike| alike.len());
    most.and_then(|alike| alike.first().copied()).unwrap_or(0)
}

/// Returns the cells of a record; none if its quotes are bad.
pub(super) fn lossy(separator: Separator, record: &[u8], quotes: Option<Quotes>) -> Vec<(String, bool)> {
    separator.texts(String::from_utf8_lossy(record).as_bytes(), quotes).unwrap_or_default()
}

/// Returns `true` if a cell is several numbers with blanks in between, and not one number with thousands
/// separated by blanks.
fn is_list(cell: &[u8]) -> bool {
    let is_one = |cell: &[u8]| cell.is_empty() || Marks::any_reads(cell) || is_missing(cell);
    let has_blank = memchr::memchr2(b' ', b'\t', cell).is_some();
    has_blank && !Marks::any_reads(cell) && cell.split(u8::is_ascii_whitespace).all(is_one)
}

/// Returns the candidate that occurs most often in the first line, outside quotes; of equally frequent ones
/// the first of `,`, `;`, tabs and `|`. If there is none, the text is one column, or, for a table of numbers
/// and for ratings, blanks separate its cells.
fn of_first_line(text: &[u8], purpose: Purpose) -> Separator {
    let (mut counts, mut is_quoted, mut end) = ([0; BYTES.len()], false, text.len());
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => {
                end = at;
                break;
            }
            _ if is_quoted => {}
            _ => BYTES
                .iter()
                .zip(&mut counts)
                .filter(|(known, _)| **known == byte)
                .for_each(|(_, count)| *count += 1),
        }
    }
    let line = &text[..end];
    if purpose == Purpose::Ratings && memchr::memmem::find(line, b"::").is_some() {
        return Separator::Colons;
    }
    let best = [3, 0, 2, 1].into_iter().max_by_key(|&at| counts[at]).filter(|&at| counts[at] > 0);
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match best {
        Some(best) => Separator::Byte(BYTES[best]),
        None if purpose == Purpose::Ratings => Separator::Blanks,
        None if purpose == Purpose::Table
            && words.next().is_some_and(Marks::any_reads)
            && words.next().is_some_and(Marks::any_reads) =>
        {
            Separator::Blanks
        }
        None => Separator::Byte(b','),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_gives_all_records_the_same_number_of_cells() {
        let byte = Separator::Byte;
        for (text, expected) in [
            ("a,b\n1,2\n", byte(b',')),
            ("1\tphys\tmass, energy, force, light and time\n2\tstat\tmean variance\n", byte(b'\t')),
            ("a;b\n1,5;2,5\n", byte(b';')),
            ("1,5;2,5\n3,5;4,5\n", byte(b';')),
            ("1,Action;Drama\n2,War;Crime\n", byte(b',')),
            ("a|b\n1|x, y\n2|z\n", byte(b'|')),
            ("a\n1\n", byte(b',')),
            ("1 2 3\n4 5 6\n", Separator::Blanks),
            ("  0.1  2 x\n 3  4   y\n", Separator::Blanks),
            ("1 2 3\n4 5\n", Separator::Blanks),
            ("18.0   8\t\"a b\"\n15.0   ?\t\"c\"\n", Separator::Blanks),
            ("18.0   8   1\t\"a b\"\n15.0   ?   2\t\"c\"\n", Separator::Blanks),
            ("1 000\tx\n2 500\ty\n", byte(b'\t')),
            ("15.2\t14.8\t\t1\n14.1\t\t14.2\t1\n16\t15\t2\n", Separator::Blanks),
            ("very good\nvery bad\n", byte(b',')),
            ("u1,i1,3\n\"u2\" x,i2,3\n", byte(b',')),
            ("\"a\",\"y\"\n\"1\",2,3\n\"2\",1,4\n", byte(b',')),
            ("\"x;y\",\"b;c\"\n\"u;v\",\"1;2\"\n", byte(b',')),
            ("# a, b, c, d: made by hand\n1;2\n3;4\n", byte(b';')),
            ("0;\"a\tb\tc\";x\n", byte(b';')),
            ("key x,1 y\n\"id 0\" 1 2\n\"id 1\" 3 4\n\"id 2\" 5 6\n", Separator::Blanks),
            ("1\t\"opt out\" service\tObs\n2\tplain\tObs\n", byte(b'\t')),
            ("5\" pipe\tx;y\n6\" pipe\tz;w\n", byte(b'\t')),
        ] {
            let texts = ["\n", "\r\n", "\r"].map(|end| text.replace('\n', end));
            for text in &texts {
                let found = find(text.as_bytes(), Extent::Whole, Purpose::Table, None, false);
                assert_eq!(found, expected, "{text:?}");
            }
        }
        assert_eq!(
            find(b"1::2::5\n1::a|b::4\n", Extent::Whole, Purpose::Ratings, None, false),
            Separator::Colons
        );
        assert_eq!(find(b"mass, energy\ta\nx\tb\n", Extent::Whole, Purpose::Texts, None, true), byte(b'\t'));
    }
}
