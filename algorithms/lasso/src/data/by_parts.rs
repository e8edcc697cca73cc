//! [`ByParts`]: columns in a file, prepared as they are read, with the same bytes as if all were prepared in
//! memory.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::cast_slice;
use raddle_datasets::StoredTable;

use super::classes::Classes;
use super::design::Design;
use super::prepare::{Centring, Measured, Prepared, longer};
use crate::error::LassoError;

/// Approximate number of values that a pass over the columns holds in memory.
const TOGETHER: usize = if cfg!(test) { 50 } else { 1 << 20 };

/// Version of the formulas for numbers made from all columns. Change it with the formulas, as files with such
/// numbers may be older than the program.
const FORMULAS: &[u8] = concat!("lasso ", env!("CARGO_PKG_VERSION"), ", formulas 1").as_bytes();

/// Columns in a file, and how they are prepared when they are read.
#[derive(Debug, Clone)]
pub(crate) struct ByParts {
    stored: Arc<StoredTable>,
    how: Centring,
    /// The sets of weights by which the rows are weighted, one set after another.
    weights: Vec<Arc<Vec<f64>>>,
    /// The table's column at each place; empty if the columns are in the table's order.
    order: Arc<[u32]>,
    /// Factor of each column after centring; empty for 1.
    units: Arc<[f64]>,
    /// Number of classes for which each column is then repeated; 0 for none.
    classes: usize,
}

impl ByParts {
    pub(crate) fn new(stored: Arc<StoredTable>, how: Centring) -> Self {
        let (weights, order, units) = (Vec::new(), Arc::default(), Arc::default());
        Self { stored, how, weights, order, units, classes: 0 }
    }

    /// Returns the columns with rows weighted.
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
        self.how.is_sparse && self.classes == 0
    }

    pub(super) fn cost(&self, j: usize) -> usize {
        self.stored_range(j / self.classes.max(1)).map_or(self.rows(), |range| range.len())
    }

    /// Returns the range of the stored values of the column at a place, before classes; `None` if all rows
    /// have a value.
    fn stored_range(&self, at: usize) -> Option<Range<usize>> {
        if !self.how.is_sparse {
            return None;
        }
        let (column, starts) = (self.order.get(at).map_or(at, |&j| j as usize), self.stored.starts());
        // A column that is left out stores nothing.
        let is_out = self.units.get(at) == Some(&0.0);
        Some(starts[column]..starts[if is_out { column } else { column + 1 }])
    }

    /// Splits the columns of the table into ranges of about as many values.
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

    /// Returns numbers computed from all columns as they are here. One of the processes that share the table
    /// computes and stores them, so that the others need not read it. `more` is what else the numbers depend
    /// on.
    fn made_once(
        &self,
        what: &str,
        more: &[u8],
        make: impl FnOnce() -> Result<Vec<f64>, LassoError>,
    ) -> Result<Vec<f64>, LassoError> {
        let (how, classes) = (self.how.flags(), (self.classes as u64).to_le_bytes());
        let mut of = vec![FORMULAS, what.as_bytes(), &how, &classes, more];
        of.extend([cast_slice::<u32, u8>(&self.order), cast_slice::<f64, u8>(&self.units)]);
        of.extend(self.weights.iter().map(|weights| cast_slice::<f64, u8>(weights)));
        self.stored.made_once(&of, make)
    }

    /// Returns the number of bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.stored.bytes_read()
    }

    /// Returns centers, scales and the longest norm of the table's columns as prepared.
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

    /// Returns columns of the table as prepared, with their centers and scales.
    fn prepared(&self, range: Range<usize>) -> Result<Prepared, LassoError> {
        let first = range.start;
        let mut prepared = Prepared::of(self.stored.columns(range)?, self.how, first)?;
        for weights in &self.weights {
            prepared.weigh(weights, self.how, first)?;
        }
        Ok(prepared)
    }

    /// Reads the columns of a range.
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

    /// Reads the columns of a range, before they are repeated for classes.
    fn whole(&self, range: Range<usize>) -> Result<Design, LassoError> {
        let design = match &self.order[..] {
            [] => self.prepared(range.clone())?.design,
            order => {
                let mut designs = Vec::new();
                // Columns of a group often follow each other, and are read together.
                for run in order[range.clone()].chunk_by(|a, b| a + 1 == *b) {
                    let first = run[0] as usize;
                    designs.push(self.prepared(first..first + run.len())?.design);
                }
                Design::joined(self.rows(), self.how.is_sparse, designs)
            }
        };
        Ok(match self.units.get(range) {
            Some(units) if !self.units.is_empty() => design.scaled(units),
            _ => design,
        })
    }

    /// Returns x_j'r of every column.
    pub(super) fn products(&self, residual: &[f64]) -> Result<Vec<f64>, LassoError> {
        self.made_once("products", cast_slice(residual), || {
            let mut products = Vec::with_capacity(self.columns());
            for range in self.chunks() {
                products.append(&mut self.read(range)?.products(residual));
            }
            Ok(products)
        })
    }

    /// Returns the rows of every `step`-th stored value.
    pub(super) fn sampled_rows(&self, step: usize) -> Result<Vec<u32>, LassoError> {
        let rows = self.made_once("rows", &(step as u64).to_le_bytes(), || {
            Ok(self.every(step)?.into_iter().map(f64::from).collect())
        })?;
        // Rows are whole numbers of 32 bits.
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
