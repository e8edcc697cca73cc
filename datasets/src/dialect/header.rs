//! [`are_names`]: decides whether a first line names the columns below it, from the cells of both.
//!
//! A text above a column of numbers is a name. Numbers are names if they count the columns, proceed in equal
//! steps or follow the calendar, and the columns below hold other numbers: outside their range, or with fewer
//! decimals. A line that the rows continue is a row.

use super::marks::is_number;
use super::missing::is_missing;
use super::series::{Series, has_steps, is_calendar, series, value};

/// Rows from which on a range is evidence, and from which on a line of numbers needs no other evidence.
const RANGE: usize = 3;
const MANY: usize = 8;

/// A cell of the first line with the non-missing cells below it.
struct Column<'a> {
    cell: &'a str,
    below: Vec<&'a str>,
}

impl<'a> Column<'a> {
    fn is_text(&self) -> bool {
        !is_missing(self.cell.as_bytes()) && !is_number(self.cell)
    }

    /// Returns `true` for a text above numbers.
    fn is_name(&self) -> bool {
        self.is_text() && !self.below.is_empty() && self.below.iter().all(|cell| is_number(cell))
    }

    fn numbers(&self) -> Vec<f64> {
        self.below.iter().filter_map(|cell| value(cell)).collect()
    }

    /// Returns `true` if the column below holds something other than this number: texts, other times, numbers
    /// on one side of it, or numbers with more decimals, without any, or padded with zeros.
    fn is_foreign(&self, kind: Series) -> bool {
        let (numbers, rows) = (self.numbers(), self.below.len());
        if numbers.len() * 2 < rows {
            return true;
        }
        if kind == Series::Calendar {
            return rows > 0 && !self.below.iter().any(|cell| is_calendar(cell));
        }
        let own = decimals(self.cell);
        let as_few = self.below.iter().filter(|cell| decimals(cell) <= own).count();
        let are_whole = rows >= RANGE && own > 0 && self.below.iter().all(|cell| decimals(cell) == 0);
        rows > 1 && as_few * 5 <= rows
            || are_whole
            || self.is_unpadded()
            || rows >= RANGE && self.is_beyond(&numbers, false)
    }

    /// Returns `true` if the numbers below are padded with zeros to one length, and this one is not.
    fn is_unpadded(&self) -> bool {
        let length = self.below.first().map_or(0, |cell| cell.len());
        self.below.len() >= RANGE
            && self.cell.len() != length
            && self.below.iter().all(|cell| cell.len() == length && decimals(cell) == 0)
            && self.below.iter().any(|cell| cell.len() > 1 && cell.starts_with('0'))
    }

    /// Returns `true` if the number is outside the range below, by more than the width of the range and the
    /// number's size.
    fn is_far(&self) -> bool {
        let numbers = self.numbers();
        numbers.len() >= RANGE && self.is_beyond(&numbers, true)
    }

    /// Returns `true` if none of many numbers below has as few decimals.
    fn is_coarse(&self) -> bool {
        let own = decimals(self.cell);
        self.below.len() >= MANY && self.below.iter().all(|cell| is_number(cell) && decimals(cell) > own)
    }

    fn is_beyond(&self, numbers: &[f64], is_far: bool) -> bool {
        let Some(own) = value(self.cell) else { return false };
        let (low, high) = numbers
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &of| (of.min(low), of.max(high)));
        let margin = if is_far { (high - low).max(high.abs()).max(low.abs()) } else { 0.0 };
        own < low - margin || own > high + margin
    }

    /// Returns `true` if the cells below continue from the number in steps of one, as an index does.
    fn goes_on(&self) -> bool {
        let all: Vec<f64> = value(self.cell).into_iter().chain(self.numbers()).take(6).collect();
        all.len() > 2 && has_steps(&all)
    }
}

/// Returns the number of digits after the decimal mark; many for a number with an exponent.
fn decimals(cell: &str) -> usize {
    let is_exponent = |byte: &u8| matches!(byte, b'e' | b'E');
    match cell.rfind(['.', ',']) {
        _ if cell.bytes().any(|byte| is_exponent(&byte)) => 17,
        Some(mark) => cell.len() - mark - 1,
        None => 0,
    }
}

/// Pairs each cell of a first line with the cells below it.
fn columns<'a>(first: &'a [String], rows: &'a [Vec<String>]) -> Vec<Column<'a>> {
    let filled = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.trim());
        cells.filter(|cell| !is_missing(cell.as_bytes())).collect()
    };
    first.iter().enumerate().map(|(at, cell)| Column { cell: cell.trim(), below: filled(at) }).collect()
}

