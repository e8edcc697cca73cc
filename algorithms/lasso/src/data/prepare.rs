//! [`Prepared`]: columns centred and scaled, all or some of a problem's. The preparation of a column needs no
//! other column.

use ndarray::Array2;
use raddle_datasets::{Csc, Matrix, room};

use super::design::Design;
use super::magnitudes::{self, Spread};
use super::preparation::Preparation;
use crate::error::LassoError;

mod weighed;

/// Columns as prepared, and their centers and scales.
pub(crate) struct Prepared {
    pub(super) design: Design,
    pub(super) measured: Measured,
}

/// Centers and scales of prepared columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    /// Center of each column; empty for 0.
    pub(super) centers: Vec<f64>,
    /// Factor of each column after centring; empty for 1.
    pub(super) scales: Vec<f64>,
    /// The largest |x_j|, and its column in the problem.
    pub(super) longest: (f64, usize),
}

impl Measured {
    /// Encodes the measures as numbers, from which [`of_numbers`](Self::of_numbers) restores them.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let Self { centers, scales, longest } = self;
        let head = [centers.len() as f64, scales.len() as f64, longest.0, longest.1 as f64];
        [&head, &centers[..], &scales[..]].concat()
    }

    /// Decodes the numbers of [`to_numbers`](Self::to_numbers); `None` if they are not of that form.
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let (&[centers, scales, norm, column], rest) = numbers.split_first_chunk()?;
        let (centers, scales) =
            rest.split_at_checked(centers as usize).filter(|(_, rest)| rest.len() == scales as usize)?;
        Some(Self { centers: centers.into(), scales: scales.into(), longest: (norm, column as usize) })
    }

    /// Drops centers and scales where a preparation leaves coefficients on the prepared scale.
    pub(super) fn on_scale_of(self, preparation: Preparation) -> Self {
        match preparation {
            Preparation::DenseStd => Self { longest: self.longest, ..Self::default() },
            Preparation::Standard { .. } | Preparation::SparseRaw => self,
        }
    }
}

impl Prepared {
    /// Prepares columns of a problem, of which the first has the number `first`.
    ///
    /// # Errors
    /// If a value is not finite, or a column cannot be fitted.
    pub(super) fn of(x: Matrix, how: Centring, first: usize) -> Result<Self, LassoError> {
        match x {
            Matrix::Sparse(x) if how.is_sparse => sparse(x, how, first),
            x => dense(x, how, first),
        }
    }
}

/// Sums `of` over the values in eight lanes that are added at the end: one chain of additions would take as
/// long as the rest of preparing a column.
fn sum(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let (groups, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for group in groups {
        lanes.iter_mut().zip(group).for_each(|(lane, &value)| *lane += of(value));
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&value| of(value)).sum::<f64>()
}

/// Sums values that must be finite; `place` returns the row and column of a value for the error.
fn finite_sum(values: &[f64], place: impl Fn(usize) -> (usize, usize)) -> Result<f64, LassoError> {
    let total = sum(values, |value| value);
    // A value that is not finite makes the sum not finite, but so may huge values.
    if !total.is_finite()
        && let Some(at) = values.iter().position(|value| !value.is_finite())
    {
        let (row, column) = place(at);
        return Err(LassoError::NotFinite { what: "the matrix", row: row + 1, column: Some(column + 1) });
    }
    Ok(total)
}

/// Settings by which columns are prepared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Centring {
    pub(super) center: bool,
    pub(super) scale: bool,
    /// A standard deviation below this counts as none.
    pub(super) negligible: f64,
    /// Sparse columns stay sparse.
    pub(super) is_sparse: bool,
}

/// The negligible deviation in comparisons of solvers, as in `judges/bench_lasso.py`.
const CONSTANT: f64 = 1e-12;

impl Centring {
    pub(super) fn of(preparation: Preparation) -> Self {
        let (center, scale, negligible) = match preparation {
            Preparation::Standard { intercept, standardize } => (intercept, standardize, 0.0),
            Preparation::DenseStd => (true, true, CONSTANT),
            Preparation::SparseRaw => (false, false, CONSTANT),
        };
        Self { center, scale, negligible, is_sparse: false }
    }

    /// Returns two numbers that identify the settings.
    pub(super) fn flags(self) -> [u8; 2] {
        let Self { center, scale, negligible, is_sparse } = self;
        [u8::from(center) + 2 * u8::from(scale) + 4 * u8::from(negligible > 0.0), u8::from(is_sparse)]
    }

    /// Returns the factor of a column (from 0) with this mean and deviation, with its spread computed on
    /// demand; and its norm over sqrt(n) after scaling.
    pub(super) fn factor(
        self,
        column: usize,
        mean: f64,
        deviation: f64,
        spread: impl Fn() -> Spread,
    ) -> Result<(f64, f64), LassoError> {
        let Self { center, scale, negligible, .. } = self;
        let is_constant = magnitudes::is_constant(mean, deviation, negligible, &spread);
        let factor = match (scale, is_constant) {
            (true, false) => 1.0 / deviation,
            // A constant column explains nothing beyond the intercept.
            (_, true) if center => 0.0,
            _ => 1.0,
        };
        let size = if center { deviation } else { libm::hypot(deviation, mean) };
        // For a column that is divided by its deviation, only the deviation must be in range.
        magnitudes::check_column(
            column,
            if scale && !is_constant { deviation } else { factor * size },
            &spread,
        )?;
        Ok((factor, factor * size))
    }
}

