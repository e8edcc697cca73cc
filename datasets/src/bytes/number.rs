//! Numbers in text, correctly rounded: the same bits as `str::parse`, several times as fast for common
//! numbers.

/// Powers of ten that a double holds exactly. A static, as a constant would be copied for each number.
static TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Integers up to this one are exact doubles; one product or quotient of two exact doubles is rounded once.
const EXACT: u64 = 1 << 53;

/// Parses a decimal number at the start of `text`; returns its value and its length in bytes.
///
/// `None` if there is no number, or if it is not finite or too large for a double; [`explain`] says which.
#[inline]
pub(crate) fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let (negative, start) = sign(text, 0);
    let (whole, point) = digits(text, start, 0);
    let (mantissa, last) = match text.get(point) {
        Some(b'.') => digits(text, point + 1, whole),
        _ => (whole, point),
    };
    let (exponent, end) = exponent(text, last);
    let scale = exponent - last.saturating_sub(point + 1) as i32;
    // The point counts as a digit: 19 digits never overflow the sum, and a point alone is not a number.
    let count = last - start;
    let is_numeral = count > usize::from(last > point) && !text.get(end).is_some_and(|&byte| belongs(byte));
    if is_numeral && count <= 19 && mantissa <= EXACT && scale.unsigned_abs() <= 22 {
        let power = TENS[scale.unsigned_abs() as usize];
        let size = if scale < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
        return Some((f64::from_bits(size.to_bits() | u64::from(negative) << 63), end));
    }
    slow(text)
}

/// Returns `true` for a minus at `at`, and the position of the first digit.
#[inline]
fn sign(text: &[u8], at: usize) -> (bool, usize) {
    // Without branches, as the signs of data are hard to predict.
    let byte = text.get(at).copied().unwrap_or_default();
    (byte == b'-', at + usize::from(byte == b'-' || byte == b'+'))
}

/// Returns the exponent at `at` and its end; 0 if there is none, or if it is too long or not a number.
#[inline]
fn exponent(text: &[u8], at: usize) -> (i32, usize) {
    if !matches!(text.get(at), Some(b'e' | b'E')) {
        return (0, at);
    }
    let (negative, start) = sign(text, at + 1);
    let (size, end) = digits(text, start, 0);
    match end - start {
        1..=3 => (if negative { -(size as i32) } else { size as i32 }, end),
        _ => (0, at),
    }
}

/// Appends the digits from `at` on to `number`; returns it and the end of the digits. Wraps beyond 19 digits,
/// which the caller counts.
#[inline]
fn digits(text: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// Parses the rest: long mantissas, large exponents, and text that is not a number.
#[cold]
fn slow(text: &[u8]) -> Option<(f64, usize)> {
    let word = word(text);
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some((value, word.len()))
}

/// Parses an integer at the start of `text`; returns its value and its length in bytes. `None` if there are
/// no digits or the value exceeds `u64`.
#[inline]
pub(crate) fn whole(text: &[u8]) -> Option<(u64, usize)> {
    let (number, end) = digits(text, 0, 0);
    if end == 0 || text.get(end).is_some_and(|&byte| belongs(byte)) {
        return None;
    }
    match end {
        ..=19 => Some((number, end)),
        _ => std::str::from_utf8(&text[..end]).ok()?.parse().ok().map(|number| (number, end)),
    }
}

/// Says why the start of `text` is not a finite number, and what to do; the end of an error message.
#[cold]
pub(crate) fn explain(text: &[u8]) -> String {
    match text.first().is_none_or(u8::is_ascii_whitespace) {
        true => format!("there is no number{MEND}"),
        false => explained(word(text), first_characters(text), MEND),
    }
}

/// Says why a whole cell is not a finite number; the caller, which knows the column, adds what to do.
#[cold]
pub(crate) fn explain_cell(cell: &[u8]) -> String {
    match cell.trim_ascii() {
        [] => "there is no number".into(),
        cell => explained(cell, whole_cell(cell), ""),
    }
}

const MEND: &str = ": mend it or drop the line";

fn explained(word: &[u8], shown: String, cure: &str) -> String {
    let word = String::from_utf8_lossy(word).into_owned();
    match word.parse::<f64>() {
        Ok(value) if value.is_nan() => {
            format!("`{word}` is not a number to compute with: fill or drop missing values")
        }
        Ok(value) if value.is_infinite() && word.contains(|letter: char| letter.is_ascii_digit()) => {
            format!("`{word}` is too large for a double: scale this column")
        }
        Ok(value) if value.is_infinite() => {
            format!("`{word}` is infinite: replace it by a finite number or drop the row")
        }
        _ => format!("`{shown}` is not a number{cure}"),
    }
}

/// Returns the bytes up to the next blank, shortened for an error message.
pub(crate) fn first_characters(text: &[u8]) -> String {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    shortened(&text[..end], 24)
}

/// Returns a cell with its blanks, shortened for an error message.
pub(crate) fn whole_cell(cell: &[u8]) -> String {
    shortened(cell.trim_ascii(), 40)
}

fn shortened(text: &[u8], most: usize) -> String {
    match text.len() <= most {
        true => String::from_utf8_lossy(text).into_owned(),
        // The cut may fall into a character.
        false => format!("{}...", String::from_utf8_lossy(&text[..most]).trim_end_matches('\u{fffd}')),
    }
}

fn word(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| !belongs(byte)).unwrap_or(text.len());
    &text[..end]
}

