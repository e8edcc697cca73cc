//! [`AlternatingProgram`]: one side is solved, then the other, on two families of shards.

use std::sync::Arc;

use raddle::schedule::{Assignment, Outlook, Plan, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Metric, Program, Schedule, Task, Verdict};

use super::coordinate_descent::CoordinateDescent;
use super::least_squares::LeastSquares;
use super::progress::Progress;
use super::setup::{Setup, Tally};
use super::shard::HalfShard;
use super::sides::{Half, Moved, Sides};
use crate::kernels;

/// How a side is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Rows(LeastSquares),
    Columns(CoordinateDescent),
}

/// The mathematics of a run that alternates between the sides.
#[derive(Debug)]
pub struct AlternatingProgram {
    pub(crate) way: Way,
    /// What is measured on, if anything is; of implicit feedback, how far held-out pairs are from 1.
    pub(crate) measured_on: Option<&'static str>,
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

/// The kind of another round: twice the pass over the rank, and 1 for items.
fn kind(pass: usize, side: usize) -> u32 {
    (2 * pass + side) as u32
}

impl AlternatingProgram {
    /// Which rows each shard has, from what the chunks of the input have counted, in their order.
    fn lay_out(&self, shares: Vec<(u32, Half)>) -> Verdict<Moved> {
        let tallies: Vec<Tally> =
            shares.into_iter().filter_map(|(_, half)| half.tally.map(|tally| *tally)).collect();
        let setup = Setup::new(&tallies, self.rows, self.parts);
        let mut verdict = Verdict::new(Metric::new("relative-change", 1.0, "the factors"));
        verdict.change = Some(Moved { setup: Some(Arc::new(setup)), ..Moved::default() });
        verdict
    }

    /// What the chunk of the input that is counted at a shard holds, if one is.
    pub(super) fn tally(&self, shard: &HalfShard) -> Option<Tally> {
        let listed = matches!(self.way, Way::Rows(_));
        shard.counted.as_ref().map(|chunk| Tally::of(chunk, self.rows, self.center, listed))
    }

    /// A shard takes its ratings from a chunk of the input.
    fn take(&self, number: u32, shard: &mut HalfShard, sides: &Sides) {
        let Some(setup) = &sides.setup else { return };
        let is_implicit = matches!(self.way, Way::Rows(rows) if rows.implicit.is_some());
        let taken = shard.take(number as usize / 2, setup, self.center, is_implicit.then_some(1.0));
        if taken && matches!(self.way, Way::Columns(_)) {
            shard.take_off(&sides.columns);
        }
    }

    /// The squared errors of the held-out ratings of a shard.
    fn errors(&self, shard: &HalfShard, sides: &Sides) -> (f64, u64) {
        let mut sum = 0.0;
        for &(user, item, value) in &shard.held {
            let predicted = match &self.way {
                Way::Rows(rows) => {
                    let chunks = rows.chunks();
                    let row = |side: usize, row: u32| &sides.rows[side].0[row as usize * chunks..][..chunks];
                    kernels::product(row(0, user), row(1, item))
                }
                Way::Columns(columns) => (0..columns.columns())
                    .map(|rank| sides.columns[0][rank][user as usize] * sides.columns[1][rank][item as usize])
                    .sum(),
            };
            sum += f64::from(value - predicted).powi(2);
        }
        (sum, shard.held.len() as u64)
    }
}

impl Program for AlternatingProgram {
    type Shard = HalfShard;
    type Block = ();
    type Pinned = Progress;
    type Replica = Sides;
    type Partial = Half;
    type Change = Moved;

    fn update(&self, task: &Task, shard: &mut HalfShard, sides: &Sides) -> Half {
        if task.kind == TAKE {
            self.take(task.shard, shard, sides);
            return Half::default();
        }
        match (&self.way, task.variables.first()) {
            (Way::Rows(rows), _) => rows.half(shard, sides),
            (Way::Columns(columns), Some(&rank)) => columns.half(shard, sides, rank, task.kind < 2),
            (Way::Columns(_), None) => Half::default(),
        }
    }

    fn aggregate(&self, round: &Round, _: &mut Progress, halves: Vec<(u32, Half)>) -> Moved {
        if round.kind == TAKE {
            return Moved::default();
        }
        let rank = match self.way {
            Way::Rows(_) => None,
            Way::Columns(_) => round.tasks.first().and_then(|task| task.variables.first().copied()),
        };
        let side = (round.kind % 2) as usize;
        let begins = match &self.way {
            Way::Rows(_) => side == 0,
            Way::Columns(columns) => round.kind == 0 && rank == columns.order().next(),
        };
        Moved::new(side, rank, begins, halves.into_iter().map(|(_, half)| half).collect())
    }

