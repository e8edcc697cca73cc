//! [`ByParts`]: columns in a file, which are prepared as they are read, with the bytes that the whole would
//! have.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::cast_slice;
use raddle_datasets::StoredTable;

use super::classes::Classes;
use super::design::Design;
use super::prepare::{Centring, Measured, Prepared, longer};
use crate::error::LassoError;

/// Values that one pass over the columns has in memory at once, about.
const TOGETHER: usize = if cfg!(test) { 50 } else { 1 << 20 };

/// Formulas by which numbers are made of all columns, as files of them may be older than a program: to be
/// changed with them.
const FORMULAS: &[u8] = concat!("lasso ", env!("CARGO_PKG_VERSION"), ", formulas 1").as_bytes();

/// Columns in a file, and what is made of them when they are read.
#[derive(Debug, Clone)]
pub(crate) struct ByParts {
    stored: Arc<StoredTable>,
    how: Centring,
    /// Prepared columns are sparse.
    is_sparse: bool,
    /// The weights that the rows were given, one set after the other.
    weights: Vec<Arc<Vec<f64>>>,
    /// Which column of the table each is; empty where they stand as they are.
    order: Arc<[u32]>,
    /// Factor of each column after centring; empty for 1.
    units: Arc<[f64]>,
    /// Into how many classes each is then divided; 0 for none.
    classes: usize,
}

impl ByParts {
    pub(crate) fn new(stored: Arc<StoredTable>, how: Centring, is_sparse: bool) -> Self {
        let (weights, order, units) = (Vec::new(), Arc::default(), Arc::default());
        Self { stored, how, is_sparse, weights, order, units, classes: 0 }
    }

    /// The columns with rows weighted.
    pub(crate) fn weighted(&self, weights: &Arc<Vec<f64>>) -> Self {
        let mut parts = self.clone();
        parts.weights.push(Arc::clone(weights));
        parts
    }

    pub(super) fn in_units(&self, order: &[u32], units: &[f64]) -> Self {
        Self { order: order.into(), units: units.into(), ..self.clone() }
    }

    pub(super) fn of_classes(&self, classes: usize) -> Self {
        Self { classes, ..self.clone() }
    }

    pub(super) fn rows(&self) -> usize {
        self.stored.rows()
    }

    pub(super) fn columns(&self) -> usize {
        self.stored.cols() * self.classes.max(1)
    }

    pub(super) fn is_sparse(&self) -> bool {
        self.is_sparse && self.classes == 0
    }

    pub(super) fn cost(&self, j: usize) -> usize {
        self.stored_range(j / self.classes.max(1)).map_or(self.rows(), |range| range.len())
    }

    /// Where the values lie of the column at a place, classes aside; `None` where all rows have one.
    fn stored_range(&self, at: usize) -> Option<Range<usize>> {
        if !self.is_sparse {
            return None;
        }
        let (column, starts) = (self.order.get(at).map_or(at, |&j| j as usize), self.stored.starts());
        // Nothing is stored of a column that is left out.
        let is_out = self.units.get(at) == Some(&0.0);
        Some(starts[column]..starts[if is_out { column } else { column + 1 }])
    }

