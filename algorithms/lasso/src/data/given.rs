//! What a problem is given of each row beside the response: a weight, and an offset.

use std::sync::Arc;

use super::design::Design;
use super::magnitudes::Spread;
use super::problem::{Centring, Preparation, Problem, longer};
use crate::error::LassoError;

impl Problem {
    /// Weighs the rows: w_i times as much counts the loss of a row as that of one of weight 1. n weights of at least 0, on any
    /// scale: the loss is their weighted mean. A weight of 2 is the row twice, 0 the row left out; means and deviations of columns
    /// are weighted, too.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation, Problem};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let weights: Vec<f64> = (0..442).map(|row| f64::from(row % 3)).collect();
    /// let problem = Problem::new(data.x, data.y, Preparation::default())?.weights(weights)?;
    /// let fit = Lasso::params().ratio(10.0).fit(&problem)?;
    /// assert!(fit.report.metric.is_reached());
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    ///
    /// # Errors
    /// If there are not n weights, one is negative or not finite, all are 0, or a column cannot be fitted then.
    pub fn weights(mut self, weights: Vec<f64>) -> Result<Self, LassoError> {
        let rows = self.rows();
        if weights.len() != rows {
            return Err(LassoError::RowValues { what: "weights", rows, values: weights.len() });
        }
        if let Some(at) = weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            return Err(LassoError::Weight { row: at + 1, value: weights[at] });
        }
        let spread = Spread::of(&weights);
        if spread.largest() == 0.0 {
            return Err(LassoError::NoWeight);
        }
        // Equal weights change nothing, to the last bit.
        if self.weights.is_none() && spread.width() == 0.0 {
            return Ok(self);
        }
        let relative = || weights.iter().map(|weight| weight / spread.largest());
        let scale = rows as f64 / relative().sum::<f64>();
        let weights: Vec<f64> = relative().map(|weight| weight * scale).collect();
        self.prepare_again(&weights)?;
        self.weights = Some(Arc::new(weights));
        self.center_response();
        Ok(self)
    }

    /// Adds n given values to the scores: `o_i + b_0 + x_i'b`, as the logarithm of an exposure for the Poisson loss.
    ///
    /// # Errors
    /// If there are not n values, or one is not finite.
    pub fn offset(mut self, offset: Vec<f64>) -> Result<Self, LassoError> {
        let rows = self.rows();
        if offset.len() != rows {
            return Err(LassoError::RowValues { what: "offsets", rows, values: offset.len() });
        }
        if let Some(at) = offset.iter().position(|value| !value.is_finite()) {
            return Err(LassoError::NotFinite { what: "the offset", row: at + 1, column: None });
        }
        self.offset = offset.iter().any(|&value| value != 0.0).then(|| Arc::new(offset));
        self.center_response();
        Ok(self)
    }

    /// Rows that count: those with a weight.
    pub(crate) fn counted<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + Clone + 'a {
        let counts = move |row: usize| self.weights.as_ref().is_none_or(|weights| weights[row] > 0.0);
        values.iter().enumerate().filter(move |&(row, _)| counts(row)).map(|(_, &value)| value)
    }

    /// The response less the offset, and its mean where the preparation takes that off.
    pub(super) fn center_response(&mut self) {
        let mut y = self.given.to_vec();
        if let Some(offset) = &self.offset {
            y.iter_mut().zip(offset.iter()).for_each(|(y, offset)| *y -= offset);
        }
        let spread = self.counted(&y).fold(Spread::of(&[]), Spread::with);
        let rows = y.len() as f64;
        let mean = match self.preparation {
            Preparation::Usual { intercept: false, .. } => 0.0,
            // Exactly, so that nothing but zeros is left of it.
            _ if spread.width() == 0.0 => self.counted(&y).next().unwrap_or(0.0),
            _ => match &self.weights {
                None => y.iter().sum::<f64>() / rows,
                Some(weights) => {
                    y.iter().zip(weights.iter()).map(|(y, weight)| weight * y).sum::<f64>() / rows
                }
            },
        };
        y.iter_mut().for_each(|value| *value -= mean);
        if let Some(weights) = &self.weights {
            // Rows that do not count must not spoil sums by what they hold.
            y.iter_mut()
                .zip(weights.iter())
                .filter(|(_, weight)| **weight == 0.0)
                .for_each(|(y, _)| *y = 0.0);
        }
        let square =
            |(row, value): (usize, &f64)| self.weights.as_ref().map_or(1.0, |w| w[row]) * value * value;
        self.y_size = (spread.largest(), y.iter().enumerate().map(square).sum::<f64>().sqrt());
        self.y_mean = if matches!(self.preparation, Preparation::Usual { .. }) { mean } else { 0.0 };
        self.y = Arc::new(y);
    }

    /// Centres and scales the columns anew, by weighted means and deviations. Weights have the mean 1.
    fn prepare_again(&mut self, weights: &[f64]) -> Result<(), LassoError> {
        let how = Centring::of(self.preparation);
        let none = Arc::new(Design::Dense { rows: 0, values: Vec::new() });
        let design = Arc::unwrap_or_clone(std::mem::replace(&mut self.design, none));
        let (n, columns) = (design.rows() as f64, design.columns());
        let mut again = Again {
            how,
            weights,
            n,
            root: n.sqrt(),
            longest: (0.0, 0),
            columns: Vec::with_capacity(columns),
        };
        let design = match design {
            Design::Dense { rows, mut values } => {
                for (j, column) in values.chunks_exact_mut(rows).enumerate() {
                    again.dense(j, column)?;
                }
                Design::Dense { rows, values }
            }
            classes @ Design::Classes(_) => classes,
            Design::Sparse { rows, starts, indices, mut values, mut shift } => {
                for j in 0..columns {
                    let range = starts[j]..starts[j + 1];
                    let moved = again.sparse(j, &indices[range.clone()], &mut values[range])?;
                    if let Some(shift) = shift.get_mut(j) {
                        *shift = moved;
                    }
                }
                Design::Sparse { rows, starts, indices, values, shift }
            }
        };
        self.longest = again.longest;
        let is_sparse = matches!(design, Design::Sparse { .. });
        for (j, (about, factor)) in again.columns.into_iter().enumerate() {
            let before = self.scale(j as u32);
            if let Some(center) = self.centers.get_mut(j) {
                // Of a sparse column the mean is that of what is stored, of a dense one that of what was centred before.
                *center = if is_sparse { 0.0 } else { *center } + about / before;
            }
            if let Some(scale) = self.scales.get_mut(j) {
                *scale *= if factor == 0.0 { 1.0 } else { factor };
            }
        }
        self.design = Arc::new(design);
        Ok(())
    }
}

