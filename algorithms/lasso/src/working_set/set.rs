//! [`WorkingSet`]: members, Gram and coefficients; it grows by tiles and is solved in place.

use raddle::fork_join;
use raddle::state::StateError;

use super::alternate::{Limit, MOST_EPOCHS};
use super::compact::Compact;
use super::factor::{Factor, FactorCheckpoint};
use super::homotopy::{Homotopy, MOST_MEMBERS};
use super::inner;
use super::local::{Local, LocalProblem, ObjectiveGap, Slot};
use super::symmetric::{MOVING, STRIP, Symmetric};
use super::with_terms::with_terms;
use crate::penalties::Terms;
use raddle_kernels::algebra::dot;

/// From this many members on, the solve runs on a compact Gram of those that matter. Below, a second matrix
/// costs more, as memory touched for the first time, than its shorter rows save.
const TWO_LEVELS: usize = 1000;

/// The working set: its columns, their Gram, and their coefficients.
///
/// One round: [`enter`](Self::enter) the new members, [`add_tile`](Self::add_tile) their Gram rows,
/// [`finish_gram`](Self::finish_gram), [`set_gradient`](Self::set_gradient) from the full pass,
/// [`solve`](Self::solve), read [`coefficients`](Self::coefficients).
#[derive(Clone, Debug, Default)]
pub struct WorkingSet {
    /// Column of each slot.
    pub(crate) members: Vec<u32>,
    pub(crate) whole: Local,
    /// The Gram is complete for slots before this one.
    pub(crate) complete: usize,
    /// |x_j|^2 of the slots before `complete`; the diagonal adds the ridge.
    norms: Vec<f64>,
    ridge: f64,
    /// Penalties of the members.
    terms: Terms,
    /// `true` if there is no Gram and the set is solved by its columns.
    is_bare: bool,
    compact: Compact,
    factor: Factor,
    homotopy: Homotopy,
}

raddle::state!(WorkingSet {
    members,
    whole,
    complete,
    norms,
    ridge,
    terms,
    is_bare,
    compact,
    factor,
    homotopy
});

/// Checkpoint of a set, without its members: the Gram and its factors follow from their columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetCheckpoint {
    ridge: f64,
    /// The homotopy of a small set: its inverse is the product of many changes, and cannot be recomputed with
    /// the same bits.
    homotopy: Homotopy,
    /// The factor of a set of middle size.
    factor: FactorCheckpoint,
    /// The compact set of a large set.
    compact: (Vec<Slot>, FactorCheckpoint),
}

raddle::state!(SetCheckpoint { ridge, homotopy, factor, compact });

/// Report of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Objective and gap over the members only.
    pub measure: ObjectiveGap,
    /// `true` if the gap is within the target.
    pub reached: bool,
    /// Number of nonzero coefficients.
    pub support: usize,
}

/// Adds values to a row at the columns `slots`, as far as the row reaches; `run` is the first slot, if they
/// are adjacent.
fn add_row(row: &mut [f64], slots: &[u32], run: Option<u32>, values: &[f64]) {
    if let Some(start) = run {
        let start = (start as usize).min(row.len());
        for (element, value) in row[start..].iter_mut().zip(values) {
            *element += value;
        }
    } else {
        for (&j, value) in slots.iter().zip(values) {
            if let Some(element) = row.get_mut(j as usize) {
                *element += value;
            }
        }
    }
}

