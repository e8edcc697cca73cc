//! [`Solver`]: the pinned block of the Lasso, its working set with the Gram.

use super::gram_tree;
use super::kept::Kept;
use super::messages::{Entrant, Share, Tile};
use super::replica::Replica;
use super::solution::{Solution, Solved};
use super::spec::Spec;
use crate::data::design::{Column, add_columns};
use crate::kernels;
use crate::loss::duality_gap::{Certified, Norms};
use crate::loss::linear_predictor::Scores;
use crate::loss::{Loss, Objective};
use crate::working_set::{Given, LogisticSet, Place, Target, WorkingSet, keep_worst, quota, worst_first};

/// Candidates looked at for each one wanted: the dependency check rejects some.
const LOOKED_AT: usize = 4;

/// The working set is solved to this share of the gap over all columns: more exactly than its columns are the right
/// ones.
const SHARE: f64 = 0.1;

/// The logistic loss needs a lower one: its last steps are cheap, and a pass saved is worth several.
const LOGISTIC_SHARE: f64 = 0.01;

/// After so many boundaries without a smaller gap or objective, the target lies below rounding.
const IN_VAIN: u64 = 20;

/// Rounds of single updates may creep, and a smaller step may add up: they get more.
const ROUNDS_IN_VAIN: u64 = 200;

/// The working set: which columns, their Gram, their coefficients.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(crate) objective: Objective,
    pub(crate) columns: Vec<Column>,
    /// The members for the squared loss, or for the logistic one.
    pub(crate) set: WorkingSet,
    pub(crate) logistic: LogisticSet,
    /// The scores and the intercept at the last boundary, for the logistic loss.
    pub(crate) scores: Scores,
    pub(crate) intercept: f64,
    /// x_j'r - R b_j of the members, from the last pass.
    gradient: Vec<f64>,
    /// n times lambda, and the absolute gap to which the set is to be solved.
    pub(crate) penalty: f64,
    pub(crate) target: f64,
    /// Nonzero coefficients at the last boundary, by column.
    pub(crate) support: Vec<(u32, f64)>,
    wanted: usize,
    /// max |x_j'r| without coefficients; 0 until it is known.
    pub(crate) largest: f64,
    /// The position in the course, and the points before it.
    pub(crate) position: usize,
    pub(crate) solutions: Vec<Solution>,
    /// The smallest gap and objective seen at this position, and boundaries since either fell.
    pub(crate) best: Option<(f64, f64)>,
    pub(crate) in_vain: u64,
    /// How many members there were before each group that entered.
    pub(crate) groups: Vec<u32>,
    /// What was read from a checkpoint, until the data have given back the rest.
    pub(crate) kept: Option<Box<Kept>>,
}

impl Solver {
    /// A solver that knows max |x_j'r| without coefficients beforehand, as a run must that does not start from zeros.
    pub(crate) fn knowing(objective: Objective, largest: f64) -> Self {
        Self { largest, ..Self::new(objective) }
    }

    pub(crate) fn new(objective: Objective) -> Self {
        Self {
            objective,
            columns: Vec::new(),
            set: WorkingSet::new(),
            logistic: LogisticSet::default(),
            scores: Scores::default(),
            intercept: 0.0,
            gradient: Vec::new(),
            penalty: 0.0,
            target: 0.0,
            support: Vec::new(),
            wanted: 0,
            largest: 0.0,
            position: 0,
            solutions: Vec::new(),
            best: None,
            in_vain: 0,
            groups: Vec::new(),
            kept: None,
        }
    }

    /// What is minimised.
    pub(crate) fn objective(&self) -> Objective {
        self.objective
    }

