//! The second level of the working set: a smaller Gram of the members that matter, whose rows fit into the
//! caches.

use raddle::state::StateError;

use super::candidates::top_violators;
use super::factor::{Factor, FactorCheckpoint};
use super::inner;
use super::local::{Local, LocalProblem, ObjectiveGap, Slot};
use super::newton::most_columns;
use super::places::places;

/// Members with |g| at least this multiple of L belong to the compact set, besides the support.
const NEAR: f64 = 0.98;

/// The compact set is rebuilt when it holds this many times the members it needs.
const SLACK: usize = 2;

/// New violators fill at most one in this many of the places that are left until the support reaches n.
///
/// Many violators are correlated. If all enter together they push the support towards n, where the Gram is
/// singular and Newton steps end in line searches; if they enter in groups, most stop violating before their
/// turn. A round costs one update of all gradients. Measured on 1,814 rows with a support of 1,640: 65 line
/// searches without, 9 with this and [`columns_to_add`](super::columns_to_add)'s rule, and less than half the
/// time; where n is large it never acts.
const ROOM_ONE_IN: usize = 4;

/// Smallest number of new violators that may enter.
const LEAST: usize = 10;

/// Number of rounds between the levels before the solve gives up.
const ROUNDS: usize = 1000;

/// A subset of a larger set, with its own Gram, kept and extended from one solve to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compact {
    slots: Vec<Slot>,
    /// For each slot, membership in `slots`.
    inside: Vec<bool>,
    local: Local,
    factor: Factor,
}

raddle::state!(Compact { slots, inside, local, factor });

impl Compact {
    /// Empties the set and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.inside.clear();
        self.local.gram.clear();
        self.factor.clear();
    }

    /// Solves `whole` to the gap `target`: repeatedly solves the compact set to half of it, then updates all
    /// gradients.
    pub(crate) fn solve(&mut self, whole: &mut Local, problem: LocalProblem, target: f64) -> ObjectiveGap {
        let mut measure = whole.measure(problem);
        for _ in 0..ROUNDS {
            if measure.gap <= target {
                break;
            }
            self.cover(whole, problem.penalty, problem.rows);
            let pick = |from: &[f64], to: &mut Vec<f64>, slots: &[Slot]| {
                to.clear();
                to.extend(slots.iter().map(|&slot| from[slot as usize]));
            };
            pick(&whole.q, &mut self.local.q, &self.slots);
            pick(&whole.b, &mut self.local.b, &self.slots);
            pick(&whole.g, &mut self.local.g, &self.slots);
            inner::solve(&mut self.local, problem, 0.5 * target, &mut self.factor);
            let at: Vec<usize> = self.slots.iter().map(|&slot| slot as usize).collect();
            let moved = at.iter().zip(&self.local.b).filter(|&(&i, b)| whole.b[i] != *b).count();
            if moved == 0 {
                break;
            }
            whole.move_to(&at, &self.local.b);
            measure = whole.measure(problem);
        }
        measure
    }

    /// Adds to the compact set the support, all members with |g| >= [`NEAR`] L that do not violate, and the
    /// worst violators as far as there is space.
    fn cover(&mut self, whole: &Local, penalty: f64, rows: usize) {
        let support = whole.b.iter().filter(|&&b| b != 0.0).count();
        let room = (most_columns(rows).saturating_sub(support) / ROOM_ONE_IN).max(LEAST);
        let violators = top_violators(0, &whole.g, penalty, room + 1, |i| whole.b[i as usize] != 0.0);
        // The first violator without space stays out, and all that violate as little or less.
        let threshold = violators.get(room).map_or(0.0, |(_, g)| g.abs());
        let needed: Vec<Slot> = (0..whole.b.len())
            .filter(|&i| {
                let g = whole.g[i].abs();
                whole.b[i] != 0.0 || g >= NEAR * penalty && (g <= penalty || g > threshold)
            })
            .map(|i| i as Slot)
            .collect();
        self.inside.resize(whole.b.len(), false);
        let entering: Vec<Slot> =
            needed.iter().copied().filter(|&slot| !self.inside[slot as usize]).collect();
        if self.slots.len() + entering.len() > SLACK * needed.len() {
            self.clear();
            self.inside.resize(whole.b.len(), false);
            self.extend(whole, &needed);
        } else {
            self.extend(whole, &entering);
        }
    }

    /// Returns the checkpoint: the slots, and the factor's checkpoint.
    pub(crate) fn checkpoint(&self) -> (Vec<Slot>, FactorCheckpoint) {
        (self.slots.clone(), self.factor.checkpoint())
    }

    /// Rebuilds the compact set from a checkpoint, for the same members.
    pub(crate) fn rebuilt(
        slots: Vec<Slot>,
        factor: FactorCheckpoint,
        whole: &Local,
    ) -> Result<Self, StateError> {
        let places = places(&slots, whole.b.len()).ok_or(StateError::new("a compact working set"))?;
        let mut compact = Self { inside: vec![false; places.len()], ..Self::default() };
        compact.extend(whole, &slots);
        compact.factor = Factor::rebuilt(factor, &compact.local.gram)?;
        Ok(compact)
    }

    fn extend(&mut self, whole: &Local, entering: &[Slot]) {
        let first = self.slots.len();
        self.slots.extend_from_slice(entering);
        entering.iter().for_each(|&slot| self.inside[slot as usize] = true);
        let gram = &mut self.local.gram;
        gram.stretch(self.slots.len());
        for (i, &slot) in self.slots.iter().enumerate() {
            let from = whole.gram.row(slot as usize);
            // Old rows get the new columns and new rows get all columns: copying across the diagonal would
            // miss the cache.
            let start = if i < first { first } else { 0 };
            let row = &mut gram.row_mut(i)[start..];
            for (value, &other) in row.iter_mut().zip(&self.slots[start..]) {
                *value = from[other as usize];
            }
        }
    }
}
