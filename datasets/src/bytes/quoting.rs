//! Cells of delimited text, by RFC 4180: a cell may stand in double quotes, and then hold the separator, line
//! ends and, doubled, quotes. Blanks around a cell do not count.
//!
//! A quote begins such a cell only where the cell begins; anywhere else it is a letter like others. Text
//! without a quote takes the short way everywhere.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// How the cells of a text are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// By one byte.
    Byte(u8),
    /// By any number of blanks and tabs, which divide nothing at the beginning and the end of a record.
    Blanks,
}

/// A cell as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    /// Without blanks and quotes around; doubled quotes are still doubled.
    pub(crate) raw: &'t [u8],
    pub(crate) quoted: bool,
}

impl<'t> Cell<'t> {
    /// Text of the cell.
    pub(crate) fn text(self) -> Cow<'t, [u8]> {
        if !self.quoted || memchr(b'"', self.raw).is_none() {
            return Cow::Borrowed(self.raw);
        }
        let mut text = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(at) = memchr(b'"', rest) {
            text.extend_from_slice(&rest[..=at]);
            let after = &rest[at + 1..];
            rest = after.strip_prefix(b"\"").unwrap_or(after);
        }
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }
}

impl Quoting {
    /// Where the record that begins the text ends, its line end included; `None` if a quote is not closed.
    /// Lines end by LF or CR LF.
    pub(crate) fn record_end(self, text: &[u8]) -> Option<usize> {
        self.end_of_record(text, |rest| memchr2(b'"', b'\n', rest))
    }

    /// Records where a CR alone ends a line, too.
    pub(crate) fn any_record_end(self, text: &[u8]) -> Option<usize> {
        self.end_of_record(text, |rest| memchr3(b'"', b'\n', b'\r', rest))
    }

    #[inline(always)]
    fn end_of_record(self, text: &[u8], next: impl Fn(&[u8]) -> Option<usize>) -> Option<usize> {
        let (mut at, mut start) = (0, 0);
        loop {
            let Some(found) = next(&text[at..]) else { return Some(text.len()) };
            let found = at + found;
            match text[found] {
                b'\n' => return Some(found + 1),
                b'\r' if text.get(found + 1) == Some(&b'\n') => return Some(found + 2),
                b'\r' => return Some(found + 1),
                _ => {}
            }
            at = match self.opens(&text[start..found]) {
                true => closing(text, found + 1)? + 1,
                false => found + 1,
            };
            // Text before here no longer tells whether a quote opens a cell.
            start = at - 1;
        }
    }

    /// `true` if a quote behind this part of a record begins a cell.
    fn opens(self, before: &[u8]) -> bool {
        match self {
            Self::Blanks => before.last().is_none_or(|&last| self.is_blank(last)),
            Self::Byte(separator) => {
                let last = before.iter().rposition(|&byte| !self.is_blank(byte));
                last.is_none_or(|last| before[last] == separator)
            }
        }
    }

    #[inline]
    fn is_blank(self, byte: u8) -> bool {
        self != Self::Byte(byte) && matches!(byte, b' ' | b'\t' | b'\r')
    }

    fn trimmed(self, mut cell: &[u8]) -> &[u8] {
        while let [first, rest @ ..] = cell
            && self.is_blank(*first)
        {
            cell = rest;
        }
        while let [rest @ .., last] = cell
            && (self.is_blank(*last) || *last == b'\n')
        {
            cell = rest;
        }
        cell
    }