    /// Concludes a boundary: the certificate, and what the next epoch starts from. Points of the course that the
    /// residual certifies are left behind.
    pub(crate) fn certify(&mut self, spec: &Spec, replica: &Replica, shares: &[Share]) -> Certified {
        let Spec { ref y, objective, tolerance, course, .. } = *spec;
        let largest = shares.iter().map(|share| share.largest).fold(0.0, f64::max);
        let with_slopes = shares.iter().flat_map(|share| share.nonzeros.iter().zip(&share.slopes));
        let largest_at = |ridge: f64| {
            let slope = |(&(_, value), slope): (&(u32, f64), &f64)| less(*slope, ridge, value).abs();
            with_slopes.clone().map(slope).fold(largest, f64::max)
        };
        if self.largest == 0.0 {
            self.largest = largest_at(0.0);
        }
        self.support = shares.iter().flat_map(|share| share.nonzeros.iter().copied()).collect();
        self.support.sort_unstable_by_key(|&(variable, _)| variable);
        let l1 = self.support.iter().map(|(_, value)| value.abs()).sum();
        let squares = self.support.iter().map(|(_, value)| value * value).sum();
        let (mut rr, mut yr) = (0.0, 0.0);
        match objective.loss {
            Loss::Squared => {
                (rr, yr) = (kernels::sum_squares(&replica.residual), kernels::dot(y, &replica.residual));
            }
            Loss::Logistic => {
                self.scores = Scores::new(y, replica.scores.clone());
                self.intercept = replica.intercept;
            }
        }
        let certified = loop {
            self.penalty = spec.penalty(self.position, self.largest);
            let (penalty, ridge) = objective.weights(self.penalty);
            let norms = Norms { l1, squares, penalty, ridge, largest: largest_at(ridge) };
            let certified = match objective.loss {
                Loss::Squared => Certified::squared(rr, yr, norms),
                Loss::Logistic => Certified::logistic(y, &self.scores, norms),
            };
            let gap = certified.relative();
            if gap > tolerance || gap.is_nan() || self.position == course.len() {
                break certified;
            }
            let (penalty, intercept) = (self.penalty, replica.intercept);
            self.solutions.push(Solution { penalty, gap, intercept, coefficients: self.support.clone() });
            self.position += 1;
            self.best = None;
            if self.position == course.len() {
                break certified;
            }
        };
        let (_, ridge) = objective.weights(self.penalty);
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.clear();
        gradient.resize(self.columns.len(), 0.0);
        let coefficients = self.coefficients();
        for &(slot, value) in shares.iter().flat_map(|share| &share.members) {
            gradient[slot as usize] = less(value, ridge, coefficients[slot as usize]);
        }
        self.gradient = gradient;
        let (gap, primal) = self.best.unwrap_or((f64::INFINITY, f64::INFINITY));
        // Rounding moves both in their last digits for ever.
        let fell = certified.relative() < 0.99 * gap || certified.primal < primal * (1.0 - 1e-13);
        self.in_vain = if fell { 0 } else { self.in_vain + 1 };
        // What rounds gain counts from where they last fell, however many epochs it takes.
        if fell || spec.working_set {
            self.best = Some((gap.min(certified.relative()), primal.min(certified.primal)));
        }
        let gap = (certified.primal - certified.dual).max(0.0);
        let share = if objective.loss == Loss::Logistic { LOGISTIC_SHARE } else { SHARE };
        self.target = (share * gap).max(0.3 * tolerance * certified.primal);
        self.look_ahead(y.len());
        certified
    }

    /// Tells how many columns should enter next.
    pub(crate) fn look_ahead(&mut self, rows: usize) {
        let (_, ridge) = self.objective.weights(self.penalty);
        self.wanted = quota(self.rows(rows, ridge), self.support.len());
    }

    /// How many columns can be independent: with a ridge, each member is a row too.
    fn rows(&self, rows: usize, ridge: f64) -> usize {
        rows + if ridge > 0.0 { self.support.len() + self.columns.len() } else { 0 }
    }

    /// Columns by slot.
    pub(crate) fn members(&self) -> &[u32] {
        match self.objective.loss {
            Loss::Squared => self.set.members(),
            Loss::Logistic => self.logistic.members(),
        }
    }

    /// Coefficients by slot.
    fn coefficients(&self) -> &[f64] {
        match self.objective.loss {
            Loss::Squared => self.set.coefficients(),
            Loss::Logistic => self.logistic.coefficients(),
        }
    }

    /// n times the lambda being solved, and below which |x_j'r| a column need not be named: the next lambda's.
    pub(crate) fn penalty_and_floor(&self, spec: &Spec) -> (f64, f64) {
        let next = (self.position + 1).min(spec.course.len() - 1);
        let lower = spec.penalty(next, self.largest).min(self.penalty);
        (self.penalty, spec.objective.weights(lower).0)
    }

    /// Whether nothing has come closer for long.
    pub(crate) fn is_stalled(&self, working_set: bool) -> bool {
        self.in_vain >= if working_set { IN_VAIN } else { ROUNDS_IN_VAIN }
    }

    /// Which of so many points comes next: the one that the gap is of. `None` where there is one point.
    pub(crate) fn place_in(&self, points: usize) -> Option<String> {
        let next = (self.position + 1).min(points);
        (points > 1).then(|| format!("point {next} of {points}"))
    }

    /// The points of the course that are certified.
    pub(crate) fn solutions(&self) -> &[Solution] {
        &self.solutions
    }

