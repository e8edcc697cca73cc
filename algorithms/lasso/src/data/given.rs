//! Values given for each row in addition to the response: a weight, and an offset.

use std::sync::Arc;

use raddle_tabular::folds::RowValues;

use super::columns::Columns;
use super::design::Design;
use super::magnitudes::Spread;
use super::preparation::Preparation;
use super::prepare::{Centring, Prepared};
use super::problem::Problem;
use crate::error::LassoError;

impl Problem {
    /// Weights the rows: the loss of a row counts in proportion to its weight. `weights` has n numbers of at
    /// least 0, on any scale: the loss is their weighted mean. A row of weight 2 counts as two equal rows of
    /// weight 1, and a row of weight 0 as if left out; means and deviations of columns are weighted, too.
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
    /// If there are not n weights, one is negative or not finite, all are 0, or a column cannot be fitted
    /// then.
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
        // Equal weights change no bit of the result.
        if self.weights.is_none() && spread.width() == 0.0 {
            return Ok(self);
        }
        let relative = || weights.iter().map(|weight| weight / spread.largest());
        let scale = rows as f64 / relative().sum::<f64>();
        let weights: Arc<Vec<f64>> = Arc::new(relative().map(|weight| weight * scale).collect());
        self.prepare_again(&weights)?;
        self.weights = Some(weights);
        self.center_response();
        Ok(self)
    }

    /// Adds n given values to the scores: `o_i + b_0 + x_i'b`, such as the logarithm of an exposure for the
    /// Poisson loss.
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

    /// Sets [`weights`](Self::weights) and [`offset`](Self::offset), where they are given.
    ///
    /// # Errors
    /// The errors of the two.
    pub fn with_values(self, values: RowValues) -> Result<Self, LassoError> {
        let problem = match values.weights {
            Some(weights) => self.weights(weights)?,
            None => self,
        };
        match values.offset {
            Some(offset) => problem.offset(offset),
            None => Ok(problem),
        }
    }

    /// Values of the rows that count: those of positive weight.
    pub(crate) fn counted<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + Clone + 'a {
        let counts = move |row: usize| self.weights.as_ref().is_none_or(|weights| weights[row] > 0.0);
        values.iter().enumerate().filter(move |&(row, _)| counts(row)).map(|(_, &value)| value)
    }

    /// Sets the response less the offset, and subtracts its mean if the preparation says so.
    pub(super) fn center_response(&mut self) {
        let mut y = self.given.to_vec();
        if let Some(offset) = &self.offset {
            y.iter_mut().zip(offset.iter()).for_each(|(y, offset)| *y -= offset);
        }
        let spread = self.counted(&y).fold(Spread::of(&[]), Spread::with);
        let rows = y.len() as f64;
        let mean = match self.preparation {
            Preparation::Standard { intercept: false, .. } => 0.0,
            // Subtract the very value, so that exactly zeros are left.
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
            // Rows that do not count must not spoil sums by their values.
            y.iter_mut()
                .zip(weights.iter())
                .filter(|(_, weight)| **weight == 0.0)
                .for_each(|(y, _)| *y = 0.0);
        }
        let square =
            |(row, value): (usize, &f64)| self.weights.as_ref().map_or(1.0, |w| w[row]) * value * value;
        self.y_size = (spread.largest(), y.iter().enumerate().map(square).sum::<f64>().sqrt());
        self.y_mean = if matches!(self.preparation, Preparation::Standard { .. }) { mean } else { 0.0 };
        self.y = Arc::new(y);
    }

    /// Centres and scales the columns again, by weighted means and deviations. Weights have the mean 1.
    fn prepare_again(&mut self, weights: &Arc<Vec<f64>>) -> Result<(), LassoError> {
        let how = Centring::of(self.preparation);
        let none = Columns::Here(Arc::new(Design::Dense { rows: 0, values: Vec::new() }));
        match std::mem::replace(&mut self.design, none) {
            Columns::Here(design) => {
                let measured = std::mem::take(&mut self.measured);
                let mut prepared = Prepared { design: Arc::unwrap_or_clone(design), measured };
                prepared.weigh(weights, how, 0)?;
                (self.design, self.measured) = (Columns::Here(Arc::new(prepared.design)), prepared.measured);
            }
            Columns::Parts(parts) => {
                let parts = parts.weighted(weights);
                self.measured = parts.measured()?.on_scale_of(self.preparation);
                self.design = Columns::Parts(Arc::new(parts));
            }
        }
        Ok(())
    }
}
