//! [`Solver`]: the pinned block of the Lasso, its working set with the Gram.

use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::by_group::{largest_group, less, norm};
use super::candidates::{LOOKED_AT, candidates};
use super::members::{Members, Solve};
use super::messages::{EnteringBatch, EnteringColumn, ShardCertificate, Tile};
use super::points::Points;
use super::progress::Progress;
use super::replica::Replica;
use super::solution::{Solution, Solved};
use super::solver_checkpoint::SolverCheckpoint;
use super::spec::Spec;
use crate::data::design::Column;
use crate::loss::Objective;
use crate::loss::duality_gap::{DualityGap, Norms};
use crate::loss::rows::Rows;
use crate::penalties::{ActiveBounds, Terms};
use crate::working_set::{Target, columns_to_add};

/// Columns that enter at once, where they are too many for a Gram.
const MOST_AT_ONCE: usize = 1000;

/// The working set: which columns, their Gram, their coefficients.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(crate) objective: Objective,
    /// Penalties of the columns.
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
    /// The points before the one that is solved, and how close the run has come to that.
    pub(crate) points: Points,
    pub(crate) progress: Progress,
    /// How many members there were before each group that entered.
    pub(crate) groups: Vec<u32>,
    /// Columns that have entered and whose part of the Gram is due.
    pub(crate) entering: Option<Arc<EnteringBatch>>,
    /// Checkpoint as read, until the rest is rebuilt from the data.
    pub(crate) checkpoint: Option<Box<SolverCheckpoint>>,
}

/// All of it, columns and Gram with their factors: whoever takes over meets shards that have admitted the
/// members.
impl State for Solver {
    fn save(&self, out: &mut Writer) {
        let Self { objective, terms, columns, members, intercept, free, freed, intercepts, gradient, .. } =
            self;
        let Self { penalty, target, support, wanted, largest, scale, points, progress, .. } = self;
        let Self { groups, entering, checkpoint, .. } = self;
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
        out.write(points);
        out.write(progress);
        out.write(groups);
        out.write(entering);
        out.write(checkpoint);
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
            points: from.read()?,
            progress: from.read()?,
            groups: from.read()?,
            entering: from.read()?,
            checkpoint: from.read()?,
        })
    }
}

