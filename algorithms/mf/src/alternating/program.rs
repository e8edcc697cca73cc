//! [`AlternatingProgram`]: one side is solved, then the other, on two families of shards.

use std::sync::Arc;

use raddle::schedule::{Assignment, Outlook, Plan, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Metric, Program, Restored, Schedule, Task, Verdict};

use super::coordinate_descent::CoordinateDescent;
use super::early_stopping::EarlyStopping;
use super::judged::{self, Judged};
use super::least_squares::LeastSquares;
use super::setup::{Partitioning, Tally};
use super::shard::SideShard;
use super::sides::{FactorMatrices, SidePartial, SideUpdate};
use crate::kernels;

/// How a side is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SideSolver {
    Rows(LeastSquares),
    Columns(CoordinateDescent),
}

/// The mathematics of a run that alternates between the sides.
#[derive(Debug)]
pub struct AlternatingProgram {
    pub(crate) way: SideSolver,
    /// What is measured on, if anything is.
    pub(crate) measured_on: Option<&'static str>,
    /// Whose lists are measured, for implicit feedback; else it is the squared error of held-out ratings.
    pub(crate) judged: Option<Judged>,
    pub(crate) target: Option<f64>,
    pub(crate) epochs: u64,
    /// Users and items.
    pub(crate) rows: (usize, usize),
    /// Parts of each side.
    pub(crate) parts: usize,
    /// What is taken off every rating.
    pub(crate) center: f32,
}

/// The kind of the rounds in which shards take their ratings from the input.
const TAKE: u32 = u32::MAX;

/// The kind of the rounds in which the users' shards measure what is held out.
const MEASURE: u32 = u32::MAX - 1;

/// The kind of another round: twice the pass over the rank, and 1 for items.
fn kind(pass: usize, side: usize) -> u32 {
    (2 * pass + side) as u32
}

impl AlternatingProgram {
    /// Which rows each shard has, from what the chunks of the input have counted, in their order.
    fn lay_out(&self, shares: Vec<(u32, SidePartial)>) -> Verdict<SideUpdate> {
        let tallies: Vec<Tally> =
            shares.into_iter().filter_map(|(_, half)| half.tally.map(|tally| *tally)).collect();
        let setup = Partitioning::new(&tallies, self.rows, self.parts);
        let (name, on) = self.metric();
        let mut verdict = Verdict::unmeasured(name, on);
        verdict.change = Some(SideUpdate { setup: Some(Arc::new(setup)), ..SideUpdate::default() });
        verdict
    }

    /// What the chunk of the input that is counted at a shard holds, if one is.
    pub(super) fn tally(&self, shard: &SideShard) -> Option<Tally> {
        let listed = matches!(self.way, SideSolver::Rows(_));
        shard.counted.as_ref().map(|chunk| Tally::of(chunk, self.rows, self.center, listed))
    }

    /// A shard takes its ratings from a chunk of the input.
    fn take(&self, number: u32, shard: &mut SideShard, sides: &FactorMatrices) {
        let Some(setup) = &sides.setup else { return };
        let is_implicit = matches!(self.way, SideSolver::Rows(rows) if rows.implicit.is_some());
        let taken = shard.take(number as usize / 2, setup, self.center, is_implicit.then_some(1.0));
        if taken && matches!(self.way, SideSolver::Columns(_)) {
            shard.take_off(&sides.columns);
        }
    }

    /// What is measured, and on what.
    fn metric(&self) -> (&'static str, &'static str) {
        match (self.measured_on, &self.judged) {
            (Some(on), Some(_)) => (judged::NAME, on),
            (Some(on), None) => ("rmse", on),
            (None, _) => ("relative-change", "the factors"),
        }
    }

    /// By what the metric is multiplied to become small where it is good.
    pub(super) fn sign(&self) -> f64 {
        if self.judged.is_some() { -1.0 } else { 1.0 }
    }