/// Returns the longer of two columns, as (norm, number).
pub(super) fn longer(longest: (f64, usize), size: f64, column: usize) -> (f64, usize) {
    if size > longest.0 { (size, column) } else { longest }
}

/// Prepares columns with all values stored, of which the first has the number `first` in the problem.
fn dense(x: Matrix, how: Centring, first: usize) -> Result<Prepared, LassoError> {
    if x.is_sparse() {
        let (rows, columns) = (x.rows(), x.cols());
        room::<f64>(rows.saturating_mul(columns), "all values of its columns").map_err(LassoError::Memory)?;
    }
    let x: Array2<f64> = x.into_dense();
    let (rows, columns) = x.dim();
    let (mut values, offset) = x.into_raw_vec_and_offset();
    values.drain(..offset.unwrap_or(0));
    values.truncate(rows * columns);
    let (mut centers, mut scales) = (vec![0.0; columns], vec![1.0; columns]);
    let (mut longest, root) = ((0.0, 0), (rows as f64).sqrt());
    for (j, column) in values.chunks_exact_mut(rows).enumerate() {
        let about = finite_sum(column, |at| (at, first + j))? / rows as f64;
        let mean = if how.center { about } else { 0.0 };
        let variance = sum(column, |value| (value - about) * (value - about)) / rows as f64;
        let (factor, size) = how.factor(first + j, about, variance.sqrt(), || Spread::of(column))?;
        longest = longer(longest, size * root, first + j);
        for value in column {
            *value = (*value - mean) * factor;
        }
        (centers[j], scales[j]) = (mean, if factor == 0.0 { 1.0 } else { factor });
    }
    Ok(Prepared { design: Design::Dense { rows, values }, measured: Measured { centers, scales, longest } })
}

fn sparse(x: Csc, how: Centring, first: usize) -> Result<Prepared, LassoError> {
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
            // Only the norm must be in range, which a finite sum of squares shows.
            let norm = sum(column, |value| value * value).sqrt();
            if magnitudes::is_safe(norm / root) {
                longest = longer(longest, norm, first + j);
                continue;
            }
        }
        let about = finite_sum(column, |at| (indices[starts[j] + at] as usize, first + j))? / rows as f64;
        let stored = sum(column, |value| (value - about) * (value - about));
        let zeros = (rows - column.len()) as f64;
        let deviation = ((stored + zeros * about * about) / rows as f64).sqrt();
        let spread = || if zeros > 0.0 { Spread::of(column).with(0.0) } else { Spread::of(column) };
        let (factor, size) = how.factor(first + j, about, deviation, spread)?;
        longest = longer(longest, size * root, first + j);
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
    let design = Design::Sparse { rows, starts, indices, values, shift };
    Ok(Prepared { design, measured: Measured { centers, scales, longest } })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]
pub(crate) mod testing {
    use ndarray::Array2;

    use super::*;
    use crate::data::problem::Problem;

    /// A problem of these columns, dense or with its zeros left out.
    pub(crate) fn problem(columns: &[&[f64]], y: &[f64], is_sparse: bool, how: Preparation) -> Problem {
        let rows = y.len();
        let x = Array2::from_shape_fn((rows, columns.len()), |(row, j)| columns[j][row]);
        let x = match is_sparse {
            false => Matrix::Dense(x),
            true => {
                let mut all: sprs::TriMatI<f64, u32> = sprs::TriMatI::new((rows, columns.len()));
                for ((row, j), &value) in x.indexed_iter().filter(|(_, value)| **value != 0.0) {
                    all.add_triplet(row, j, value);
                }
                Matrix::Sparse(all.to_csc())
            }
        };
        Problem::new(x, y.to_vec(), how).unwrap()
    }

    /// A response for the problem.
    pub(crate) const Y: [f64; 8] = [1.0, 2.0, 4.0, 3.0, -1.0, 0.5, 2.5, 6.0];
}

#[cfg(test)]
mod tests {
    use super::testing::{Y, problem};
    use super::*;

    #[test]
    fn the_longest_column_is_that_of_the_weighted_rows() {
        let how = Preparation::Standard { intercept: false, standardize: false };
        let weights = [0.0, 3.0, 0.5, 1.0, 0.0, 1.0, 2.0, 0.5];
        // The first column is longer if all rows count alike, the second if they are weighted.
        let one = [20.0, 1.0, 0.0, 2.0, 9.0, 0.0, 1.0, 0.0];
        let other = [0.0, 5.0, 1.0, 0.0, 0.0, 3.0, 4.0, 0.0];
        let longest = |weights: &[f64]| {
            let of = |column: &[f64]| column.iter().zip(weights).map(|(x, w)| w * x * x).sum::<f64>().sqrt();
            if of(&one) >= of(&other) { (of(&one), 0) } else { (of(&other), 1) }
        };
        for is_sparse in [false, true] {
            let plain = problem(&[&one, &other], &Y, is_sparse, how);
            let weighted = plain.clone().weights(weights.to_vec()).unwrap();
            for (problem, weights) in [(plain, &[1.0; 8]), (weighted, &weights)] {
                let (expected, found) = (longest(weights), problem.longest());
                assert!((found.0 - expected.0).abs() < 1e-12 * expected.0, "{found:?}, {expected:?}");
                assert_eq!(found.1, expected.1);
            }
        }
        assert_eq!((longest(&[1.0; 8]).1, longest(&weights).1), (0, 1));
    }
}
