//! [`RowSource`]: the rows of a problem in the order of their places, in memory or in a file.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use raddle_datasets::{Matrix, StoredRows};
use raddle_kernels::sweeps::add_rows;

use super::places::Places;
use super::rows::Rows;
use super::slice::RowSlice;
use crate::error::LinearError;

/// Limit on a row's squared norm, beyond which products of rows may overflow.
const LARGEST: f64 = 1e200;

/// Approximate number of values in memory at once during a pass over rows in a file.
const TOGETHER: usize = 1 << 20;

/// Rows in memory, or in a file of which ranges are read where they are needed; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct RowSource {
    /// The file, to whose rows bias and scaling are applied as they are read; `None` for rows in memory.
    file: Option<Arc<StoredRows>>,
    /// All rows, with bias and scaling: those of a file once they were asked for.
    whole: Whole,
    places: Arc<Places>,
    /// Number of columns of the table.
    columns: usize,
    bias: f64,
    /// Divisors of the columns, if these are scaled; or why they could not be computed.
    scales: Option<Result<Arc<Vec<f64>>, String>>,
}

type Whole = Arc<OnceLock<Result<Arc<Rows>, String>>>;

fn in_memory(rows: Arc<Rows>) -> Whole {
    Arc::new(OnceLock::from(Ok(rows)))
}

impl RowSource {
    /// Takes the rows of a matrix.
    ///
    /// # Errors
    /// If the squared norm of a row is not finite or too large.
    pub(crate) fn here(x: &Matrix, bias: f64, places: Places) -> Result<Self, LinearError> {
        let rows = Arc::new(Rows::of(x, bias, &places));
        let (whole, places) = (in_memory(Arc::clone(&rows)), Arc::new(places));
        let source = Self { file: None, whole, places, columns: x.cols(), bias, scales: None };
        source.check(0, &rows)?;
        Ok(source)
    }

    /// Takes rows in a file, of a table of so many columns.
    pub(crate) fn stored(file: StoredRows, columns: usize, bias: f64, places: Places) -> Self {
        let (file, places) = (Some(Arc::new(file)), Arc::new(places));
        Self { file, whole: Arc::default(), places, columns, bias, scales: None }
    }

    /// Divides each column of the table by its standard deviation, which takes two passes. If rows in a file
    /// cannot be read, the next access to rows returns the error.
    pub(crate) fn scaled(self) -> Self {
        let scales = self.deviations();
        let scales = scales.map(Arc::new).map_err(|why| why.to_string());
        let whole = match (&self.file, self.known(), &scales) {
            (None, Some(rows), Ok(scales)) => in_memory(Arc::new(Rows::clone(rows).divided(scales))),
            _ => Arc::default(),
        };
        Self { whole, scales: Some(scales), ..self }
    }

    /// Returns divisors that scale the columns of the table to a standard deviation of 1; 1 if that is 0.
    fn deviations(&self) -> Result<Vec<f64>, LinearError> {
        let (copies, width) = (self.places.copies(), self.width());
        let count: f64 = copies.iter().map(|&copies| f64::from(copies)).sum();
        let (mut sums, mut squares) = (vec![0.0; width], vec![0.0; width]);
        let mut stored = vec![0_usize; width];
        self.each(|first, rows| {
            for (row, &copies) in copies[first..first + rows.count()].iter().enumerate() {
                let (columns, values) = rows.row(row);
                for (&column, value) in columns.iter().zip(values) {
                    sums[column as usize] += f64::from(copies) * value;
                    stored[column as usize] += copies as usize;
                }
            }
        })?;
        let means: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
        self.each(|first, rows| {
            for (row, &copies) in copies[first..first + rows.count()].iter().enumerate() {
                let (columns, values) = rows.row(row);
                for (&column, value) in columns.iter().zip(values) {
                    squares[column as usize] += f64::from(copies) * (value - means[column as usize]).powi(2);
                }
            }
        })?;
        let of = |at: usize| {
            let zeros = count - stored[at] as f64;
            let deviation = ((squares[at] + zeros * means[at].powi(2)) / count).sqrt();
            if deviation > 1e-14 * means[at].abs() && deviation > 0.0 { deviation } else { 1.0 }
        };
        Ok((0..self.columns).map(of).collect())
    }

