//! [`LassoProgram`]: the Lasso as a program of the engine.
//!
//! One epoch of the working set: certify (a pass over all columns), choose and relate, enter, solve on the Gram.
//! One round of STRADS: exact coordinate updates of the columns that the schedule chose, all from the same residual.
//! Both act on the same state; what only rounds need of it is made only for them.

use std::sync::Arc;

use raddle::schedule::{Dependencies, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Metric, Program, Restored, Status, Task, Verdict};

use super::messages::{Asked, Change, Entering, Entrant, Move, Partial, Share};
use super::pinned::Solver;
use super::replica::Replica;
use super::schedule::{ENTER, SOLVE};
use super::shard::ColumnShard;
use super::spec::Spec;
use crate::data::correlation::{Aspect, among};
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
    type Shard = ColumnShard;
    type Block = ();
    type Pinned = Solver;
    type Replica = Replica;
    type Partial = Partial;
    type Change = Change;

    /// The working set takes no step without comparing objectives; rounds of coordinate updates may overshoot.
    fn is_monotone(&self) -> bool {
        self.spec.working_set
    }

    fn update(&self, task: &Task, shard: &mut ColumnShard, replica: &Replica) -> Partial {
        match task.kind {
            ENTER => Partial::Entrants(shard.entrants(task, self.spec.gram_response())),
            SOLVE => match &replica.entering {
                // A smooth loss weighs its Gram anew at every step, where it is solved.
                Some(entering) if self.spec.objective.shape().is_quadratic() => {
                    Partial::Tiles(shard.part.grow(entering))
                }
                _ => Partial::Tiles(Vec::new()),
            },
            _ => Partial::Moves(shard.moves(task, &self.asked(replica, &self.curvature(replica)))),
        }
    }

    fn gather(&self, task: &Task, shard: &ColumnShard) -> Partial {
        Partial::Aspects(shard.aspects(task, self.sample))
    }

    /// Absolute correlations of the candidates' columns.
    fn relate(&self, _: u32, candidates: &[u32], pieces: Vec<(u32, Partial)>) -> Dependencies {
        let aspects = pieces.into_iter().flat_map(|(_, partial)| match partial {
            Partial::Aspects(aspects) => aspects,
            _ => Vec::new(),
        });
        let mut aspects: Vec<(u32, Aspect)> = aspects.collect();
        aspects.sort_by_key(|&(variable, _)| variable);
        let aspect = |variable: &u32| {
            let at = aspects.binary_search_by_key(variable, |&(variable, _)| variable).ok()?;
            Some(&aspects[at].1)
        };
        let aspects: Vec<Option<&Aspect>> = candidates.iter().map(aspect).collect();
        among(&aspects, self.spec.y.len(), self.sample)
    }

    fn aggregate(&self, round: &Round, solver: &mut Solver, partials: Vec<(u32, Partial)>) -> Change {
        match round.kind {
            ENTER => {
                let mut entrants = entrants(partials);
                // By column, not by shard: the slots are the same however the columns are cut into shards.
                entrants.sort_by_key(|entrant| entrant.variable);
                let variables = entrants.iter().map(|entrant| entrant.variable).collect();
                let columns = entrants.iter().map(|entrant| entrant.column.clone()).collect();
                Change::Enter { first: solver.enter(entrants), variables, columns }
            }
            SOLVE => {
                let tiles = partials.into_iter().flat_map(|(_, partial)| match partial {
                    Partial::Tiles(tiles) => tiles,
                    _ => Vec::new(),
                });
                solver.grow(self.spec.y.len(), tiles.collect());
                Change::Solved(solver.solve(&self.spec.y))
            }
            _ => {
                let moves = partials.into_iter().flat_map(|(_, partial)| match partial {
                    Partial::Moves(moves) => moves,
                    _ => Vec::new(),
                });
                let mut moves: Vec<Move> = moves.collect();
                moves.sort_by_key(|change| change.variable);
                Change::Moves(moves)
            }
        }
    }

    fn commit(&self, change: &Change, replica: &mut Replica) {
        match change {
            Change::Moves(moves) => replica.apply(moves, &self.spec.y, self.spec.objective),
            Change::Enter { first, columns, .. } => {
                replica.entering = Some(Arc::new(Entering { first: *first, columns: columns.clone() }));
            }
            Change::Solved(solved) => {
                replica.rows.clone_from(&solved.rows);
                replica.entering = None;
            }
            Change::Stage { penalty, floor, cap } => {
                (replica.penalty, replica.floor, replica.cap) = (*penalty, *floor, *cap);
            }
        }
    }

    fn commit_shard(&self, change: &Change, _: u32, shard: &mut ColumnShard) {
        match change {
            Change::Enter { first, variables, .. } => shard.admit(*first, variables),
            Change::Solved(solved) => shard.set(&solved.coefficients),
            Change::Moves(_) | Change::Stage { .. } => {}
        }
    }

    fn moved(&self, change: &Change, tell: &mut dyn FnMut(u32, f64)) {
        if let Change::Moves(moves) = change {
            for change in moves {
                tell(change.variable, change.distance);
            }
        }
    }

    fn certify(&self, _: u32, shard: &mut ColumnShard, replica: &Replica) -> Partial {
        Partial::Share(shard.share(&self.asked(replica, &self.curvature(replica))))
    }

    /// Primal, dual and gap of the problem scaled by n, at the exported coefficients.
    fn conclude(
        &self,
        _: &Boundary,
        solver: &mut Solver,
        replica: &Replica,
        shares: Vec<(u32, Partial)>,
    ) -> Verdict<Change> {
        let shares: Vec<Share> = shares
            .into_iter()
            .filter_map(|(_, partial)| match partial {
                Partial::Share(share) => Some(share),
                _ => None,
            })
            .collect();
        let certified = solver.certify(&self.spec, replica, &shares);
        let n = self.spec.y.len() as f64;
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
        let first = replica.penalty.is_nan();
        let (penalty, floor) = solver.penalty_and_floor(&self.spec);
        if self.spec.weights {
            verdict.weights = shares.into_iter().flat_map(|share| share.weights).collect();
        } else {
            (verdict.weights, verdict.wanted) = solver.candidates(shares, replica.cap);
        }
        let cap = solver.cap(self.spec.y.len());
        if first || penalty != replica.penalty || cap != replica.cap {
            let floor = if self.spec.working_set { floor } else { f64::NAN };
            verdict.change = Some(Change::Stage { penalty, floor, cap });
        }
        verdict
    }

    fn remember(&self, shard: &ColumnShard, out: &mut Writer) {
        shard.remember(out);
    }

    fn recall(&self, shard: &mut ColumnShard, from: &mut Reader<'_>) -> Result<(), StateError> {
        shard.recall(from)
    }

    fn restored(&self, run: Restored<'_, Self>) -> Result<(), StateError> {
        let Restored { is_concluded, shards, pinned, replica, weights, .. } = run;
        pinned.rebuild(&self.spec, is_concluded, replica, shards, weights)
    }
}

