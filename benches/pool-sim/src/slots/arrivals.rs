//! Arrivals in slots: uniform, or as in a table of real jobs.

use std::path::Path;

use raddle::random::Stream;
use raddle_datasets::read_text;

use crate::error::SimulateError;

/// Days before each month of a year of 365 days.
const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Reads times of arrival from a table with a column `timestamp`, such as `2017-10-09 07:01:55`: seconds, in
/// ascending order.
///
/// # Errors
/// A table that cannot be read or lacks this column, and a line without a time.
pub fn arrivals_of(path: &Path) -> Result<Vec<f64>, SimulateError> {
    let text = read_text(path)?;
    let fault =
        |line, message: &str| SimulateError::Line { path: path.into(), line, message: message.to_owned() };
    let mut lines = (1..).zip(text.lines());
    let column =
        lines.next().and_then(|(_, head)| head.split(',').position(|name| name.trim() == "timestamp"));
    let column = column.ok_or_else(|| fault(1, "no column `timestamp`: name it in the first line"))?;
    let mut times = lines
        .map(|(line, row)| {
            let time = row.split(',').nth(column).and_then(seconds);
            time.ok_or_else(|| fault(line, "no time here: write it as 2017-10-09 07:01:55"))
        })
        .collect::<Result<Vec<f64>, _>>()?;
    if times.is_empty() {
        return Err(fault(1, "no arrivals below the first line"));
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Seconds of a time since the year 0.
fn seconds(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once([' ', 'T'])?;
    let numbers = |text: &str, by| -> Option<[u32; 3]> {
        text.split(by).map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()?.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (numbers(date, '-')?, numbers(time, ':')?);
    let before = BEFORE.get(month.checked_sub(1)? as usize)?;
    let leap = |year: u32| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leaps = year / 4 - year / 100 + year / 400 - u32::from(leap(year) && month <= 2);
    let days = 365.0 * f64::from(year) + f64::from(leaps + before + day);
    Some(((days * 24.0 + f64::from(hour)) * 60.0 + f64::from(minute)) * 60.0 + f64::from(second))
}

/// Draws `count` slots from 0 to `last`, in ascending order: uniform, or with the relative distances of
/// consecutive arrivals in a table.
pub(super) fn drawn(count: usize, last: u32, times: Option<&[f64]>, stream: &mut Stream) -> Vec<u32> {
    let mut slots: Vec<u32> = match times.filter(|times| times.len() > 1) {
        None => (0..count).map(|_| stream.below(last as usize + 1) as u32).collect(),
        Some(times) => {
            let from = stream.below(times.len().saturating_sub(count) + 1);
            let row = &times[from..times.len().min(from + count)];
            let span = (row[row.len() - 1] - row[0]).max(1.0);
            let slot = |at: usize| (row[at % row.len()] - row[0]) / span * f64::from(last);
            (0..count).map(|at| slot(at) as u32).collect()
        }
    };
    slots.sort_unstable();
    slots
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_pass_months_and_leap_days() {
        let day = |a, b| (seconds(b).unwrap() - seconds(a).unwrap()) / 86400.0;
        assert_eq!(day("2017-09-30 12:00:00", "2017-10-01 12:00:00"), 1.0);
        assert_eq!(day("2016-02-28 00:00:00", "2016-03-01 00:00:00"), 2.0);
        assert_eq!(day("2017-02-28 00:00:00", "2017-03-01 00:00:00"), 1.0);
        assert_eq!(day("2016-12-31 00:00:00", "2017-01-01 06:00:00"), 1.25);
        assert_eq!(day("2016-01-01 00:00:00", "2017-01-01 00:00:00"), 366.0);
        assert!(seconds("2017-10-09").is_none() && seconds("2017-13-09 01:01:01").is_none());
    }
}
