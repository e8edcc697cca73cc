//! [`Solver`]: the pinned block of the Lasso, its working set with the Gram.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use crate::course::Course;
use crate::design::Column;
use crate::kernels;
use crate::program::Replica;
use crate::shard::{Entrant, Share};
use crate::working_part::Tile;
use crate::working_set::{WorkingSet, quota};

/// Candidates looked at for each one wanted: the dependency check rejects some.
const LOOKED_AT: usize = 4;

/// After so many boundaries without a smaller gap or objective, the target lies below rounding.
const IN_VAIN: u64 = 20;

/// The working set: which columns, their Gram, their coefficients.
#[derive(Debug, Clone, Default)]
pub struct Solver {
    columns: Vec<Column>,
    set: WorkingSet,
    /// x_j'r of the members, from the last pass.
    gradient: Vec<f64>,
    /// n times lambda, and the absolute gap to which the set is to be solved.
    penalty: f64,
    target: f64,
    /// Nonzero coefficients at the last boundary, by column.
    pub(crate) support: Vec<(u32, f64)>,
    wanted: usize,
    /// max |x_j'y|; 0 until it is known.
    largest: f64,
    /// The position in the course, and the points before it.
    position: usize,
    solutions: Vec<Solution>,
    /// The smallest gap and objective seen at this position, and boundaries since either fell.
    best: Option<(f64, f64)>,
    in_vain: u64,
}

/// A point of the course that is certified.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// n times lambda.
    pub(crate) penalty: f64,
    /// Relative duality gap.
    pub(crate) gap: f64,
    /// Nonzero coefficients, by column.
    pub(crate) coefficients: Vec<(u32, f64)>,
}

raddle::state!(Solution { penalty, gap, coefficients });

/// Primal and dual objective of the problem scaled by n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Certified {
    pub(crate) primal: f64,
    pub(crate) dual: f64,
}

impl Certified {
    /// At the dual point that is the residual's best feasible multiple (Massias, Gramfort and Salmon, "Celer: a fast
    /// solver for the Lasso with dual extrapolation", 2018), from r'r, y'r, |b|_1, L and max |x_j'r|.
    pub(crate) fn new(rr: f64, yr: f64, l1: f64, penalty: f64, largest: f64) -> Self {
        // A residual that no column sees is feasible at any multiple, even where lambda is 0.
        let bound = if largest > 0.0 { penalty / largest } else { f64::INFINITY };
        let scale = if rr > 0.0 { (yr / rr).clamp(-bound, bound) } else { 0.0 };
        Self { primal: 0.5 * rr + penalty * l1, dual: scale * yr - 0.5 * scale * scale * rr }
    }

    /// (P - D) / P; 0 for the problem without a response, which zero solves; infinite once values overflow.
    pub(crate) fn relative(self) -> f64 {
        let gap = (self.primal - self.dual) / self.primal;
        match (self.primal == 0.0, gap.is_nan()) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            // Rounding may leave the dual a little above the primal.
            (false, false) => gap.max(0.0),
        }
    }
}

impl Solver {
    /// A solver that knows max |x_j'y| beforehand, as a run must that does not start from zeros.
    pub(crate) fn knowing(largest: f64) -> Self {
        Self { largest, ..Self::default() }
    }

    /// Concludes a boundary: the certificate, and what the next epoch starts from. Points of the course that the
    /// residual certifies are left behind.
    pub(crate) fn certify(
        &mut self,
        y: &[f64],
        replica: &Replica,
        course: Course,
        tolerance: f64,
        shares: &[Share],
    ) -> Certified {
        let largest = shares.iter().map(|share| share.largest).fold(0.0, f64::max);
        if self.largest == 0.0 {
            self.largest = largest;
        }
        self.support = shares.iter().flat_map(|share| share.nonzeros.iter().copied()).collect();
        self.support.sort_unstable_by_key(|&(variable, _)| variable);
        let l1 = self.support.iter().map(|(_, value)| value.abs()).sum();
        self.gradient.clear();
        self.gradient.resize(self.columns.len(), 0.0);
        for &(slot, value) in shares.iter().flat_map(|share| &share.members) {
            self.gradient[slot as usize] = value;
        }
        let (rr, yr) = (kernels::sum_squares(&replica.residual), kernels::dot(y, &replica.residual));
        let certified = loop {
            self.penalty = course.penalty(self.position, y.len(), self.largest);
            let certified = Certified::new(rr, yr, l1, self.penalty, largest);
            let gap = certified.relative();
            if gap > tolerance || gap.is_nan() || self.position == course.len() {
                break certified;
            }
            self.solutions.push(Solution { penalty: self.penalty, gap, coefficients: self.support.clone() });
            self.position += 1;
            self.best = None;
            if self.position == course.len() {
                break certified;
            }
        };
        let (gap, primal) = self.best.unwrap_or((f64::INFINITY, f64::INFINITY));
        // Rounding moves both in their last digits for ever.
        let fell = certified.relative() < 0.99 * gap || certified.primal < primal * (1.0 - 1e-13);
        self.in_vain = if fell { 0 } else { self.in_vain + 1 };
        self.best = Some((gap.min(certified.relative()), primal.min(certified.primal)));
        let gap = (certified.primal - certified.dual).max(0.0);
        self.target = (0.1 * gap).max(0.3 * tolerance * certified.primal);
        self.wanted = quota(y.len(), self.support.len());
        certified
    }