    /// Returns the places of the matrix's rows.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the number of rows read so far.
    pub(crate) fn read_so_far(&self) -> u64 {
        match &self.file {
            None => self.places.count() as u64,
            Some(file) => file.rows_read(),
        }
    }

    /// Returns the number of columns, including that of the bias.
    pub(crate) fn width(&self) -> usize {
        self.columns + usize::from(self.bias != 0.0)
    }

    /// Returns the number of values of the row at this place.
    pub(crate) fn length(&self, row: usize) -> usize {
        match (&self.file, self.known()) {
            (Some(file), _) => file.starts()[row + 1] - file.starts()[row] + usize::from(self.bias != 0.0),
            (None, rows) => rows.map_or(0, |rows| rows.row(row).0.len()),
        }
    }

    /// Returns `true` if the rows are in a file and read where they are needed.
    pub(crate) fn is_stored(&self) -> bool {
        self.file.is_some()
    }

    /// Returns `true` if columns are scaled.
    pub(crate) fn is_scaled(&self) -> bool {
        self.scales.is_some()
    }

    /// Returns the divisors of the columns; `None` if they are not scaled.
    ///
    /// # Errors
    /// If rows in a file could not be read.
    pub(crate) fn scales(&self) -> Result<Option<&[f64]>, LinearError> {
        match &self.scales {
            None => Ok(None),
            Some(Ok(scales)) => Ok(Some(scales)),
            Some(Err(why)) => Err(LinearError::Read(why.clone())),
        }
    }

    /// Returns all rows, if they are in memory by now.
    fn known(&self) -> Option<&Arc<Rows>> {
        self.whole.get()?.as_ref().ok()
    }

    /// Returns all rows, in memory, where they stay.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn whole(&self) -> Result<&Rows, LinearError> {
        let read = || match &self.file {
            Some(file) => self.range(file, 0..file.count()).map(Arc::new).map_err(|why| why.to_string()),
            None => Ok(Arc::default()),
        };
        let rows = self.whole.get_or_init(read).as_ref().map_err(|why| LinearError::Read(why.clone()))?;
        if self.file.is_some() {
            self.check(0, rows)?;
        }
        Ok(rows)
    }

    /// Returns the rows in a range of places.
    ///
    /// # Errors
    /// If rows cannot be read, or are too large.
    pub(crate) fn slice(&self, range: Range<usize>) -> Result<RowSlice, LinearError> {
        match (&self.file, self.known()) {
            (Some(file), None) => {
                let rows = self.range(file, range.clone())?;
                self.check(range.start, &rows)?;
                Ok(RowSlice::new(Arc::new(rows), 0..range.len()))
            }
            (_, rows) => Ok(RowSlice::new(rows.cloned().unwrap_or_default(), range)),
        }
    }

    /// Reads the rows in a range of places of a file.
    fn range(&self, file: &StoredRows, range: Range<usize>) -> Result<Rows, LinearError> {
        let scales = self.scales()?.unwrap_or_default();
        let read = file.rows(range).map_err(|why| LinearError::Read(why.to_string()))?;
        Ok(Rows::read(&read, (self.columns, self.bias), scales))
    }

    /// Calls `tell` with all rows, range by range, and the place of each range's first row.
    pub(crate) fn each(&self, mut tell: impl FnMut(usize, &Rows)) -> Result<(), LinearError> {
        let (Some(file), None) = (&self.file, self.known()) else {
            self.known().into_iter().for_each(|rows| tell(0, rows));
            return Ok(());
        };
        let (starts, mut next) = (file.starts(), 0);
        while next < file.count() {
            let first = next;
            next += 1;
            while next < file.count() && starts[next + 1] - starts[first] <= TOGETHER {
                next += 1;
            }
            tell(first, &self.range(file, first..next)?);
        }
        Ok(())
    }

    /// Returns the sum of all rows, each times its factor, in one pass.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn sum(&self, factors: &[f64]) -> Result<Vec<f64>, LinearError> {
        let mut out = vec![0.0; self.width()];
        self.each(|first, rows| {
            add_rows(rows.view(), &factors[first..first + rows.count()], &mut out);
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
