//! [`Blocks`]: text in blocks of whole records, decompressed block by block; [`Records`]: the records of one.

use std::io::{self, Read};

use memchr::memchr;

use crate::bytes::encoding::BYTE_ORDER_MARK;
use crate::bytes::inflate::Packing;
use crate::bytes::line_ends;
use crate::bytes::quoting::{Extent, Quoting};
use crate::error::Flaw;

/// Bytes of text that one parse task gets: few enough to stay in a core's cache between decompression and
/// parsing.
const BLOCK: usize = 1 << 20;

/// Limit on the bytes of a line. A file with longer lines is not text.
pub(crate) const LONGEST_LINE: usize = 1 << 28;

/// Message about a line over the limit.
pub(crate) fn too_long() -> String {
    format!("the line is longer than {LONGEST_LINE} bytes: is this the right file, and a text?")
}

/// Text in blocks, each of which ends at the end of a record or of the text. Lines end with LF or CR LF,
/// whatever ends them in the file.
pub(crate) struct Blocks<'a> {
    from: From<'a>,
    /// How quotes may contain line ends; without it every line is a record.
    quoting: Option<Quoting>,
}

enum From<'a> {
    Text(&'a [u8]),
    Inflated { packing: Packing, inflate: Box<dyn Read + Send + 'a>, carry: Vec<u8>, begun: bool },
}

impl<'a> Blocks<'a> {
    /// Blocks of a text in memory, without its byte order mark.
    pub(crate) fn text(text: &'a [u8]) -> Self {
        Self { from: From::Text(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)), quoting: None }
    }

    pub(crate) fn inflated(packing: Packing, inflate: Box<dyn Read + Send + 'a>) -> Self {
        Self { from: From::Inflated { packing, inflate, carry: Vec::new(), begun: false }, quoting: None }
    }

    /// Keeps records together whose quoted cells contain line ends.
    pub(crate) fn quoted(self, quoting: Quoting) -> Self {
        Self { quoting: Some(quoting).filter(|quoting| quoting.holds()), ..self }
    }

    /// Skips this many bytes, which the source is known to have; the byte order mark does not count.
    pub(crate) fn skip(mut self, bytes: usize) -> Self {
        match &mut self.from {
            From::Text(rest) => *rest = &rest[bytes.min(rest.len())..],
            From::Inflated { inflate, carry, begun, .. } => {
                // The next read meets the same error and reports it.
                if !*begun {
                    let _ = inflate.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(carry);
                    if carry == BYTE_ORDER_MARK {
                        carry.clear();
                    }
                    *begun = true;
                }
                let held = carry.len().min(bytes);
                carry.drain(..held);
                let _ = io::copy(&mut inflate.by_ref().take((bytes - held) as u64), &mut io::sink());
            }
        }
        self
    }

    /// Returns the next block, which is empty at the end. `scratch` is memory to decompress into.
    pub(crate) fn next<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], Flaw>
    where
        'a: 's,
    {
        let quoting = self.quoting;
        match &mut self.from {
            From::Text(rest) => {
                let (block, after) = rest.split_at(first_end(rest, quoting));
                *rest = after;
                match block.len() > BLOCK + LONGEST_LINE {
                    true => Err((line_ends::count(&block[..BLOCK]), too_long())),
                    false => Ok(line_ends::unified(block, quoting, scratch)),
                }
            }
            From::Inflated { packing, inflate, carry, begun } => {
                scratch.clear();
                scratch.append(carry);
                loop {
                    // Reads more and more while the record does not end.
                    let more = scratch.len().max(BLOCK) as u64;
                    let read = inflate.by_ref().take(more).read_to_end(scratch);
                    let read = read.map_err(|error| packing.broken(scratch, &error))?;
                    if !std::mem::replace(begun, true) && scratch.starts_with(BYTE_ORDER_MARK) {
                        scratch.drain(..BYTE_ORDER_MARK.len());
                    }
                    let end = if read == 0 { Some(scratch.len()) } else { last_end(scratch, quoting) };
                    if let Some(end) = end {
                        carry.extend_from_slice(&scratch[end..]);
                        scratch.truncate(end);
                        line_ends::unify(scratch, quoting);
                        return Ok(scratch);
                    }
                    if scratch.len() > LONGEST_LINE {
                        return Err((0, too_long()));
                    }
                }
            }
        }
    }
}