    /// n times the lambda being solved, and below which |x_j'r| a column need not be named: the next lambda's.
    pub(crate) fn penalty_and_floor(&self, course: Course, rows: usize) -> (f64, f64) {
        let next = (self.position + 1).min(course.len() - 1);
        (self.penalty, course.penalty(next, rows, self.largest).min(self.penalty))
    }

    /// Whether nothing has come closer for long.
    pub(crate) fn is_stalled(&self) -> bool {
        self.in_vain >= IN_VAIN
    }

    /// The points of the course that are certified.
    pub(crate) fn solutions(&self) -> &[Solution] {
        &self.solutions
    }

    /// max |x_j'y|.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The worst violators, and how many of them should enter.
    pub(crate) fn candidates(&self, shares: Vec<Share>) -> (Vec<(u32, f64)>, usize) {
        let violators = shares.into_iter().flat_map(|share| share.violators);
        let is_set = |variable: &u32| self.support.binary_search_by_key(variable, |&(j, _)| j).is_ok();
        let mut violators: Vec<(u32, f64)> = violators
            .filter(|(variable, gradient)| gradient.abs() > self.penalty || is_set(variable))
            .collect();
        violators.sort_unstable_by_key(|(variable, gradient)| {
            (!is_set(variable), std::cmp::Reverse(gradient.abs().to_bits()), *variable)
        });
        // Coefficients from elsewhere, as of a warm start: the working set must hold them all before it is solved.
        let set = violators.iter().filter(|(variable, _)| is_set(variable)).count();
        if set > 0 {
            violators.truncate(set);
            return (violators, set);
        }
        violators.truncate(LOOKED_AT * self.wanted);
        (violators, self.wanted)
    }

    /// How many violators a shard should name.
    pub(crate) fn cap(&self) -> usize {
        (LOOKED_AT * self.wanted).next_power_of_two().max(1024)
    }

    /// Takes columns in; returns the slot of the first.
    pub(crate) fn enter(&mut self, entrants: Vec<Entrant>) -> u32 {
        self.gradient.extend(entrants.iter().map(|entrant| entrant.gradient));
        let members =
            entrants.iter().map(|entrant| (entrant.variable, entrant.response, entrant.coefficient));
        let first = self.set.enter(members) as u32;
        self.columns.extend(entrants.into_iter().map(|entrant| entrant.column));
        first
    }

    /// Puts the new members' Gram together, tile by tile, row pieces summed in the order of the pieces.
    pub(crate) fn grow(&mut self, rows: usize, mut tiles: Vec<Tile>) {
        tiles.sort_by_key(|tile| tile.piece);
        let grown = tiles.iter().map(|tile| tile.from as usize).min().unwrap_or(self.columns.len());
        for Tile { from, slots, values, .. } in &tiles {
            self.set.add_tile(*from as usize, slots, values);
        }
        // Sparse columns are centred implicitly: (x_i - s_i)'(x_j - s_j) = x_i'x_j - n s_i s_j.
        let shifts: Vec<f64> = self.columns.iter().map(|column| column.view().shift()).collect();
        if shifts.iter().any(|&shift| shift != 0.0) {
            let slots: Vec<u32> = (0..shifts.len() as u32).collect();
            for i in grown..shifts.len() {
                let row: Vec<f64> =
                    shifts[..=i].iter().map(|shift| -(rows as f64) * shifts[i] * shift).collect();
                self.set.add_tile(i, &slots[..=i], &row);
            }
        }
        self.set.finish_gram();
    }

    /// Solves on the working set; returns the coefficients and the residual computed from them.
    pub(crate) fn solve(&mut self, y: &[f64]) -> (Vec<(u32, f64)>, Vec<f64>) {
        self.set.set_gradient(&self.gradient);
        self.set.solve(self.penalty, kernels::sum_squares(y), y.len(), self.target);
        let coefficients = self.set.coefficients();
        let mut residual = y.to_vec();
        let mut shift = 0.0;
        for (column, &value) in self.columns.iter().zip(coefficients) {
            if value != 0.0 {
                shift += column.view().add_scaled_to(-value, &mut residual);
            }
        }
        if shift != 0.0 {
            residual.iter_mut().for_each(|value| *value -= shift);
        }
        (self.set.members().iter().copied().zip(coefficients.iter().copied()).collect(), residual)
    }
}

impl State for Solver {
    fn save(&self, out: &mut Writer) {
        out.write(&self.columns);
        out.write(&self.set);
        out.write(&self.gradient);
        out.write(&self.penalty);
        out.write(&self.target);
        out.write(&self.support);
        out.write(&self.wanted);
        out.write(&self.largest);
        out.write(&self.position);
        out.write(&self.solutions);
        out.write(&self.best);
        out.write(&self.in_vain);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self {
            columns: from.read()?,
            set: from.read()?,
            gradient: from.read()?,
            penalty: from.read()?,
            target: from.read()?,
            support: from.read()?,
            wanted: from.read()?,
            largest: from.read()?,
            position: from.read()?,
            solutions: from.read()?,
            best: from.read()?,
            in_vain: from.read()?,
        })
    }
}
