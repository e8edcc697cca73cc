//! [`number`]: a number as a message shows it.

use std::fmt::{Display, LowerExp};

/// Formats a number for a message with all its digits, and with an exponent where these would be many.
///
/// ```
/// use raddle_common::number;
/// assert_eq!([0.5, 1e-300, 0.0, f64::NAN].map(number), ["0.5", "1e-300", "0", "NaN"]);
/// assert_eq!(number(0.1_f32), "0.1");
/// ```
pub fn number<T: Into<f64> + Display + LowerExp + Copy>(value: T) -> String {
    let size: f64 = value.into().abs();
    match size == 0.0 || !size.is_finite() || (1e-6..1e15).contains(&size) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}