/// Bytes that continue a word of a number, so that `12a` is one bad word and not `12` followed by `a`.
#[inline]
fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_and_odd_spellings() {
        for (text, value) in [
            ("0", 0.0),
            ("-0", -0.0),
            ("+7", 7.0),
            (".6932", 0.6932),
            ("5.", 5.0),
            ("-520.13167", -520.13167),
            ("1e3", 1e3),
            ("1.5E-7", 1.5e-7),
            ("9007199254740993", 9007199254740993.0),
            ("12345678901234567890123", 12345678901234567890123.0),
            ("0.000000000000000000000001", 1e-24),
            ("2.2250738585072014e-308", f64::MIN_POSITIVE),
        ] {
            let (read, length) = decimal(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.to_bits(), length), (value.to_bits(), text.len()), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_explained() {
        for (text, why) in [
            ("", "there is no number: mend it or drop the line"),
            (".", "`.` is not a number: mend it or drop the line"),
            ("-", "`-` is not a number: mend it or drop the line"),
            ("1.2.3", "`1.2.3` is not a number: mend it or drop the line"),
            ("12a:3", "`12a:3` is not a number: mend it or drop the line"),
            ("nan", "fill or drop"),
            ("-Inf", "infinite"),
            ("1e999", "too large"),
            ("0x10", "`0x10` is not a number: mend it or drop the line"),
        ] {
            assert!(decimal(text.as_bytes()).is_none(), "{text}");
            assert!(explain(text.as_bytes()).contains(why), "{text}: {}", explain(text.as_bytes()));
        }
        assert!(whole(b"18446744073709551616").is_none());
        assert_eq!(whole(b"18446744073709551615:1"), Some((u64::MAX, 20)));
    }

    proptest! {
        #[test]
        fn every_double_reads_as_the_standard_library_reads_it(bits: u64, short in -1e6..1e6_f64) {
            let long = f64::from_bits(bits);
            let wanted = [long, short, (short * 1e4).round() / 1e4].into_iter().filter(|value| value.is_finite());
            for value in wanted {
                for text in [format!("{value}"), format!("{value:e}"), format!("{value:.3}")] {
                    let expected: f64 = text.parse().unwrap();
                    let (read, length) = decimal(text.as_bytes()).unwrap();
                    prop_assert_eq!((read.to_bits(), length), (expected.to_bits(), text.len()), "{}", text);
                }
            }
        }
    }
}
