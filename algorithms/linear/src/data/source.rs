//! [`RowSource`]: the rows of a problem in the order of their places, in memory or in a file.

use std::ops::Range;
use std::sync::Arc;

use raddle_datasets::Matrix;

use super::places::Places;
use super::rows::Rows;
use super::slice::RowSlice;
use super::stored::StoredProblem;
use crate::error::LinearError;
use raddle_kernels::sweeps::Sum;

/// Rows in memory, or in a file of which ranges are read where they are needed; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct RowSource {
    at: Place,
    places: Arc<Places>,
}

#[derive(Debug, Clone)]
enum Place {
    /// Rows in memory, with the divisors of the columns if these are scaled.
    Here(Arc<Rows>, Option<Arc<Vec<f64>>>),
    Stored(Arc<StoredProblem>),
}

/// Limit on a row's squared norm, beyond which products of rows may overflow.
const LARGEST: f64 = 1e200;

impl RowSource {
    /// Takes the rows of a matrix.
    ///
    /// # Errors
    /// If the squared norm of a row is not finite or too large.
    pub(crate) fn here(x: &Matrix, bias: f64, places: Places) -> Result<Self, LinearError> {
        let rows = Arc::new(Rows::of(x, bias, &places));
        let source = Self { at: Place::Here(Arc::clone(&rows), None), places: Arc::new(places) };
        source.check(0, &rows)?;
        Ok(source)
    }

    /// Takes rows in a file.
    pub(crate) fn stored(rows: StoredProblem, places: Places) -> Self {
        Self { at: Place::Stored(Arc::new(rows)), places: Arc::new(places) }
    }

    /// Divides each of the first columns by its standard deviation. If rows in a file cannot be read, the
    /// next access to rows returns the error.
    pub(crate) fn scaled(self, columns: usize) -> Self {
        let at = match self.at {
            Place::Here(all, _) => {
                let mut rows = Rows::clone(&all);
                let scales = rows.scale(columns, self.places.copies());
                Place::Here(Arc::new(rows), Some(Arc::new(scales)))
            }
            Place::Stored(stored) => Place::Stored(Arc::new(stored.scaled(self.places.copies()))),
        };
        Self { at, ..self }
    }

    /// Returns the places of the matrix's rows.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the number of rows read so far.
    pub(crate) fn read_so_far(&self) -> u64 {
        match &self.at {
            Place::Here(rows, _) => rows.count() as u64,
            Place::Stored(stored) => stored.rows_read(),
        }
    }

    /// Returns the number of columns, including that of the bias.
    pub(crate) fn width(&self) -> usize {
        match &self.at {
            Place::Here(rows, _) => rows.width(),
            Place::Stored(stored) => stored.width(),
        }
    }

    /// Returns the number of values of the row at this place.
    pub(crate) fn length(&self, row: usize) -> usize {
        match &self.at {
            Place::Here(rows, _) => rows.row(row).0.len(),
            Place::Stored(stored) => stored.length(row),
        }
    }

    /// Returns `true` if the rows are in a file and read where they are needed.
    pub(crate) fn is_stored(&self) -> bool {
        matches!(self.at, Place::Stored(_))
    }

    /// Returns `true` if columns are scaled.
    pub(crate) fn is_scaled(&self) -> bool {
        match &self.at {
            Place::Here(_, scales) => scales.is_some(),
            Place::Stored(stored) => stored.is_scaled(),
        }
    }

    /// Returns the divisors of the columns; `None` if they are not scaled.
    ///
    /// # Errors
    /// If rows in a file could not be read.
    pub(crate) fn scales(&self) -> Result<Option<&[f64]>, LinearError> {
        Ok(match &self.at {
            Place::Here(_, scales) => scales.as_ref(),
            Place::Stored(stored) => stored.scales()?,
        }
        .map(|scales| &scales[..]))
    }

    /// Returns all rows, in memory.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn whole(&self) -> Result<&Rows, LinearError> {
        match &self.at {
            Place::Here(rows, _) => Ok(rows),
            Place::Stored(stored) => {
                let rows = stored.whole()?;
                self.check(0, rows)?;
                Ok(rows)
            }
        }
    }

    /// Returns the rows in a range of places.
    ///
    /// # Errors
    /// If rows cannot be read, or are too large.
    pub(crate) fn slice(&self, range: Range<usize>) -> Result<RowSlice, LinearError> {
        match &self.at {
            Place::Here(rows, _) => Ok(RowSlice::new(Arc::clone(rows), range)),
            Place::Stored(stored) => {
                let rows = stored.range(range.clone())?;
                self.check(range.start, &rows)?;
                Ok(RowSlice::new(Arc::new(rows), 0..range.len()))
            }
        }
    }

    /// Calls `tell` with all rows, range by range, and the place of each range's first row.
    pub(super) fn each(&self, mut tell: impl FnMut(usize, &Rows)) -> Result<(), LinearError> {
        match &self.at {
            Place::Here(rows, _) => {
                tell(0, rows);
                Ok(())
            }
            Place::Stored(stored) => stored.each(tell),
        }
    }

    /// Returns the sum of all rows, each times its factor, in one pass.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn sum(&self, factors: &[f64]) -> Result<Vec<f64>, LinearError> {
        let mut out = vec![0.0; self.width()];
        self.each(|first, rows| {
            let factors = &factors[first..first + rows.count()];
            Sum { rows: rows.view(), factors, out: &mut out }.add_up();
        })?;
        Ok(out)
    }

    /// Returns the product of every row with a vector, in one pass.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn products(&self, with: &[f64]) -> Result<Vec<f64>, LinearError> {
        let mut out = vec![0.0; self.places.count()];
        self.each(|first, rows| rows.products(with, &mut out[first..first + rows.count()]))?;
        Ok(out)
    }

    /// Checks rows, of which the first has this place: their squared norms must not overflow sums.
    fn check(&self, first: usize, rows: &Rows) -> Result<(), LinearError> {
        let is_usual = |at: usize| rows.square(at) < LARGEST;
        if (0..rows.count()).all(is_usual) {
            return Ok(());
        }
        let here = first..first + rows.count();
        let is_bad = |&place: &u32| here.contains(&(place as usize)) && !is_usual(place as usize - first);
        let row = self.places.of_rows().iter().position(is_bad).unwrap_or(first);
        Err(LinearError::NotFinite { row: row + 1, what: "the square of the row" })
    }
}