impl WorkingSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True without members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Column of each slot.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Coefficient of each slot.
    pub fn coefficients(&self) -> &[f64] {
        &self.whole.b
    }

    /// Returns row `slot` of the Gram, complete up to the last [`finish_gram`](Self::finish_gram).
    pub fn gram_row(&self, slot: usize) -> &[f64] {
        self.whole.gram.row(slot)
    }

    /// Number of nonzero coefficients.
    pub fn support(&self) -> usize {
        self.whole.b.iter().filter(|&&b| b != 0.0).count()
    }

    /// Appends members: column, q = x_j'y, and the coefficient to start from. Returns the first new slot.
    ///
    /// Set their gradients before the next solve.
    pub fn enter(&mut self, members: impl IntoIterator<Item = (u32, f64, f64)>) -> usize {
        let first = self.members.len();
        for (member, q, b) in members {
            self.members.push(member);
            self.whole.q.push(q);
            self.whole.b.push(b);
        }
        self.whole.g.resize(self.members.len(), 0.0);
        if !self.is_bare {
            self.whole.gram.grow(self.members.len());
        }
        first
    }

    /// Drops the Gram, everything computed from it, and their memory, for good: the set is then solved by its
    /// columns.
    pub(crate) fn bare(&mut self) {
        self.is_bare = true;
        self.whole.gram = Symmetric::default();
        (self.complete, self.norms) = (0, Vec::new());
        self.compact = Compact::default();
        self.factor = Factor::default();
        self.homotopy = Homotopy::default();
    }

    /// `true` if the set has no Gram.
    pub(crate) fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Returns the coefficients for a solver that works on the columns.
    pub(crate) fn coefficients_mut(&mut self) -> &mut [f64] {
        &mut self.whole.b
    }

    /// Adds to the Gram: row `from + i`, columns `slots`, by `values[i * slots.len()..]`; elements right of
    /// the diagonal are ignored. Tiles of row pieces are added in the order of the pieces.
    pub fn add_tile(&mut self, from: usize, slots: &[u32], values: &[f64]) {
        self.add_tiles(&[(from, slots, values)]);
    }

    /// Like [`add_tile`](Self::add_tile), for several tiles on all threads by [`fork_join`].
    pub fn add_tiles(&mut self, tiles: &[(usize, &[u32], &[f64])]) {
        let Some(first) = tiles.iter().map(|&(from, _, _)| from).min() else { return };
        let is_run = |slots: &[u32]| slots.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let run = |slots: &[u32]| slots.first().copied().filter(|_| is_run(slots));
        let runs: Vec<Option<u32>> = tiles.iter().map(|(_, slots, _)| run(slots)).collect();
        let (members, stride) = (self.members.len(), self.whole.gram.stride.max(1));
        let rows = self.whole.gram.values.get_mut(first * stride..members * stride).unwrap_or(&mut []);
        let cost = MOVING * tiles.iter().map(|(_, _, values)| values.len()).sum::<usize>();
        fork_join::each(
            cost as u64,
            (first..).step_by(STRIP).zip(rows.chunks_mut(STRIP * stride)),
            |(start, rows)| {
                for (&(from, slots, values), &run) in tiles.iter().zip(&runs) {
                    let tile = (from..).zip(values.chunks_exact(slots.len().max(1)));
                    let here = tile.skip(start.saturating_sub(from)).take_while(|&(i, _)| i < start + STRIP);
                    for (i, values) in here.filter(|&(i, _)| i < members) {
                        add_row(&mut rows[(i - start) * stride..][..=i], slots, run, values);
                    }
                }
            },
        );
    }

    /// Returns the rows of the Gram from `first` on and their stride, to be written left of and on the
    /// diagonal in place of [`add_tile`](Self::add_tile): element (i, j) is at `(i - first) * stride + j`.
    /// The elements start as zeros.
    pub fn gram_rows_mut(&mut self, first: usize) -> (&mut [f64], usize) {
        let stride = self.whole.gram.stride;
        (&mut self.whole.gram.values[(first * stride)..], stride)
    }

    /// Declares the rows of all members complete: the other triangle is filled in.
    pub fn finish_gram(&mut self) {
        for i in self.complete..self.members.len() {
            let norm = &mut self.whole.gram.row_mut(i)[i];
            self.norms.push(*norm);
            *norm += self.ridge * self.terms.ridge(i);
        }
        self.whole.gram.mirror(self.complete);
        self.complete = self.members.len();
    }

    /// Adds R |b|^2 / 2 to F, with R = `ridge` >= 0 in place of the previous R: the Gram's diagonal gains R.
    /// Set the gradient to X'r - R b afterwards.
    pub fn set_ridge(&mut self, ridge: f64) {
        if ridge == self.ridge {
            return;
        }
        self.ridge = ridge;
        for (i, norm) in self.norms.iter().enumerate() {
            self.whole.gram.row_mut(i)[i] = norm + ridge * self.terms.ridge(i);
        }
        self.compact.clear();
        self.factor.clear();
        self.homotopy.clear();
    }

    /// Sets g = X'r of all members from a full pass, as g accumulates rounding errors while the solver works
    /// on it.
    pub fn set_gradient(&mut self, g: &[f64]) {
        self.whole.g.clear();
        self.whole.g.extend_from_slice(g);
        self.whole.g.resize(self.members.len(), 0.0);
    }

    /// Returns the checkpoint, without the members: only the parts that the solver of a set of this size
    /// still uses.
    pub(crate) fn checkpoint(&self) -> SetCheckpoint {
        let (mut checkpoint, size) =
            (SetCheckpoint { ridge: self.ridge, ..SetCheckpoint::default() }, self.members.len());
        if self.is_bare {
            return checkpoint;
        }
        if size <= MOST_MEMBERS {
            checkpoint.homotopy = self.homotopy.clone();
        }
        if size < TWO_LEVELS {
            checkpoint.factor = self.factor.checkpoint();
        } else {
            checkpoint.compact = self.compact.checkpoint();
        }
        checkpoint
    }

    /// Restores a checkpoint, once the members have entered again in the same order and their Gram is
    /// complete.
    ///
    /// # Errors
    /// If the checkpoint belongs to other members.
    pub(crate) fn restore(&mut self, checkpoint: SetCheckpoint) -> Result<(), StateError> {
        let SetCheckpoint { ridge, homotopy, factor, compact } = checkpoint;
        self.set_ridge(ridge);
        if self.is_bare {
            return Ok(());
        }
        if !homotopy.fits(self.members.len()) {
            return Err(StateError::new("a path on the working set"));
        }
        self.homotopy = homotopy;
        self.factor = Factor::rebuilt(factor, &self.whole.gram)?;
        self.compact = Compact::rebuilt(compact.0, compact.1, &self.whole)?;
        Ok(())
    }

    /// Minimises F over the members until the gap over them is at most `target` (absolute, on the scale of
    /// F).
    ///
    /// `penalty` is L = n lambda, `yy` is y'y, `rows` is n. Starts from the coefficients as they are.
    pub fn solve(&mut self, penalty: f64, yy: f64, rows: usize, target: f64) -> SolveReport {
        let problem = LocalProblem { penalty, yy, rows };
        if self.terms.has_groups() || self.terms.is_bounded() {
            let squares = |local: &Local| yy - dot(&local.q, &local.b) - dot(&local.g, &local.b);
            let limit = Limit { gap: target, epochs: MOST_EPOCHS };
            let measure = with_terms(&mut self.whole, &self.terms, penalty, limit, squares);
            return SolveReport { measure, reached: measure.gap <= target, support: self.support() };
        }
        if self.members.len() <= MOST_MEMBERS {
            // A path that did not reach its end shows in the gap, which is measured below.
            let _ = self.homotopy.solve(&mut self.whole, problem);
        }
        let measure = if self.members.len() < TWO_LEVELS {
            inner::solve(&mut self.whole, problem, target, &mut self.factor)
        } else {
            self.compact.solve(&mut self.whole, problem, target)
        };
        SolveReport { measure, reached: measure.gap <= target, support: self.support() }
    }
}