impl Solver {
    /// A solver that knows max |x_j'r| without coefficients beforehand, as a run must that does not start
    /// from zeros.
    pub(crate) fn with_largest(objective: Objective, terms: Arc<Terms>, largest: f64) -> Self {
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
            points: Points::default(),
            progress: Progress::default(),
            groups: Vec::new(),
            entering: None,
            checkpoint: None,
        }
    }

    /// The objective that is minimised.
    pub(crate) fn objective(&self) -> Objective {
        self.objective
    }

    /// Concludes a boundary: the certificate, and what the next epoch starts from. Points of the course that
    /// the residual certifies are left behind.
    pub(crate) fn certify(
        &mut self,
        spec: &Spec,
        replica: &Replica,
        shares: &[ShardCertificate],
    ) -> DualityGap {
        let Spec { ref rows, objective, tolerance, course, .. } = *spec;
        self.points.is_path = course.is_path();
        let largest = shares.iter().map(|share| share.largest).fold(0.0, f64::max);
        let with_slopes = shares.iter().flat_map(|share| share.nonzeros.iter().zip(&share.slopes));
        let (terms, mut active_bounds) = (Arc::clone(&self.terms), ActiveBounds::new());
        let largest_at = |ridge: f64, active_bounds: &mut ActiveBounds| {
            active_bounds.clear();
            let slope = |(&(j, value), slope): (&(u32, f64), &f64)| {
                let j = j as usize;
                terms.limiting(j, value, less(*slope, ridge * terms.ridge(j), value), active_bounds)
            };
            if terms.has_groups() {
                return largest_group(&terms, with_slopes.clone(), ridge).max(largest);
            }
            with_slopes.clone().map(slope).fold(largest, f64::max)
        };
        if self.largest == 0.0 {
            self.largest = largest_at(0.0, &mut active_bounds);
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
        let duality_gap = loop {
            self.penalty = spec.penalty(self.points.position, self.largest);
            let (penalty, ridge) = objective.weights(self.penalty);
            let largest = largest_at(ridge, &mut active_bounds);
            let norms = Norms { l1, squares, penalty, ridge, largest, active_bounds: &active_bounds };
            let duality_gap = self.members.duality_gap(rows, norms);
            let (gap, scale) = (duality_gap.relative(), duality_gap.scale);
            self.scale = scale;
            if gap > tolerance || gap.is_nan() || self.points.position == course.len() {
                break duality_gap;
            }
            let (penalty, intercept) = (self.penalty, self.intercept);
            let coefficients = self.support.clone();
            let (intercepts, freed) = (self.intercepts.clone(), self.freed.clone());
            let solution = Solution { penalty, gap, scale, intercept, intercepts, coefficients, freed };
            self.points.push(solution);
            self.progress.best = None;
            if self.points.position == course.len() {
                break duality_gap;
            }
        };
        self.set_gradient(shares, objective.weights(self.penalty).1);
        self.progress.note(&duality_gap, spec.working_set);
        let gap = (duality_gap.primal - duality_gap.dual).max(0.0);
        // Not by the tolerance: a run that goes on under a tighter one has taken the same way until then.
        self.target = self.members.share() * gap;
        self.look_ahead(rows.len());
        duality_gap
    }

    /// The slopes of the members, with the ridge.
    fn set_gradient(&mut self, shares: &[ShardCertificate], ridge: f64) {
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

    /// Tells how many columns should enter next.
    pub(crate) fn look_ahead(&mut self, rows: usize) {
        let (_, ridge) = self.objective.weights(self.penalty);
        self.wanted = columns_to_add(self.rows(rows, ridge), self.support.len());
        if self.members.is_bare() {
            // Correlations of candidates are looked up in pairs, too.
            self.wanted = self.wanted.min(MOST_AT_ONCE);
        }
    }

    /// How many columns can be independent: with a ridge, each member is a row too.
    fn rows(&self, rows: usize, ridge: f64) -> usize {
        rows + if ridge > 0.0 { self.support.len() + self.columns.len() } else { 0 }
    }

    /// n times the lambda being solved, and below which |x_j'r| a column need not be named: the next lambda's.
    pub(crate) fn penalty_and_threshold(&self, spec: &Spec) -> (f64, f64) {
        let next = (self.points.position + 1).min(spec.course.len() - 1);
        let lower = spec.penalty(next, self.largest).min(self.penalty);
        (self.penalty, spec.objective.weights(lower).0)
    }

    /// Gap and objective have not fallen for long.
    pub(crate) fn is_stalled(&self, working_set: bool) -> bool {
        self.progress.is_stalled(working_set)
    }

    /// Which of the points comes next: the one that the gap is of. `None` where there is one point.
    pub(crate) fn place_in(&self, points: usize) -> Option<String> {
        self.points.place_in(points)
    }

    /// The points of the course that are certified.
    pub(crate) fn solutions(&self) -> &[Solution] {
        &self.points.solutions
    }

    /// The dual point of the last boundary is the residual times this.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The certified points are the model.
    pub(crate) fn is_path(&self) -> bool {
        self.points.is_path
    }

    /// max |x_j'r| without coefficients.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The worst violators, and how many of them should enter, where shards were asked for up to `cap` of them.
    pub(crate) fn candidates(
        &self,
        shares: Vec<ShardCertificate>,
        max_violators: usize,
    ) -> (Vec<(u32, f64)>, usize) {
        candidates(shares, self.objective.weights(self.penalty).0, (self.wanted, max_violators))
    }

    /// How many violators a shard should name at the next boundary.
    pub(crate) fn max_violators(&self, rows: usize) -> usize {
        LOOKED_AT * self.wanted.max(columns_to_add(rows, 0))
    }

    /// Decision to do without a Gram: it would be too large with this many columns more, and is given up.
    pub(crate) fn outgrows(&mut self, spec: &Spec, entering: usize) -> bool {
        if self.columns.len() + entering > spec.most_members {
            self.members.bare();
        }
        self.members.is_bare()
    }

    /// Takes columns in; returns the slot of the first.
    pub(crate) fn enter(&mut self, entering: Vec<EnteringColumn>) -> u32 {
        if !entering.is_empty() {
            self.groups.push(self.columns.len() as u32);
        }
        let (_, ridge) = self.objective.weights(self.penalty);
        let terms = &self.terms;
        let slope = |one: &EnteringColumn| {
            less(one.gradient, ridge * terms.ridge(one.variable as usize), one.coefficient)
        };
        self.gradient.extend(entering.iter().map(slope));
        let first = self.members.enter(&entering, terms);
        self.columns.extend(entering.into_iter().map(|one| one.column));
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
        let shares = [ShardCertificate { largest: 3.0, ..ShardCertificate::default() }];
        let saved = |solver: &Solver| {
            let mut out = Learned::default();
            solver.save_state(&mut out);
            out.into_bytes()
        };
        let mut solver = Solver::new(SQUARED, Arc::default());
        let before = saved(&solver);
        let mut read = Solver::loaded(&mut Learned::of(&before)).unwrap();
        assert!(read.checkpoint.is_some() && saved(&read) == before);
        for solver in [&mut solver, &mut read] {
            solver.certify(&spec, &replica, &shares);
        }
        assert!(solver.penalty > 0.0 && saved(&solver) != before);
        assert_eq!(saved(&read), saved(&solver));
    }
}