/// Returns `true` if the cells of the first line are the column names of these rows.
pub(crate) fn are_names(first: &[String], rows: &[Vec<String>]) -> bool {
    let columns = columns(first, rows);
    if columns.iter().any(Column::is_name) {
        return true;
    }
    if !columns.iter().any(|column| is_number(column.cell)) {
        return columns.iter().any(Column::is_text);
    }
    let is_of_column = |column: &Column<'_>| column.is_text() && column.below.contains(&column.cell);
    // The corner above an index may be empty.
    let is_gap = |(at, column): (usize, &Column<'_>)| {
        is_missing(column.cell.as_bytes()) && (at > 0 || !column.cell.is_empty())
    };
    let is_row = columns.iter().any(is_of_column) || columns.iter().enumerate().any(is_gap);
    !is_row && !rows.is_empty() && are_numbered(&columns, rows)
}

/// Returns `true` if the first line has no number, or has a text above numbers.
pub(crate) fn has_text_above(first: &[String], rows: &[Vec<String>]) -> bool {
    let columns = columns(first, rows);
    !columns.iter().any(|column| is_number(column.cell)) || columns.iter().any(Column::is_name)
}

/// Returns `true` if the first line has one of the names in options, except names that may be a column's
/// number.
pub(crate) fn has_asked(first: &[String], asked: &[&str]) -> bool {
    let is_number = |name: &str| {
        name.parse::<i64>().is_ok_and(|number| number != 0 && number.unsigned_abs() <= first.len() as u64)
    };
    let begins = |name: &str| {
        let beginning = name.strip_suffix('*').filter(|beginning| !beginning.is_empty());
        beginning.is_some_and(|beginning| first.iter().any(|cell| cell.starts_with(beginning)))
    };
    asked.iter().any(|name| !is_number(name) && (position(first, name).is_some() || begins(name)))
}

/// Returns the position of a name, or else of the only one that differs by blanks around it: those around
/// unquoted cells are dropped.
pub(crate) fn position(names: &[String], wanted: &str) -> Option<usize> {
    names.iter().position(|name| name == wanted).or_else(|| {
        let mut alike = (0..names.len()).filter(|&at| names[at].trim() == wanted.trim());
        alike.next().filter(|_| alike.next().is_none())
    })
}