    fn commit(&self, moved: &Moved, sides: &mut Sides) {
        moved.commit(sides);
    }

    fn certify(&self, _: u32, shard: &mut HalfShard, sides: &Sides) -> Half {
        if sides.setup.is_none() {
            return Half { tally: self.tally(shard).map(Box::new), ..Half::default() };
        }
        Half { errors: self.errors(shard, sides), ..Half::default() }
    }

    fn conclude(
        &self,
        boundary: &Boundary,
        progress: &mut Progress,
        sides: &Sides,
        shares: Vec<(u32, Half)>,
    ) -> Verdict<Moved> {
        if sides.setup.is_none() {
            return self.lay_out(shares);
        }
        let sum = shares.iter().map(|(_, half)| half.errors.0).sum::<f64>();
        let count = shares.iter().map(|(_, half)| half.errors.1).sum::<u64>();
        let error = self.measured_on.map(|_| (sum / count.max(1) as f64).sqrt());
        let over = progress.next(self.epochs, boundary.epoch, error, sides);
        let (moved, size) = sides.moved;
        let metric = match (error, self.measured_on) {
            // Once the run is over, of the best epoch: that is the model it leaves.
            (Some(error), Some(on)) => {
                let error = if over.is_some() { progress.best } else { error };
                Metric::new("rmse", error, on).target(self.target)
            }
            _ => {
                let change = (moved / size.max(f64::MIN_POSITIVE)).sqrt();
                Metric::new("relative-change", change, "the factors")
            }
        };
        Verdict::new(metric).status(over.unwrap_or_default())
    }

    /// Ratings are taken from the input again; what coordinate descent has left of them is not in it.
    fn remember(&self, shard: &HalfShard, out: &mut Writer) {
        if matches!(self.way, Way::Columns(_)) {
            shard.remember(out);
        }
    }

    fn recall(&self, shard: &mut HalfShard, from: &mut Reader<'_>) -> Result<(), StateError> {
        match self.way {
            Way::Columns(_) => shard.recall(from),
            Way::Rows(_) => Ok(()),
        }
    }

    fn check_restored(
        &self,
        shards: &[HalfShard],
        _: &[()],
        progress: &Progress,
        sides: &Sides,
    ) -> Result<(), StateError> {
        self.check(shards, progress, sides)
    }
}

/// Users, then items; of coordinate descent, for each rank. Shards of users and of items take turns in number, so that every
/// worker has some of both.
#[derive(Debug, Clone)]
pub struct Alternation {
    way: Way,
    /// Parts of each side.
    parts: u32,
    /// Chunks of the input that shards take their ratings from, one a round.
    chunks: usize,
    /// Whether shards have their ratings: not in a run that has just begun or been resumed.
    is_set_up: bool,
}

impl Alternation {
    pub(crate) fn new(way: Way, parts: u32, chunks: usize) -> Self {
        Self { way, parts, chunks, is_set_up: false }
    }

    fn round(&self, pass: usize, side: usize, variables: &[u32]) -> Round {
        let shards = (0..self.parts).map(|part| 2 * part + side as u32);
        Round { kind: kind(pass, side), tasks: tasks(shards, variables) }
    }
}

fn tasks(shards: impl Iterator<Item = u32>, variables: &[u32]) -> Vec<Assignment> {
    shards.map(|shard| Assignment { shard, block: None, variables: variables.to_vec() }).collect()
}

impl Schedule for Alternation {
    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
        let mut rounds = Vec::new();
        if !std::mem::replace(&mut self.is_set_up, true) {
            let take = Round { kind: TAKE, tasks: tasks(0..2 * self.parts, &[]) };
            // What comes of several chunks is joined when all of the input is gone.
            rounds.extend(vec![take; if self.chunks > 1 { self.chunks + 1 } else { 1 }]);
        }
        rounds.extend(match &self.way {
            Way::Rows(_) => vec![self.round(0, 0, &[]), self.round(0, 1, &[])],
            Way::Columns(columns) => {
                let passes = (0..columns.inner).flat_map(|pass| [(pass, 0), (pass, 1)]);
                let rounds = columns.order().flat_map(|rank| passes.clone().map(move |at| (rank, at)));
                rounds.map(|(rank, (pass, side))| self.round(pass, side, &[rank])).collect()
            }
        });
        Plan::Known(rounds)
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        // What is loaded goes on with shards made anew.
        self.is_set_up = false;
        Ok(())
    }
}