    /// What is measured on the held-out ratings of a shard: the sum of NDCG over users, or of squared errors.
    fn measure(&self, shard: &SideShard, sides: &FactorMatrices) -> (f64, u64) {
        match (&self.judged, &self.way) {
            (Some(judged), SideSolver::Rows(rows)) => judged.measure(shard, sides, rows.chunks()),
            _ => self.errors(shard, sides),
        }
    }

    /// The squared errors of the held-out ratings of a shard.
    fn errors(&self, shard: &SideShard, sides: &FactorMatrices) -> (f64, u64) {
        let mut sum = 0.0;
        for &(user, item, value) in &shard.held {
            let predicted = match &self.way {
                SideSolver::Rows(rows) => {
                    let chunks = rows.chunks();
                    let row = |side: usize, row: u32| &sides.rows[side].0[row as usize * chunks..][..chunks];
                    kernels::product(row(0, user), row(1, item))
                }
                SideSolver::Columns(columns) => (0..columns.columns())
                    .map(|rank| sides.columns[0][rank][user as usize] * sides.columns[1][rank][item as usize])
                    .sum(),
            };
            sum += f64::from(value - predicted).powi(2);
        }
        (sum, shard.held.len() as u64)
    }
}

impl Program for AlternatingProgram {
    type Shard = SideShard;
    type Block = ();
    type Pinned = EarlyStopping;
    type Replica = FactorMatrices;
    type Partial = SidePartial;
    type Change = SideUpdate;

    fn measures(&self, kind: Option<u32>) -> bool {
        kind == Some(MEASURE)
    }

    fn update(&self, task: &Task, shard: &mut SideShard, sides: &FactorMatrices) -> SidePartial {
        if task.kind == TAKE {
            self.take(task.shard, shard, sides);
            return SidePartial::default();
        }
        if task.kind == MEASURE {
            return SidePartial { measured: self.measure(shard, sides), ..SidePartial::default() };
        }
        match (&self.way, task.variables.first()) {
            (SideSolver::Rows(rows), _) => rows.half(shard, sides),
            (SideSolver::Columns(columns), Some(&rank)) => columns.half(shard, sides, rank, task.kind < 2),
            (SideSolver::Columns(_), None) => SidePartial::default(),
        }
    }

    fn aggregate(&self, round: &Round, _: &mut EarlyStopping, halves: Vec<(u32, SidePartial)>) -> SideUpdate {
        if round.kind == TAKE {
            return SideUpdate::default();
        }
        let halves: Vec<SidePartial> = halves.into_iter().map(|(_, half)| half).collect();
        if round.kind == MEASURE {
            return SideUpdate::of_measured(halves);
        }
        let rank = match self.way {
            SideSolver::Rows(_) => None,
            SideSolver::Columns(_) => round.tasks.first().and_then(|task| task.variables.first().copied()),
        };
        let side = (round.kind % 2) as usize;
        let begins = match &self.way {
            SideSolver::Rows(_) => side == 0,
            SideSolver::Columns(columns) => round.kind == 0 && rank == columns.order().next(),
        };
        SideUpdate::new(side, rank, begins, halves)
    }

    fn commit(&self, moved: &SideUpdate, sides: &mut FactorMatrices) {
        moved.commit(sides);
    }

    fn certify(&self, _: u32, shard: &mut SideShard, sides: &FactorMatrices) -> SidePartial {
        let tally = if sides.setup.is_none() { self.tally(shard).map(Box::new) } else { None };
        SidePartial { tally, ..SidePartial::default() }
    }

