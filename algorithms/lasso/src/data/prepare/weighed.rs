//! Columns that are prepared again, by weighted means and deviations.

use super::{Centring, Measured, Prepared, longer};
use crate::data::design::Design;
use crate::data::magnitudes::Spread;
use crate::error::LassoError;

impl Prepared {
    /// Centres and scales the columns again, by weighted means and deviations. Weights have the mean 1.
    ///
    /// # Errors
    /// If a column then cannot be fitted.
    pub(in crate::data) fn weigh(
        &mut self,
        weights: &[f64],
        how: Centring,
        first: usize,
    ) -> Result<(), LassoError> {
        let n = self.design.rows() as f64;
        let columns = Vec::with_capacity(self.design.columns());
        let mut again = Again { how, weights, n, root: n.sqrt(), longest: (0.0, 0), columns };
        match &mut self.design {
            Design::Dense { rows, values } => {
                for (j, column) in values.chunks_exact_mut(*rows).enumerate() {
                    again.dense(first + j, column)?;
                }
            }
            Design::Classes(_) => {}
            Design::Sparse { starts, indices, values, shift, .. } => {
                for (j, range) in starts.windows(2).map(|ends| ends[0]..ends[1]).enumerate() {
                    let moved = again.sparse(first + j, &indices[range.clone()], &mut values[range])?;
                    if let Some(shift) = shift.get_mut(j) {
                        *shift = moved;
                    }
                }
            }
        }
        let is_sparse = matches!(self.design, Design::Sparse { .. });
        let Measured { centers, scales, longest } = &mut self.measured;
        *longest = again.longest;
        for (j, (about, factor)) in again.columns.into_iter().enumerate() {
            let before = scales.get(j).copied().unwrap_or(1.0);
            if let Some(center) = centers.get_mut(j) {
                // The mean of a sparse column is that of its stored values; the mean of a dense column comes
                // on top of the center already subtracted.
                *center = if is_sparse { 0.0 } else { *center } + about / before;
            }
            if let Some(scale) = scales.get_mut(j) {
                *scale *= if factor == 0.0 { 1.0 } else { factor };
            }
        }
        Ok(())
    }
}

/// Columns that are prepared again.
struct Again<'a> {
    how: Centring,
    weights: &'a [f64],
    n: f64,
    root: f64,
    longest: (f64, usize),
    /// Center and factor of each column.
    columns: Vec<(f64, f64)>,
}

impl Again<'_> {
    fn dense(&mut self, j: usize, column: &mut [f64]) -> Result<(), LassoError> {
        let rows = || column.iter().zip(self.weights);
        let about = rows().map(|(x, weight)| weight * x).sum::<f64>() / self.n;
        let variance = rows().map(|(x, weight)| weight * (x - about) * (x - about)).sum::<f64>() / self.n;
        let spread =
            || rows().filter(|(_, weight)| **weight > 0.0).fold(Spread::of(&[]), |all, (x, _)| all.with(*x));
        let (factor, size) = self.how.factor(j, about, variance.sqrt(), spread)?;
        let mean = if self.how.center { about } else { 0.0 };
        self.note(j, mean, factor, size);
        column.iter_mut().for_each(|value| *value = (*value - mean) * factor);
        Ok(())
    }

    /// Returns what must now be subtracted from every row.
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
        let (factor, size) = self.how.factor(j, about, deviation, spread)?;
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