/// Returns the end of a block of about [`BLOCK`] bytes: the end of the record that [`BLOCK`] falls into.
fn first_end(text: &[u8], quoting: Option<Quoting>) -> usize {
    if text.len() <= BLOCK {
        return text.len();
    }
    let line_end = memchr::memchr2(b'\n', b'\r', &text[BLOCK..]).map_or(text.len(), |more| {
        let is_pair = text[BLOCK + more..].starts_with(b"\r\n");
        BLOCK + more + 1 + usize::from(is_pair)
    });
    let Some(quoting) = quoting.filter(|_| memchr::memchr(b'"', &text[..line_end]).is_some()) else {
        return line_end;
    };
    let mut at = 0;
    while at < BLOCK {
        match quoting.any_record_end(&text[at..], Extent::Whole) {
            Some(length) => at += length,
            None => return text.len(),
        }
    }
    at
}

/// Returns the end of the last complete record, if there is one. At the end of the text so far, a CR may
/// belong to a CR LF.
fn last_end(text: &[u8], quoting: Option<Quoting>) -> Option<usize> {
    let known = text.strip_suffix(b"\r").unwrap_or(text);
    let Some(quoting) = quoting.filter(|_| memchr::memchr(b'"', text).is_some()) else {
        return memchr::memrchr2(b'\n', b'\r', known).map(|last| last + 1);
    };
    let (mut at, mut end) = (0, None);
    while at < known.len() {
        match quoting.any_record_end(&text[at..], Extent::Beginning) {
            Some(length) if at + length <= known.len() && matches!(text[at + length - 1], b'\n' | b'\r') => {
                at += length;
                end = Some(at);
            }
            _ => break,
        }
    }
    end
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut blocks: Blocks<'_>) -> Vec<Vec<u8>> {
        let (mut scratch, mut all) = (Vec::new(), Vec::new());
        loop {
            match blocks.next(&mut scratch) {
                Ok([]) => return all,
                Ok(block) => all.push(block.to_vec()),
                Err((line, why)) => panic!("{line}: {why}"),
            }
        }
    }

    /// Records with quoted line ends stay whole, whether the text is in memory or compressed.
    #[test]
    fn blocks_end_where_records_end() {
        for line_end in ["\n", "\r\n", "\r"] {
            let record = "1,\"two\nlines, \"\"and\"\"\r more\",5\" pipe\n# it's open\n"
                .replace("pipe\n", &format!("pipe{line_end}"));
            let record = record.replace("open\n", &format!("open{line_end}"));
            let text = format!("\u{feff}{}", record.repeat(3 * BLOCK / record.len()));
            let read = text.replace("pipe\r#", "pipe\n#").replace("open\r1", "open\n1");
            let read = read.strip_suffix("open\r").map_or(read.clone(), |text| format!("{text}open\n"));
            let inflated = || Blocks::inflated(Packing::None, Box::new(text.as_bytes()));
            for blocks in [Blocks::text(text.as_bytes()), inflated(), inflated().skip(0)] {
                let blocks = all(blocks.quoted(Quoting::byte(b',')));
                assert!(blocks.len() > 2 && blocks.concat() == read.as_bytes()[3..], "{line_end:?}");
                for block in blocks {
                    let begins = block.starts_with(b"1,") || block.starts_with(b"# ");
                    let block =
                        block.strip_suffix(b"\n").map(|block| block.strip_suffix(b"\r").unwrap_or(block));
                    let ends =
                        block.is_some_and(|block| block.ends_with(b"pipe") || block.ends_with(b"open"));
                    assert!(begins && ends, "{line_end:?}");
                }
            }
            assert_eq!(all(inflated().quoted(Quoting::byte(b',')).skip(2)).concat(), read.as_bytes()[5..]);
        }
    }

    /// Lines that end with CR, cut at every place: the byte after a CR decides what the CR is.
    #[test]
    fn a_cr_at_the_end_of_what_is_there_may_go_on() {
        for (text, quoting, end) in [
            (&b"a\rb\r"[..], None, Some(2)),
            (b"a\nb\r", None, Some(2)),
            (b"ab\r", None, None),
            (b"a\r\nb", None, Some(3)),
            (b"\"a\rb\"\rc\r", Some(Quoting::byte(b',')), Some(6)),
            (b"\"a\rb\"\r", Some(Quoting::byte(b',')), None),
        ] {
            assert_eq!(last_end(text, quoting), end, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let endless = io::repeat(b'x');
        let mut blocks = Blocks::inflated(Packing::None, Box::new(endless));
        let (line, why) = blocks.next(&mut Vec::new()).expect_err("endless");
        assert!(line == 0 && why.contains("longer than 268435456 bytes"), "{why}");
    }
}
