//! [`Solver`]: the pinned block of the Lasso: its working set, the solution at the last boundary, and the
//! points of the path.

use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::boundary_solution::BoundarySolution;
use super::by_group::{largest_group, less, norm};
use super::candidates::{LOOKED_AT, candidates};
use super::messages::{EnteringColumn, ShardCertificate};
use super::points::Points;
use super::progress::Progress;
use super::replica::Replica;
use super::solution::{Solution, Solved};
use super::solved_columns::SolvedColumns;
use super::solver_checkpoint::SolverCheckpoint;
use super::spec::Spec;
use crate::loss::Objective;
use crate::loss::duality_gap::{DualityGap, Norms};
use crate::loss::rows::Rows;
use crate::penalties::{ActiveBounds, Terms};
use crate::working_set::{Target, columns_to_add};

/// Largest number of columns that enter at once when they are too many for a Gram.
const MOST_AT_ONCE: usize = 1000;

/// State of the fit on the worker that aggregates rounds.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(crate) objective: Objective,
    /// Penalties of the columns.
    pub(crate) terms: Arc<Terms>,
    /// The working set.
    pub(crate) set: SolvedColumns,
    /// The solution at the last boundary.
    pub(crate) last: BoundarySolution,
    /// Number of columns that should enter next.
    wanted: usize,
    /// max |x_j'r| without coefficients; 0 until known.
    pub(crate) largest: f64,
    /// The points before the current one, and the progress at the current one.
    pub(crate) points: Points,
    pub(crate) progress: Progress,
    /// Checkpoint as read, until the rest is rebuilt from the data.
    pub(crate) checkpoint: Option<Box<SolverCheckpoint>>,
}

/// The whole state is written, columns and Gram with its factors: the next owner works with shards that have
/// already admitted the members.
impl State for Solver {
    fn save(&self, out: &mut Writer) {
        let Self { objective, terms, set, last, wanted, largest, points, progress, checkpoint } = self;
        out.write(objective);
        out.write(terms);
        set.save(out);
        out.write(last);
        out.write(&(*wanted, *largest));
        out.write(points);
        out.write(progress);
        out.write(checkpoint);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let objective: Objective = from.read()?;
        let terms = from.read()?;
        let set = SolvedColumns::load(objective.shape(), from)?;
        let (last, (wanted, largest)) = (from.read()?, from.read()?);
        let (points, progress, checkpoint) = (from.read()?, from.read()?, from.read()?);
        Ok(Self { objective, terms, set, last, wanted, largest, points, progress, checkpoint })
    }
}

impl Solver {
    /// A solver that is given max |x_j'r| without coefficients, as needed by a run that does not start from
    /// zeros.
    pub(crate) fn with_largest(objective: Objective, terms: Arc<Terms>, largest: f64) -> Self {
        Self { largest, ..Self::new(objective, terms) }
    }

    pub(crate) fn new(objective: Objective, terms: Arc<Terms>) -> Self {
        Self {
            objective,
            terms,
            set: SolvedColumns::new(objective.shape()),
            last: BoundarySolution::default(),
            wanted: 0,
            largest: 0.0,
            points: Points::default(),
            progress: Progress::default(),
            checkpoint: None,
        }
    }

    /// Returns the objective that is minimised.
    pub(crate) fn objective(&self) -> Objective {
        self.objective
    }

    /// Concludes a boundary after `epoch` epochs: returns the certificate, and the stage for the next epoch.
    /// The path moves on from points that the residual certifies, and from those at which the run is not to
    /// stay.
    pub(crate) fn certify(
        &mut self,
        spec: &Spec,
        epoch: u64,
        replica: &Replica,
        shares: &[ShardCertificate],
    ) -> DualityGap {
        let Spec { ref rows, objective, tolerance, ref course, leave, .. } = *spec;
        let mut is_stalled = leave.is_some() && self.is_stalled(spec);
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
        self.last.set_support(shares.iter().flat_map(|share| share.nonzeros.iter().copied()));
        let support = &self.last.support;
        let l1 = if terms.has_groups() {
            norm(&terms, support)
        } else {
            support.iter().map(|(_, value)| value.abs()).sum()
        };
        let squares = support.iter().map(|(j, value)| terms.ridge(*j as usize) * value * value).sum();
        self.set.members.look_at(rows, &replica.rows);
        self.last.set_rows(&replica.rows);
        self.last.free_coefficients(rows);
        let duality_gap = loop {
            self.last.penalty = spec.penalty(self.points.position, self.largest);
            let (penalty, ridge) = objective.weights(self.last.penalty);
            let largest = largest_at(ridge, &mut active_bounds);
            let (columns, active_bounds) = (spec.columns, &active_bounds[..]);
            let norms = Norms { l1, squares, penalty, ridge, largest, columns, active_bounds };
            let duality_gap = self.set.members.duality_gap(rows, norms);
            let gap = duality_gap.relative();
            self.last.scale = duality_gap.scale;
            let position = self.points.position;
            let is_left = is_stalled || leave.is_some_and(|leave| leave.leaves(position, epoch));
            if (gap > tolerance && !is_left) || gap.is_nan() || position == course.len() {
                break duality_gap;
            }
            is_stalled = false;
            self.points.push(self.last.certified(gap));
            self.progress.best = None;
            if self.points.position == course.len() {
                break duality_gap;
            }
        };
        self.set.set_gradient(shares, self.weights().1);
        self.progress.note(&duality_gap, spec);
        let gap = (duality_gap.primal - duality_gap.dual).max(0.0);
        // The target does not depend on the tolerance: a run resumed with a tighter one has taken the same
        // path.
        self.last.target = self.set.members.share() * gap;
        self.look_ahead(rows.len());
        duality_gap
    }

