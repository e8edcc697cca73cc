//! [`StoredProblem`]: rows in a file, of which ranges are read where they are needed.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use raddle_datasets::StoredRows;

use super::rows::{Rows, deviations};
use crate::error::LinearError;

/// Approximate number of values in memory at once during a pass over all rows.
const TOGETHER: usize = 1 << 20;

/// Rows in a file by their places; bias and scaling are applied as they are read.
#[derive(Debug)]
pub(crate) struct StoredProblem {
    file: Arc<StoredRows>,
    /// Number of columns of the table.
    columns: usize,
    bias: f64,
    /// Divisors of the columns, if these are scaled; or why they could not be computed.
    scales: Option<Result<Arc<Vec<f64>>, String>>,
    whole: OnceLock<Result<Rows, String>>,
}

impl StoredProblem {
    pub(crate) fn new(file: StoredRows, columns: usize, bias: f64) -> Self {
        Self { file: Arc::new(file), columns, bias, scales: None, whole: OnceLock::new() }
    }

    /// Returns the rows with columns divided by their standard deviations, which takes two passes. Each row
    /// counts as often as `copies` says.
    pub(crate) fn scaled(&self, copies: &[u32]) -> Self {
        let Self { file, columns, bias, .. } = self;
        let plain = Self {
            file: Arc::clone(file),
            columns: *columns,
            bias: *bias,
            scales: None,
            whole: OnceLock::new(),
        };
        let scales = deviations(*columns, self.width(), copies, |tell| plain.each(tell));
        let scales = scales.map(Arc::new).map_err(|why| why.to_string());
        Self { scales: Some(scales), ..plain }
    }

    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.file.count()
    }

    /// Returns the number of columns, including that of the bias.
    pub(crate) fn width(&self) -> usize {
        self.columns + usize::from(self.bias != 0.0)
    }

    /// Returns the number of values of the row at this place.
    pub(crate) fn length(&self, row: usize) -> usize {
        let starts = self.file.starts();
        starts[row + 1] - starts[row] + usize::from(self.bias != 0.0)
    }

    /// Returns the number of rows read so far.
    pub(crate) fn rows_read(&self) -> u64 {
        self.file.rows_read()
    }

    /// Returns `true` if columns are scaled.
    pub(crate) fn is_scaled(&self) -> bool {
        self.scales.is_some()
    }

    /// Returns the divisors of the columns; `None` if they are not scaled.
    pub(crate) fn scales(&self) -> Result<Option<&Arc<Vec<f64>>>, LinearError> {
        match &self.scales {
            None => Ok(None),
            Some(Ok(scales)) => Ok(Some(scales)),
            Some(Err(why)) => Err(LinearError::Read(why.clone())),
        }
    }

    /// Reads the rows in a range of places.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn range(&self, range: Range<usize>) -> Result<Rows, LinearError> {
        let scales = self.scales()?.map_or(&[][..], |scales| scales);
        let read = self.file.rows(range).map_err(|why| LinearError::Read(why.to_string()))?;
        Ok(Rows::read(&read, (self.columns, self.bias), scales))
    }

    /// Reads all rows, which stay in memory.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn whole(&self) -> Result<&Rows, LinearError> {
        let read = || self.range(0..self.count()).map_err(|why| why.to_string());
        self.whole.get_or_init(read).as_ref().map_err(|why| LinearError::Read(why.clone()))
    }

    /// Calls `tell` with all rows, range by range, and the place of each range's first row.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(crate) fn each(&self, mut tell: impl FnMut(usize, &Rows)) -> Result<(), LinearError> {
        if let Some(Ok(whole)) = self.whole.get() {
            tell(0, whole);
            return Ok(());
        }
        let (starts, mut next) = (self.file.starts(), 0);
        while next < self.count() {
            let first = next;
            next += 1;
            while next < self.count() && starts[next + 1] - starts[first] <= TOGETHER {
                next += 1;
            }
            tell(first, &self.range(first..next)?);
        }
        Ok(())
    }
}
