//! [`ColumnShard`]: a range of columns with their coefficients, and this shard's part of the working set.

use std::ops::Range;
use std::sync::Arc;

use raddle::Task;
use raddle::state::{Learned, Reader, StateError, Writer};

use super::coordinate_step::CoordinateStep;
use super::gram_tiles::GramTiles;
use super::messages::{EnteringColumn, Move, Phase};
use crate::data::columns::Columns;
use crate::data::correlation::{ColumnSketch, Correlator};
use crate::data::design::{Column, Design, View};
use crate::error::LassoError;
use crate::loss::row_state::RowState;
use crate::working_set::LazyBounds;
use raddle_kernels::algebra::{self as kernels, OUTSIDE};

/// The columns `first..first + coefficients.len()` with their coefficients.
#[derive(Debug, Clone)]
pub struct ColumnShard {
    /// Within a process all shards point to one matrix; a shard that was sent owns its columns.
    design: Arc<Design>,
    /// The place of the first column in `design`.
    offset: usize,
    pub(crate) first: u32,
    pub(crate) coefficients: Vec<f64>,
    /// Squared norms of the columns; empty until a certificate needs them.
    pub(crate) norms: Vec<f64>,
    /// x_j'r at the last certificate.
    pub(crate) gradient: Vec<f64>,
    /// Bounds on x_j'r from earlier residuals, in a lazy certificate. They only save work: without them every
    /// product is computed, with the same result.
    pub(crate) bounds: Option<LazyBounds>,
    /// The slot of each column in the working set.
    pub(crate) slots: Vec<u32>,
    pub(crate) part: GramTiles,
}

