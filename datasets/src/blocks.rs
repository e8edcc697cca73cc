//! [`Blocks`]: content that is taken in pieces of whole lines, inflated while they are taken.

use std::io::{self, Read};

use crate::encoding::BYTE_ORDER_MARK;
use crate::inflate::Packing;
use crate::parallel::Flaw;
use crate::quoting::Quoting;

/// Text handed to one parse task: small enough to stay in a core's cache between inflating and parsing.
const BLOCK: usize = 1 << 20;

/// The longest line. Whatever has longer ones is no text.
pub(crate) const LONGEST_LINE: usize = 1 << 28;

/// What is said of longer lines.
pub(crate) fn too_long() -> String {
    format!("the line is longer than {LONGEST_LINE} bytes: is this the right file, and a text?")
}

/// Text that is taken block by block; every block ends with a record's end, or with the text's.
pub(crate) struct Blocks<'a> {
    from: From<'a>,
    /// How quotes may hold line ends; without it a line is a record.
    quoting: Option<Quoting>,
}

enum From<'a> {
    Text(&'a [u8]),
    Inflated { packing: Packing, inflate: Box<dyn Read + Send + 'a>, carry: Vec<u8>, begun: bool },
}

impl<'a> Blocks<'a> {
    /// Of a text that is here, its mark passed.
    pub(crate) fn text(text: &'a [u8]) -> Self {
        Self { from: From::Text(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)), quoting: None }
    }

    pub(crate) fn inflated(packing: Packing, inflate: Box<dyn Read + Send + 'a>) -> Self {
        Self { from: From::Inflated { packing, inflate, carry: Vec::new(), begun: false }, quoting: None }
    }

    /// Line ends in quotes end no record.
    pub(crate) fn quoted(self, quoting: Quoting) -> Self {
        Self { quoting: Some(quoting), ..self }
    }

    /// Passes over this number of bytes, which the source is known to have, its mark not counted.
    pub(crate) fn skip(mut self, bytes: usize) -> Self {
        match &mut self.from {
            From::Text(rest) => *rest = &rest[bytes.min(rest.len())..],
            From::Inflated { inflate, carry, begun, .. } => {
                // What cannot be inflated now is met again by whoever takes the next block.
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

    /// The next block, empty at the end. `scratch` is memory to inflate into.
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
                    true => Err((line_at(block, BLOCK), too_long())),
                    false => Ok(block),
                }
            }
            From::Inflated { packing, inflate, carry, begun } => {
                scratch.clear();
                scratch.append(carry);
                loop {
                    // Ever more, where a record does not end.
                    let more = scratch.len().max(BLOCK) as u64;
                    let read = inflate.by_ref().take(more).read_to_end(scratch);
                    let read = read.map_err(|error| packing.broken(scratch, &error))?;
                    if !std::mem::replace(begun, true) && scratch.starts_with(BYTE_ORDER_MARK) {
                        scratch.drain(..BYTE_ORDER_MARK.len());
                    }
                    if read == 0 {
                        return Ok(scratch);
                    }
                    if let Some(end) = last_end(scratch, quoting) {
                        carry.extend_from_slice(&scratch[end..]);
                        scratch.truncate(end);
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

/// How many lines end before this place.
fn line_at(text: &[u8], place: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..place]).count()
}

/// Where a block of about [`BLOCK`] bytes ends: behind the first record's end from there on.
fn first_end(text: &[u8], quoting: Option<Quoting>) -> usize {
    if text.len() <= BLOCK {
        return text.len();
    }
    let line_end = || memchr::memchr(b'\n', &text[BLOCK..]).map_or(text.len(), |more| BLOCK + more + 1);
    let Some(quoting) = quoting else { return line_end() };
    let end = line_end();
    if memchr::memchr(b'"', &text[..end]).is_none() {
        return end;
    }
    let mut at = 0;
    while at < BLOCK {
        match record(&text[at..], quoting) {
            Some(length) => at += length,
            None => return text.len(),
        }
    }
    at
}

/// The length of the record that begins the text, in which a comment is one.
fn record(text: &[u8], quoting: Quoting) -> Option<usize> {
    match text.first() {
        Some(b'#') => Some(memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1)),
        _ => quoting.record_end(text),
    }
}

/// Where the last whole record of the text ends, if one does.
fn last_end(text: &[u8], quoting: Option<Quoting>) -> Option<usize> {
    let line_end = || memchr::memrchr(b'\n', text).map(|last| last + 1);
    let Some(quoting) = quoting.filter(|_| memchr::memchr(b'"', text).is_some()) else { return line_end() };
    let (mut at, mut end) = (0, None);
    while at < text.len() {
        match record(&text[at..], quoting) {
            Some(length) if text[at + length - 1] == b'\n' => {
                at += length;
                end = Some(at);
            }
            _ => break,
        }
    }
    end
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

    /// Records with line ends in quotes stay whole, whichever way the text comes.
    #[test]
    fn blocks_end_where_records_end() {
        let record = "1,\"two\nlines, \"\"and\"\" more\",5\" pipe\n# it's \"open\n";
        let text = format!("\u{feff}{}", record.repeat(3 * BLOCK / record.len()));
        let quoting = Quoting { separator: b',' };
        let inflated = || Blocks::inflated(Packing::None, Box::new(text.as_bytes()));
        for blocks in [Blocks::text(text.as_bytes()), inflated(), inflated().skip(0)] {
            let blocks = all(blocks.quoted(quoting));
            assert!(blocks.len() > 2 && blocks.concat() == text.as_bytes()[3..]);
            for block in blocks {
                let begins = block.starts_with(b"1,") || block.starts_with(b"# ");
                assert!(begins && block.ends_with(b"pipe\n") || block.ends_with(b"open\n"));
            }
        }
        assert_eq!(all(inflated().skip(2)).concat(), text.as_bytes()[5..]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let endless = io::repeat(b'x');
        let mut blocks = Blocks::inflated(Packing::None, Box::new(endless));
        let (line, why) = blocks.next(&mut Vec::new()).expect_err("endless");
        assert!(line == 0 && why.contains("longer than 268435456 bytes"), "{why}");
    }
}
