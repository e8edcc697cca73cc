//! [`Problem`]: the data as they are fitted, prepared once.

use std::sync::Arc;

use raddle_datasets::{Matrix, StoredTable};

use super::by_parts::ByParts;
use super::columns::Columns;
use super::preparation::Preparation;
use super::prepare::{Centring, Measured, Prepared};
use crate::error::LassoError;

/// Sparse matrices with at least this share of nonzeros are cheaper to fit as dense ones.
const FULL: f64 = 0.25;

/// A Lasso problem: n rows by p columns and a response, prepared for any loss.
///
/// The objective on the prepared data is `P(b) = loss + lambda |b|_1`; [`Loss`](crate::Loss) lists the
/// losses.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The columns as prepared.
    pub(crate) design: Columns,
    /// The response, centred where the preparation says so.
    pub(crate) y: Arc<Vec<f64>>,
    /// The response as given.
    pub(crate) given: Arc<Vec<f64>>,
    /// Weights of the rows, with mean 1; `None` if all rows count alike.
    pub(crate) weights: Option<Arc<Vec<f64>>>,
    /// Offsets added to the scores, if any.
    pub(crate) offset: Option<Arc<Vec<f64>>>,
    pub(super) preparation: Preparation,
    /// `true` if an intercept is fitted.
    pub(crate) intercept: bool,
    /// Centers and scales of the columns.
    pub(super) measured: Measured,
    pub(crate) y_mean: f64,
    /// The largest |y_i| as given, and |y| as prepared.
    pub(crate) y_size: (f64, f64),
}

