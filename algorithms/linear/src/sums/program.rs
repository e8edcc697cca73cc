//! [`SumsProgram`]: rows as shards, a point as the replica, and sums of integers as partials.

use raddle::exact::{ExactError, ExactSums};
use raddle::prelude::*;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{RestoreByShard, Restoring, cancellation_point};

use super::judged::{Standing, Sums};
use super::point::{Bounds, Point};
use super::shard::{SumShard, cut};

/// Rows whose products are added together, while a line of the triangle is near.
const TOGETHER: usize = 16;

/// Name of the metric, and what it is of.
const GAP: &str = "relative-duality-gap";
const ROWS: &str = "training data";

/// A linear classifier of two classes by exact sums.
#[derive(Debug)]
pub struct SumsProgram {
    pub(super) bounds: Bounds,
    pub(super) tolerance: f64,
}

/// The sums of a shard while its rows are added.
struct Adding {
    losses: ExactSums,
    first: ExactSums,
    second: ExactSums,
    /// Rows whose products are not added yet: their factors, and their values by scaled column.
    factors: Vec<f64>,
    rows: Vec<f64>,
}

impl Adding {
    fn add_products(&mut self) -> Result<(), ExactError> {
        self.second.add_products(&self.factors, &self.rows)?;
        self.factors.clear();
        self.rows.clear();
        Ok(())
    }

    /// Returns the words of the losses, of the first and of the second derivatives.
    fn words(mut self) -> Result<Vec<i64>, ExactError> {
        self.add_products()?;
        let mut words = self.losses.words();
        words.extend(self.first.words());
        words.extend(self.second.words());
        Ok(words)
    }
}

impl SumsProgram {
    fn width(&self) -> usize {
        self.bounds.scales.len()
    }

    /// Adds up the rows of a shard; `None` if the weights are too large, which no point's are.
    fn sums(&self, shard: &SumShard, point: &Point) -> Result<Option<Vec<i64>>, ExactError> {
        let (width, loss) = (self.width(), self.bounds.loss);
        let halvings: Vec<f64> = point.halvings(loss).collect();
        let Some(grids) = self.bounds.grids(point) else { return Ok(None) };
        let mut adding = Adding {
            losses: ExactSums::wide(grids.losses, 2 + halvings.len()),
            first: ExactSums::wide(grids.first, width),
            second: ExactSums::new(grids.second, width * (width + 1) / 2),
            factors: Vec::with_capacity(TOGETHER),
            rows: Vec::with_capacity(TOGETHER * width),
        };
        let (mut losses, mut down) = (vec![0.0; 2 + halvings.len()], vec![0.0; width]);
        for (&at, &signed) in shard.at.iter().zip(&shard.signed) {
            let (at, sign, c) = (at as usize, signed.signum(), signed.abs());
            let margin = sign * shard.rows.dot(at, &point.w);
            let (slope, second) = loss.slopes(margin);
            (losses[0], losses[1]) = (loss.dual(c * slope, c), c * loss.value(margin));
            if !halvings.is_empty() {
                let along = sign * shard.rows.dot(at, &point.step);
                let halved = |back: &f64| c * loss.value(margin - back * along);
                losses[2..].iter_mut().zip(&halvings).for_each(|(loss, back)| *loss = halved(back));
            }
            adding.losses.add(&losses)?;
            let first = adding.rows.len();
            adding.rows.resize(first + width, 0.0);
            let row = &mut adding.rows[first..];
            let (columns, values) = shard.rows.row(at);
            for (&column, value) in columns.iter().zip(values) {
                row[column as usize] = value / self.bounds.scales[column as usize];
            }
            let factor = sign * c * slope;
            down.iter_mut().zip(&*row).for_each(|(down, x)| *down = factor * x);
            adding.first.add(&down)?;
            if second == 0.0 {
                adding.rows.truncate(first);
            } else {
                adding.factors.push(c * second);
            }
            cancellation_point((width * width / 8) as u64);
            if adding.factors.len() == TOGETHER {
                adding.add_products()?;
            }
        }
        adding.words().map(Some)
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
        let standing = at.pinned;
        if let Some(grids) = self.bounds.grids(&standing.point) {
            let sums = Sums::read(&at.partials.concat(), grids, self.width());
            let next = standing.next(sums, &self.bounds);
            match self.bounds.grids(&next) {
                Some(_) => standing.point = next,
                None => standing.is_over = true,
            }
        }
        standing.point.clone()
    }

    fn commit(&self, change: &Point, point: &mut Point) {
        point.clone_from(change);
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<i64> {
        Vec::new()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Point> {
        let Standing { best, found, is_over, .. } = at.pinned;
        if best.is_empty() {
            return Verdict::unmeasured(GAP, ROWS);
        }
        let metric = Metric::new(GAP, found.gap(), ROWS).target(self.tolerance);
        let status = if *is_over { Status::Converged } else { Status::Continue };
        let mut verdict = Verdict::new(metric.certified()).status(status);
        verdict.objective = Some(found.primal);
        verdict.show("primal", found.primal).show("dual", found.dual)
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
        match self.sums(at.shard, at.replica) {
            Ok(words) => words.unwrap_or_default(),
            // Bounds of the data were checked; this would be a mistake of the grids.
            Err(why) => panic!("{why}"),
        }
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
