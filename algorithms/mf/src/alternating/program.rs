//! [`AlternatingProgram`]: one side is solved, then the other, on two families of shards.

use std::sync::Arc;

use raddle::schedule::{Assignment, Outlook, Plan, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Certificate, Program, Schedule, Task, Verdict};

use super::coordinate_descent::CoordinateDescent;
use super::least_squares::LeastSquares;
use super::progress::Progress;
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
}

/// A round's kind: twice the pass over the rank, and 1 for items.
fn kind(pass: usize, side: usize) -> u32 {
    (2 * pass + side) as u32
}

impl AlternatingProgram {
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
        match (&self.way, task.variables.first()) {
            (Way::Rows(rows), _) => rows.half(shard, sides),
            (Way::Columns(columns), Some(&rank)) => columns.half(shard, sides, rank, task.kind < 2),
            (Way::Columns(_), None) => Half::default(),
        }
    }

    fn aggregate(&self, round: &Round, _: &mut Progress, halves: Vec<(u32, Half)>) -> Moved {
        let rank = match self.way {
            Way::Rows(_) => None,
            Way::Columns(_) => round.tasks.first().and_then(|task| task.variables.first().copied()),
        };
        let side = (round.kind % 2) as usize;
        let begins = match &self.way {
            Way::Rows(_) => side == 0,
            Way::Columns(columns) => round.kind == 0 && rank == columns.order().next(),
        };
        Moved { side, rank, begins, halves: halves.into_iter().map(|(_, half)| Arc::new(half)).collect() }
    }

    fn commit(&self, moved: &Moved, sides: &mut Sides) {
        moved.commit(sides);
    }

    fn certify(&self, _: u32, shard: &mut HalfShard, sides: &Sides) -> Half {
        Half { errors: self.errors(shard, sides), ..Half::default() }
    }

    fn conclude(
        &self,
        boundary: &Boundary,
        progress: &mut Progress,
        sides: &Sides,
        shares: Vec<(u32, Half)>,
    ) -> Verdict<Moved> {
        let sum = shares.iter().map(|(_, half)| half.errors.0).sum::<f64>();
        let count = shares.iter().map(|(_, half)| half.errors.1).sum::<u64>();
        let error = self.measured_on.map(|_| (sum / count.max(1) as f64).sqrt());
        let done = boundary.epoch > 0 && progress.next(self.epochs, boundary.epoch, error, sides);
        let (moved, size) = sides.moved;
        let (kind, value, on) = match (error, self.measured_on) {
            (Some(error), Some(on)) => ("rmse", error, on),
            _ if boundary.epoch == 0 => ("relative-change", 1.0, "the factors"),
            _ => ("relative-change", (moved / size.max(f64::MIN_POSITIVE)).sqrt(), "the factors"),
        };
        let mut certificate = Certificate::new(kind, value, self.target.unwrap_or(0.0), on);
        certificate.reached = self.target.is_some_and(|target| error.is_some_and(|error| error <= target));
        if done && !certificate.reached {
            match self.target.filter(|_| error.is_some()) {
                Some(_) => certificate.stalled = true,
                None => {
                    let best = if error.is_some() { progress.best } else { value };
                    (certificate.value, certificate.target, certificate.reached) = (best, best, true);
                }
            }
        }
        Verdict::new(certificate)
    }
}

/// Users, then items; of coordinate descent, for each rank.
#[derive(Debug, Clone)]
pub struct Alternation {
    pub(crate) way: Way,
    /// The shards of users and of items.
    pub(crate) shards: [std::ops::Range<u32>; 2],
}

impl Alternation {
    fn round(&self, pass: usize, side: usize, variables: &[u32]) -> Round {
        let task = |shard| Assignment { shard, block: None, variables: variables.to_vec() };
        Round { kind: kind(pass, side), tasks: self.shards[side].clone().map(task).collect() }
    }
}

impl Schedule for Alternation {
    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
        let rounds = match &self.way {
            Way::Rows(_) => vec![self.round(0, 0, &[]), self.round(0, 1, &[])],
            Way::Columns(columns) => {
                let passes = (0..columns.inner).flat_map(|pass| [(pass, 0), (pass, 1)]);
                let rounds = columns.order().flat_map(|rank| passes.clone().map(move |at| (rank, at)));
                rounds.map(|(rank, (pass, side))| self.round(pass, side, &[rank])).collect()
            }
        };
        Plan::Known(rounds)
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}