impl ColumnShard {
    /// A shard of a range of the run's columns, with the coefficients to start from.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(crate) fn of(
        columns: &Columns,
        range: Range<usize>,
        part: GramTiles,
        coefficients: &[(u32, f64)],
    ) -> Result<Self, LassoError> {
        let (design, offset) = columns.range(range.clone())?;
        let mut shard = Self::new(&design, offset..offset + range.len(), part);
        shard.first = range.start as u32;
        shard.set(coefficients);
        Ok(shard)
    }

    /// Drops the columns and keeps only their number.
    pub(crate) fn drop_training_data(&mut self) {
        let starts = vec![0; self.coefficients.len() + 1];
        let (indices, values, shift) = (Vec::new(), Vec::new(), Vec::new());
        self.design = Arc::new(Design::Sparse { rows: 0, starts, indices, values, shift });
        (self.offset, self.bounds, self.part) = (0, None, GramTiles::default());
    }

    fn new(design: &Arc<Design>, range: Range<usize>, part: GramTiles) -> Self {
        Self {
            design: Arc::clone(design),
            offset: range.start,
            first: range.start as u32,
            coefficients: vec![0.0; range.len()],
            norms: Vec::new(),
            gradient: vec![0.0; range.len()],
            bounds: None,
            slots: vec![OUTSIDE; range.len()],
            part,
        }
    }

    pub(crate) fn view(&self, at: usize) -> View<'_> {
        self.design.view(self.offset + at)
    }

    fn column(&self, at: usize) -> Column {
        Column::new(&self.design, self.offset + at)
    }

    /// Returns the position of a variable in this shard, if it is here.
    pub(crate) fn position(&self, variable: u32) -> Option<usize> {
        let at = variable.checked_sub(self.first)? as usize;
        (at < self.coefficients.len()).then_some(at)
    }

    /// Computes the coordinate minimisers of the task's variables, all from the same residual. They are exact
    /// for the squared loss (Friedman et al., "Pathwise coordinate optimization", 2007, eq. 9; with a ridge,
    /// Friedman, Hastie and Tibshirani, "Regularization paths for generalized linear models via coordinate
    /// descent", 2010, eq. 5; here for columns of any norm). For smooth losses they minimise a quadratic
    /// upper bound.
    pub(crate) fn moves(
        &mut self,
        task: &Task<Phase>,
        rows: &RowState,
        step: CoordinateStep<'_>,
    ) -> Vec<Move> {
        let mut moves = Vec::with_capacity(task.variables.len());
        for &variable in &task.variables {
            let Some(at) = self.position(variable) else { continue };
            let (before, norm) = (self.coefficients[at], self.norms[at]);
            if norm <= 0.0 {
                continue;
            }
            let slope = self.view(at).dot(&rows.residual, rows.sum);
            let after = step.after(variable as usize, slope, before, norm, self.view(at));
            let delta = after - before;
            if delta != 0.0 {
                self.coefficients[at] = after;
            }
            moves.push(Move {
                variable,
                delta,
                distance: delta.abs() * norm.sqrt(),
                column: self.column(at),
            });
        }
        moves
    }

    /// Returns the task's columns that are here, with their positions.
    fn named<'a>(&'a self, task: &'a Task<Phase>) -> impl Iterator<Item = (u32, usize)> + 'a {
        task.variables.iter().filter_map(|&variable| Some((variable, self.position(variable)?)))
    }

    /// Returns sketches of the columns that the task names, of all rows or a sample of them.
    pub(crate) fn sketches(&self, task: &Task<Phase>, by: Correlator) -> Vec<(u32, ColumnSketch)> {
        self.named(task).map(|(variable, at)| (variable, by.sketch(self.column(at)))).collect()
    }

    /// Returns those of `variables` that are here, to enter the working set.
    pub(crate) fn entering(&self, variables: &[u32], y: &[f64]) -> Vec<EnteringColumn> {
        let sum = y.iter().sum();
        let mut entering = Vec::with_capacity(variables.len());
        entering.extend(variables.iter().filter_map(|&variable| self.entering_column(variable, y, sum)));
        entering
    }

    /// Returns a column to enter the working set; `sum` is the sum of the response.
    fn entering_column(&self, variable: u32, y: &[f64], sum: f64) -> Option<EnteringColumn> {
        let at = self.position(variable)?;
        Some(EnteringColumn {
            variable,
            coefficient: self.coefficients[at],
            response: if y.is_empty() { 0.0 } else { self.view(at).dot(y, sum) },
            gradient: self.gradient[at],
            column: self.column(at),
        })
    }

    /// Computes the squared norms of the columns over all rows, weighted if there are weights.
    pub(crate) fn measure(&mut self, rows: usize, weights: Option<&[f64]>) {
        let norm = |at: usize| match weights {
            None => self.view(at).sum_squares(rows),
            Some(weights) => self.view(at).weighed(weights).0,
        };
        self.norms = (0..self.coefficients.len()).map(norm).collect();
    }

    /// Returns (column, coefficient) of the nonzero coefficients.
    pub(crate) fn nonzeros(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        (self.first..)
            .zip(&self.coefficients)
            .filter(|(_, value)| **value != 0.0)
            .map(|(j, value)| (j, *value))
    }

    /// Computes x_j'r of every column here.
    pub(crate) fn pass(&mut self, residual: &[f64], sum: f64) {
        let range = self.offset..self.offset + self.coefficients.len();
        match &*self.design {
            Design::Dense { rows, values } => {
                kernels::pass(&values[range.start * rows..range.end * rows], residual, &mut self.gradient);
            }
            Design::Sparse { starts, indices, values, shift, .. } => {
                let columns = kernels::SparseColumns {
                    starts: &starts[range.start..=range.end],
                    rows: indices,
                    values,
                };
                kernels::sparse_pass(columns, residual, &mut self.gradient);
                for (gradient, shift) in self.gradient.iter_mut().zip(shift.get(range).unwrap_or(&[])) {
                    *gradient -= shift * sum;
                }
            }
            Design::Classes(_) => {
                for (at, gradient) in range.zip(&mut self.gradient) {
                    *gradient = self.design.view(at).dot(residual, sum);
                }
            }
        }
    }

    /// Records the slots that columns here were given in the working set. Without a Gram, the shard keeps no
    /// part of it.
    pub(crate) fn admit(&mut self, first_slot: u32, variables: &[u32], has_gram: bool) {
        if !has_gram {
            self.part = GramTiles::default();
        }
        for (slot, &variable) in (first_slot..).zip(variables) {
            if let Some(at) = self.position(variable) {
                self.slots[at] = slot;
            }
        }
    }

    /// Sets coefficients of columns here.
    pub(crate) fn set(&mut self, coefficients: &[(u32, f64)]) {
        for &(variable, value) in coefficients {
            if let Some(at) = self.position(variable) {
                self.coefficients[at] = value;
            }
        }
    }

    /// Writes the state that the data do not determine: positions and values of nonzero coefficients. A
    /// negative zero counts as nonzero.
    pub(crate) fn save_state(&self, out: &mut Learned<Writer>) {
        let learned = (0u32..).zip(&self.coefficients).filter(|(_, value)| value.to_bits() != 0);
        let (places, values): (Vec<u32>, Vec<f64>) = learned.unzip();
        out.write(&places);
        out.write(&values);
    }

    pub(crate) fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        let (places, values): (Vec<u32>, Vec<f64>) = (from.read()?, from.read()?);
        let inside = places.last().is_none_or(|&last| (last as usize) < self.coefficients.len());
        if !inside || !places.is_sorted_by(|a, b| a < b) || places.len() != values.len() {
            return Err(StateError::new("the coefficients of as many columns"));
        }
        self.coefficients.fill(0.0);
        for (&at, &value) in places.iter().zip(&values) {
            self.coefficients[at as usize] = value;
        }
        Ok(())
    }
}

