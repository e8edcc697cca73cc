//! Times of ratings: seconds, or dates by ISO 8601.

use crate::bytes::number::{decimal, whole_cell};

/// The notation of a time. All times of a file use the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// A number.
    Seconds,
    /// A date, perhaps with a time of day: UTC unless it has a zone.
    Date,
}

pub(super) const MIXED: &str = "times are numbers in some lines and dates in others: write them alike";

/// Parses a time; returns it in seconds, with its notation.
pub(super) fn parse(cell: &[u8]) -> Result<(f64, Clock), String> {
    if let Some((seconds, _)) = decimal(cell).filter(|&(_, length)| length == cell.len()) {
        return Ok((seconds, Clock::Seconds));
    }
    let date = std::str::from_utf8(cell).ok().and_then(date);
    date.map(|seconds| (seconds, Clock::Date)).ok_or_else(|| {
        let shown = whole_cell(cell);
        format!("the time `{shown}` is neither a number of seconds nor a date such as 2024-12-31T23:59:59Z")
    })
}

/// Parses `YYYY-MM-DD`, then optionally `T` or a blank and `hh:mm` with seconds and a zone; returns seconds
/// from 1970.
fn date(text: &str) -> Option<f64> {
    let number = |text: &str, least: u32, most: u32| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number: &u32| is_number && (least..=most).contains(number))
    };
    let (year, rest) = text.split_at_checked(4)?;
    let year: i64 = year.parse().ok().filter(|_| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (month, rest) = rest.strip_prefix('-')?.split_at_checked(2)?;
    let (day, rest) = rest.strip_prefix('-')?.split_at_checked(2)?;
    let (month, day) = (number(month, 1, 12)?, number(day, 1, 31)?);
    if day > length(year, month) {
        return None;
    }
    let days = days(year, month, day) as f64;
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(days * 86_400.0);
    };
    let (hour, rest) = rest.split_at_checked(2)?;
    let (minute, mut rest) = rest.strip_prefix(':')?.split_at_checked(2)?;
    let mut seconds = f64::from(number(hour, 0, 24)? * 3600 + number(minute, 0, 59)? * 60);
    if let Some(after) = rest.strip_prefix(':') {
        let end = after.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(after.len());
        let (second, zone) = after.split_at(end);
        seconds += second.parse::<f64>().ok().filter(|second| (0.0..61.0).contains(second))?;
        rest = zone;
    }
    let zone = match rest.trim_start() {
        "" | "Z" | "z" | "UTC" => 0.0,
        zone => {
            let sign = if zone.starts_with('-') { -1.0 } else { 1.0 };
            let zone: String = zone.strip_prefix(['+', '-'])?.split(':').collect();
            let (hours, minutes) = zone.split_at_checked(2)?;
            let minutes = if minutes.is_empty() { 0 } else { number(minutes, 0, 59)? };
            sign * f64::from(number(hours, 0, 23)? * 3600 + minutes * 60)
        }
    };
    Some(days * 86_400.0 + seconds - zone)
}

/// Returns the number of days in a month.
fn length(year: i64, month: u32) -> u32 {
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970-01-01, by Howard Hinnant's `days_from_civil`.
fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_times() {
        for (text, seconds) in [
            ("978300760", 978_300_760.0),
            ("1970-01-01", 0.0),
            ("2000-02-29", 951_782_400.0),
            ("2000-12-31T22:12:40Z", 978_300_760.0),
            ("2000-12-31 22:12:40", 978_300_760.0),
            ("2001-01-01T00:12:40.5+02:00", 978_300_760.5),
            ("2000-12-31T19:12:40-0300", 978_300_760.0),
            ("2000-12-31T22:12", 978_300_720.0),
        ] {
            assert_eq!(parse(text.as_bytes()).map(|(seconds, _)| seconds), Ok(seconds), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2001-02-29",
            "2001-13-01",
            "01-01-2001",
            "2001-01-01T25:00",
            "2001-01-01x",
            "é001-01-01",
        ] {
            assert!(parse(text.as_bytes()).is_err_and(|why| why.contains("neither a number")), "{text}");
        }
        // The message shows the blanks.
        for text in ["2024-02-01 1:00", "1 Jan 2024", "2024-02-01 10:00 PM"] {
            assert!(
                parse(text.as_bytes()).is_err_and(|why| why.contains(&format!("the time `{text}` is"))),
                "{text}"
            );
        }
    }

    /// Counts every day of eight centuries one by one.
    #[test]
    fn days_follow_each_other() {
        let mut expected = days(1600, 1, 1);
        for year in 1600..2400 {
            for month in 1..=12 {
                for day in 1..=length(year, month) {
                    assert_eq!(days(year, month, day), expected);
                    expected += 1;
                }
            }
        }
        assert_eq!(days(1970, 1, 1), 0);
    }
}
