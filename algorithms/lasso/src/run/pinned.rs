//! [`Solver`]: the pinned block of the Lasso, its working set with the Gram.

use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::by_group::{largest_group, less, norm};
use super::kept::Kept;
use super::members::{Members, Solve};
use super::messages::{Entering, Entrant, Share, Tile};
use super::replica::Replica;
use super::solution::{Solution, Solved};
use super::spec::Spec;
use crate::data::design::Column;
use crate::loss::Objective;
use crate::loss::duality_gap::{Certified, Norms};
use crate::loss::rows::Rows;
use crate::penalties::{Held, Terms};
use crate::working_set::{Target, keep_worst, quota, worst_first};

/// Candidates looked at for each one wanted: the dependency check rejects some.
pub(super) const LOOKED_AT: usize = 4;

/// Columns that enter at once, where they are too many for a Gram.
const MOST_AT_ONCE: usize = 1000;

/// After this number of boundaries without a smaller gap or objective, the target lies below rounding.
const IN_VAIN: u64 = 20;

/// Rounds of single updates may creep, and a smaller step may add up: they get more.
const ROUNDS_IN_VAIN: u64 = 200;

/// The working set: which columns, their Gram, their coefficients.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(crate) objective: Objective,
    /// What sets columns apart.
    pub(crate) terms: Arc<Terms>,
    pub(crate) columns: Vec<Column>,
    pub(crate) members: Members,
    /// The intercept at the last boundary.
    pub(crate) intercept: f64,
    /// and the coefficients of free columns: along their basis, and themselves.
    pub(crate) free: Vec<f64>,
    pub(crate) freed: Vec<(u32, f64)>,
    /// The intercepts of classes, where each has one.
    pub(crate) intercepts: Vec<f64>,
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
    /// The dual point of the last boundary is the residual times this.
    pub(crate) scale: f64,
    /// Whether the course is a path.
    pub(crate) is_path: bool,
    /// The position in the course, and the points before it.
    pub(crate) position: usize,
    pub(crate) solutions: Vec<Solution>,
    /// The smallest gap and objective seen at this position, and boundaries since either fell.
    pub(crate) best: Option<(f64, f64)>,
    pub(crate) in_vain: u64,
    /// How many members there were before each group that entered.
    pub(crate) groups: Vec<u32>,
    /// Columns that have entered and whose part of the Gram is due.
    pub(crate) entering: Option<Arc<Entering>>,
    /// What was read from a checkpoint, until the data have given back the rest.
    pub(crate) kept: Option<Box<Kept>>,
}

/// All of it, columns and Gram with their factors: whoever takes over meets shards that have admitted the members.
impl State for Solver {
    fn save(&self, out: &mut Writer) {
        let Self { objective, terms, columns, members, intercept, free, freed, intercepts, gradient, .. } =
            self;
        let Self { penalty, target, support, wanted, largest, scale, is_path, position, .. } = self;
        let Self { solutions, best, in_vain, groups, entering, kept, .. } = self;
        out.write(objective);
        out.write(terms);
        out.write(columns);
        members.save(out);
        out.write(intercept);
        out.write(free);
        out.write(freed);
        out.write(intercepts);
        out.write(gradient);
        out.write(&(*penalty, *target));
        out.write(support);
        out.write(&(*wanted, *largest, *scale));
        out.write(&(*is_path, *position));
        out.write(solutions);
        out.write(best);
        out.write(in_vain);
        out.write(groups);
        out.write(entering);
        out.write(kept);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let objective: Objective = from.read()?;
        let (terms, columns) = (from.read()?, from.read()?);
        let members = Members::load(objective.shape(), from)?;
        let (intercept, free, freed, intercepts) = (from.read()?, from.read()?, from.read()?, from.read()?);
        let gradient = from.read()?;
        let (penalty, target) = from.read()?;
        let support = from.read()?;
        let (wanted, largest, scale) = from.read()?;
        let (is_path, position) = from.read()?;
        Ok(Self {
            objective,
            terms,
            columns,
            members,
            intercept,
            free,
            freed,
            intercepts,
            gradient,
            penalty,
            target,
            support,
            wanted,
            largest,
            scale,
            is_path,
            position,
            solutions: from.read()?,
            best: from.read()?,
            in_vain: from.read()?,
            groups: from.read()?,
            entering: from.read()?,
            kept: from.read()?,
        })
    }
}

