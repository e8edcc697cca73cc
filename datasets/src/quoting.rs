//! Cells of delimited text, by RFC 4180: a cell may stand in double quotes, and then hold the separator, line ends and,
//! doubled, quotes. Blanks around a cell do not count.
//!
//! A quote begins such a cell only where the cell begins; anywhere else it is a letter like others. Text without a quote
//! takes the short way everywhere.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// How the cells of a text are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoting {
    pub(crate) separator: u8,
}

/// A cell as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    /// Without blanks and quotes around; doubled quotes are still doubled.
    pub(crate) raw: &'t [u8],
    pub(crate) quoted: bool,
}

impl<'t> Cell<'t> {
    /// What the cell says.
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
    pub(crate) fn record_end(self, text: &[u8]) -> Option<usize> {
        let (mut at, mut start) = (0, 0);
        loop {
            let Some(found) = memchr2(b'"', b'\n', &text[at..]) else { return Some(text.len()) };
            let found = at + found;
            if text[found] == b'\n' {
                return Some(found + 1);
            }
            at = match self.opens(&text[start..found]) {
                true => closing(text, found + 1)? + 1,
                false => found + 1,
            };
            // What stands before here no longer tells whether a quote opens a cell.
            start = at - 1;
        }
    }

    /// Whether a quote behind this part of a record begins a cell.
    fn opens(self, before: &[u8]) -> bool {
        let last = before.iter().rposition(|&byte| !self.is_blank(byte));
        last.is_none_or(|last| before[last] == self.separator)
    }

    fn is_blank(self, byte: u8) -> bool {
        byte != self.separator && matches!(byte, b' ' | b'\t' | b'\r')
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
                let (cell, rest) = match memchr(self.separator, record) {
                    Some(end) => (&record[..end], Some(&record[end + 1..])),
                    None => (record, None),
                };
                Ok((Cell { raw: self.trimmed(cell), quoted: false }, rest))
            }
        }
    }

    fn quoted(self, record: &[u8], first: usize) -> Result<(Cell<'_>, Option<&[u8]>), String> {
        let last = closing(record, first)
            .ok_or("a quote is not closed: close it, or double quotes inside a cell")?;
        let cell = Cell { raw: &record[first..last], quoted: true };
        let after = &record[last + 1..];
        let end = memchr(self.separator, after);
        let between = self.trimmed(&after[..end.unwrap_or(after.len())]);
        match between {
            [] => Ok((cell, end.map(|end| &after[end + 1..]))),
            _ => Err(format!(
                "`{}` follows a closing quote: double quotes inside a cell",
                crate::number::first_characters(between)
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

    /// The cells of a record as texts.
    pub(crate) fn texts(self, record: &[u8]) -> Result<Vec<String>, String> {
        let mut cells = Vec::new();
        self.each(record, |_, cell| {
            cells.push(crate::encoding::utf8(&cell.text())?.to_owned());
            Ok(true)
        })?;
        Ok(cells)
    }

    /// The separator in words.
    pub(crate) fn name(self) -> String {
        match self.separator {
            b'\t' => "tabs".into(),
            byte => format!("`{}`", char::from(byte)),
        }
    }
}

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

/// The records of a block of text with the number of the line, from 0, that each begins with. Empty ones and those that
/// begin with `#` are passed over.
pub(crate) struct Records<'t> {
    rest: &'t [u8],
    line: usize,
    /// `None` where the block has no quote.
    quoting: Option<Quoting>,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t [u8], quoting: Quoting) -> Self {
        Self { rest: text, line: 0, quoting: memchr(b'"', text).map(|_| quoting) }
    }

    /// How many lines the text before here has.
    pub(crate) fn lines(&self) -> usize {
        self.line
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
            let is_comment = self.rest[0] == b'#';
            let quoting = self.quoting.filter(|_| !is_comment);
            // A quote that is not closed is for who reads the cells to say.
            let end = match quoting {
                None => memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1),
                Some(quoting) => quoting.record_end(self.rest).unwrap_or(self.rest.len()),
            };
            let (record, rest) = self.rest.split_at(end);
            let line = self.line;
            self.line += match quoting {
                None => 1,
                Some(_) => memchr::memchr_iter(b'\n', record).count().max(1),
            };
            self.rest = rest;
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let record = record.strip_suffix(b"\r").unwrap_or(record);
            if !is_comment && !record.trim_ascii().is_empty() {
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
        Records::new(text, quoting).map(|(_, record)| quoting.texts(record)).collect()
    }

    #[test]
    fn quotes_hold_separators_line_ends_and_quotes() {
        let comma = Quoting { separator: b',' };
        let text = b"a, \"b, c\" ,d\r\n\"x\ny\",\"say \"\"hi\"\"\",5\" pipe\n\n# \"note\n1,\"\",\n";
        let expected = [["a", "b, c", "d"], ["x\ny", "say \"hi\"", "5\" pipe"], ["1", "", ""]];
        assert_eq!(read(text, comma), Ok(expected.map(|row| row.map(str::to_owned).to_vec()).to_vec()));
        let lines: Vec<usize> = Records::new(text, comma).map(|(line, _)| line).collect();
        assert_eq!(lines, [0, 1, 5]);
        assert!(read(b"a,\"b\n1,2\n", comma).unwrap_err().contains("not closed"));
        assert!(read(b"\"a\"b,c\n", comma).unwrap_err().contains("follows a closing quote"));
        let tab = Quoting { separator: b'\t' };
        assert_eq!(read(b"a\t\t\n", tab), Ok(vec![["a", "", ""].map(str::to_owned).to_vec()]));
    }

    proptest! {
        /// What the `csv` crate writes is read as it was, whatever the cells hold.
        #[test]
        fn what_the_csv_crate_writes_is_read(
            rows in proptest::collection::vec(proptest::collection::vec("[a\",\n #;é]{0,5}", 3), 1..8),
        ) {
            let trimmed = |cell: &String| cell.trim().to_owned();
            let mut out = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
            rows.iter().for_each(|row| out.write_record(row).unwrap());
            let text = out.into_inner().unwrap();
            prop_assert_eq!(&read(&text, Quoting { separator: b',' }).unwrap(), &rows);
            // Quotes only where they must be: blanks around cells do not count then.
            let mut out = csv::WriterBuilder::new().from_writer(Vec::new());
            rows.iter().for_each(|row| out.write_record(row).unwrap());
            let text = out.into_inner().unwrap();
            if !text.starts_with(b"#") && memchr::memmem::find(&text, b"\n#").is_none() {
                let read = read(&text, Quoting { separator: b',' }).unwrap();
                prop_assert_eq!(read.len(), rows.len());
                for (ours, theirs) in read.iter().flatten().zip(rows.iter().flatten()) {
                    prop_assert_eq!(trimmed(ours), trimmed(theirs));
                }
            }
        }
    }
}
