//! Cells of delimited text, as in RFC 4180: a cell in double quotes may contain the separator, line ends and,
//! doubled, quotes. Blanks around a cell are dropped.
//!
//! A quote opens such a cell only at the start of the cell; anywhere else it is an ordinary character.
//! Between tabs it opens one only if it encloses the whole cell, and it never does where [`Quotes::Letters`]
//! is set. Text without quotes takes a fast path everywhere.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

use crate::names::named;

/// How the cells of a text are separated, and what quotes mean in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoting {
    pub(crate) divider: Divider,
    /// The meaning of quotes, if an option gives it.
    pub(crate) quotes: Option<Quotes>,
}

/// How far a text reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To its end.
    Whole,
    /// Anywhere: its last record may be cut off.
    Beginning,
}

/// The separator of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divider {
    /// One byte.
    Byte(u8),
    /// Any number of blanks and tabs; those at the start and the end of a record separate nothing.
    Blanks,
}

/// Limit on the bytes of a quoted cell between tabs: a quote that is not closed within them is an ordinary
/// character.
const LONGEST_CELL: usize = 1 << 24;

/// The end of a cell that starts with a quote.
enum Closing {
    /// Position of the closing quote.
    At(usize),
    /// The quote is an ordinary character.
    Letter,
    /// The text ends before the closing quote.
    Open,
}

/// A cell as it is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    /// Content without the blanks and quotes around it; doubled quotes are still doubled.
    pub(crate) raw: &'t [u8],
    pub(crate) quoted: bool,
}

impl<'t> Cell<'t> {
    /// Returns the text of the cell.
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
    #[cfg(test)]
    pub(crate) const fn byte(separator: u8) -> Self {
        Self { divider: Divider::Byte(separator), quotes: None }
    }

    pub(crate) const BLANKS: Self = Self { divider: Divider::Blanks, quotes: None };

    /// Returns `true` if quotes may enclose cells.
    pub(crate) fn holds(self) -> bool {
        self.quotes != Some(Quotes::Letters)
    }

    /// Returns `true` if quotes that do not enclose a whole cell are ordinary characters.
    fn is_lenient(self) -> bool {
        self.divider == Divider::Byte(b'\t') && self.quotes.is_none()
    }

    /// Returns the end of the first record, after its line end; `None` if a quote is not closed. Lines must
    /// end with LF or CR LF, and the text must be complete.
    pub(crate) fn record_end(self, text: &[u8]) -> Option<usize> {
        self.end_of_record(text, Extent::Whole, |rest| memchr2(b'"', b'\n', rest))
    }

    /// Returns the end of the first record where a CR alone may end a line, too.
    pub(crate) fn any_record_end(self, text: &[u8], extent: Extent) -> Option<usize> {
        self.end_of_record(text, extent, |rest| memchr3(b'"', b'\n', b'\r', rest))
    }

