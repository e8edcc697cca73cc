//! [`LassoProgram`]: the Lasso as a program of the engine.
//!
//! One epoch of the working set: certify (a pass over all columns), choose and relate, enter, solve on the
//! Gram. One round of STRADS: exact coordinate updates of the columns that the schedule chose, all from the
//! same residual. Both act on the same state; parts that only rounds need are computed only for rounds.

use std::sync::Arc;

use raddle::schedule::Dependencies;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, Conclude, Evaluate, Metric, Partials, Program, Relate, Status, Task, TaskOf, Update, Verdict,
};

use super::certificate::CertificateRequest;
use super::coordinate_step::CoordinateStep;
use super::messages::{Change, EnteringBatch, EnteringColumn, Move, Partial, Phase, ShardCertificate, Stage};
use super::pinned::Solver;
use super::replica::Replica;
use super::shard::ColumnShard;
use super::spec::Spec;
use crate::data::correlation::{ColumnSketch, Correlator};
use crate::data::design::Column;
use crate::loss::Curvature;

/// The Lasso on the engine.
#[derive(Debug)]
pub struct LassoProgram {
    pub(crate) spec: Spec,
    /// `true` if there is one lambda and the run starts from zeros.
    pub(crate) cold: bool,
    pub(crate) correlator: Correlator,
}

impl Program for LassoProgram {
    raddle::program!(
        Shard = ColumnShard,
        Pinned = Solver,
        Replica = Replica,
        Partial = Partial,
        Change = Change,
        Phase = Phase;
        update, relate, restore_by_shard
    );

    /// The working set compares objectives before each step; rounds of coordinate updates may overshoot.
    fn is_monotone(&self) -> bool {
        self.spec.working_set
    }

    /// Sends the columns that have entered to the shards that compute their part of the Gram.
    fn prepare(&self, phase: &mut Phase, solver: &Solver) {
        if let Phase::Solve(entering) = phase {
            entering.clone_from(&solver.set.entering);
        }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Change {
        let Aggregate { round, pinned: solver, partials } = at;
        match round.phase {
            Phase::Enter => {
                let mut entering: Vec<EnteringColumn> =
                    raddle::answers!(partials, Partial::Entering).concat();
                // Sorted by column, not by shard: slots must not depend on how the columns are cut into
                // shards.
                entering.sort_by_key(|one| one.variable);
                let variables = entering.iter().map(|one| one.variable).collect();
                // A smooth loss weights its Gram at every step, on the worker that solves it.
                let has_gram = self.spec.objective.shape().is_quadratic()
                    && !solver.outgrows(&self.spec, entering.len());
                let columns = has_gram.then(|| {
                    let columns: Vec<_> = entering.iter().map(|one| one.column.clone()).collect();
                    Column::weighted(columns, &self.spec.roots)
                });
                let first = solver.enter(entering);
                solver.set.entering = columns.map(|columns| Arc::new(EnteringBatch { first, columns }));
                Change::Enter { first, variables, has_gram }
            }
            Phase::Solve(_) => {
                solver.set.entering = None;
                solver.set.grow(&self.spec.rows, raddle::answers!(partials, Partial::Tiles).concat());
                Change::Solved(solver.solve(&self.spec.rows))
            }
            Phase::Moves => {
                let mut moves: Vec<Move> = raddle::answers!(partials, Partial::Moves).concat();
                moves.sort_by_key(|change| change.variable);
                Change::Moves(moves)
            }
        }
    }

    fn commit(&self, change: &Change, replica: &mut Replica) {
        match change {
            Change::Moves(moves) => replica.apply(moves, &self.spec.rows, self.spec.objective),
            Change::Enter { .. } => {}
            Change::Solved(solved) => replica.rows.clone_from(&solved.rows),
            Change::Stage(stage) => replica.stage = Some(*stage),
        }
    }

    fn commit_shard(&self, change: &Change, _: u32, shard: &mut ColumnShard) {
        match change {
            Change::Enter { first, variables, has_gram } => shard.admit(*first, variables, *has_gram),
            Change::Solved(solved) => shard.set(&solved.coefficients),
            Change::Moves(_) | Change::Stage(_) => {}
        }
    }

    fn deltas(&self, change: &Change, tell: &mut dyn FnMut(u32, f64)) {
        if let Change::Moves(moves) = change {
            for change in moves {
                tell(change.variable, change.distance);
            }
        }
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Partial {
        let curvature = self.curvature(at.replica);
        Partial::Certificate(at.shard.certificate(&self.certificate_request(at.replica, &curvature)))
    }

    /// Primal, dual and gap of the problem scaled by n, at the exported coefficients.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Change> {
        let Conclude { boundary, pinned: solver, replica, partials: shares } = at;
        let shares: Vec<ShardCertificate> =
            raddle::answers!(shares, Partial::Certificate).into_iter().collect();
        let gap = solver.certify(&self.spec, boundary.epoch, replica, &shares);
        let n = self.spec.rows.len() as f64;
        let done = solver.solutions().len() == self.spec.course.len();
        let worst = solver.solutions().iter().map(|solution| solution.gap).fold(0.0, f64::max);
        let value = if done { worst } else { gap.relative() };
        let metric = Metric::new("relative-duality-gap", value, "training data");
        let mut verdict = Verdict::new(metric.target(self.spec.tolerance).certified());
        verdict.status = match self.spec.leave {
            // A path that was to be followed to its end has ended, with points that are not certified.
            Some(leave) if done => {
                if leave.epochs.is_some() {
                    Status::Completed
                } else {
                    Status::Converged
                }
            }
            None if self.spec.is_ridge() || solver.is_stalled(&self.spec) => Status::Converged,
            _ => Status::Continue,
        };
        verdict.objective = Some(gap.primal / n);
        verdict.position = solver.place_in(self.spec.course.len());
        let (penalty, entry_threshold) = solver.penalty_and_threshold(&self.spec);
        if self.spec.weights {
            verdict.weights = shares.into_iter().flat_map(|share| share.weights).collect();
        } else {
            (verdict.weights, verdict.batch_hint) = solver.candidates(shares, replica.max_violators());
        }
        let max_violators = solver.max_violators(self.spec.rows.len());
        if replica.stage.is_none_or(|stage| penalty != stage.penalty || max_violators != stage.max_violators)
        {
            let entry_threshold = self.spec.working_set.then_some(entry_threshold);
            verdict.change = Some(Change::Stage(Stage { penalty, entry_threshold, max_violators }));
        }
        verdict
    }

    /// The model consists of coefficients only.
    fn drop_training_data(&self, shard: &mut ColumnShard) {
        shard.drop_training_data();
    }

    fn save_state(&self, shard: &ColumnShard, out: &mut Learned<Writer>) {
        shard.save_state(out);
    }

    fn load_state(&self, shard: &mut ColumnShard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        shard.load_state(from)
    }

    fn save_pinned(&self, solver: &Solver, out: &mut Learned<Writer>) {
        solver.save_state(out);
    }

    fn load_pinned(&self, solver: &mut Solver, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        *solver = Solver::loaded(from)?;
        Ok(())
    }
}

impl Update for LassoProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Partial {
        let TaskOf { task, shard, replica } = at;
        match &task.phase {
            Phase::Moves => {
                let curvature = self.curvature(replica);
                let step = self.coordinate_step(replica, &curvature);
                Partial::Moves(shard.moves(task, &replica.rows, step))
            }
            Phase::Enter => Partial::Entering(shard.entering(&task.variables, &self.spec.gram_response)),
            Phase::Solve(Some(entering)) => Partial::Tiles(shard.part.grow(entering)),
            Phase::Solve(None) => Partial::Tiles(Vec::new()),
        }
    }
}

