//! [`SumsProgram`]: rows as shards, a point as the replica, and sums of integers as partials.

use raddle::prelude::*;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{RestoreByShard, Restoring};

use super::judged::Standing;
use super::point::{Bounds, Point};
use super::shard::{SumShard, cut};

/// A linear classifier of two classes by exact sums.
#[derive(Debug)]
pub struct SumsProgram {
    pub(super) bounds: Bounds,
    pub(super) tolerance: f64,
}

impl SumsProgram {
    fn width(&self) -> usize {
        self.bounds.scales.len()
    }
}

impl Program for SumsProgram {
    raddle::program!(
        Shard = SumShard,
        Pinned = Standing,
        Replica = Point,
        Partial = Vec<i64>, // words; none at a boundary
        Change = Point;
        update, additive, restore_by_shard
    );

    fn is_monotone(&self) -> bool {
        true
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Point {
        at.pinned.go_on(&at.partials.concat(), &self.bounds);
        at.pinned.point.clone()
    }

    fn commit(&self, change: &Point, point: &mut Point) {
        point.clone_from(change);
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<i64> {
        Vec::new()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Point> {
        at.pinned.verdict(self.tolerance)
    }

    /// Saves nothing: rows are made again from the data, and nothing else is in a shard.
    fn save_state(&self, _: &SumShard, _: &mut Learned<Writer>) {}

    fn load_state(&self, _: &mut SumShard, _: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        Ok(())
    }

    fn drop_training_data(&self, shard: &mut SumShard) {
        *shard = SumShard::default();
    }
}

/// Checks that all weights are those of the columns.
impl RestoreByShard for SumsProgram {
    type Question = ();
    type Answer = ();

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        let (width, Standing { best, second, point, .. }) = (self.width(), run.pinned);
        let is_new = best.is_empty() && second.is_empty();
        let fits = (is_new || best.len() == width && second.len() == width * (width + 1) / 2)
            && [point, run.replica]
                .iter()
                .all(|point| point.w.len() == width && [0, width].contains(&point.step.len()));
        if fits { Ok(None) } else { Err(StateError::new("a weight for each column")) }
    }

    fn answer(&self, (): &(), _: u32, _: &mut SumShard, _: &Point) -> Result<(), StateError> {
        Ok(())
    }
}

impl Update for SumsProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<i64> {
        self.bounds.add_up(at.shard, at.replica)
    }
}

impl Additive for SumsProgram {
    fn words<'a>(&self, partial: &'a mut Vec<i64>) -> &'a mut [i64] {
        partial
    }

    fn recut(&self, shards: Vec<SumShard>, ends: &[f64]) -> Vec<SumShard> {
        cut(&shards, ends)
    }
}