    /// Returns the weights of the l1 and the ridge term at the lambda being solved.
    fn weights(&self) -> (f64, f64) {
        self.objective.weights(self.last.penalty)
    }

    /// Sets how many columns should enter next.
    pub(crate) fn look_ahead(&mut self, rows: usize) {
        self.wanted = columns_to_add(self.rows(rows), self.last.support.len());
        if self.set.members.is_bare() {
            // Correlations of candidates are also computed in pairs, so their number is limited.
            self.wanted = self.wanted.min(MOST_AT_ONCE);
        }
    }

    /// Returns how many columns can be independent: with a ridge, each member counts as a row, too.
    fn rows(&self, rows: usize) -> usize {
        rows + if self.weights().1 > 0.0 { self.last.support.len() + self.set.columns.len() } else { 0 }
    }

    /// Returns n times the lambda being solved, and the |x_j'r| below which a column need not be named: that
    /// of the next lambda.
    pub(crate) fn penalty_and_threshold(&self, spec: &Spec) -> (f64, f64) {
        let next = (self.points.position + 1).min(spec.course.len() - 1);
        let lower = spec.penalty(next, self.largest).min(self.last.penalty);
        (self.last.penalty, spec.objective.weights(lower).0)
    }

    /// `true` if gap and objective have not fallen for long.
    pub(crate) fn is_stalled(&self, spec: &Spec) -> bool {
        self.progress.is_stalled(spec)
    }

    /// Describes which point is next, to which the gap belongs; `None` if there is only one.
    pub(crate) fn place_in(&self, points: usize) -> Option<String> {
        self.points.place_in(points)
    }

    /// Returns the certified points.
    pub(crate) fn solutions(&self) -> &[Solution] {
        &self.points.solutions
    }

    /// Returns the factor from the residual to the dual point of the last boundary.
    pub(crate) fn scale(&self) -> f64 {
        self.last.scale
    }

    /// `true` if the certified points are the model.
    pub(crate) fn is_path(&self) -> bool {
        self.points.is_path
    }

    /// Returns max |x_j'r| without coefficients.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns the worst violators, and how many of them should enter, when shards named up to
    /// `max_violators` each.
    pub(crate) fn candidates(
        &self,
        shares: Vec<ShardCertificate>,
        max_violators: usize,
    ) -> (Vec<(u32, f64)>, usize) {
        candidates(shares, self.weights().0, self.wanted, max_violators)
    }

    /// Returns the largest number of violators that a shard should name at the next boundary.
    pub(crate) fn max_violators(&self, rows: usize) -> usize {
        LOOKED_AT * self.wanted.max(columns_to_add(rows, 0))
    }

    /// Drops the Gram if it would be too large with `entering` more columns; returns whether there is none.
    pub(crate) fn outgrows(&mut self, spec: &Spec, entering: usize) -> bool {
        self.set.outgrows(spec.most_members, entering)
    }

    /// Adds columns; returns the slot of the first.
    pub(crate) fn enter(&mut self, entering: Vec<EnteringColumn>) -> u32 {
        let (_, ridge) = self.weights();
        self.set.enter(entering, ridge, &self.terms)
    }

    /// Solves on the working set.
    pub(crate) fn solve(&mut self, given: &Rows) -> Solved {
        let (penalty, ridge) = self.weights();
        let target = Target { penalty, ridge, gap: self.last.target };
        let rows = self.rows(given.len());
        self.set.solve(given, target, rows, &self.last)
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
            columns: 1,
            terms: Arc::default(),
            most_members: usize::MAX,
            course: Course::One(Penalty::Lambda(0.5)),
            leave: None,
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
            solver.certify(&spec, 0, &replica, &shares);
        }
        assert!(solver.last.penalty > 0.0 && saved(&solver) != before);
        assert_eq!(saved(&read), saved(&solver));
    }
}