impl raddle::State for ColumnShard {
    fn save(&self, out: &mut Writer) {
        self.design.save_range(self.offset..self.offset + self.coefficients.len(), out);
        out.write(&self.first);
        out.write(&self.coefficients);
        out.write(&self.norms);
        out.write(&self.gradient);
        out.write(&self.slots);
        out.write(&self.part);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let design: Design = from.read()?;
        let count = design.columns();
        let mut shard = Self::new(&Arc::new(design), 0..count, GramTiles::default());
        shard.first = from.read()?;
        let (coefficients, norms): (Vec<f64>, Vec<f64>) = (from.read()?, from.read()?);
        let (gradient, slots): (Vec<f64>, Vec<u32>) = (from.read()?, from.read()?);
        let known = norms.is_empty() || norms.len() == count;
        if coefficients.len() != count || gradient.len() != count || slots.len() != count || !known {
            return Err(StateError::new("the coefficients of as many columns"));
        }
        (shard.coefficients, shard.norms, shard.gradient, shard.slots) =
            (coefficients, norms, gradient, slots);
        shard.part = from.read()?;
        Ok(shard)
    }
}

#[cfg(test)]
mod tests {
    use raddle::state::to_bytes;

    use super::*;

    fn shard() -> ColumnShard {
        let design = Design::Dense { rows: 1, values: vec![1.0; 5] };
        ColumnShard::new(&Arc::new(design), 0..5, GramTiles::default())
    }

    #[test]
    fn coefficients_are_recalled_bit_for_bit() {
        let mut learned = shard();
        learned.coefficients = vec![0.0, -0.0, 1.5, 0.0, -f64::MIN_POSITIVE];
        let mut out = Learned::default();
        learned.save_state(&mut out);
        let bytes = out.into_bytes();
        let mut other = shard();
        other.coefficients = vec![9.0; 5];
        other.load_state(&mut Learned::of(&bytes)).unwrap();
        assert_eq!(to_bytes(&other.coefficients), to_bytes(&learned.coefficients));
    }

    #[test]
    fn what_names_no_columns_in_rising_order_is_refused() {
        let load_state = |places: &[u32], values: &[f64]| {
            let mut out = Learned::default();
            out.write(&places.to_vec());
            out.write(&values.to_vec());
            shard().load_state(&mut Learned::of(&out.into_bytes()))
        };
        let refused = Err(StateError::new("the coefficients of as many columns"));
        for (what, places, values) in [
            ("a column beyond the last", &[1, 5][..], &[1.0, 2.0][..]),
            ("a falling order", &[3, 1], &[1.0, 2.0]),
            ("a column twice", &[1, 1], &[1.0, 2.0]),
            ("a value too few", &[1, 3], &[1.0]),
            ("a value too many", &[1], &[1.0, 2.0]),
        ] {
            assert_eq!(load_state(places, values), refused, "{what}");
        }
        assert_eq!(load_state(&[1, 4], &[1.0, 2.0]), Ok(()));
        assert_eq!(load_state(&[], &[]), Ok(()));
    }
}
