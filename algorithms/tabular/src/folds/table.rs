//! [`FoldTable`]: the rows of a table, cut into folds.

use raddle_datasets::{Filled, Matrix};

/// Weights and offsets of the rows of a table, if any.
#[derive(Debug, Clone, Default)]
pub struct RowValues {
    /// Weight of each row in the loss.
    pub weights: Option<Vec<f64>>,
    /// Offset at which the score of each row starts.
    pub offset: Option<Vec<f64>>,
}

impl RowValues {
    /// Returns the values of some rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        let of = |values: &Option<Vec<f64>>| {
            values.as_ref().map(|values| rows.iter().filter_map(|&row| values.get(row).copied()).collect())
        };
        Self { weights: of(&self.weights), offset: of(&self.offset) }
    }

    /// Returns the weight of a row.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Returns the offset of a row.
    pub fn offset(&self, row: usize) -> f64 {
        self.offset.as_ref().map_or(0.0, |offset| offset[row])
    }
}

/// The rows of a fold, ascending.
#[derive(Debug)]
pub struct FoldRows {
    /// Rows that the fold is measured on.
    pub test: Vec<usize>,
    /// Training rows; `None` for all rows except the test rows.
    pub train: Option<Vec<usize>>,
}

impl FoldRows {
    /// A fold that is fitted on all rows except these, which ascend.
    pub fn without(test: Vec<usize>) -> Self {
        Self { test, train: None }
    }

    /// `true` if the fold is fitted on the row.
    pub fn trains_on(&self, row: usize) -> bool {
        match &self.train {
            Some(train) => train.binary_search(&row).is_ok(),
            None => self.test.binary_search(&row).is_err(),
        }
    }

    /// Returns the training rows, ascending, of `rows` rows.
    pub fn training(&self, rows: usize) -> Vec<usize> {
        match &self.train {
            Some(train) => train.clone(),
            None => (0..rows).filter(|&row| self.trains_on(row)).collect(),
        }
    }
}

/// A table whose rows are cut into folds.
#[derive(Debug)]
pub struct FoldTable {
    /// The features of all rows.
    pub x: Matrix,
    /// The response of all rows.
    pub y: Vec<f64>,
    /// Weights and offsets of all rows.
    pub values: RowValues,
    /// Values that were missing, which each fold fills with the means of its own training rows.
    pub filled: Vec<Filled>,
    /// The rows of each fold.
    pub folds: Vec<FoldRows>,
}

impl FoldTable {
    /// Returns some rows, with missing values filled by the means of a fold's training rows.
    pub fn select(&self, rows: &[usize], fold: usize) -> Matrix {
        if self.filled.is_empty() {
            return self.x.select_rows(rows);
        }
        let (mut x, all) = (self.x.clone(), (0..self.y.len()).collect::<Vec<_>>());
        x.fill_again(&self.filled, &all, |row| self.folds[fold].trains_on(row));
        x.select_rows(rows)
    }

    /// Returns the training rows of a fold: features, response, weights and offsets.
    pub fn training(&self, fold: usize) -> (Matrix, Vec<f64>, RowValues) {
        let rows = self.folds[fold].training(self.y.len());
        let y = rows.iter().map(|&row| self.y[row]).collect();
        (self.select(&rows, fold), y, self.values.select(&rows))
    }

    /// Returns the weights of the rows that a fold holds out.
    pub fn weights(&self, fold: usize) -> Vec<f64> {
        self.folds[fold].test.iter().map(|&row| self.values.weight(row)).collect()
    }
}
