//! The columns of a table as they are read: numbers, or numbered texts. Which of them are features is decided
//! later.

use std::collections::HashMap;

use crate::dialect::Marks;

/// How a column is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not read.
    Skip,
    /// As numbers; a cell that is not a number makes it a column of texts.
    Number,
    /// As labels: numbers, unless a cell is not a number, or is a whole number that a double does not
    /// represent.
    Label,
    Text,
}

/// The source of the response or of an additional column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RoleSource {
    Column(usize),
    File(String),
}

impl RoleSource {
    /// Returns the column, unless the source is a file.
    pub(super) fn column(&self) -> Option<usize> {
        match self {
            Self::Column(column) => Some(*column),
            Self::File(_) => None,
        }
    }
}

/// Doubles do not distinguish all whole numbers from here on.
pub(super) const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Returns `true` for a whole number, with or without a sign, that its value is not printed as: a double does
/// not represent it.
pub(super) fn is_beyond(cell: &[u8], value: f64) -> bool {
    let digits = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let is_whole = value.abs() >= WHOLE && digits.iter().all(u8::is_ascii_digit);
    is_whole && value.abs().to_string().as_bytes() != digits
}

/// A column as it was read.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) values: Values,
    /// Number of missing cells; then the first of them, as a row from 0 and in words.
    pub(super) missing: u64,
    pub(super) first_missing: Option<Place>,
    /// For a column of texts, number of cells that are numbers.
    pub(super) numbers: u64,
    /// The first cell that is not a number, and its position.
    pub(super) odd: Option<(Place, Odd)>,
}

/// A cell that is not a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Odd {
    /// Text of the cell for messages.
    pub(super) cell: String,
    /// How to read it as a number, if it has other marks.
    pub(super) cure: Option<String>,
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Line of a text, from 1.
    Line(usize),
    /// Row, from 1, of a file without lines.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has no lines"))]
    Row(usize),
}

/// The values of a column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// Numbers; a missing one is NaN.
    Numbers(Vec<f64>),
    /// The number of each row's text among the sorted texts; a missing text is empty.
    Texts { codes: Vec<u32>, texts: Vec<String> },
    /// More different texts than allowed.
    Many,
    /// The column was not read.
    Skipped,
}

/// The columns of a file, in order, and their number of rows.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    /// `true` if the names are from the file.
    pub(super) named: bool,
    /// Marks in which numbers are written, if they are not just a decimal point.
    pub(super) marks: Option<Marks>,
    /// Notes for users on how the columns were read.
    pub(super) notes: Vec<String>,
}

/// Texts that are numbered in the order of first appearance; at most this number of different ones.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) codes: Vec<u32>,
    numbers: HashMap<String, u32>,
    order: Vec<String>,
    most: usize,
    pub(super) are_many: bool,
}

impl Texts {
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Adds the text of the next row.
    pub(super) fn push(&mut self, text: &str) {
        if self.are_many {
            return;
        }
        let next = self.order.len() as u32;
        let code = match self.numbers.get(text) {
            Some(&code) => code,
            // One more for the missing text, and one to show that there are too many.
            None if self.order.len() > self.most => {
                *self = Self { most: self.most, are_many: true, ..Self::default() };
                return;
            }
            None => {
                self.numbers.insert(text.to_owned(), next);
                self.order.push(text.to_owned());
                next
            }
        };
        self.codes.push(code);
    }

    /// Joins the texts of consecutive parts into the values of one column.
    pub(super) fn joined(parts: Vec<Self>, most: usize) -> Values {
        let mut all = Self::new(most);
        for part in parts {
            if part.are_many {
                return Values::Many;
            }
            let mut number = |text: &String| {
                let next = all.order.len() as u32;
                *all.numbers.entry(text.clone()).or_insert_with(|| {
                    all.order.push(text.clone());
                    next
                })
            };
            let new: Vec<u32> = part.order.iter().map(&mut number).collect();
            all.codes.extend(part.codes.iter().map(|&code| new[code as usize]));
            if all.order.len() > most {
                return Values::Many;
            }
        }
        let mut order: Vec<u32> = (0..all.order.len() as u32).collect();
        order.sort_by(|&a, &b| all.order[a as usize].cmp(&all.order[b as usize]));
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&code, at)| place[code as usize] = at);
        all.codes.iter_mut().for_each(|code| *code = place[*code as usize]);
        let texts = order.iter().map(|&code| std::mem::take(&mut all.order[code as usize])).collect();
        Values::Texts { codes: all.codes, texts }
    }
}

impl Column {
    /// Makes a column without missing cells.
    pub(super) fn new(name: String, values: Values) -> Self {
        Self { name, values, missing: 0, first_missing: None, numbers: 0, odd: None }
    }

    /// Keeps these rows, and counts the missing cells again.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        self.values.retain(kept);
        self.missing = match &self.values {
            Values::Numbers(values) => values.iter().filter(|value| value.is_nan()).count() as u64,
            // The texts are sorted, so a missing one comes first.
            Values::Texts { codes, texts } if texts.first().is_some_and(String::is_empty) => {
                codes.iter().filter(|&&code| code == 0).count() as u64
            }
            Values::Texts { .. } => 0,
            Values::Many | Values::Skipped => self.missing,
        };
    }
}

/// Keeps the values of these rows.
pub(super) fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Returns the number of each text among those that are used.
pub(super) fn renumbered(used: &[bool]) -> Vec<u32> {
    let number = |next: &mut u32, used: &bool| {
        *next += u32::from(*used);
        Some(next.saturating_sub(1))
    };
    used.iter().scan(0, number).collect()
}

impl Values {
    /// Keeps these rows, and the texts that they have.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        match self {
            Self::Numbers(values) => retain(values, kept),
            Self::Texts { codes, texts } => {
                retain(codes, kept);
                let mut used = vec![false; texts.len()];
                codes.iter().for_each(|&code| used[code as usize] = true);
                let new = renumbered(&used);
                codes.iter_mut().for_each(|code| *code = new[*code as usize]);
                retain(texts, &used);
            }
            Self::Many | Self::Skipped => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_that_doubles_do_not_hold_are_told() {
        for (cell, is_other) in [
            ("9007199254740991", false),
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-9007199254740993", true),
            ("+18446744073709551615", true),
            ("18446744073709551616", true),
            ("1e300", false),
            ("9007199254740993.5", false),
            ("0000000000000000000001", false),
        ] {
            assert_eq!(is_beyond(cell.as_bytes(), cell.parse().unwrap()), is_other, "{cell}");
        }
    }

    #[test]
    fn texts_are_numbered_in_their_order_whatever_the_parts() {
        let part = |texts: &[&str]| {
            let mut part = Texts::new(3);
            texts.iter().for_each(|text| part.push(text));
            part
        };
        let joined = Texts::joined(vec![part(&["b", "a", "b"]), part(&[]), part(&["", "b"])], 3);
        let texts = ["", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(joined, Values::Texts { codes: vec![2, 1, 2, 0, 2], texts });
        assert_eq!(Texts::joined(vec![part(&["a", "b"]), part(&["c", "d"])], 3), Values::Many);
        assert!(part(&["a", "b", "c", "d", "e"]).are_many);
    }
}
