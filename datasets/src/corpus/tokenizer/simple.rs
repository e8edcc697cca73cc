//! Word boundaries for ASCII and similar letters, without Unicode tables. The tokens equal those of
//! [`super::unicode`], which a test checks.

use super::sieve::{Shape, Sieve};

/// Kinds of bytes in terms of Annex 29.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// `_`, which belongs to the word on either side.
const CONNECTOR: u8 = 4;
/// `.` and `'`, which join two letters or two digits.
const BETWEEN_BOTH: u8 = 8;
/// `,` and `;`, which join two digits.
const BETWEEN_DIGITS: u8 = 16;
/// A byte of a letter beyond ASCII.
const WIDE: u8 = 32;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            128.. => LETTER | WIDE,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => CONNECTOR,
            b'.' | b'\'' => BETWEEN_BOTH,
            b',' | b';' => BETWEEN_DIGITS,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Returns `true` if every character beyond ASCII is a simple letter of Latin or Cyrillic: composed, with a
/// lower-case form of one letter, and a letter to Annex 29.
pub(super) fn is_simple(text: &str) -> bool {
    text.chars().all(|letter| {
        let is_not = matches!(letter, '\u{d7}' | '\u{f7}' | '\u{130}');
        match u32::from(letter) {
            ..0x80 => true,
            0xC0..=0x24F => !is_not,
            0x400..=0x481 | 0x48A..=0x52F => true,
            _ => false,
        }
    })
}

/// Offers the tokens of a text that [is simple](is_simple) to the sieve.
pub(super) fn words(text: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    let bytes = text.as_bytes();
    let kind = |at: usize| bytes.get(at).map_or(0, |&byte| KINDS[usize::from(byte)]);
    let mut at = 0;
    while at < bytes.len() {
        if kind(at) & (LETTER | DIGIT | CONNECTOR) == 0 {
            at += 1;
            continue;
        }
        let start = at;
        let (mut seen, mut between) = (0, 0);
        loop {
            let here = kind(at);
            let joins = match here {
                _ if here & (LETTER | DIGIT | CONNECTOR) != 0 => {
                    seen |= here;
                    true
                }
                BETWEEN_BOTH => kind(at - 1) & (LETTER | DIGIT) & kind(at + 1) != 0,
                BETWEEN_DIGITS => kind(at - 1) & DIGIT & kind(at + 1) != 0,
                _ => false,
            };
            if !joins {
                break;
            }
            between += usize::from(here & (LETTER | DIGIT) == 0);
            at += 1;
        }
        if seen & (LETTER | DIGIT) == 0 {
            continue;
        }
        // Connectors at the ends are dropped.
        let word = if seen & CONNECTOR == 0 { &text[start..at] } else { text[start..at].trim_matches('_') };
        let letters = match seen & WIDE {
            0 => {
                sieve.lower_ascii(word);
                at - start - between
            }
            _ => {
                sieve.word.clear();
                sieve.word.extend(word.chars().flat_map(char::to_lowercase));
                text[start..at].chars().count() - between
            }
        };
        sieve.offer(Shape { letters, has_letter: seen & LETTER != 0, is_syllabic: false });
    }
}
