//! Line ends: LF, CR LF, and CR alone, which Excel writes as "CSV (Macintosh)".
//!
//! Readers expect LF or CR LF. A CR alone outside quotes is replaced by an LF first, which changes no length;
//! text without one is not copied.

use memchr::{memchr, memchr_iter};

use crate::bytes::quoting::{Extent, Quoting};

/// Bytes that are compared at a time.
const STEP: usize = 64;

/// Returns `true` if there is a CR that is not followed by an LF.
pub(crate) fn has_lone(text: &[u8]) -> bool {
    let Some(first) = memchr(b'\r', text) else { return false };
    let (text, next) = (&text[first..], &text[first + 1..]);
    // Compared without a branch per byte, as every line of a CR LF file has a CR.
    let is_lone = |(here, next): (&[u8], &[u8])| {
        here.iter().zip(next).fold(false, |any, (here, next)| any | ((*here == b'\r') & (*next != b'\n')))
    };
    text.ends_with(b"\r") || text.chunks(STEP).zip(next.chunks(STEP)).any(is_lone)
}

/// Replaces every CR outside quotes that is not followed by an LF by an LF.
pub(crate) fn unify(text: &mut [u8], quoting: Option<Quoting>) {
    if !has_lone(text) {
        return;
    }
    match quoting.filter(|quoting| quoting.holds() && memchr(b'"', text).is_some()) {
        None => {
            for at in 0..text.len() {
                if text[at] == b'\r' && text.get(at + 1) != Some(&b'\n') {
                    text[at] = b'\n';
                }
            }
        }
        Some(quoting) => {
            let mut at = 0;
            while let Some(length) =
                quoting.any_record_end(&text[at..], Extent::Whole).filter(|_| at < text.len())
            {
                at += length;
                if text[at - 1] == b'\r' {
                    text[at - 1] = b'\n';
                }
            }
        }
    }
}

/// Returns the text with unified line ends, copied only if there is something to replace.
pub(crate) fn unified<'s>(text: &'s [u8], quoting: Option<Quoting>, scratch: &'s mut Vec<u8>) -> &'s [u8] {
    if !has_lone(text) {
        return text;
    }
    scratch.clear();
    scratch.extend_from_slice(text);
    unify(scratch, quoting);
    scratch
}

/// Counts the line ends of a text.
pub(crate) fn count(text: &[u8]) -> usize {
    let lone = memchr_iter(b'\r', text).filter(|&at| text.get(at + 1) != Some(&b'\n')).count();
    memchr_iter(b'\n', text).count() + lone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cr_alone_is_a_line_end_outside_of_quotes() {
        let quoting = Some(Quoting::byte(b','));
        for (text, quoted, plain) in [
            ("a\rb\r", "a\nb\n", "a\nb\n"),
            ("a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"),
            ("a\r\nb\rc\n", "a\r\nb\nc\n", "a\r\nb\nc\n"),
            ("1,\"x\ry\"\r2,\"z\"\r", "1,\"x\ry\"\n2,\"z\"\n", "1,\"x\ny\"\n2,\"z\"\n"),
            ("\"open\r", "\"open\r", "\"open\n"),
        ] {
            for (quoting, expected) in [(quoting, quoted), (None, plain)] {
                let mut changed = text.as_bytes().to_vec();
                unify(&mut changed, quoting);
                assert_eq!(changed, expected.as_bytes(), "{text:?}");
                assert_eq!(unified(text.as_bytes(), quoting, &mut Vec::new()), changed);
            }
        }
        assert_eq!((count(b"a\r\nb\rc\nd"), count(b"a\r")), (3, 1));
        for at in [0, 1, 62, 63, 64, 65, 127, 128] {
            let mut text = vec![b'x'; 200];
            (text[at], text[at + 1]) = (b'\r', b'\n');
            assert!(!has_lone(&text));
            text[at + 1] = b'x';
            assert!(has_lone(&text), "{at}");
        }
    }
}