    /// The next cell of a record, and what follows its separator; nothing follows the last one.
    ///
    /// Text between a closing quote and the separator is an error.
    #[inline]
    pub(crate) fn next<'t>(self, record: &'t [u8]) -> Result<(Cell<'t>, Option<&'t [u8]>), String> {
        let first = record.iter().position(|&byte| !self.is_blank(byte));
        match first {
            Some(first) if record[first] == b'"' => self.quoted(record, first + 1),
            _ => {
                // Runs of blanks before a cell divide nothing.
                let record =
                    if self == Self::Blanks { &record[first.unwrap_or(record.len())..] } else { record };
                let (cell, rest) = self.divided(record);
                Ok((Cell { raw: self.trimmed(cell), quoted: false }, rest))
            }
        }
    }

    /// Text before the first separator, and behind it.
    #[inline]
    fn divided(self, text: &[u8]) -> (&[u8], Option<&[u8]>) {
        match self {
            Self::Byte(separator) => match memchr(separator, text) {
                Some(end) => (&text[..end], Some(&text[end + 1..])),
                None => (text, None),
            },
            Self::Blanks => {
                let end = text.iter().position(|&byte| self.is_blank(byte)).unwrap_or(text.len());
                let (cell, rest) = text.split_at(end);
                let next = rest.iter().position(|&byte| !self.is_blank(byte) && byte != b'\n');
                (cell, next.map(|next| &rest[next..]))
            }
        }
    }

    fn quoted(self, record: &[u8], first: usize) -> Result<(Cell<'_>, Option<&[u8]>), String> {
        let last = closing(record, first).ok_or(UNCLOSED)?;
        let cell = Cell { raw: &record[first..last], quoted: true };
        let (between, rest) = self.divided(&record[last + 1..]);
        match self.trimmed(between) {
            [] => Ok((cell, rest)),
            _ if cell.raw.ends_with(b"\\") => Err(ESCAPED.into()),
            between => Err(format!(
                "`{}` follows a closing quote: double quotes inside a cell",
                crate::bytes::number::first_characters(between)
            )),
        }
    }

    /// Calls `take` with every cell of a record, numbered from 0, until it says that it has seen enough.
    pub(crate) fn each<'t>(
        self,
        record: &'t [u8],
        mut take: impl FnMut(usize, Cell<'t>) -> Result<bool, String>,
    ) -> Result<usize, String> {
        let (mut rest, mut number) = (Some(record), 0);
        while let Some(record) = rest {
            let (cell, after) = self.next(record)?;
            number += 1;
            if !take(number - 1, cell)? {
                break;
            }
            rest = after;
        }
        Ok(number)
    }

    /// `true` if a line holds no cell: it is empty, or there are only blanks.
    #[inline]
    pub(crate) fn is_empty(self, line: &[u8]) -> bool {
        line.iter().all(|&byte| self.is_blank(byte) || byte == b'\n')
    }

    /// The separator in words.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Byte(b'\t') => "tabs".into(),
            Self::Byte(byte) => format!("`{}`", char::from(byte)),
            Self::Blanks => "blanks".into(),
        }
    }
}

/// Message on a quote that nothing closes.
pub(crate) const UNCLOSED: &str = "a quote is not closed: close it, or double quotes inside a cell";

const ESCAPED: &str = "a quote inside a cell is written `\\\"`, as Spark and MySQL do: write it doubled (`\"\"`; in Spark by \
                       option(\"escape\", \"\\\"\"))";

/// Where the quote is that closes a cell whose text begins at `from`.
fn closing(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let quote = at + memchr(b'"', &text[at..])?;
        match text.get(quote + 1) {
            Some(b'"') => at = quote + 2,
            _ => return Some(quote),
        }
    }
}

/// The records of a block of text with the number of the line, from 0, that each begins with. Empty ones are
/// passed over.
pub(crate) struct Records<'t> {
    rest: &'t [u8],
    line: usize,
    quoting: Quoting,
    has_quotes: bool,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t [u8], quoting: Quoting) -> Self {
        Self { rest: text, line: 0, quoting, has_quotes: memchr(b'"', text).is_some() }
    }

    /// Of a text whose quotes hold nothing together.
    pub(crate) fn of_lines(text: &'t [u8]) -> Self {
        Self { rest: text, line: 0, quoting: Quoting::Blanks, has_quotes: false }
    }

    /// How many lines the text before here has.
    pub(crate) fn lines(&self) -> usize {
        self.line
    }

    /// Text behind the last record.
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.rest
    }
}

