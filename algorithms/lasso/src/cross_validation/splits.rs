//! [`Split`]: training and test rows of a fold, as they are given; [`FoldRows`], as they are used.

use crate::error::LassoError;

/// Training and test rows of one fold, counted from 0, in any order.
///
/// They have no row in common, and need not be all rows: training rows before the test rows, as in a time
/// series, or the folds of several repetitions one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows that the fold's path is fitted on: one at least.
    pub train: Vec<usize>,
    /// Rows that it is measured on: one at least.
    pub test: Vec<usize>,
}

impl From<(Vec<usize>, Vec<usize>)> for Split {
    fn from((train, test): (Vec<usize>, Vec<usize>)) -> Self {
        Self { train, test }
    }
}

/// The rows of a fold, ascending.
#[derive(Debug)]
pub(super) struct FoldRows {
    pub(super) test: Vec<usize>,
    /// `None`: all that are no test rows.
    train: Option<Vec<usize>>,
}

impl FoldRows {
    /// A fold that is fitted on all rows but these, which ascend.
    pub(super) fn without(test: Vec<usize>) -> Self {
        Self { test, train: None }
    }

    /// The fold of split `number`, counted from 1, of so many rows.
    ///
    /// # Errors
    /// If a side is empty, or a row is not there or named twice.
    fn of(split: Split, number: usize, rows: usize) -> Result<Self, LassoError> {
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
            None => Ok(Self { test, train: Some(train) }),
        }
    }

    /// The error of a fold (its number, from 0, of so many) whose training rows cannot be fitted.
    pub(super) fn refused(&self, (number, folds): (usize, usize), why: LassoError) -> LassoError {
        let (fold, why) = (number + 1, Box::new(why));
        match &self.train {
            Some(_) => LassoError::InSplit { split: fold, splits: folds, why },
            None => LassoError::InFold { fold, folds, why },
        }
    }

    /// True of a row that it is fitted on.
    pub(super) fn trains_on(&self, row: usize) -> bool {
        match &self.train {
            Some(train) => train.binary_search(&row).is_ok(),
            None => self.test.binary_search(&row).is_err(),
        }
    }

    /// Of so many rows, those that it is fitted on, ascending.
    pub(super) fn train(&self, rows: usize) -> Vec<usize> {
        match &self.train {
            Some(train) => train.clone(),
            None => (0..rows).filter(|&row| self.trains_on(row)).collect(),
        }
    }
}

/// The folds of splits of so many rows.
///
/// # Errors
/// If there is none, or one has an empty side or a row that is not there or named twice.
pub(super) fn folds_of(splits: Vec<Split>, rows: usize) -> Result<Vec<FoldRows>, LassoError> {
    if splits.is_empty() {
        let range = "there must be at least 1";
        return Err(LassoError::Parameter { name: "splits", value: "0".into(), range });
    }
    splits.into_iter().zip(1..).map(|(split, number)| FoldRows::of(split, number, rows)).collect()
}
