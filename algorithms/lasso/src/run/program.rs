//! [`LassoProgram`]: the Lasso as a program of the engine.
//!
//! One epoch of the working set: certify (a pass over all columns), choose and relate, enter, solve on the Gram.
//! One round of STRADS: exact coordinate updates of the columns that the schedule chose, all from the same residual.
//! Both act on the same state; what only rounds need of it is made only for them.

use std::sync::Arc;

use raddle::schedule::Dependencies;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, Conclude, Evaluate, Metric, Partials, Program, Relate, Restored, Status, Task, TaskOf, Update,
    Verdict,
};

use super::messages::{Asked, Change, Entering, Entrant, Move, Partial, Phase, Share, Stage};
use super::pinned::Solver;
use super::replica::Replica;
use super::shard::ColumnShard;
use super::spec::Spec;
use crate::data::correlation::{Aspect, among};
use crate::data::design::Column;
use crate::loss::Curvature;

/// The Lasso on the engine.
#[derive(Debug)]
pub struct LassoProgram {
    pub(crate) spec: Spec,
    /// Whether there is one lambda, and the run starts without coefficients.
    pub(crate) cold: bool,
    /// Whether dependencies are estimated on a sample of the rows.
    pub(crate) sample: bool,
}

impl Program for LassoProgram {
    raddle::program!(
        Shard = ColumnShard,
        Pinned = Solver,
        Replica = Replica,
        Partial = Partial,
        Change = Change,
        Phase = Phase;
        update, relate
    );

    /// The working set takes no step without comparing objectives; rounds of coordinate updates may overshoot.
    fn is_monotone(&self) -> bool {
        self.spec.working_set
    }