    fn conclude(
        &self,
        boundary: &Boundary,
        progress: &mut EarlyStopping,
        sides: &FactorMatrices,
        shares: Vec<(u32, SidePartial)>,
    ) -> Verdict<SideUpdate> {
        if sides.setup.is_none() {
            return self.lay_out(shares);
        }
        let (sum, count) = sides.measured;
        let mean = sum / count.max(1) as f64;
        let measured = self.measured_on.map(|_| if self.judged.is_some() { mean } else { mean.sqrt() });
        let (moved, size) = sides.moved;
        let value = measured.unwrap_or_else(|| (moved / size.max(f64::MIN_POSITIVE)).sqrt());
        let (name, on) = self.metric();
        let over =
            progress.next(self.epochs, boundary.epoch, measured.map(|value| self.sign() * value), sides);
        progress.log.push(value);
        Verdict::new(Metric::new(name, value, on).target(self.target)).status(over.unwrap_or_default())
    }

    /// Ratings are taken from the input again; what coordinate descent has left of them is not in it.
    fn remember(&self, shard: &SideShard, out: &mut Writer) {
        if matches!(self.way, SideSolver::Columns(_)) {
            shard.remember(out);
        }
    }

    fn recall(&self, shard: &mut SideShard, from: &mut Reader<'_>) -> Result<(), StateError> {
        match self.way {
            SideSolver::Columns(_) => shard.recall(from),
            SideSolver::Rows(_) => Ok(()),
        }
    }

    fn restored(&self, run: Restored<'_, Self>) -> Result<(), StateError> {
        self.check(&run)
    }
}

/// Users, then items; of coordinate descent, for each rank. Shards of users and of items take turns in number, so that every
/// worker has some of both.
#[derive(Debug, Clone)]
pub struct Alternation {
    way: SideSolver,
    /// Parts of each side.
    parts: u32,
    /// Chunks of the input that shards take their ratings from, one a round.
    chunks: usize,
    /// Whether something is measured after each epoch.
    measures: bool,
    /// Whether shards have their ratings: not in a run that has just begun or been resumed.
    is_set_up: bool,
}

impl Alternation {
    pub(crate) fn new(way: SideSolver, parts: u32, chunks: usize, measures: bool) -> Self {
        Self { way, parts, chunks, measures, is_set_up: false }
    }

    /// The shards of a side.
    fn shards(&self, side: usize) -> impl Iterator<Item = u32> {
        (0..self.parts).map(move |part| 2 * part + side as u32)
    }

    fn round(&self, pass: usize, side: usize, variables: &[u32]) -> Round {
        Round { kind: kind(pass, side), tasks: tasks(self.shards(side), variables) }
    }
}

fn tasks(shards: impl Iterator<Item = u32>, variables: &[u32]) -> Vec<Assignment> {
    shards.map(|shard| Assignment { shard, block: None, variables: variables.to_vec() }).collect()
}

impl Schedule for Alternation {
    fn identity(&self) -> String {
        // In how many chunks the input is taken in changes no bit.
        let Self { way, parts, chunks: _, measures, is_set_up: _ } = self;
        format!("alternation of {way:?}, {parts} parts, measured {measures:?}")
    }

    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
        let mut rounds = Vec::new();
        if !std::mem::replace(&mut self.is_set_up, true) {
            let take = Round { kind: TAKE, tasks: tasks(0..2 * self.parts, &[]) };
            // What comes of several chunks is joined when all of the input is gone.
            rounds.extend(vec![take; if self.chunks > 1 { self.chunks + 1 } else { 1 }]);
        }
        rounds.extend(match &self.way {
            SideSolver::Rows(_) => vec![self.round(0, 0, &[]), self.round(0, 1, &[])],
            SideSolver::Columns(columns) => {
                let passes = (0..columns.inner).flat_map(|pass| [(pass, 0), (pass, 1)]);
                let rounds = columns.order().flat_map(|rank| passes.clone().map(move |at| (rank, at)));
                rounds.map(|(rank, (pass, side))| self.round(pass, side, &[rank])).collect()
            }
        });
        if self.measures {
            rounds.push(Round { kind: MEASURE, tasks: tasks(self.shards(0), &[]) });
        }
        Plan::Known(rounds)
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        // What is loaded goes on with shards made anew.
        self.is_set_up = false;
        Ok(())
    }
}
