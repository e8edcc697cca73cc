//! Durations in words: `90s`, `20m`, `1h30m`.

use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// Parses a duration in seconds: `90s`, `20m`, `1.5h`, `1h30m`, `2d`, or a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let refuse = || format!("`{text}` is no duration: write 90s, 20m, 1h30m, 2d, or a number of seconds");
    let mut rest = text.trim();
    if let Ok(number) = rest.parse::<f64>() {
        return Some(number).filter(|number| *number >= 0.0 && number.is_finite()).ok_or_else(refuse);
    }
    let mut sum = 0.0;
    let mut before = f64::INFINITY;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic()).ok_or_else(refuse)?;
        let number: f64 = rest[..end].parse().map_err(|_| refuse())?;
        let unit = match rest.as_bytes()[end] {
            b'd' => 86_400.0,
            b'h' => 3600.0,
            b'm' => 60.0,
            b's' => 1.0,
            _ => return Err(refuse()),
        };
        // Each unit appears once, the largest first.
        if !(number >= 0.0 && number.is_finite() && unit < before) {
            return Err(refuse());
        }
        sum += number * unit;
        before = unit;
        rest = &rest[end + 1..];
    }
    if before.is_finite() { Ok(sum) } else { Err(refuse()) }
}

/// Duration: a text or, in a file of jobs, a number of seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seconds(pub(super) f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        seconds(text).map(Self)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a duration such as \"20m\", or a number of seconds")]
        enum Given {
            Number(f64),
            Text(String),
        }
        let text = match Given::deserialize(from)? {
            Given::Number(number) => number.to_string(),
            Given::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_what_is_none_is_refused() {
        for (text, expected) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("20m", 1200.0),
            ("1h30m", 5400.0),
            ("1.5h", 5400.0),
            ("2d", 172_800.0),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["", "m", "20x", "-5", "-5s", "5m5m", "5s1m", "5m3", "inf", "nan", "1e400", "ä"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
