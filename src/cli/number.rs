//! [`number`], [`aligned`] and [`count`]: numbers formatted for people.

/// Significant digits of a number.
const DIGITS: i32 = 6;

/// Formats a number with six significant digits, without trailing zeros: fixed from 0.0001 to below a
/// million, else with an exponent. Zero is `0`.
///
/// ```
/// use raddle_cli::number;
/// assert_eq!([number(0.0), number(1.5), number(-218.678444)], ["0", "1.5", "-218.678"]);
/// assert_eq!([number(5.83e-16), number(1e300), number(123456789.0)], ["5.83e-16", "1e300", "1.23457e8"]);
/// ```
pub fn number(value: f64) -> String {
    without_zeros(&aligned(value))
}

/// Formats a number with at most this number of significant digits, otherwise as [`number`] does.
pub(crate) fn rounded(value: f64, digits: i32) -> String {
    without_zeros(&with_digits(value, digits))
}

fn without_zeros(text: &str) -> String {
    let (digits, exponent) = match text.split_once('e') {
        Some((digits, exponent)) => (digits, format!("e{exponent}")),
        None => (text, String::new()),
    };
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    format!("{digits}{exponent}")
}

/// Formats a number with all six digits, for columns of numbers of similar size; otherwise as [`number`]
/// does. Zero is `0`.
///
/// ```
/// use raddle_cli::aligned;
/// assert_eq!([aligned(40.5), aligned(0.0), aligned(2e-9)], ["40.5000", "0", "2.00000e-9"]);
/// ```
pub fn aligned(value: f64) -> String {
    with_digits(value, DIGITS)
}

fn with_digits(value: f64, shown: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{value:.*e}", (shown - 1) as usize);
    // The exponent after rounding: 999999.7 is 1.00000e6.
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    match (-4..DIGITS).contains(&exponent) {
        true => format!("{value:.*}", (shown - 1 - exponent).max(0) as usize),
        false => text,
    }
}

/// Formats a number with its noun: `1 epoch`, `2 epochs`.
///
/// ```
/// use raddle_cli::count;
/// assert_eq!((count(1, "row"), count(0, "row")), ("1 row".into(), "0 rows".into()));
/// ```
pub fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_that_are_hard_to_read_get_an_exponent() {
        let shown = [1e-9, 0.0001, 0.00009999999, 0.1 + 0.2, 999_999.4, 999_999.7, 1e6, -1.0];
        let expected = ["1e-9", "0.0001", "0.0001", "0.3", "999999", "1e6", "1e6", "-1"];
        assert_eq!(shown.map(number), expected);
        assert_eq!(
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0].map(number),
            ["NaN", "inf", "-inf", "0"]
        );
        assert_eq!([1.0, 120.0, 100_000.0].map(number), ["1", "120", "100000"]);
        let rounded = [0.0046886, 123.456, 123_456.0, 0.0, -2.0].map(|value| rounded(value, 3));
        assert_eq!(rounded, ["0.00469", "123", "123456", "0", "-2"]);
    }

    proptest! {
        #[test]
        fn six_digits_are_kept_and_nothing_is_long(value in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            for text in [number(value), aligned(value)] {
                let shown: f64 = text.parse().unwrap();
                // Rounding a number near the largest one may give infinity.
                prop_assert!(shown.is_infinite() || (shown - value).abs() <= value.abs() * 5.1e-6, "{text}");
                prop_assert!(text.len() <= 13, "{text}");
            }
        }
    }
}