impl Relate for LassoProgram {
    fn gather(&self, task: &Task<Phase>, shard: &ColumnShard) -> Partial {
        Partial::Sketches(shard.sketches(task, self.correlator))
    }

    /// Absolute correlations of the candidates' columns.
    fn relate(&self, _: &Phase, candidates: &[u32], pieces: Partials<Partial>) -> Dependencies {
        let mut sketches: Vec<(u32, ColumnSketch)> = raddle::answers!(pieces, Partial::Sketches).concat();
        sketches.sort_by_key(|&(variable, _)| variable);
        let sketch = |variable: &u32| {
            let at = sketches.binary_search_by_key(variable, |&(variable, _)| variable).ok()?;
            Some(&sketches[at].1)
        };
        let sketches: Vec<Option<&ColumnSketch>> = candidates.iter().map(sketch).collect();
        let mut dependencies = self.correlator.of_sketches(&sketches);
        let classes = self.spec.rows.classes.max(1) as u32;
        if classes > 1 {
            // A column that enters for two classes is not a duplicate of itself.
            for (row, own) in dependencies.rows_mut().zip(candidates) {
                let others = row.iter_mut().zip(candidates);
                others
                    .filter(|(_, other)| *other % classes != own % classes)
                    .for_each(|(value, _)| *value = 0.0);
            }
        }
        dependencies
    }
}

impl LassoProgram {
    /// Returns the second derivative of a row's loss, and that of each row if it has no bound.
    fn curvature(&self, replica: &Replica) -> (f64, Option<Vec<f64>>) {
        match self.spec.objective.loss.function().curvature() {
            Curvature::AtMost(bound) => (bound, None),
            Curvature::Local(of) => {
                let (given, weights) = (&self.spec.rows, self.spec.rows.weights());
                let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
                let rows = given.y.iter().zip(&replica.rows.residual).enumerate();
                let rows: Vec<f64> =
                    rows.map(|(row, (y, &residual))| of(weight(row) * y, residual)).collect();
                (rows.iter().sum::<f64>() / rows.len() as f64, Some(rows))
            }
        }
    }

    fn coordinate_step<'a>(
        &'a self,
        replica: &Replica,
        curvature: &'a (f64, Option<Vec<f64>>),
    ) -> CoordinateStep<'a> {
        let weights = replica.stage.map(|stage| self.spec.objective.weights(stage.penalty));
        let (penalty, ridge) = weights.unwrap_or((0.0, 0.0));
        let (curvature, local) = (curvature.0, curvature.1.as_deref());
        CoordinateStep { penalty, ridge, curvature, local, terms: &self.spec.terms }
    }

    fn certificate_request<'a>(
        &'a self,
        replica: &'a Replica,
        curvature: &'a (f64, Option<Vec<f64>>),
    ) -> CertificateRequest<'a> {
        let stage = replica.stage;
        // Lambda is not known yet: shards name the columns with the largest products, and the solver keeps
        // those above the threshold.
        let first_threshold = self.spec.working_set.then_some(0.0);
        CertificateRequest {
            residual: &replica.rows.residual,
            sum: replica.rows.sum,
            step: stage.map(|_| self.coordinate_step(replica, curvature)),
            entry_threshold: stage.map_or(first_threshold, |stage| stage.entry_threshold),
            first: self.cold.then_some(&self.spec).filter(|_| stage.is_none()),
            max_violators: replica.max_violators(),
            weights: self.spec.weights,
            // Bounds on products of columns do not bound the norms of their groups.
            lazy: self.spec.course.len() > 1 && !self.spec.terms.has_groups(),
            rows: &self.spec.rows,
            terms: &self.spec.terms,
        }
    }
}