    /// max |x_j'r| without coefficients.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The worst violators, and how many of them should enter, where shards were asked for up to `cap` of them.
    pub(crate) fn candidates(&self, shares: Vec<Share>, cap: usize) -> (Vec<(u32, f64)>, usize) {
        let (penalty, _) = self.objective.weights(self.penalty);
        // Coefficients from elsewhere, as of a warm start: the working set must hold them all before it is solved.
        let strays = shares.iter().any(|share| share.strays);
        let mut violators = Vec::with_capacity(shares.iter().map(|share| share.violators.len()).sum());
        for share in shares.into_iter().filter(|share| share.strays == strays) {
            violators.extend(share.violators);
        }
        if strays {
            violators.sort_unstable_by_key(worst_first);
            let count = violators.len();
            return (violators, count);
        }
        violators.retain(|(_, gradient)| gradient.abs() > penalty);
        // No more than each shard was asked for: beyond that it shows how many shards there are.
        keep_worst(&mut violators, (LOOKED_AT * self.wanted).min(cap));
        violators.sort_unstable_by_key(worst_first);
        (violators, self.wanted)
    }

    /// How many violators a shard should name at the next boundary.
    pub(crate) fn cap(&self, rows: usize) -> usize {
        LOOKED_AT * self.wanted.max(quota(rows, 0))
    }

    /// Takes columns in; returns the slot of the first.
    pub(crate) fn enter(&mut self, entrants: Vec<Entrant>) -> u32 {
        if !entrants.is_empty() {
            self.groups.push(self.columns.len() as u32);
        }
        let (_, ridge) = self.objective.weights(self.penalty);
        let slope = |entrant: &Entrant| less(entrant.gradient, ridge, entrant.coefficient);
        self.gradient.extend(entrants.iter().map(slope));
        let first = match self.objective.loss {
            Loss::Squared => self.set.enter(
                entrants.iter().map(|entrant| (entrant.variable, entrant.response, entrant.coefficient)),
            ),
            Loss::Logistic => {
                self.logistic.enter(entrants.iter().map(|entrant| (entrant.variable, entrant.coefficient)))
            }
        };
        self.columns.extend(entrants.into_iter().map(|entrant| entrant.column));
        first as u32
    }

    /// Puts the new members' Gram together, tile by tile; chains of rows are summed by their tree.
    pub(crate) fn grow(&mut self, rows: usize, tiles: Vec<Tile>) {
        let (summed, whole): (Vec<Tile>, Vec<Tile>) = tiles.into_iter().partition(|tile| tile.chains > 0);
        let tiles: Vec<Tile> = whole.into_iter().chain(gram_tree::sum(summed)).collect();
        let grown = tiles.iter().map(|tile| tile.from as usize).min().unwrap_or(self.columns.len());
        let parts: Vec<_> =
            tiles.iter().map(|tile| (tile.from as usize, &tile.slots[..], &tile.values[..])).collect();
        self.set.add_tiles(&parts);
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

    /// Solves on the working set; the residual is computed from the coefficients.
    pub(crate) fn solve(&mut self, y: &[f64]) -> Solved {
        let objective = self.objective;
        let (penalty, ridge) = objective.weights(self.penalty);
        let rows = self.rows(y.len(), ridge);
        if objective.loss == Loss::Logistic {
            let target = Target { penalty, ridge, intercept: objective.intercept, gap: self.target };
            let (scores, g) = (std::mem::take(&mut self.scores), std::mem::take(&mut self.gradient));
            let at = Place { scores, intercept: self.intercept, g };
            let (scores, intercept) = self.logistic.solve(Given { columns: &self.columns, y, target }, at);
            let Scores { values, residual, .. } = scores;
            let members = self.logistic.members().iter().copied();
            let coefficients = members.zip(self.logistic.coefficients().iter().copied()).collect();
            return Solved { coefficients, residual, scores: values, intercept };
        }
        self.set.set_ridge(ridge);
        self.set.set_gradient(&self.gradient);
        self.set.solve(penalty, kernels::sum_squares(y), rows, self.target);
        let coefficients = self.set.coefficients();
        let moved = self.columns.iter().zip(coefficients).filter(|&(_, value)| *value != 0.0);
        let mut residual = y.to_vec();
        let shift = add_columns(moved.map(|(column, value)| (-value, column.view())), &mut residual);
        if shift != 0.0 {
            residual.iter_mut().for_each(|value| *value -= shift);
        }
        let coefficients = self.set.members().iter().copied().zip(coefficients.iter().copied()).collect();
        Solved { coefficients, residual, scores: Vec::new(), intercept: 0.0 }
    }
}

/// The slope of the loss less that of the ridge.
fn less(slope: f64, ridge: f64, coefficient: f64) -> f64 {
    if ridge > 0.0 { slope - ridge * coefficient } else { slope }
}
