//! [`Split`]: training and test rows of a fold, as given.

use raddle_tabular::folds::FoldRows;

use crate::error::LassoError;

/// Training and test rows of one fold, counted from 0, in any order.
///
/// The two have no row in common, and need not be all rows. In a time series, for example, the training rows
/// come before the test rows; repeated cross-validation lists the folds of all repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows that the fold's path is fitted on, at least one.
    pub train: Vec<usize>,
    /// Rows that the path is measured on, at least one.
    pub test: Vec<usize>,
}

impl From<(Vec<usize>, Vec<usize>)> for Split {
    fn from((train, test): (Vec<usize>, Vec<usize>)) -> Self {
        Self { train, test }
    }
}

/// Returns the fold of split `number`, counted from 1, of `rows` rows.
///
/// # Errors
/// If a side is empty, or a row does not exist or is named twice.
fn rows_of(split: Split, number: usize, rows: usize) -> Result<FoldRows, LassoError> {
    let refuse = |row, why| Err(LassoError::SplitRow { split: number, row, why });
    let Split { mut train, mut test } = split;
    for (side, named) in [(&mut train, "training"), (&mut test, "test")] {
        side.sort_unstable();
        if let Some(pair) = side.windows(2).find(|pair| pair[0] == pair[1]) {
            return refuse(pair[0], "twice on one side");
        }
        match side.last() {
            None => return Err(LassoError::EmptySplit { split: number, side: named }),
            Some(&row) if row >= rows => return refuse(row, "which the data does not have"),
            Some(_) => {}
        }
    }
    match test.iter().find(|row| train.binary_search(row).is_ok()) {
        Some(&row) => refuse(row, "both in training and in test"),
        None => Ok(FoldRows { test, train: Some(train) }),
    }
}

/// Adds to an error the fold whose training rows cannot be fitted, with its number from 0.
pub(super) fn refused(of: &FoldRows, number: usize, folds: usize, why: LassoError) -> LassoError {
    let (fold, why) = (number + 1, Box::new(why));
    match &of.train {
        Some(_) => LassoError::InSplit { split: fold, splits: folds, why },
        None => LassoError::InFold { fold, folds, why },
    }
}

/// Returns the folds of splits of `rows` rows.
///
/// # Errors
/// If there is no split, or one has an empty side or a row that does not exist or is named twice.
pub(super) fn folds_of(splits: Vec<Split>, rows: usize) -> Result<Vec<FoldRows>, LassoError> {
    if splits.is_empty() {
        let range = "there must be at least 1";
        return Err(LassoError::Parameter { name: "splits", value: "0".into(), range });
    }
    splits.into_iter().zip(1..).map(|(split, number)| rows_of(split, number, rows)).collect()
}
