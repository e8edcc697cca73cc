//! [`LassoProgram`]: the Lasso as a program of the engine.
//!
//! One epoch of the working set: certify (a pass over all columns), choose and relate, enter, solve on the Gram.
//! One round of STRADS: exact coordinate updates of the columns that the schedule chose, all from the same residual.
//! Both act on the same state; what only rounds need of it is made only for them.

use std::sync::Arc;

use raddle::schedule::{Dependencies, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Metric, Program, State, Status, Task, Verdict};

use crate::correlation::{Aspect, among};
use crate::course::Course;
use crate::design::Column;
use crate::loss::{Loss, Objective};
use crate::replica::{Entering, Replica};
use crate::shard::{ColumnShard, Entrant, Move};
use crate::share::{Asked, Share};
use crate::solution::Solved;
use crate::solver::Solver;
use crate::working_part::Tile;

/// A round in which columns enter the working set; rounds of kind 0 are exact coordinate updates.
pub(crate) const ENTER: u32 = 1;
/// A round in which the new members' Gram is computed and the working set is solved.
pub(crate) const SOLVE: u32 = 2;

/// The Lasso on the engine.
#[derive(Debug)]
pub struct LassoProgram {
    /// The response, centred where the squared loss has an intercept; 1 or -1 for the logistic loss.
    pub(crate) y: Arc<Vec<f64>>,
    pub(crate) objective: Objective,
    /// The lambdas, one after the other.
    pub(crate) course: Course,
    /// Relative duality gap at which the run is done.
    pub(crate) tolerance: f64,
    /// Whether a schedule of rounds wants weights for all columns.
    pub(crate) weights: bool,
    /// Whether a working set is wanted.
    pub(crate) working_set: bool,
    /// Whether there is one lambda, and the run starts without coefficients.
    pub(crate) cold: bool,
    /// Whether dependencies are estimated on a sample of the rows.
    pub(crate) sample: bool,
}

/// What a shard answers.
#[derive(Debug)]
pub enum Partial {
    /// Coordinate updates.
    Moves(Vec<Move>),
    /// What is compared of columns.
    Aspects(Vec<(u32, Aspect)>),
    /// Columns that enter.
    Entrants(Vec<Entrant>),
    /// New parts of the Gram.
    Tiles(Vec<Tile>),
    /// A share of the certificate.
    Share(Share),
}

/// What becomes visible.
#[derive(Debug)]
pub enum Change {
    /// Coordinate updates, by column.
    Moves(Vec<Move>),
    /// Columns that take the slots from `first` on.
    Enter {
        /// The first slot.
        first: u32,
        /// The columns' numbers.
        variables: Vec<u32>,
        /// The columns.
        columns: Vec<Column>,
    },
    /// The working set's solution, its residual computed afresh.
    Solved(Solved),
    /// Where the run stands.
    Stage {
        /// n times lambda.
        penalty: f64,
        /// Columns above this may enter.
        floor: f64,
        /// Violators a shard names.
        cap: usize,
    },
}

impl Program for LassoProgram {
    type Shard = ColumnShard;
    type Block = ();
    type Pinned = Solver;
    type Replica = Replica;
    type Partial = Partial;
    type Change = Change;

    /// What is restored is checked as a conclusion leaves it.
    fn concludes_anew(&self) -> bool {
        false
    }

    /// The working set takes no step without comparing objectives; rounds of coordinate updates may overshoot.
    fn is_monotone(&self) -> bool {
        self.working_set
    }

