//! [`series`]: recognises numbers that proceed as column names do.

use super::marks::Marks;

/// A rule by which numbers proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Series {
    /// 0, 1, 2, or 1, 2, 3.
    Counted {
        from: u8,
    },
    /// Years, months (`201801`) or days (`20180131`) in equal steps.
    Calendar,
    /// Equal steps, up or down.
    Steps,
    /// Increasing or decreasing numbers.
    Rising,
    None,
}

/// Returns the number in a cell, with either decimal mark.
pub(super) fn value(cell: &str) -> Option<f64> {
    let plain = Marks::default().number(cell.as_bytes());
    plain.or_else(|| cell.replacen(',', ".", 1).parse().ok()).filter(|value: &f64| value.is_finite())
}

/// Returns the rule by which numbers proceed.
pub(super) fn series(cells: &[&str]) -> Series {
    let Some(values) = cells.iter().map(|cell| value(cell)).collect::<Option<Vec<f64>>>() else {
        return Series::None;
    };
    let is_counted = |from: usize| cells.iter().zip(from..).all(|(cell, number)| *cell == number.to_string());
    let dates: Option<Vec<f64>> = cells.iter().map(|cell| date(cell)).collect();
    let is_steady = |values: &[f64]| values.len() < 2 || has_steps(values);
    match () {
        () if values.is_empty() => Series::None,
        () if is_counted(0) => Series::Counted { from: 0 },
        () if is_counted(1) => Series::Counted { from: 1 },
        () if dates.is_some_and(|dates| are_as_long(cells) && is_steady(&dates)) => Series::Calendar,
        () if has_steps(&values) => Series::Steps,
        () if is_rounded(cells, &values) => Series::Steps,
        () if values.is_sorted_by(|a, b| a < b) || values.is_sorted_by(|a, b| a > b) => Series::Rising,
        () => Series::None,
    }
}

/// Returns `true` if two or more numbers have equal, nonzero differences.
pub(super) fn has_steps(values: &[f64]) -> bool {
    let size = values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
    are_steps(values, 1e-9 * size)
}

fn are_steps(values: &[f64], tolerance: f64) -> bool {
    let [first, second, ..] = values else { return false };
    let step = second - first;
    step.abs() > tolerance
        && values.windows(2).all(|pair| matches!(pair, [a, b] if (b - a - step).abs() <= tolerance))
}

/// Returns `true` if the numbers have equal steps that were rounded, by less than a tenth of a step.
fn is_rounded(cells: &[&str], values: &[f64]) -> bool {
    let decimals = |cell: &&str| cell.rfind(['.', ',']).map_or(0, |mark| cell.len() - mark - 1);
    let most = cells.iter().map(decimals).max().unwrap_or(0);
    let unit = 10.0_f64.powi(-(most.min(17) as i32));
    let [first, second, ..] = values else { return false };
    most > 0 && values.len() > 2 && (second - first).abs() >= 10.0 * unit && are_steps(values, 1.001 * unit)
}

fn are_as_long(cells: &[&str]) -> bool {
    cells.windows(2).all(|pair| matches!(pair, [a, b] if a.len() == b.len()))
}

/// Returns `true` if a cell may be a year, a month or a day.
pub(super) fn is_calendar(cell: &str) -> bool {
    date(cell).is_some()
}

/// Converts a year, a month or a day to a number that grows by 1 with the next one.
fn date(cell: &str) -> Option<f64> {
    let number: u32 = cell.parse().ok().filter(|_| cell.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (year, month, day) = match cell.len() {
        4 => (number, 1, 1),
        6 => (number / 100, number % 100, 1),
        8 => (number / 10_000, number / 100 % 100, number % 100),
        _ => return None,
    };
    let is_one = (1500..=2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let months = f64::from(year * 12 + month);
    match cell.len() {
        _ if !is_one => None,
        4 => Some(f64::from(year)),
        6 => Some(months),
        _ => Some(f64::from(days(year, month, day))),
    }
}

/// Returns the days up to a date. Years start in March here, so that a leap day is the last day of its year.
fn days(year: u32, month: u32, day: u32) -> u32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_series_by_counting_calendar_and_steps() {
        for (cells, expected) in [
            ("0 1 2", Series::Counted { from: 0 }),
            ("1 2", Series::Counted { from: 1 }),
            ("2 3 4", Series::Steps),
            ("201812 201901 201902", Series::Calendar),
            ("20200228 20200229 20200301", Series::Calendar),
            ("20210228 20210301", Series::Calendar),
            ("1990 1995 2000", Series::Calendar),
            ("0.1 0.2 0.30000000000000004 0.4", Series::Steps),
            ("900 903.33 906.67 910", Series::Steps),
            ("0,5 1,0 1,5", Series::Steps),
            ("10 5 0 -5", Series::Steps),
            ("5 5 5", Series::None),
            ("1 2 4 9", Series::Rising),
            ("1 3 2", Series::None),
            ("", Series::None),
        ] {
            let cells: Vec<&str> = cells.split_whitespace().collect();
            assert_eq!(series(&cells), expected, "{cells:?}");
        }
    }
}
