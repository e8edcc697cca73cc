//! [`TextEncoding`]: the encodings of text other than UTF-8.

use std::fmt;
use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::Flaw;

/// The byte order mark with which UTF-8 text may start.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The encoding of a text.
///
/// ```
/// use raddle_datasets::TextEncoding;
/// let encoding: TextEncoding = "latin1".parse()?;
/// assert_eq!(encoding.to_string(), "windows-1252");
/// assert!("klingon".parse::<TextEncoding>().unwrap_err().contains("choose utf-8"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl FromStr for TextEncoding {
    type Err = String;

    /// Parses a label of the WHATWG Encoding Standard, in which `latin1` is `windows-1252`.
    fn from_str(label: &str) -> Result<Self, String> {
        let known = Encoding::for_label(label.as_bytes()).filter(|known| *known != encoding_rs::REPLACEMENT);
        known.map(Self).ok_or_else(|| {
            format!(
                "`{label}` is no encoding: choose utf-8, latin1, windows-1252, iso-8859-15, utf-16le, \
                 utf-16be, windows-1251, gbk, shift_jis or another label of the WHATWG"
            )
        })
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_lowercase())
    }
}

impl TextEncoding {
    /// Returns the encoding that a byte order mark names, if it is not UTF-8.
    pub(crate) fn marked(beginning: &[u8]) -> Option<Self> {
        match beginning {
            [0xff, 0xfe, ..] => Some(Self(UTF_16LE)),
            [0xfe, 0xff, ..] => Some(Self(UTF_16BE)),
            _ => None,
        }
    }

    pub(crate) fn is_utf8(self) -> bool {
        self.0 == UTF_8
    }

    /// Decodes a text to UTF-8, without its mark. The error has the first line that is not in this encoding,
    /// from 0.
    pub(crate) fn decode(self, bytes: &[u8]) -> Result<String, Flaw> {
        let (text, had_errors) = self.0.decode_with_bom_removal(bytes);
        if !had_errors {
            return Ok(text.into_owned());
        }
        // The decoder puts a replacement character where it could not decode, but the text may have some of
        // its own.
        let before = text.find('\u{fffd}').unwrap_or(0);
        let lines = crate::bytes::line_ends::count(&text.as_bytes()[..before]);
        Err((lines, format!("there are bytes that are not {self}: name the text's encoding by --encoding")))
    }
}

/// Checks that a text is UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|why| {
        let from = why.valid_up_to().saturating_sub(12);
        let shown = String::from_utf8_lossy(&bytes[from..bytes.len().min(why.valid_up_to() + 12)]);
        let shown = shown.trim_start_matches('\u{fffd}').trim_end().to_owned();
        format!(
            "`{shown}` is not UTF-8: name the file's encoding, as in --encoding windows-1252 (latin1), or \
             convert it with iconv"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_and_what_cannot_be_is_found() {
        let latin: TextEncoding = "iso-8859-1".parse().expect("known");
        assert_eq!(latin.decode(b"caf\xe9\n").expect("any byte is a letter"), "café\n");
        let marked = TextEncoding::marked(b"\xff\xfea\0\n\0").expect("UTF-16");
        assert_eq!(marked.decode(b"\xff\xfea\0\n\0").expect("whole"), "a\n");
        let utf8: TextEncoding = "utf-8".parse().expect("known");
        assert_eq!(utf8.decode(b"a\nb\xe9\n").expect_err("no UTF-8").0, 1);
        assert!(marked.decode(b"\xff\xfea\0\n").is_err(), "an odd byte");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_with_a_way_out() {
        let message = super::utf8(b"a long line with caf\xe9 in it").expect_err("latin");
        assert!(message.contains("caf\u{fffd} in it") && message.contains("--encoding"), "{message}");
    }
}