    /// The columns of the table in parts of about as many values.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let count = self.columns();
        let mut next = 0;
        std::iter::from_fn(move || {
            let (start, mut values) = (next, 0);
            while next < count && (next == start || values + self.cost(next) <= TOGETHER) {
                values += self.cost(next);
                next += 1;
            }
            (start < next).then_some(start..next)
        })
    }

    /// Numbers made of all columns as they are here: by one of the processes that share the table, which the
    /// others then need not read. `more` is what else they depend on.
    fn made_once(
        &self,
        what: &str,
        more: &[u8],
        make: impl FnOnce() -> Result<Vec<f64>, LassoError>,
    ) -> Result<Vec<f64>, LassoError> {
        let how = [self.how.flags(), u8::from(self.is_sparse)];
        let classes = (self.classes as u64).to_le_bytes();
        let mut of = vec![FORMULAS, what.as_bytes(), &how, &classes, more];
        of.extend([cast_slice::<u32, u8>(&self.order), cast_slice::<f64, u8>(&self.units)]);
        of.extend(self.weights.iter().map(|weights| cast_slice::<f64, u8>(weights)));
        self.stored.made_once(&of, make)
    }

    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.stored.bytes_read()
    }

    /// Centers, scales and the longest norm of the table's columns as prepared.
    ///
    /// # Errors
    /// If they cannot be read, or fitted.
    pub(crate) fn measured(&self) -> Result<Measured, LassoError> {
        let numbers = self.made_once("measured", &[], || Ok(self.pass()?.to_numbers()))?;
        Measured::of_numbers(&numbers).map_or_else(|| self.pass(), Ok)
    }

    fn pass(&self) -> Result<Measured, LassoError> {
        let mut all = Measured::default();
        for range in self.chunks() {
            let mut some = self.prepared(range)?.measured;
            all.centers.append(&mut some.centers);
            all.scales.append(&mut some.scales);
            all.longest = longer(all.longest, some.longest.0, some.longest.1);
        }
        Ok(all)
    }

    /// Columns of the table as prepared, with what was done to them.
    fn prepared(&self, range: Range<usize>) -> Result<Prepared, LassoError> {
        let first = range.start;
        let mut prepared = Prepared::of(self.stored.columns(range)?, self.how, self.is_sparse, first)?;
        for weights in &self.weights {
            prepared.weigh(weights, self.how, first)?;
        }
        Ok(prepared)
    }

    /// The columns of a range.
    pub(super) fn read(&self, range: Range<usize>) -> Result<Design, LassoError> {
        if self.classes == 0 {
            return self.whole(range);
        }
        let from = range.start / self.classes;
        let to = range.end.div_ceil(self.classes).max(from);
        let of = Arc::new(self.whole(from..to)?);
        let first = range.start - from * self.classes;
        Ok(Design::Classes(Classes { of, count: self.classes, first, columns: range.len() }))
    }

    /// The columns of a range, classes aside.
    fn whole(&self, range: Range<usize>) -> Result<Design, LassoError> {
        let design = match &self.order[..] {
            [] => self.prepared(range.clone())?.design,
            order => {
                let mut designs = Vec::new();
                // Those of a group often follow each other.
                for run in order[range.clone()].chunk_by(|a, b| a + 1 == *b) {
                    let first = run[0] as usize;
                    designs.push(self.prepared(first..first + run.len())?.design);
                }
                Design::joined(self.rows(), self.is_sparse, designs)
            }
        };
        Ok(match self.units.get(range) {
            Some(units) if !self.units.is_empty() => design.scaled(units),
            _ => design,
        })
    }

    /// x_j'r of every column.
    pub(super) fn products(&self, residual: &[f64]) -> Result<Vec<f64>, LassoError> {
        self.made_once("products", cast_slice(residual), || {
            let mut products = Vec::with_capacity(self.columns());
            for range in self.chunks() {
                products.append(&mut self.read(range)?.products(residual));
            }
            Ok(products)
        })
    }

    /// The rows of every `step`-th stored value.
    pub(super) fn sampled_rows(&self, step: usize) -> Result<Vec<u32>, LassoError> {
        let rows = self.made_once("rows", &(step as u64).to_le_bytes(), || {
            Ok(self.every(step)?.into_iter().map(f64::from).collect())
        })?;
        // They are whole numbers of 32 bits.
        Ok(rows.into_iter().map(|row| row as u32).collect())
    }

    fn every(&self, step: usize) -> Result<Vec<u32>, LassoError> {
        let (mut places, mut before, mut next) = (Vec::new(), 0, 0);
        for range in (0..self.columns()).filter_map(|at| self.stored_range(at)) {
            while next < before + range.len() {
                places.push(range.start + next - before);
                next += step;
            }
            before += range.len();
        }
        places.sort_unstable();
        Ok(self.stored.rows_at(&places)?)
    }
}
