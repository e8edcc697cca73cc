//! [`Binary`]: rows of two classes, with the weight of each row's loss.

use super::rows::Rows;
use crate::loss::Loss;

/// A binary problem: P(w) = |w|^2 / 2 + sum c phi(y x'w).
pub(crate) struct Binary<'a> {
    pub(crate) rows: &'a Rows,
    /// 1 for rows of the class, -1 for the others.
    pub(crate) signs: Vec<f64>,
    /// The weight c of each row's loss.
    pub(crate) costs: Vec<f64>,
    pub(crate) loss: Loss,
}

impl Binary<'_> {
    /// Number of rows.
    pub(crate) fn count(&self) -> usize {
        self.signs.len()
    }

    /// Margin y x'w of a row.
    pub(crate) fn margin(&self, row: usize, w: &[f64]) -> f64 {
        self.signs[row] * self.rows.dot(row, w)
    }

    /// Margins of all rows.
    pub(crate) fn margins(&self, w: &[f64]) -> Vec<f64> {
        (0..self.count()).map(|row| self.margin(row, w)).collect()
    }

    /// w = sum a y x, row after row.
    pub(crate) fn weights_of(&self, a: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; self.rows.width()];
        for (row, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            self.rows.add(row, a * self.signs[row], &mut w);
        }
        w
    }

    /// Sum of the losses at these margins.
    pub(crate) fn lost(&self, margins: &[f64]) -> f64 {
        let of = |(m, c): (&f64, &f64)| if *c > 0.0 { c * self.loss.value(*m) } else { 0.0 };
        margins.iter().zip(&self.costs).map(of).sum()
    }

    /// Largest dual value of a row.
    pub(crate) fn upper(&self, row: usize) -> f64 {
        self.loss.upper(self.costs[row])
    }
}
