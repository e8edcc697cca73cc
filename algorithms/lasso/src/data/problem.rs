//! [`Problem`]: the data as they are fitted, prepared once.

use std::sync::Arc;

use ndarray::Array2;
use raddle_datasets::{Csc, Matrix};

use super::design::Design;
use super::magnitudes::{self, Spread};
use crate::error::LassoError;

/// A sparse matrix at least this full is cheaper to fit as a dense one.
const FULL: f64 = 0.25;

/// How data are prepared before they are fitted.
///
/// | name | default | what it does |
/// |---|---|---|
/// | `intercept` | true | centres the columns and, for the squared loss, the response; the fit reports an intercept |
/// | `standardize` | true | divides each column by its population standard deviation; coefficients are reported on the original scale |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// What users of a Lasso expect.
    Usual {
        /// Whether to fit an intercept.
        intercept: bool,
        /// Whether to divide each column by its population standard deviation.
        standardize: bool,
    },
    /// For comparisons: columns centred and scaled, all values stored, the response centred (for the squared
    /// loss); coefficients stay on that scale and there is no intercept.
    DenseStd,
    /// For comparisons: columns as stored, the response centred (for the squared loss); no intercept.
    SparseRaw,
}

impl Default for Preparation {
    fn default() -> Self {
        Self::Usual { intercept: true, standardize: true }
    }
}

/// A Lasso problem: n rows by p columns and a response, prepared for any loss.
///
/// The objective on the prepared data is `P(b) = loss + lambda |b|_1`; [`Loss`](crate::Loss) lists the losses.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) design: Arc<Design>,
    /// The response, centred where the preparation says so.
    pub(crate) y: Arc<Vec<f64>>,
    /// The response as given.
    pub(crate) given: Arc<Vec<f64>>,
    /// What rows count, with the mean 1; `None` where all count alike.
    pub(crate) weights: Option<Arc<Vec<f64>>>,
    /// What is added to the scores, if anything is.
    pub(crate) offset: Option<Arc<Vec<f64>>>,
    pub(super) preparation: Preparation,
    /// Whether there is an intercept.
    pub(crate) intercept: bool,
    /// What was subtracted from each column; empty for nothing.
    pub(super) centers: Vec<f64>,
    /// What each column was then multiplied with; empty for 1.
    pub(super) scales: Vec<f64>,
    pub(crate) y_mean: f64,
    /// The largest |y_i| as given, and |y| as prepared.
    pub(crate) y_size: (f64, f64),
    /// The largest |x_j| as prepared, and its column.
    pub(crate) longest: (f64, usize),
}