impl Problem {
    /// Prepares a matrix and a response with one entry per row. The matrix is consumed rather than copied:
    /// dense values are centred in place.
    ///
    /// # Errors
    /// If the lengths differ, there are no rows or columns, a value is not finite, or a column is so large or
    /// small that its squares overflow or underflow: its norm must lie between 1e-140 and 1e140, or be 0.
    pub fn new(x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<Self, LassoError> {
        check(x.rows(), x.cols(), &y)?;
        let is_sparse = x.is_sparse() && stays_sparse(x.rows(), x.cols(), x.nonzeros(), preparation);
        let how = Centring { is_sparse, ..Centring::of(preparation) };
        let Prepared { design, measured } = Prepared::of(x, how, 0)?;
        Ok(Self::with(Columns::Here(Arc::new(design)), measured, y, preparation))
    }

    /// A problem on a table in a file, from which each shard of a fit reads its own columns where it lives.
    /// The fit has the same bytes as in memory, and each of several processes holds only its share. Columns
    /// are read once here, part by part.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use raddle_datasets::{Options, StoredTable};
    /// use raddle_lasso::{Lasso, Preparation, Problem};
    /// let folder = tempfile::tempdir()?;
    /// let source = "synth:groups:n=50,p=200,g=10,s=5";
    /// let table = StoredTable::open(source, &Options::default(), folder.path())?;
    /// let problem = Problem::by_parts(Arc::new(table), Preparation::default())?;
    /// assert!(Lasso::params().ratio(10.0).fit(&problem)?.report.metric.is_reached());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and a file that cannot be read.
    pub fn by_parts(table: Arc<StoredTable>, preparation: Preparation) -> Result<Self, LassoError> {
        let (rows, columns, y) = (table.rows(), table.cols(), table.described().y.clone());
        check(rows, columns, &y)?;
        let is_sparse = table.is_sparse() && stays_sparse(rows, columns, table.nonzeros(), preparation);
        let parts = ByParts::new(table, Centring { is_sparse, ..Centring::of(preparation) });
        let measured = parts.measured()?;
        Ok(Self::with(Columns::Parts(Arc::new(parts)), measured, y, preparation))
    }

    fn with(design: Columns, measured: Measured, y: Vec<f64>, preparation: Preparation) -> Self {
        let mut problem = Self {
            design,
            y: Arc::default(),
            given: Arc::new(y),
            weights: None,
            offset: None,
            preparation,
            intercept: matches!(preparation, Preparation::Standard { intercept: true, .. }),
            measured: measured.on_scale_of(preparation),
            y_mean: 0.0,
            y_size: (0.0, 0.0),
        };
        problem.center_response();
        problem
    }

    /// Returns the two values, ascending, of a response that has exactly two: the classes of a logistic fit.
    pub fn classes(&self) -> Option<[f64; 2]> {
        two_values(self.counted(&self.given))
    }

    /// Returns the distinct values of the response, ascending: the classes of a multinomial fit.
    pub fn labels(&self) -> Vec<f64> {
        // Adding 0 turns -0 into 0.
        let mut values: Vec<f64> = self.counted(&self.given).map(|value| value + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// Returns the bytes that the rows take in a fit of `classes` classes with scores of their own: two
    /// copies of score and residual for each row and class.
    pub fn score_bytes(&self, classes: usize) -> usize {
        score_bytes(self.rows(), classes)
    }

    /// Returns the factor from a coefficient of this column as prepared to one on the original scale.
    pub(crate) fn scale(&self, column: u32) -> f64 {
        self.measured.scales.get(column as usize).copied().unwrap_or(1.0)
    }

    /// Returns the center of this column.
    pub(crate) fn center(&self, column: u32) -> f64 {
        self.measured.centers.get(column as usize).copied().unwrap_or(0.0)
    }

    /// Returns the largest |x_j| as prepared, and its column.
    pub(crate) fn longest(&self) -> (f64, usize) {
        self.measured.longest
    }

    /// `true` if storage is sparse.
    pub(crate) fn is_sparse(&self) -> bool {
        self.design.is_sparse()
    }

    /// Rows, n.
    pub fn rows(&self) -> usize {
        self.design.rows()
    }

    /// Columns, p.
    pub fn columns(&self) -> usize {
        self.design.count()
    }

    /// Returns the smallest lambda without support for the Lasso with the squared loss: max |x_j'y| / n.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub fn lambda_max(&self) -> Result<f64, LassoError> {
        let mut residual = self.y.to_vec();
        if let Some(weights) = &self.weights {
            residual.iter_mut().zip(weights.iter()).for_each(|(value, weight)| *value *= weight);
        }
        Ok(self.design.largest(&residual, |_, slope| slope)? / self.rows() as f64)
    }

    /// Returns the bytes read so far from the file of a problem [by parts](Self::by_parts), as
    /// [`StoredTable::bytes_read`] counts them; 0 in memory.
    pub fn bytes_read(&self) -> u64 {
        self.design.bytes_read()
    }

    /// Values stored in the prepared matrix.
    pub fn stored(&self) -> usize {
        self.design.stored()
    }
}

/// Returns the two values, ascending, of a response that has exactly two.
fn two_values(mut y: impl Iterator<Item = f64> + Clone) -> Option<[f64; 2]> {
    let first = y.clone().next()?;
    let second = y.clone().find(|&value| value != first)?;
    let others = y.any(|value| value != first && value != second);
    (!others).then_some([first.min(second), first.max(second)])
}

/// Returns the bytes of scores and residuals of `rows` rows and `classes` classes, in two copies.
pub(crate) fn score_bytes(rows: usize, classes: usize) -> usize {
    (4 * size_of::<f64>()).saturating_mul(rows).saturating_mul(classes)
}

/// Checks that rows, columns and the response have consistent sizes.
fn check(rows: usize, columns: usize, y: &[f64]) -> Result<(), LassoError> {
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
    Ok(())
}

/// `true` if a sparse matrix with this number of values is fitted as sparse.
fn stays_sparse(rows: usize, columns: usize, values: usize, preparation: Preparation) -> bool {
    match preparation {
        Preparation::Standard { .. } => (values as f64) < FULL * rows as f64 * columns as f64,
        Preparation::DenseStd => false,
        Preparation::SparseRaw => true,
    }
}