/// Returns `true` if the numbers in the first line are names, and the other cells are new texts or an empty
/// corner.
fn are_numbered(columns: &[Column<'_>], rows: &[Vec<String>]) -> bool {
    let places: Vec<usize> = (0..columns.len()).filter(|&at| is_number(columns[at].cell)).collect();
    let numbered: Vec<&Column<'_>> = places.iter().map(|&at| &columns[at]).collect();
    let cells: Vec<&str> = numbered.iter().map(|column| column.cell).collect();
    let (kind, count) = (series(&cells), numbered.len());
    let has_corner = columns.first().is_some_and(|column| column.cell.is_empty() && is_index(column));
    if has_corner && kind == (Series::Counted { from: 0 }) {
        return true;
    }
    if rows_go_on(kind, &cells, &places, rows) {
        return false;
    }
    let going_on = numbered.iter().filter(|column| column.goes_on()).count();
    let foreign = numbered.iter().filter(|column| !column.goes_on() && column.is_foreign(kind)).count();
    // Columns that continue are an index, or the whole line is a row.
    if going_on * 2 > count || going_on > 0 && count < 4 && foreign + going_on < count {
        return false;
    }
    let (is_supported, are_many) = (columns.len() > count, rows.len() >= MANY);
    let are_apart =
        || numbered.iter().all(|column| column.is_far()) || numbered.iter().all(|column| column.is_coarse());
    match (kind, count) {
        (Series::None, _) | (Series::Rising, ..4) => false,
        (Series::Rising, _) => foreign == count && rows.len() >= RANGE,
        (Series::Calendar, 1) => is_supported && foreign == 1 && rows.len() > 1,
        (_, 1) => is_supported && are_apart(),
        (Series::Calendar, 2) if is_supported => foreign == 2,
        (Series::Counted { .. }, 2) => foreign + usize::from(is_supported) >= 2 && foreign > 0,
        (_, 2) => are_apart(),
        (Series::Counted { from: 0 }, 3) => foreign >= 2 || are_many,
        (Series::Counted { .. }, 3) => foreign + usize::from(is_supported) >= 3 || are_many,
        (_, 3) => foreign + usize::from(is_supported) >= 3,
        (Series::Counted { .. }, _) => foreign > 0 || are_many,
        _ => foreign * 2 >= count,
    }
}

/// Returns `true` if the cells below count the rows from 0 or 1.
fn is_index(column: &Column<'_>) -> bool {
    let counts =
        |from: usize| column.below.iter().zip(from..).all(|(cell, number)| *cell == number.to_string());
    !column.below.is_empty() && (counts(0) || counts(1))
}

/// Returns `true` if at least half of the rows continue the numbers of the first line: they have the same
/// steps, or the same numbers in another order.
fn rows_go_on(kind: Series, cells: &[&str], places: &[usize], rows: &[Vec<String>]) -> bool {
    let sorted = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let own: Vec<f64> = cells.iter().filter_map(|cell| value(cell)).collect();
    let (step, of_all) = (own.get(1).zip(own.first()).map(|(b, a)| b - a), sorted(own));
    let is_other = |row: &[String]| {
        let mut cells = places.iter().filter_map(|&at| row.get(at));
        kind == Series::Calendar && !cells.all(|cell| is_calendar(cell.trim()))
    };
    let goes_on = |row: &&Vec<String>| {
        if is_other(row) {
            return false;
        }
        let numbers: Option<Vec<f64>> = places.iter().map(|&at| value(row.get(at)?.trim())).collect();
        numbers.is_some_and(|numbers| match &numbers[..] {
            [] | [_] => false,
            [a, b] => step == Some(b - a),
            _ => has_steps(&numbers) || sorted(numbers) == of_all,
        })
    };
    rows.iter().filter(goes_on).count() * 2 >= rows.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(first: &str, rows: &[&str]) -> bool {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        are_names(&cells(first), &rows.iter().map(|row| cells(row)).collect::<Vec<_>>())
    }

    #[test]
    fn texts_above_numbers_are_names_and_texts_of_their_column_are_not() {
        for (first, rows, is) in [
            ("a,b,y", &["1,2,3"][..], true),
            ("1,2,3", &["4,5,6"], false),
            ("5.1,3.5,setosa", &["4.9,3.0,setosa", "6,3,virginica"], false),
            ("A11,4,4,good", &["A12,3,2,bad"], false),
            ("39,20,x", &[], false),
            ("a b,2,c", &["1,2,3"], true),
            ("oops,3.5,1,2", &["4.9,3.0,5,6"], true),
            ("1,2,anna", &["2,5,ben"], false),
            (",a,b", &["0,5,6"], true),
            ("M,0.455", &[], false),
            ("M,F", &[], true),
            ("NA,x,5", &["1,y,6"], false),
        ] {
            assert_eq!(are(first, rows), is, "{first}");
        }
    }

    #[test]
    fn numbers_that_count_the_columns_or_the_time_are_names() {
        let three = ["0.5,0.3,1.2", "0.1,0.9,3.4", "0.7,0.2,2.2"];
        let many = ["0,1,5", "1,0,2", "1,1,0", "0,1,1", "1,0,9", "0,0,2", "1,1,4", "0,1,0"];
        let five = ["0.51,0.33,1.22,0.4,3.1", "0.12,0.91,3.4,1.7,2.2", "0.7,0.25,2.23,4.2,1.9"];
        for (first, rows, is) in [
            ("0,1,2", &three[..], true),
            ("1,2,3", &three, true),
            ("0,1", &["0.5,1.2", "0.25,3.1", "1.5,0.75"], true),
            ("0,1,label", &["0.5,0.3,a", "0.1,0.9,b", "0.7,0.2,a", "0.3,0.8,b"], true),
            ("1100,1102,1104,1106,1108", &five, true),
            ("4000.5,3990.25,3979,3966.5,3960", &five, true),
            ("201811,201812,201901,201902,201903", &five, true),
            ("1990,1995,2000,2005,2010", &five, true),
            ("2020,2019,2018,2017,2016", &five, true),
            ("0.1,0.2,0.30000000000000004,0.4,0.5", &five, true),
            ("a,2019,2020", &["b,1.5,2.5", "c,3,4"], true),
            ("a,2019,2020", &["b,x,y"], true),
            (",0,1,2", &["0,5,6,7", "1,4,5,6"], true),
            (",0,1,2", &["a,0.5,6.1,7.2", "b,4.3,5.1,6.2"], true),
            ("0,1,2,3", &["5,3,2,9", "1,4,2,8", "7,3,9,5", "2,2,6,4"], true),
            ("0,1,2", &many, true),
            ("0.1,0.2", &["1.25,0.75"; MANY], true),
            ("0,label", &["1.25,a"; MANY], true),
            ("7,rare", &["1,a"; MANY], false),
            ("0,1", &["1,0", "1,1", "0,0", "1,0", "0,1"], false),
        ] {
            assert_eq!(are(first, rows), is, "{first}");
        }
    }

    #[test]
    fn rows_that_go_on_with_the_first_are_rows() {
        for (first, rows) in [
            ("1999,2000,a", &["2000,2001,b"][..]),
            ("a,2019,2020", &["a,1.5,2.5"]),
            (",0,1,2", &["3,5,6,7"]),
            ("0,1,2", &["3,4,5", "6,7,8", "9,10,12"]),
            ("1,2,3,4", &["2,4,6,8", "3,6,9,12"]),
            ("1,2,3,4", &["4,2,1,3", "2,1,4,3", "3,4,2,1"]),
            ("1,2,3", &["2,5,1", "3,2,9", "4,4,4"]),
            ("1990,1000", &["1991,1100", "1992,1250", "1993,1300"]),
            ("0.1,0.2", &["0.3,0.9", "0.5,1.7", "0.9,1.1"]),
            ("1,2,3,4", &["1,3,3,5", "2,2,3,4"]),
            ("5.1,3.5,1.4,0.2", &["4.9,3.0,1.4,0.2", "4.7,3.2,1.3,0.2"]),
        ] {
            assert!(!are(first, rows), "{first}");
        }
    }
}