impl Solver {
    /// A solver that knows max |x_j'r| without coefficients beforehand, as a run must that does not start from zeros.
    pub(crate) fn knowing(objective: Objective, terms: Arc<Terms>, largest: f64) -> Self {
        Self { largest, ..Self::new(objective, terms) }
    }

    pub(crate) fn new(objective: Objective, terms: Arc<Terms>) -> Self {
        Self {
            objective,
            terms,
            columns: Vec::new(),
            members: Members::new(objective.shape()),
            intercept: 0.0,
            free: Vec::new(),
            freed: Vec::new(),
            intercepts: Vec::new(),
            gradient: Vec::new(),
            penalty: 0.0,
            target: 0.0,
            support: Vec::new(),
            wanted: 0,
            largest: 0.0,
            scale: 0.0,
            is_path: false,
            position: 0,
            solutions: Vec::new(),
            best: None,
            in_vain: 0,
            groups: Vec::new(),
            entering: None,
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
        let Spec { ref rows, objective, tolerance, course, .. } = *spec;
        self.is_path = course.is_path();
        let largest = shares.iter().map(|share| share.largest).fold(0.0, f64::max);
        let with_slopes = shares.iter().flat_map(|share| share.nonzeros.iter().zip(&share.slopes));
        let (terms, mut held) = (Arc::clone(&self.terms), Held::new());
        let largest_at = |ridge: f64, held: &mut Held| {
            held.clear();
            let slope = |(&(j, value), slope): (&(u32, f64), &f64)| {
                let j = j as usize;
                terms.limiting(j, value, less(*slope, ridge * terms.ridge(j), value), held)
            };
            if terms.has_groups() {
                return largest_group(&terms, with_slopes.clone(), ridge).max(largest);
            }
            with_slopes.clone().map(slope).fold(largest, f64::max)
        };
        if self.largest == 0.0 {
            self.largest = largest_at(0.0, &mut held);
        }
        self.support = shares.iter().flat_map(|share| share.nonzeros.iter().copied()).collect();
        self.support.retain(|&(_, value)| value != 0.0);
        self.support.sort_unstable_by_key(|&(variable, _)| variable);
        let l1 = match terms.has_groups() {
            true => norm(&terms, &self.support),
            false => self.support.iter().map(|(_, value)| value.abs()).sum(),
        };
        let squares = self.support.iter().map(|(j, value)| terms.ridge(*j as usize) * value * value).sum();
        self.members.look_at(rows, &replica.rows);
        self.intercept = replica.rows.intercept;
        self.free.clone_from(&replica.rows.free);
        (self.intercepts, self.freed) = rows.told(&self.free, objective.intercept);
        let certified = loop {
            self.penalty = spec.penalty(self.position, self.largest);
            let (penalty, ridge) = objective.weights(self.penalty);
            let largest = largest_at(ridge, &mut held);
            let norms = Norms { l1, squares, penalty, ridge, largest, held: &held };
            let certified = self.members.certified(rows, norms);
            let (gap, scale) = (certified.relative(), certified.scale);
            self.scale = scale;
            if gap > tolerance || gap.is_nan() || self.position == course.len() {
                break certified;
            }
            let (penalty, intercept) = (self.penalty, self.intercept);
            let coefficients = self.support.clone();
            let (intercepts, freed) = (self.intercepts.clone(), self.freed.clone());
            self.solutions.push(Solution { penalty, gap, scale, intercept, intercepts, coefficients, freed });
            self.position += 1;
            self.best = None;
            if self.position == course.len() {
                break certified;
            }
        };
        self.set_gradient(shares, objective.weights(self.penalty).1);
        self.note_progress(&certified, spec.working_set);
        let gap = (certified.primal - certified.dual).max(0.0);
        // Not by the tolerance: a run that goes on under a tighter one has taken the same way until then.
        self.target = self.members.share() * gap;
        self.look_ahead(rows.len());
        certified
    }

    /// The slopes of the members, with the ridge.
    fn set_gradient(&mut self, shares: &[Share], ridge: f64) {
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.clear();
        gradient.resize(self.columns.len(), 0.0);
        let coefficients = self.members.coefficients();
        for &(slot, value) in shares.iter().flat_map(|share| &share.members) {
            let ridge = ridge * self.members.terms().ridge(slot as usize);
            gradient[slot as usize] = less(value, ridge, coefficients[slot as usize]);
        }
        self.gradient = gradient;
    }

    /// Notes whether gap or objective fell.
    fn note_progress(&mut self, certified: &Certified, working_set: bool) {
        let (gap, primal) = self.best.unwrap_or((f64::INFINITY, f64::INFINITY));
        // Rounding moves both in their last digits for ever.
        let fell = certified.relative() < 0.99 * gap || certified.primal < primal * (1.0 - 1e-13);
        self.in_vain = if fell { 0 } else { self.in_vain + 1 };
        // What rounds gain counts from where they last fell, however many epochs it takes.
        if fell || working_set {
            self.best = Some((gap.min(certified.relative()), primal.min(certified.primal)));
        }
    }

    /// Tells how many columns should enter next.
    pub(crate) fn look_ahead(&mut self, rows: usize) {
        let (_, ridge) = self.objective.weights(self.penalty);
        self.wanted = quota(self.rows(rows, ridge), self.support.len());
        if self.members.is_bare() {
            // What ties candidates to each other is looked up in pairs, too.
            self.wanted = self.wanted.min(MOST_AT_ONCE);
        }
    }

    /// How many columns can be independent: with a ridge, each member is a row too.
    fn rows(&self, rows: usize, ridge: f64) -> usize {
        rows + if ridge > 0.0 { self.support.len() + self.columns.len() } else { 0 }
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

    /// Which of the points comes next: the one that the gap is of. `None` where there is one point.
    pub(crate) fn place_in(&self, points: usize) -> Option<String> {
        let next = (self.position + 1).min(points);
        (points > 1).then(|| format!("point {next} of {points}"))
    }

    /// The points of the course that are certified.
    pub(crate) fn solutions(&self) -> &[Solution] {
        &self.solutions
    }

    /// The dual point of the last boundary is the residual times this.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether its points are the model.
    pub(crate) fn is_path(&self) -> bool {
        self.is_path
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

    /// Whether the set would be too large for a Gram with so many columns more: then it is given up.
    pub(crate) fn outgrows(&mut self, spec: &Spec, entrants: usize) -> bool {
        if self.columns.len() + entrants > spec.most_members {
            self.members.bare();
        }
        self.members.is_bare()
    }

    /// Takes columns in; returns the slot of the first.
    pub(crate) fn enter(&mut self, entrants: Vec<Entrant>) -> u32 {
        if !entrants.is_empty() {
            self.groups.push(self.columns.len() as u32);
        }
        let (_, ridge) = self.objective.weights(self.penalty);
        let terms = &self.terms;
        let slope = |entrant: &Entrant| {
            less(entrant.gradient, ridge * terms.ridge(entrant.variable as usize), entrant.coefficient)
        };
        self.gradient.extend(entrants.iter().map(slope));
        let first = self.members.enter(&entrants, terms);
        self.columns.extend(entrants.into_iter().map(|entrant| entrant.column));
        first as u32
    }

    /// Puts the new members' Gram together, tile by tile.
    pub(crate) fn grow(&mut self, rows: &Rows, tiles: Vec<Tile>) {
        self.members.grow(&self.columns, rows, tiles);
    }

    /// Solves on the working set.
    pub(crate) fn solve(&mut self, given: &Rows) -> Solved {
        let (penalty, ridge) = self.objective.weights(self.penalty);
        let target = Target { penalty, ridge, intercept: self.objective.intercept, gap: self.target };
        let rows = self.rows(given.len(), ridge);
        let gradient = std::mem::take(&mut self.gradient);
        let (columns, intercept) = (&self.columns[..], self.intercept);
        let free = self.free.clone();
        self.members.solve(Solve { given, columns, target, gradient, rows, intercept, free })
    }
}

#[cfg(test)]
mod tests {
    use raddle::state::Learned;

    use super::*;
    use crate::lambdas::{Course, Penalty};
    use crate::loss::Loss;
    use crate::loss::row_state::RowState;

    const SQUARED: Objective = Objective { loss: Loss::Squared, l1_ratio: 1.0, intercept: false };

    fn named(violators: &[(u32, f64)], strays: bool) -> Share {
        Share { violators: violators.to_vec(), strays, ..Share::default() }
    }

    #[test]
    fn coefficients_outside_the_set_enter_before_any_violator() {
        let mut solver = Solver::new(SQUARED, Arc::default());
        (solver.penalty, solver.wanted) = (1.0, 1);
        // Shards name the ones or the others.
        let shares = vec![named(&[(0, 5.0), (3, -4.0)], false), named(&[(7, 0.1), (9, -0.2)], true)];
        assert_eq!(solver.candidates(shares, 10), (vec![(9, -0.2), (7, 0.1)], 2));
    }

    #[test]
    fn candidates_are_the_same_however_columns_are_cut_into_shards() {
        let mut solver = Solver::new(SQUARED, Arc::default());
        (solver.penalty, solver.wanted) = (1.0, 10);
        let all: Vec<(u32, f64)> = (0..12).map(|j| (j, f64::from(2 + j % 5))).collect();
        let cap = 3;
        let cut = |columns: usize| -> Vec<Share> {
            let shard = |all: &[(u32, f64)]| {
                let mut own = all.to_vec();
                keep_worst(&mut own, cap);
                named(&own, false)
            };
            all.chunks(columns).map(shard).collect()
        };
        // The largest, and of equals the first.
        let expected = (vec![(4, 6.0), (9, 6.0), (3, 5.0)], 10);
        for columns in [12, 6, 4, 1] {
            assert_eq!(solver.candidates(cut(columns), cap), expected, "{columns} columns a shard");
        }
    }

    #[test]
    fn a_boundary_after_a_resume_is_remembered_as_without_one() {
        let y = vec![1.0, -2.0, 3.0];
        let spec = Spec {
            rows: Rows::plain(y.clone()),
            gram_response: y.clone(),
            roots: Vec::new(),
            objective: SQUARED,
            terms: Arc::default(),
            most_members: usize::MAX,
            course: Course::One(Penalty::Lambda(0.5)),
            tolerance: 1e-9,
            weights: false,
            working_set: true,
        };
        let replica = Replica { rows: RowState::new(y, Vec::new(), 0.0, Vec::new()), stage: None };
        let shares = [Share { largest: 3.0, ..Share::default() }];
        let saved = |solver: &Solver| {
            let mut out = Learned::default();
            solver.save_state(&mut out);
            out.into_bytes()
        };
        let mut solver = Solver::new(SQUARED, Arc::default());
        let before = saved(&solver);
        let mut read = Solver::loaded(&mut Learned::of(&before)).unwrap();
        assert!(read.kept.is_some() && saved(&read) == before);
        for solver in [&mut solver, &mut read] {
            solver.certify(&spec, &replica, &shares);
        }
        assert!(solver.penalty > 0.0 && saved(&solver) != before);
        assert_eq!(saved(&read), saved(&solver));
    }
}
