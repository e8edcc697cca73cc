//! [`Records`]: the records of a block of text; one is a line, or several lines that quotes hold together.

use memchr::memchr;

use super::quoting::Quoting;

/// Iterator over the records of a block of text, each with the number of its first line, from 0. Empty
/// records are skipped.
pub(crate) struct Records<'t> {
    rest: &'t [u8],
    line: usize,
    quoting: Quoting,
    has_quotes: bool,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t [u8], quoting: Quoting) -> Self {
        let has_quotes = quoting.holds() && memchr(b'"', text).is_some();
        Self { rest: text, line: 0, quoting, has_quotes }
    }

    /// Iterates over lines: quotes hold none together.
    pub(crate) fn of_lines(text: &'t [u8]) -> Self {
        Self { rest: text, line: 0, quoting: Quoting::BLANKS, has_quotes: false }
    }

    /// Returns the number of lines before the current position.
    pub(crate) fn lines(&self) -> usize {
        self.line
    }

    /// Returns the text after the last record.
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
            // A quote that is not closed is reported by the reader of the cells.
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