impl Problem {
    /// Prepares a matrix and a response of as many entries as it has rows. Takes the matrix over rather than copying
    /// it: dense values are centred in place.
    ///
    /// # Errors
    /// If the lengths differ, there are no rows or columns, a value is not finite, or a column is so large or small
    /// that its squares over- or underflow: its norm must lie between 1e-140 and 1e140, or be 0.
    pub fn new(x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<Self, LassoError> {
        let (rows, columns) = (x.rows(), x.cols());
        if y.len() != rows {
            return Err(LassoError::Lengths { rows, responses: y.len() });
        }
        if rows == 0 || columns == 0 {
            return Err(LassoError::Empty { rows, columns });
        }
        if u32::try_from(rows).is_err() || u32::try_from(columns).is_err() {
            return Err(LassoError::TooLarge { rows, columns });
        }
        if let Some(row) = y.iter().position(|value| !value.is_finite()) {
            return Err(LassoError::NotFinite { what: "the response", row: row + 1, column: None });
        }
        let how = Centring::of(preparation);
        let dense = match preparation {
            Preparation::Usual { .. } => None,
            Preparation::DenseStd => Some(true),
            Preparation::SparseRaw => Some(false),
        };
        let full = x.nonzeros() as f64 >= FULL * rows as f64 * columns as f64;
        let Prepared { design, mut centers, mut scales, longest } = match x {
            Matrix::Sparse(x) if !dense.unwrap_or(full) => sparse(x, how)?,
            x => self::dense(x, how)?,
        };
        if preparation == Preparation::DenseStd {
            // Coefficients stay on the prepared scale.
            (centers, scales) = (Vec::new(), Vec::new());
        }
        let mut problem = Self {
            design: Arc::new(design),
            y: Arc::default(),
            given: Arc::new(y),
            weights: None,
            offset: None,
            preparation,
            intercept: matches!(preparation, Preparation::Usual { intercept: true, .. }),
            centers,
            scales,
            y_mean: 0.0,
            y_size: (0.0, 0.0),
            longest,
        };
        problem.center_response();
        Ok(problem)
    }

    /// The response's two values, ascending, if it has exactly two: what a logistic fit tells apart.
    pub fn classes(&self) -> Option<[f64; 2]> {
        two_values(self.counted(&self.given))
    }

    /// The different values of the response, ascending: what a multinomial fit tells apart.
    pub fn labels(&self) -> Vec<f64> {
        // Zero has one sign.
        let mut values: Vec<f64> = self.counted(&self.given).map(|value| value + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// What a coefficient of this column as prepared is multiplied with to be one on the original scale.
    pub(crate) fn scale(&self, column: u32) -> f64 {
        self.scales.get(column as usize).copied().unwrap_or(1.0)
    }

    /// What was subtracted from this column.
    pub(crate) fn center(&self, column: u32) -> f64 {
        self.centers.get(column as usize).copied().unwrap_or(0.0)
    }

    /// Whether only some of the values are stored.
    pub(crate) fn is_sparse(&self) -> bool {
        matches!(*self.design, Design::Sparse { .. })
    }

    /// Rows, n.
    pub fn rows(&self) -> usize {
        self.design.rows()
    }

    /// Columns, p.
    pub fn columns(&self) -> usize {
        self.design.columns()
    }

    /// The smallest lambda without support of the Lasso with the squared loss: max |x_j'y| / n.
    pub fn lambda_max(&self) -> f64 {
        let mut residual = self.y.to_vec();
        if let Some(weights) = &self.weights {
            residual.iter_mut().zip(weights.iter()).for_each(|(value, weight)| *value *= weight);
        }
        self.design.largest(&residual, |_, slope| slope) / self.rows() as f64
    }

    /// Values stored in the prepared matrix.
    pub fn stored(&self) -> usize {
        self.design.stored()
    }
}

/// The two values of a response that has no others, ascending.
fn two_values(mut y: impl Iterator<Item = f64> + Clone) -> Option<[f64; 2]> {
    let first = y.clone().next()?;
    let second = y.clone().find(|&value| value != first)?;
    let others = y.any(|value| value != first && value != second);
    (!others).then_some([first.min(second), first.max(second)])
}

/// The sum of what each value gives, in eight lanes that are added at the end: one chain of additions would take as long
/// as all the rest of preparing a column.
fn sum(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let (groups, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for group in groups {
        lanes.iter_mut().zip(group).for_each(|(lane, &value)| *lane += of(value));
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&value| of(value)).sum::<f64>()
}

/// The sum of values that must be finite; `place` tells the row and column of one.
fn finite_sum(values: &[f64], place: impl Fn(usize) -> (usize, usize)) -> Result<f64, LassoError> {
    let total = sum(values, |value| value);
    // What is not finite shows in the sum; huge values may, too.
    if !total.is_finite()
        && let Some(at) = values.iter().position(|value| !value.is_finite())
    {
        let (row, column) = place(at);
        return Err(LassoError::NotFinite { what: "the matrix", row: row + 1, column: Some(column + 1) });
    }
    Ok(total)
}

/// How columns are prepared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centring {
    pub(super) center: bool,
    pub(super) scale: bool,
    /// Whether a deviation below 1e-12 counts as none, as where fits are compared.
    absolute: bool,
}

struct Prepared {
    design: Design,
    centers: Vec<f64>,
    scales: Vec<f64>,
    /// The largest |x_j|, and its column.
    longest: (f64, usize),
}

impl Centring {
    pub(super) fn of(preparation: Preparation) -> Self {
        let (center, scale, absolute) = match preparation {
            Preparation::Usual { intercept, standardize } => (intercept, standardize, false),
            Preparation::DenseStd => (true, true, true),
            Preparation::SparseRaw => (false, false, true),
        };
        Self { center, scale, absolute }
    }

    /// What a column (from 0) of this mean and deviation is multiplied with, given its spread on demand; and its norm
    /// over sqrt(n) then.
    pub(super) fn factor(
        self,
        column: usize,
        (mean, deviation): (f64, f64),
        spread: impl Fn() -> Spread,
    ) -> Result<(f64, f64), LassoError> {
        let Self { center, scale, absolute } = self;
        let is_constant = magnitudes::is_constant((mean, deviation), absolute, &spread);
        let factor = match (scale, is_constant) {
            (true, false) => 1.0 / deviation,
            // A constant column explains nothing that the intercept does not.
            (_, true) if center => 0.0,
            _ => 1.0,
        };
        let size = if center { deviation } else { deviation.hypot(mean) };
        // What is divided by its deviation needs that one alone.
        magnitudes::check_column(
            column,
            if scale && !is_constant { deviation } else { factor * size },
            &spread,
        )?;
        Ok((factor, factor * size))
    }
}

/// The longer of two columns, as (norm, number).
pub(super) fn longer(longest: (f64, usize), size: f64, column: usize) -> (f64, usize) {
    if size > longest.0 { (size, column) } else { longest }
}

fn dense(x: Matrix, how: Centring) -> Result<Prepared, LassoError> {
    let x: Array2<f64> = x.into_dense();
    let (rows, columns) = x.dim();
    let (mut values, offset) = x.into_raw_vec_and_offset();
    values.drain(..offset.unwrap_or(0));
    values.truncate(rows * columns);
    let (mut centers, mut scales) = (vec![0.0; columns], vec![1.0; columns]);
    let (mut longest, root) = ((0.0, 0), (rows as f64).sqrt());
    for (j, column) in values.chunks_exact_mut(rows).enumerate() {
        let about = finite_sum(column, |at| (at, j))? / rows as f64;
        let mean = if how.center { about } else { 0.0 };
        let variance = sum(column, |value| (value - about) * (value - about)) / rows as f64;
        let (factor, size) = how.factor(j, (about, variance.sqrt()), || Spread::of(column))?;
        longest = longer(longest, size * root, j);
        for value in column {
            *value = (*value - mean) * factor;
        }
        (centers[j], scales[j]) = (mean, if factor == 0.0 { 1.0 } else { factor });
    }
    Ok(Prepared { design: Design::Dense { rows, values }, centers, scales, longest })
}

fn sparse(x: Csc, how: Centring) -> Result<Prepared, LassoError> {
    let (rows, columns) = x.shape();
    let (starts, indices, mut values) = x.into_raw_storage();
    let each = |wanted, value| if wanted { vec![value; columns] } else { Vec::new() };
    let (mut centers, mut shift) = (each(how.center, 0.0), each(how.center, 0.0));
    let mut scales = each(how.scale, 1.0);
    let (mut longest, root) = ((0.0, 0), (rows as f64).sqrt());
    let as_stored = !how.center && !how.scale;
    for j in 0..columns {
        let range = starts[j]..starts[j + 1];
        let column = &mut values[range];
        if as_stored {
            // Nothing is asked of a column but a norm within range, which a finite one of its squares shows.
            let norm = sum(column, |value| value * value).sqrt();
            if magnitudes::is_safe(norm / root) {
                longest = longer(longest, norm, j);
                continue;
            }
        }
        let about = finite_sum(column, |at| (indices[starts[j] + at] as usize, j))? / rows as f64;
        let stored = sum(column, |value| (value - about) * (value - about));
        let zeros = (rows - column.len()) as f64;
        let deviation = ((stored + zeros * about * about) / rows as f64).sqrt();
        let spread = || if zeros > 0.0 { Spread::of(column).with(0.0) } else { Spread::of(column) };
        let (factor, size) = how.factor(j, (about, deviation), spread)?;
        longest = longer(longest, size * root, j);
        if !how.center && !how.scale {
            continue;
        }
        for value in column {
            *value *= factor;
        }
        if how.center {
            (centers[j], shift[j]) = (about, about * factor);
        }
        if how.scale {
            scales[j] = if factor == 0.0 { 1.0 } else { factor };
        }
    }
    Ok(Prepared { design: Design::Sparse { rows, starts, indices, values, shift }, centers, scales, longest })
}