    fn update(&self, task: &Task, shard: &mut ColumnShard, replica: &Replica) -> Partial {
        match task.kind {
            ENTER => Partial::Entrants(match self.objective.loss {
                Loss::Squared => shard.entrants(task, &self.y),
                Loss::Logistic => shard.entrants(task, &[]),
            }),
            SOLVE => match &replica.entering {
                // The logistic loss weighs its Gram anew at every step, where it is solved.
                Some(entering) if self.objective.loss == Loss::Squared => {
                    Partial::Tiles(shard.part.grow(entering))
                }
                _ => Partial::Tiles(Vec::new()),
            },
            _ => Partial::Moves(shard.moves(task, &self.asked(replica))),
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
        among(&aspects, self.y.len(), self.sample)
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
                solver.grow(self.y.len(), tiles.collect());
                Change::Solved(solver.solve(&self.y))
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
            Change::Moves(moves) => replica.apply(moves, &self.y, self.objective),
            Change::Enter { first, columns, .. } => {
                replica.entering = Some(Arc::new(Entering { first: *first, columns: columns.clone() }));
            }
            Change::Solved(solved) => {
                replica.residual.clone_from(&solved.residual);
                replica.sum = solved.residual.iter().sum();
                if self.objective.loss == Loss::Logistic {
                    replica.scores.clone_from(&solved.scores);
                    replica.intercept = solved.intercept;
                }
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
        Partial::Share(shard.share(&self.asked(replica)))
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
        let certified = solver.certify(self, replica, &shares);
        let n = self.y.len() as f64;
        let done = solver.solutions().len() == self.course.len();
        let worst = solver.solutions().iter().map(|solution| solution.gap).fold(0.0, f64::max);
        let value = if done { worst } else { certified.relative() };
        let metric = Metric::new("relative-duality-gap", value, "training data");
        let mut verdict = Verdict::new(metric.target(self.tolerance).certified());
        if solver.is_stalled(self.working_set) {
            verdict.status = Status::Converged;
        }
        verdict.objective = Some(certified.primal / n);
        verdict.position = solver.place_in(self.course.len());
        let first = replica.penalty.is_nan();
        let (penalty, floor) = solver.penalty_and_floor(self);
        if self.weights {
            verdict.weights = shares.into_iter().flat_map(|share| share.weights).collect();
        } else {
            (verdict.weights, verdict.wanted) = solver.candidates(shares, replica.cap);
        }
        let cap = solver.cap(self.y.len());
        if first || penalty != replica.penalty || cap != replica.cap {
            let floor = if self.working_set { floor } else { f64::NAN };
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

    fn rebuild(
        &self,
        solver: &mut Solver,
        replica: &mut Replica,
        shards: &mut [ColumnShard],
        weights: &[(u32, f64)],
    ) -> Result<(), StateError> {
        solver.rebuild(self, replica, shards, weights)
    }
}

impl LassoProgram {
    fn asked<'a>(&'a self, replica: &'a Replica) -> Asked<'a> {
        let (penalty, ridge) = self.objective.weights(replica.penalty);
        Asked {
            residual: &replica.residual,
            sum: replica.sum,
            penalty,
            ridge,
            curvature: self.objective.loss.most_curvature(),
            floor: replica.floor,
            first: self.cold.then_some(self).filter(|_| replica.penalty.is_nan()),
            cap: replica.cap,
            weights: self.weights,
            lazy: self.course.len() > 1,
        }
    }

    /// What |x_j'r| must exceed to violate at the only lambda, if the largest |x_j'r| without coefficients is no less.
    pub(crate) fn least_floor(&self, largest: f64) -> f64 {
        // Rounding must not lift it above what the solver asks for.
        (1.0 - 1e-9) * self.objective.weights(self.penalty(0, largest)).0
    }

    /// n times the lambda at a position, for max |x_j'r| without coefficients.
    pub(crate) fn penalty(&self, position: usize, largest: f64) -> f64 {
        self.course.penalty(position, self.y.len(), largest / self.objective.l1_ratio)
    }
}

fn entrants(partials: Vec<(u32, Partial)>) -> Vec<Entrant> {
    let entrants = partials.into_iter().flat_map(|(_, partial)| match partial {
        Partial::Entrants(entrants) => entrants,
        _ => Vec::new(),
    });
    entrants.collect()
}

impl State for Partial {
    fn save(&self, out: &mut Writer) {
        match self {
            Partial::Moves(moves) => {
                out.write(&0u8);
                out.write(moves);
            }
            Partial::Entrants(entrants) => {
                out.write(&1u8);
                out.write(entrants);
            }
            Partial::Aspects(aspects) => {
                out.write(&4u8);
                out.write(aspects);
            }
            Partial::Tiles(tiles) => {
                out.write(&2u8);
                out.write(tiles);
            }
            Partial::Share(share) => {
                out.write(&3u8);
                out.write(share);
            }
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(match u8::load(from)? {
            0 => Partial::Moves(from.read()?),
            1 => Partial::Entrants(from.read()?),
            2 => Partial::Tiles(from.read()?),
            3 => Partial::Share(from.read()?),
            4 => Partial::Aspects(from.read()?),
            _ => return Err(StateError::new("a partial of the Lasso")),
        })
    }
}

impl State for Change {
    fn save(&self, out: &mut Writer) {
        match self {
            Change::Moves(moves) => {
                out.write(&0u8);
                out.write(moves);
            }
            Change::Enter { first, variables, columns } => {
                out.write(&1u8);
                out.write(first);
                out.write(variables);
                out.write(columns);
            }
            Change::Solved(solved) => {
                out.write(&2u8);
                out.write(solved);
            }
            Change::Stage { penalty, floor, cap } => {
                out.write(&3u8);
                out.write(penalty);
                out.write(floor);
                out.write(cap);
            }
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(match u8::load(from)? {
            0 => Change::Moves(from.read()?),
            1 => Change::Enter { first: from.read()?, variables: from.read()?, columns: from.read()? },
            2 => Change::Solved(from.read()?),
            3 => Change::Stage { penalty: from.read()?, floor: from.read()?, cap: from.read()? },
            _ => return Err(StateError::new("a change of the Lasso")),
        })
    }
}