    /// The columns that have entered go to the shards that compute their part of the Gram.
    fn prepare(&self, phase: &mut Phase, solver: &Solver) {
        if let Phase::Solve(entering) = phase {
            entering.clone_from(&solver.entering);
        }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Change {
        let Aggregate { round, pinned: solver, partials } = at;
        match round.phase {
            Phase::Enter => {
                let mut entrants: Vec<Entrant> = raddle::answers!(partials, Partial::Entrants).concat();
                // By column, not by shard: the slots are the same however the columns are cut into shards.
                entrants.sort_by_key(|entrant| entrant.variable);
                let variables = entrants.iter().map(|entrant| entrant.variable).collect();
                // A smooth loss weighs its Gram anew at every step, where it is solved.
                let has_gram = self.spec.objective.shape().is_quadratic()
                    && !solver.outgrows(&self.spec, entrants.len());
                let columns = has_gram.then(|| {
                    let columns: Vec<_> = entrants.iter().map(|entrant| entrant.column.clone()).collect();
                    Column::weighted(columns, &self.spec.roots)
                });
                let first = solver.enter(entrants);
                solver.entering = columns.map(|columns| Arc::new(Entering { first, columns }));
                Change::Enter { first, variables, has_gram }
            }
            Phase::Solve(_) => {
                solver.entering = None;
                solver.grow(&self.spec.rows, raddle::answers!(partials, Partial::Tiles).concat());
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
        Partial::Share(at.shard.share(&self.asked(at.replica, &self.curvature(at.replica))))
    }

    /// Primal, dual and gap of the problem scaled by n, at the exported coefficients.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Change> {
        let Conclude { pinned: solver, replica, partials: shares, .. } = at;
        let shares: Vec<Share> = raddle::answers!(shares, Partial::Share).into_iter().collect();
        let certified = solver.certify(&self.spec, replica, &shares);
        let n = self.spec.rows.len() as f64;
        let done = solver.solutions().len() == self.spec.course.len();
        let worst = solver.solutions().iter().map(|solution| solution.gap).fold(0.0, f64::max);
        let value = if done { worst } else { certified.relative() };
        let metric = Metric::new("relative-duality-gap", value, "training data");
        let mut verdict = Verdict::new(metric.target(self.spec.tolerance).certified());
        if solver.is_stalled(self.spec.working_set) {
            verdict.status = Status::Converged;
        }
        verdict.objective = Some(certified.primal / n);
        verdict.position = solver.place_in(self.spec.course.len());
        let (penalty, floor) = solver.penalty_and_floor(&self.spec);
        if self.spec.weights {
            verdict.weights = shares.into_iter().flat_map(|share| share.weights).collect();
        } else {
            (verdict.weights, verdict.batch_hint) = solver.candidates(shares, replica.cap());
        }
        let cap = solver.cap(self.spec.rows.len());
        if replica.stage.is_none_or(|stage| penalty != stage.penalty || cap != stage.cap) {
            let floor = self.spec.working_set.then_some(floor);
            verdict.change = Some(Change::Stage(Stage { penalty, floor, cap }));
        }
        verdict
    }

    /// The model has coefficients alone.
    fn shed(&self, shard: &mut ColumnShard) {
        shard.shed();
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

    fn restored(&self, run: Restored<'_, Self>) -> Result<(), StateError> {
        let Restored { is_concluded, shards, pinned, replica, weights, .. } = run;
        pinned.rebuild(&self.spec, is_concluded, replica, shards, weights)
    }
}

impl Update for LassoProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Partial {
        let TaskOf { task, shard, replica } = at;
        match &task.phase {
            Phase::Moves => Partial::Moves(shard.moves(task, &self.asked(replica, &self.curvature(replica)))),
            Phase::Enter => Partial::Entrants(shard.entrants(task, &self.spec.gram_response)),
            Phase::Solve(Some(entering)) => Partial::Tiles(shard.part.grow(entering)),
            Phase::Solve(None) => Partial::Tiles(Vec::new()),
        }
    }
}

impl Relate for LassoProgram {
    fn gather(&self, task: &Task<Phase>, shard: &ColumnShard) -> Partial {
        Partial::Aspects(shard.aspects(task, self.sample))
    }

    /// Absolute correlations of the candidates' columns.
    fn relate(&self, _: &Phase, candidates: &[u32], pieces: Partials<Partial>) -> Dependencies {
        let mut aspects: Vec<(u32, Aspect)> = raddle::answers!(pieces, Partial::Aspects).concat();
        aspects.sort_by_key(|&(variable, _)| variable);
        let aspect = |variable: &u32| {
            let at = aspects.binary_search_by_key(variable, |&(variable, _)| variable).ok()?;
            Some(&aspects[at].1)
        };
        let aspects: Vec<Option<&Aspect>> = candidates.iter().map(aspect).collect();
        let mut dependencies = among(&aspects, self.spec.rows.len(), self.sample);
        let classes = self.spec.rows.classes.max(1) as u32;
        if classes > 1 {
            // One column for two classes is no column twice.
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
    /// The curvature of a row, and of each row where it has no bound.
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

    fn asked<'a>(&'a self, replica: &'a Replica, curvature: &'a (f64, Option<Vec<f64>>)) -> Asked<'a> {
        let stage = replica.stage;
        let (penalty, ridge) = stage.map_or((0.0, 0.0), |stage| self.spec.objective.weights(stage.penalty));
        // Whatever lambda turns out to be, the largest come first and the solver keeps those above it.
        let first_floor = self.spec.working_set.then_some(0.0);
        Asked {
            residual: &replica.rows.residual,
            sum: replica.rows.sum,
            is_known: stage.is_some(),
            penalty,
            ridge,
            curvature: curvature.0,
            local: curvature.1.as_deref(),
            floor: stage.map_or(first_floor, |stage| stage.floor),
            first: self.cold.then_some(&self.spec).filter(|_| stage.is_none()),
            cap: replica.cap(),
            weights: self.spec.weights,
            // What bounds the product of a column says nothing of its group's.
            lazy: self.spec.course.len() > 1 && !self.spec.terms.has_groups(),
            rows: &self.spec.rows,
            terms: &self.spec.terms,
        }
    }
}
