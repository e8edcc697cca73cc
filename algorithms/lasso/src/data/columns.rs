//! [`Columns`]: the columns that are fitted, in memory or in a file from which each shard reads its own.

use std::ops::Range;
use std::sync::Arc;

use super::by_parts::ByParts;
use super::classes::Classes;
use super::design::{Column, Design};
use crate::error::LassoError;

/// The columns that are fitted, as prepared or as a run orders and scales them.
#[derive(Debug, Clone)]
pub(crate) enum Columns {
    Here(Arc<Design>),
    Parts(Arc<ByParts>),
}

impl Columns {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Here(design) => design.rows(),
            Self::Parts(parts) => parts.rows(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Here(design) => design.columns(),
            Self::Parts(parts) => parts.columns(),
        }
    }

    /// Number of stored values.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Here(design) => design.stored(),
            Self::Parts(parts) => (0..parts.columns()).map(|j| parts.cost(j)).sum(),
        }
    }

    /// Number of bytes of the file read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        match self {
            Self::Here(_) => 0,
            Self::Parts(parts) => parts.bytes_read(),
        }
    }

    /// The counted cost of one dot product with column `j`: its stored values.
    pub(crate) fn cost(&self, j: usize) -> usize {
        match self {
            Self::Here(design) => design.cost(j),
            Self::Parts(parts) => parts.cost(j),
        }
    }

    /// `true` if storage is sparse, and not shared by classes.
    pub(crate) fn is_sparse(&self) -> bool {
        match self {
            Self::Here(design) => matches!(**design, Design::Sparse { .. }),
            Self::Parts(parts) => parts.is_sparse(),
        }
    }

    /// Returns the columns in another order (empty for the same), each multiplied by its unit.
    pub(crate) fn in_units(&self, order: &[u32], units: &[f64]) -> Self {
        match (self, order) {
            (Self::Here(design), []) => Self::Here(Arc::new(design.scaled(units))),
            (Self::Here(design), order) => Self::Here(Arc::new(design.ordered(order).scaled(units))),
            (Self::Parts(parts), order) => Self::Parts(Arc::new(parts.in_units(order, units))),
        }
    }

    /// Repeats each column for each of this many classes.
    pub(crate) fn of_classes(self, count: usize) -> Self {
        match self {
            Self::Here(design) => Self::Here(Arc::new(Design::Classes(Classes::new(design, count)))),
            Self::Parts(parts) => Self::Parts(Arc::new(parts.of_classes(count))),
        }
    }

    /// Returns the columns with these ascending numbers, one by one.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn some(&self, numbers: impl Iterator<Item = usize>) -> Result<Vec<Column>, LassoError> {
        match self {
            Self::Here(design) => Ok(numbers.map(|j| Column::new(design, j)).collect()),
            Self::Parts(parts) => {
                numbers.map(|j| Ok(Column::new(&Arc::new(parts.read(j..j + 1)?), 0))).collect()
            }
        }
    }

    /// Returns a matrix that has the columns of a range, and the place of the first of them in it.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn range(&self, range: Range<usize>) -> Result<(Arc<Design>, usize), LassoError> {
        match self {
            Self::Here(design) => Ok((Arc::clone(design), range.start)),
            Self::Parts(parts) => Ok((Arc::new(parts.read(range)?), 0)),
        }
    }

    /// Returns the rows of about this number of stored values of a sparse matrix, evenly strided.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn sampled_rows(&self, about: usize) -> Result<Vec<u32>, LassoError> {
        match self {
            Self::Here(design) => match &**design {
                Design::Sparse { indices, .. } => {
                    Ok(indices.iter().step_by(indices.len().div_ceil(about).max(1)).copied().collect())
                }
                Design::Dense { .. } | Design::Classes(_) => Ok(Vec::new()),
            },
            Self::Parts(parts) => parts.sampled_rows(self.stored().div_ceil(about).max(1)),
        }
    }

    /// Returns x_j'r of every column.
    ///
    /// # Errors
    /// If columns cannot be read.
    pub(crate) fn products(&self, residual: &[f64]) -> Result<Vec<f64>, LassoError> {
        match self {
            Self::Here(design) => Ok(design.products(residual)),
            Self::Parts(parts) => parts.products(residual),
        }
    }

    /// Returns the maximum of |x_j'r| over the columns, where `seen` maps each product to the value that
    /// counts.
    ///
    /// # Errors
    /// If columns cannot be read.
    pub(crate) fn largest(
        &self,
        residual: &[f64],
        seen: impl Fn(usize, f64) -> f64,
    ) -> Result<f64, LassoError> {
        match self {
            Self::Here(design) => Ok(design.largest(residual, seen)),
            Self::Parts(_) => {
                let products = self.products(residual)?.into_iter().enumerate();
                Ok(products.map(|(j, slope)| seen(j, slope).abs()).fold(0.0, f64::max))
            }
        }
    }
}