impl<'t> Iterator for Records<'t> {
    type Item = (usize, &'t [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            // A quote that is not closed is for who reads the cells to say.
            let end = match self.has_quotes {
                false => memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1),
                true => self.quoting.record_end(self.rest).unwrap_or(self.rest.len()),
            };
            let (record, rest) = self.rest.split_at(end);
            let line = self.line;
            self.line += match self.has_quotes {
                false => 1,
                true => memchr::memchr_iter(b'\n', record).count().max(1),
            };
            self.rest = rest;
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let record = record.strip_suffix(b"\r").unwrap_or(record);
            if !self.quoting.is_empty(record) {
                return Some((line, record));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8], quoting: Quoting) -> Result<Vec<Vec<String>>, String> {
        let texts = |record| {
            let mut cells = Vec::new();
            quoting.each(record, |_, cell| {
                cells.push(String::from_utf8_lossy(&cell.text()).into_owned());
                Ok(true)
            })?;
            Ok(cells)
        };
        Records::new(text, quoting).map(|(_, record)| texts(record)).collect()
    }

    #[test]
    fn quotes_hold_separators_line_ends_and_quotes() {
        let comma = Quoting::Byte(b',');
        let text = b"a, \"b, c\" ,d\r\n\"x\ny\",\"say \"\"hi\"\"\",5\" pipe\n\n#1,\"\",\n";
        let expected = [["a", "b, c", "d"], ["x\ny", "say \"hi\"", "5\" pipe"], ["#1", "", ""]];
        assert_eq!(read(text, comma), Ok(expected.map(|row| row.map(str::to_owned).to_vec()).to_vec()));
        let lines: Vec<usize> = Records::new(text, comma).map(|(line, _)| line).collect();
        assert_eq!(lines, [0, 1, 4]);
        assert!(read(b"a,\"b\n1,2\n", comma).unwrap_err().contains("not closed"));
        assert!(read(b"\"a\"b,c\n", comma).unwrap_err().contains("follows a closing quote"));
        let tab = Quoting::Byte(b'\t');
        let empty = ["", "", ""].map(str::to_owned).to_vec();
        assert_eq!(
            read(b"a\t\t\n \n\t\t\n", tab),
            Ok(vec![["a", "", ""].map(str::to_owned).to_vec(), empty])
        );
        assert!(read(b"\"a \\\"b\\\"\",c\n", comma).unwrap_err().contains("as Spark and MySQL do"));
    }

    #[test]
    fn blanks_divide_in_runs() {
        let text = b"  18.0   8\t\"chevrolet \"\"x\"\"\" \r\n\t\n1 2\t3\n\"\"  a\"b \"c d\"\n";
        let expected = [["18.0", "8", "chevrolet \"x\""], ["1", "2", "3"], ["", "a\"b", "c d"]];
        let expected = expected.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        assert_eq!(read(text, Quoting::Blanks), Ok(expected));
    }

    proptest! {
        /// Records written by the `csv` crate are read as they were, whatever the cells hold.
        #[test]
        fn what_the_csv_crate_writes_is_read(
            rows in proptest::collection::vec(proptest::collection::vec("[a\",\n #;é]{0,5}", 3), 1..8),
        ) {
            let trimmed = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
                rows.iter().map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect()).collect()
            };
            let mut out = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
            rows.iter().for_each(|row| out.write_record(row).unwrap());
            let text = out.into_inner().unwrap();
            prop_assert_eq!(&read(&text, Quoting::Byte(b',')).unwrap(), &rows);
            // Quotes only where they must be: blanks around cells do not count then.
            let mut out = csv::WriterBuilder::new().from_writer(Vec::new());
            rows.iter().for_each(|row| out.write_record(row).unwrap());
            let text = out.into_inner().unwrap();
            let read = read(&text, Quoting::Byte(b',')).unwrap();
            prop_assert_eq!(trimmed(&read), trimmed(&rows));
        }
    }
}