    #[inline(always)]
    fn end_of_record(
        self,
        text: &[u8],
        extent: Extent,
        next: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
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
                true => match self.closing(text, found + 1, extent) {
                    Closing::At(quote) => quote + 1,
                    Closing::Letter => found + 1,
                    Closing::Open => return None,
                },
                false => found + 1,
            };
            // Text before this position no longer matters for whether a quote opens a cell.
            start = at - 1;
        }
    }

    /// Finds the end of a quoted cell whose content starts at `from`.
    fn closing(self, text: &[u8], from: usize, extent: Extent) -> Closing {
        if !self.is_lenient() {
            return closing(text, from).map_or(Closing::Open, Closing::At);
        }
        let near = &text[..text.len().min(from + LONGEST_CELL)];
        match closing(near, from) {
            None if near.len() < text.len() || extent == Extent::Whole => Closing::Letter,
            None => Closing::Open,
            Some(quote) => {
                let behind = text[quote + 1..].iter().find(|&&byte| !self.is_blank(byte) || byte == b'\r');
                match behind {
                    Some(b'\t' | b'\n' | b'\r') => Closing::At(quote),
                    None if extent == Extent::Whole => Closing::At(quote),
                    None => Closing::Open,
                    Some(_) => Closing::Letter,
                }
            }
        }
    }

    /// Returns `true` if a quote after this part of a record opens a cell.
    fn opens(self, before: &[u8]) -> bool {
        match self.divider {
            _ if !self.holds() => false,
            Divider::Blanks => before.last().is_none_or(|&last| self.is_blank(last)),
            Divider::Byte(separator) => {
                let last = before.iter().rposition(|&byte| !self.is_blank(byte));
                last.is_none_or(|last| before[last] == separator)
            }
        }
    }

    #[inline]
    fn is_blank(self, byte: u8) -> bool {
        self.divider != Divider::Byte(byte) && matches!(byte, b' ' | b'\t' | b'\r')
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

    /// Returns the next cell of a record and the rest after its separator; there is no rest after the last
    /// cell.
    ///
    /// Text between a closing quote and the separator is an error.
    #[inline]
    pub(crate) fn next<'t>(self, record: &'t [u8]) -> Result<(Cell<'t>, Option<&'t [u8]>), String> {
        let first = record.iter().position(|&byte| !self.is_blank(byte));
        match first {
            Some(first) if record[first] == b'"' && self.is_enclosed(record, first + 1) => {
                self.quoted(record, first + 1)
            }
            _ => {
                // Blanks before a cell separate nothing.
                let record = match self.divider {
                    Divider::Blanks => &record[first.unwrap_or(record.len())..],
                    Divider::Byte(_) => record,
                };
                let (cell, rest) = self.divided(record);
                Ok((Cell { raw: self.trimmed(cell), quoted: false }, rest))
            }
        }
    }

    /// Returns `true` if the record has a quote before this position that encloses a cell, or is an error.
    fn is_enclosed(self, record: &[u8], from: usize) -> bool {
        self.holds() && !matches!(self.closing(record, from, Extent::Whole), Closing::Letter)
    }

    /// Returns the text before the first separator and the text after it.
    #[inline]
    fn divided(self, text: &[u8]) -> (&[u8], Option<&[u8]>) {
        match self.divider {
            Divider::Byte(separator) => match memchr(separator, text) {
                Some(end) => (&text[..end], Some(&text[end + 1..])),
                None => (text, None),
            },
            Divider::Blanks => {
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
                "`{}` follows a closing quote: write quotes inside a cell twice, or, if quotes are text, \
                 use --quotes none",
                crate::bytes::number::first_characters(between)
            )),
        }
    }

    /// Calls `take` with each cell of a record and its number from 0, until `take` returns `false`.
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

    /// Returns `true` if a line has no cells: it is empty or consists of blanks.
    #[inline]
    pub(crate) fn is_empty(self, line: &[u8]) -> bool {
        line.iter().all(|&byte| self.is_blank(byte) || byte == b'\n')
    }

    /// Returns the name of the separator for messages.
    pub(crate) fn name(self) -> String {
        match self.divider {
            Divider::Byte(b'\t') => "tabs".into(),
            Divider::Byte(byte) => format!("`{}`", char::from(byte)),
            Divider::Blanks => "blanks".into(),
        }
    }
}

/// Message about a quote that is not closed.
pub(crate) const UNCLOSED: &str = "a quote is not closed: close it, write quotes inside a cell twice, or, if quotes are text, use --quotes none";

const ESCAPED: &str = "a quote inside a cell is written `\\\"`, as Spark and MySQL do: write it doubled (`\"\"`; in Spark by \
                       option(\"escape\", \"\\\"\"))";

/// Returns the position of the quote that closes a cell whose content starts at `from`.
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

/// The meaning of double quotes around a cell.
///
/// ```
/// use raddle_datasets::Quotes;
/// assert_eq!("none".parse(), Ok(Quotes::Letters));
/// assert!("single".parse::<Quotes>().unwrap_err().contains("double"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// Quotes enclose a cell, as in RFC 4180.
    Double,
    /// Quotes are ordinary characters; a cell contains neither the separator nor a line end.
    Letters,
}

named! {
    Quotes { Double = "double", Letters = "none" }
    |name| format!(
        "`{name}` is no way to quote cells: choose double, for cells in double quotes, or none, for quotes \
         that are letters"
    )
}

#[cfg(test)]
mod tests;