/// Columns that are prepared once more.
struct Again<'a> {
    how: Centring,
    weights: &'a [f64],
    n: f64,
    root: f64,
    longest: (f64, usize),
    /// What was taken off each column, and what it was then multiplied with.
    columns: Vec<(f64, f64)>,
}

impl Again<'_> {
    fn dense(&mut self, j: usize, column: &mut [f64]) -> Result<(), LassoError> {
        let rows = || column.iter().zip(self.weights);
        let about = rows().map(|(x, weight)| weight * x).sum::<f64>() / self.n;
        let variance = rows().map(|(x, weight)| weight * (x - about) * (x - about)).sum::<f64>() / self.n;
        let spread =
            || rows().filter(|(_, weight)| **weight > 0.0).fold(Spread::of(&[]), |all, (x, _)| all.with(*x));
        let (factor, size) = self.how.factor(j, (about, variance.sqrt()), spread)?;
        let mean = if self.how.center { about } else { 0.0 };
        self.note(j, mean, factor, size);
        column.iter_mut().for_each(|value| *value = (*value - mean) * factor);
        Ok(())
    }

    /// Returns what is now to be taken off every row.
    fn sparse(&mut self, j: usize, indices: &[u32], values: &mut [f64]) -> Result<f64, LassoError> {
        let rows = || values.iter().zip(indices).map(|(x, &row)| (x, self.weights[row as usize]));
        let about = rows().map(|(x, weight)| weight * x).sum::<f64>() / self.n;
        let stored = rows().map(|(_, weight)| weight).sum::<f64>();
        let zeros = (self.n - stored).max(0.0);
        let squares = rows().map(|(x, weight)| weight * (x - about) * (x - about)).sum::<f64>();
        let deviation = ((squares + zeros * about * about) / self.n).sqrt();
        let spread = || {
            let all =
                rows().filter(|(_, weight)| *weight > 0.0).fold(Spread::of(&[]), |all, (x, _)| all.with(*x));
            let counted = rows().filter(|(_, weight)| *weight > 0.0).count();
            let has_zeros = counted < self.weights.iter().filter(|weight| **weight > 0.0).count();
            if has_zeros { all.with(0.0) } else { all }
        };
        let (factor, size) = self.how.factor(j, (about, deviation), spread)?;
        self.note(j, if self.how.center { about } else { 0.0 }, factor, size);
        if self.how.center || self.how.scale {
            values.iter_mut().for_each(|value| *value *= factor);
        }
        Ok(about * factor)
    }

    fn note(&mut self, j: usize, mean: f64, factor: f64, size: f64) {
        self.longest = longer(self.longest, size * self.root, j);
        self.columns.push((mean, factor));
    }
}
