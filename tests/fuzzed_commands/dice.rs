//! Chance by number, and changes of bytes by chance.

use crate::commands::next;

/// Words in the place of an expected number or word.
pub(crate) const TOKENS: [&str; 30] = [
    "0",
    "-1",
    "1",
    "2",
    "0.5",
    "-0.5",
    "1e-320",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "1000000",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "",
    "abc",
    "\u{e9}",
    " ",
    "\t",
    "\n",
    ",",
    "\"",
    "[",
    "{}",
    "null",
    "\u{feff}",
];

/// A sequence that looks random.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn of_case(case: u64) -> Self {
        Self(case.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    /// A number from 0 below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        (next(&mut self.0) % sides.max(1) as u64) as usize
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.roll(list.len())]
    }

    /// Changes bytes in one to four places, at or after `from`.
    pub(crate) fn change(&mut self, bytes: &mut Vec<u8>, from: usize) {
        for _ in 0..1 + self.roll(4) {
            let from = from.min(bytes.len());
            let start = from + self.roll(bytes.len() - from + 1);
            let range = start..start + self.roll((bytes.len() - start).min(16) + 1);
            match self.roll(7) {
                0 if start < bytes.len() => bytes[start] ^= 1 << self.roll(8),
                1 if self.roll(3) == 0 => bytes.truncate(start),
                1 => drop(bytes.drain(range)),
                2 => {
                    let part = bytes[range].to_vec();
                    bytes.splice(start..start, part);
                }
                3 => self.number(bytes, start),
                4 => self.digit(bytes, from),
                5 if start < bytes.len() => bytes[start] = self.roll(256) as u8,
                _ => drop(bytes.splice(range, TOKENS[self.roll(TOKENS.len())].bytes())),
            }
        }
    }

    /// Changes one to four values and no length, so that readers get beyond the first list.
    pub(crate) fn change_values(&mut self, bytes: &mut Vec<u8>, from: usize) {
        let is_text = std::str::from_utf8(bytes).is_ok() && bytes.is_ascii();
        for _ in 0..1 + self.roll(4) {
            let at = from.min(bytes.len()) + self.roll(bytes.len().saturating_sub(from));
            if is_text {
                self.digit(bytes, from);
            } else if self.roll(2) == 0 {
                self.number(bytes, at);
            } else if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << self.roll(8);
            }
        }
    }

    /// Puts another character in the place of a number's digit.
    fn digit(&mut self, bytes: &mut Vec<u8>, from: usize) {
        let digits: Vec<usize> = (from..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        if let Some(&at) = digits.get(self.roll(digits.len())) {
            bytes.splice(at..=at, TOKENS[self.roll(TOKENS.len())].bytes());
        }
    }

    /// Puts a number of 4 or 8 bytes over the bytes there.
    fn number(&mut self, bytes: &mut [u8], at: usize) {
        let value = match self.roll(5) {
            0 => self.roll(40) as u64,
            1 => u64::MAX - self.roll(3) as u64,
            2 => [f64::NAN, f64::INFINITY, -1e308, 0.0][self.roll(4)].to_bits(),
            3 => 1 << self.roll(64),
            _ => next(&mut self.0),
        };
        let width = if self.roll(2) == 0 { 4 } else { 8 };
        for (place, byte) in bytes[at..].iter_mut().zip(value.to_le_bytes()).take(width) {
            *place = byte;
        }
    }
}