impl LassoProgram {
    /// The curvature of a row, and of each row where it has no bound.
    fn curvature(&self, replica: &Replica) -> (f64, Option<Vec<f64>>) {
        match self.spec.objective.loss.function().curvature() {
            Curvature::AtMost(bound) => (bound, None),
            Curvature::Local(of) => {
                let rows = self.spec.y.iter().zip(&replica.rows.residual);
                let rows: Vec<f64> = rows.map(|(&y, &residual)| of(y, residual)).collect();
                (rows.iter().sum::<f64>() / rows.len() as f64, Some(rows))
            }
        }
    }

    fn asked<'a>(&'a self, replica: &'a Replica, curvature: &'a (f64, Option<Vec<f64>>)) -> Asked<'a> {
        let (penalty, ridge) = self.spec.objective.weights(replica.penalty);
        Asked {
            residual: &replica.rows.residual,
            sum: replica.rows.sum,
            penalty,
            ridge,
            curvature: curvature.0,
            local: curvature.1.as_deref(),
            floor: replica.floor,
            first: self.cold.then_some(&self.spec).filter(|_| replica.penalty.is_nan()),
            cap: replica.cap,
            weights: self.spec.weights,
            lazy: self.spec.course.len() > 1,
        }
    }
}

fn entrants(partials: Vec<(u32, Partial)>) -> Vec<Entrant> {
    let entrants = partials.into_iter().flat_map(|(_, partial)| match partial {
        Partial::Entrants(entrants) => entrants,
        _ => Vec::new(),
    });
    entrants.collect()
}
