//! [`Classes`]: class labels as the response; [`Beside`]: additional columns.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::columns::{Kind, Values, renumbered, retain};

/// Treatment of a response of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Classes {
    /// A text in the response is an error.
    #[default]
    Refused,
    /// Texts are classes: `y` has their numbers from 0, in sorted order, and
    /// [`Table::classes`](super::Table::classes) has the texts.
    Any,
    /// Only these texts are classes: `y` has their numbers, and NaN for any other text.
    Known(Vec<String>),
}

/// The option for the column that names the rows.
pub const IDS: &str = "--id";

/// An additional column, which is not a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The option that requests the column, for messages.
    pub option: &'static str,
    /// Name of the column, its number from 1, or a file with one value per row.
    pub name: String,
}

/// Options of numeric columns; values may be missing where rows are predicted.
const NUMBERS: [&str; 2] = ["--offset", "--weights"];

impl Beside {
    /// Returns `true` for a column of numbers; other columns have labels or names.
    pub(super) fn is_number(&self) -> bool {
        NUMBERS.contains(&self.option)
    }

    /// Returns how the column is read.
    pub(super) fn kind(&self) -> Kind {
        match self.option {
            IDS => Kind::Text,
            _ if self.is_number() => Kind::Number,
            _ => Kind::Label,
        }
    }
}

/// The values of an additional column, one per row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Labels {
    /// Finite numbers.
    Numbers(Vec<f64>),
    /// The number of each row's text among the sorted texts.
    Texts {
        /// Numbers, from 0.
        codes: Vec<u32>,
        /// The texts, sorted.
        texts: Vec<String>,
    },
}

impl Labels {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts { codes, .. } => codes.len(),
        }
    }

    /// Returns a number for each row, equal for equal values, from 0 in the order of first appearance.
    ///
    /// ```
    /// use raddle_datasets::Labels;
    /// assert_eq!(Labels::Numbers(vec![7.5, 2.0, 7.5]).groups(), [0, 1, 0]);
    /// ```
    pub fn groups(&self) -> Vec<u32> {
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut number = |key: u64| {
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        };
        match self {
            // 0 and -0 are the same value.
            Self::Numbers(values) => values.iter().map(|value| number((value + 0.0).to_bits())).collect(),
            Self::Texts { codes, .. } => codes.iter().map(|&code| number(u64::from(code))).collect(),
        }
    }
}

/// Returns a response as numbers, and the texts that the numbers stand for; a missing value is NaN. `None` if
/// texts are refused, or the column was not read.
pub(super) fn numbered(values: Values, wanted: &Classes) -> Option<(Vec<f64>, Option<Vec<String>>)> {
    match (values, wanted) {
        (Values::Numbers(y), Classes::Refused | Classes::Any) => Some((y, None)),
        (Values::Texts { codes, mut texts }, Classes::Any) => {
            // The texts are sorted, so a missing one comes first.
            let missing = u32::from(texts.first().is_some_and(String::is_empty));
            texts.drain(..missing as usize);
            let number = |code: u32| code.checked_sub(missing).map_or(f64::NAN, f64::from);
            Some((codes.into_iter().map(number).collect(), Some(texts)))
        }
        (Values::Texts { codes, texts }, Classes::Known(known)) => {
            let number = |text: &String| place(known, text);
            let numbers: Vec<f64> =
                texts.iter().map(|text| number(text).map_or(f64::NAN, |at| at as f64)).collect();
            Some((codes.into_iter().map(|code| numbers[code as usize]).collect(), None))
        }
        _ => None,
    }
}

/// Returns the position of a text among others: the same text, else the only one that is the same number,
/// such as `1` for `1.0`.
pub(super) fn place(known: &[String], text: &str) -> Option<usize> {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    known.iter().position(|other| other == text).or_else(|| {
        let wanted = number(text)?;
        let mut same = known.iter().enumerate().filter(|(_, other)| number(other) == Some(wanted));
        same.next().map(|(at, _)| at).filter(|_| same.next().is_none())
    })
}

/// Renumbers the classes that are left after rows were left out.
pub(super) fn compact(y: &mut [f64], classes: &mut Vec<String>) {
    let mut used = vec![false; classes.len()];
    y.iter().for_each(|&class| used[class as usize] = true);
    let new = renumbered(&used);
    y.iter_mut().for_each(|class| *class = new[*class as usize].into());
    retain(classes, &used);
}

/// Returns the texts of the column that names the rows; empty for a row without one.
pub(super) fn ids(values: Values) -> Option<Labels> {
    match values {
        Values::Texts { codes, texts } => Some(Labels::Texts { codes, texts }),
        Values::Numbers(_) | Values::Many | Values::Skipped => None,
    }
}

/// Returns the labels of an additional column; `None` if it was not read or a value is missing.
pub(super) fn labels(values: Values) -> Option<Labels> {
    match values {
        Values::Numbers(values) if values.iter().all(|value| value.is_finite()) => {
            Some(Labels::Numbers(values))
        }
        Values::Texts { codes, texts } if texts.iter().all(|text| !text.is_empty()) => {
            Some(Labels::Texts { codes, texts })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_numbers_in_the_order_of_their_texts() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let values =
            |codes: &[u32], names: &[&str]| Values::Texts { codes: codes.to_vec(), texts: texts(names) };
        let found = numbered(values(&[1, 0, 2], &["", "no", "yes"]), &Classes::Any).unwrap();
        assert!(found.0[0] == 0.0 && found.0[1].is_nan() && found.0[2] == 1.0);
        assert_eq!(found.1, Some(texts(&["no", "yes"])));
        let known = Classes::Known(texts(&["a", "b"]));
        let found = numbered(values(&[0, 1], &["b", "c"]), &known).unwrap();
        assert!(found.0[0] == 1.0 && found.0[1].is_nan() && found.1.is_none());
        assert!(numbered(values(&[0], &["b"]), &Classes::Refused).is_none());
        let codes = texts(&["1", "2", "2.0", "x"]);
        assert_eq!(
            ["1.0", "2", "2.00", "x", "inf"].map(|text| place(&codes, text)),
            [Some(0), Some(1), None, Some(3), None]
        );
        let (mut y, mut classes) = (vec![3.0, 0.0, 3.0], texts(&["a", "b", "c", "d"]));
        compact(&mut y, &mut classes);
        assert_eq!((y, classes), (vec![1.0, 0.0, 1.0], texts(&["a", "d"])));
    }

    #[test]
    fn groups_are_equal_values() {
        assert_eq!(Labels::Numbers(vec![0.0, 3.0, -0.0, 3.0]).groups(), [0, 1, 0, 1]);
        let texts = ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(Labels::Texts { codes: vec![1, 1, 0], texts }.groups(), [0, 0, 1]);
    }
}
