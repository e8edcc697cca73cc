//! [`AlternatingProgram`]: one side is solved, then the other, on two families of shards.

use std::sync::Arc;

use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{Aggregate, Conclude, Evaluate, Merge, Metric, Partials, Program, TaskOf, Update, Verdict};

use super::coordinate_descent::CoordinateDescent;
use super::early_stopping::AlternatingStopping;
use super::least_squares::LeastSquares;
use super::list_metric::{self, ListMetric};
use super::partitioning::{Partitioning, Tally};
use super::phase::{AlternatingPhase, Column};
use super::rating_format::RatingFormat;
use super::shard::{CountedChunk, SideShard};
use super::sides::{FactorMatrices, Half, SidePartial, SideUpdate};
use raddle_kernels::factors as kernels;

/// Multiply-adds per rating in a round of coordinate descent: two for the residual and two for the sums.
const COLUMN: usize = 4;

/// The method that solves a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SideSolver {
    Rows(LeastSquares),
    Columns(CoordinateDescent),
}

impl SideSolver {
    /// Returns the multiply-adds of a round over a side with `ratings` ratings and `rows` rows: of all rows,
    /// or of a column.
    pub(crate) fn cost(&self, ratings: usize, rows: usize) -> usize {
        match self {
            Self::Rows(solver) => solver.cost(ratings, rows),
            Self::Columns(_) => COLUMN * ratings,
        }
    }
}

/// The mathematics of an alternating run.
#[derive(Debug)]
pub struct AlternatingProgram {
    pub(crate) way: SideSolver,
    /// Name of the data to measure on, if any.
    pub(crate) measured_on: Option<&'static str>,
    /// Users whose lists are measured, for implicit feedback; otherwise the squared error of held-out ratings
    /// is measured.
    pub(crate) judged: Option<ListMetric>,
    pub(crate) target: Option<f64>,
    pub(crate) epochs: u64,
    /// Numbers of users and items.
    pub(crate) rows: [usize; 2],
    /// Number of parts of each side.
    pub(crate) parts: usize,
    /// Form in which shards store the ratings.
    pub(crate) format: RatingFormat,
}

impl AlternatingProgram {
    /// Finds the rows of each shard from the tallies of the input's chunks, in order.
    fn lay_out(&self, shares: Partials<SidePartial>) -> Verdict<SideUpdate> {
        let tallies = raddle::answers!(shares, SidePartial::Tally).into_iter();
        let tallies: Vec<Tally> = tallies.flatten().map(|tally| *tally).collect();
        let partitioning = Partitioning::new(&tallies, self.rows, self.parts);
        let (name, on) = self.metric();
        let mut verdict = Verdict::unmeasured(name, on);
        verdict.change =
            Some(SideUpdate { partitioning: Some(Arc::new(partitioning)), ..SideUpdate::default() });
        verdict
    }

    /// Returns the tally of the input's chunk that is counted at a shard, if there is one.
    pub(super) fn tally(&self, shard: &SideShard) -> Option<Tally> {
        shard.counted.as_ref().map(|counted| match counted {
            CountedChunk::Ratings(chunk) => Tally::of(chunk, self.rows, self.format),
            CountedChunk::Tally(tally) => (**tally).clone(),
        })
    }

    /// Lets a shard take its ratings from a chunk of the input.
    fn take(&self, number: u32, shard: &mut SideShard, sides: &FactorMatrices) {
        let Some(partitioning) = &sides.partitioning else { return };
        let part = number as usize / 2;
        if let SideSolver::Rows(rows) = self.way {
            shard.begin(&sides.rows[shard.side], rows.chunks(), partitioning, part);
        }
        let taken = shard.take(part, partitioning, self.format);
        if taken && matches!(self.way, SideSolver::Columns(_)) {
            shard.take_off(&sides.columns);
        }
    }

    /// Returns the names of the metric and of the data on which it is measured.
    fn metric(&self) -> (&'static str, &'static str) {
        match (self.measured_on, &self.judged) {
            (Some(on), Some(_)) => (list_metric::NAME, on),
            (Some(on), None) => ("rmse", on),
            (None, _) => ("relative-change", "the factors"),
        }
    }

    /// Returns the sign by which the metric is multiplied so that smaller is better.
    pub(super) fn sign(&self) -> f64 {
        if self.judged.is_some() { -1.0 } else { 1.0 }
    }

    /// Measures on the held-out ratings of a shard: the sum of NDCG over users, or of squared errors.
    fn measure(&self, shard: &SideShard, sides: &FactorMatrices) -> (f64, u64) {
        match (&self.judged, &self.way) {
            (Some(judged), SideSolver::Rows(rows)) => judged.measure(shard, sides, rows.chunks()),
            _ => self.errors(shard, sides),
        }
    }

    /// Returns the squared errors of the held-out ratings of a shard.
    fn errors(&self, shard: &SideShard, sides: &FactorMatrices) -> (f64, u64) {
        let mut sum = 0.0;
        for &(user, item, value) in &shard.held {
            let predicted = match &self.way {
                SideSolver::Rows(rows) => {
                    let chunks = rows.chunks();
                    let item = &sides.rows[1].0[item as usize * chunks..][..chunks];
                    kernels::product(shard.own_row(user as usize - shard.first, chunks), item)
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
    raddle::program!(
        Shard = SideShard,
        Pinned = AlternatingStopping,
        Replica = FactorMatrices,
        Partial = SidePartial,
        Change = SideUpdate,
        Phase = AlternatingPhase;
        update, merge, restore_by_shard
    );

    fn is_evaluation(&self, phase: Option<&AlternatingPhase>) -> bool {
        phase == Some(&AlternatingPhase::Measure)
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> SideUpdate {
        let Aggregate { round, pinned: early_stopping, partials: halves } = at;
        let side = match round.phase {
            AlternatingPhase::Take => {
                let have_begun = matches!(self.way, SideSolver::Rows(_));
                return SideUpdate { have_begun, ..SideUpdate::default() };
            }
            AlternatingPhase::Measure => {
                let measured = raddle::answers!(halves, SidePartial::Measured).into_iter();
                let sum = |sum: (f64, u64), part: (f64, u64)| (sum.0 + part.0, sum.1 + part.1);
                early_stopping.measured = measured.fold((0.0, 0), sum);
                return SideUpdate::default();
            }
            AlternatingPhase::Rows(side) | AlternatingPhase::Column(Column { side, .. }) => side,
        };
        let (rank, begins) = match (&self.way, round.phase) {
            (SideSolver::Columns(columns), AlternatingPhase::Column(Column { rank, pass, .. })) => {
                (Some(rank), side == 0 && pass == 0 && Some(rank) == columns.order().next())
            }
            _ => (None, side == 0),
        };
        let halves: Vec<Half> = raddle::answers!(halves, SidePartial::Half).into_iter().collect();
        if begins {
            early_stopping.moved = (0.0, 0.0);
        }
        early_stopping.move_by(halves.iter().map(|half| half.moved));
        SideUpdate::new(side, rank, halves)
    }

    fn commit(&self, moved: &SideUpdate, sides: &mut FactorMatrices) {
        moved.commit(sides);
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> SidePartial {
        match at.replica.partitioning {
            Some(_) => SidePartial::Nothing(()),
            None => SidePartial::Tally(self.tally(at.shard).map(Box::new)),
        }
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<SideUpdate> {
        let Conclude { boundary, pinned: early_stopping, replica: sides, partials: shares } = at;
        if sides.partitioning.is_none() {
            return self.lay_out(shares);
        }
        let (sum, count) = early_stopping.measured;
        let mean = sum / count.max(1) as f64;
        let measured = self.measured_on.map(|_| if self.judged.is_some() { mean } else { mean.sqrt() });
        let (moved, size) = early_stopping.moved;
        let value = measured.unwrap_or_else(|| (moved / size.max(f64::MIN_POSITIVE)).sqrt());
        let (name, on) = self.metric();
        let metric = Metric::new(name, value, on).target(self.target);
        let measures_nothing = self.judged.is_some() && count == 0;
        early_stopping.log.push(if measures_nothing { f64::NAN } else { value });
        if let Some(turn) = early_stopping.choose(boundary.epoch, value) {
            let mut verdict =
                if measures_nothing { Verdict::unmeasured(name, on) } else { Verdict::new(metric) };
            verdict.change = Some(SideUpdate { turn: Some(turn), ..SideUpdate::default() });
            return verdict;
        }
        let over = early_stopping.next(
            self.epochs,
            boundary.epoch,
            measured.map(|value| self.sign() * value),
            sides,
        );
        let mut verdict = Verdict::new(metric).status(over.unwrap_or_default());
        let is_best = measured.is_some() && early_stopping.best_epoch == boundary.epoch;
        // The best columns are kept in the pinned block.
        if matches!(self.way, SideSolver::Rows(_)) && is_best != sides.is_best {
            verdict.change = Some(SideUpdate { is_best: Some(is_best), ..SideUpdate::default() });
        }
        verdict
    }

    /// Rows are in the shards, columns in the replica.
    fn drop_training_data(&self, shard: &mut SideShard) {
        shard.drop_training_data();
    }

    /// Ratings are taken from the input again. Factors, and the residuals of coordinate descent, are not in
    /// the input.
    fn save_state(&self, shard: &SideShard, out: &mut Learned<Writer>) {
        match self.way {
            SideSolver::Columns(_) => shard.save_state(out),
            SideSolver::Rows(_) => shard.save_rows(out),
        }
    }

    fn load_state(&self, shard: &mut SideShard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        match self.way {
            SideSolver::Columns(_) => shard.load_state(from),
            SideSolver::Rows(_) => shard.load_rows(from),
        }
    }
}

impl Update for AlternatingProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> SidePartial {
        let TaskOf { task, shard, replica: sides } = at;
        match (task.phase, &self.way) {
            (AlternatingPhase::Take, _) => {
                self.take(task.shard, shard, sides);
                SidePartial::Nothing(())
            }
            (AlternatingPhase::Measure, _) => SidePartial::Measured(self.measure(shard, sides)),
            (AlternatingPhase::Rows(_), SideSolver::Rows(rows)) => SidePartial::Half(rows.half(shard, sides)),
            (AlternatingPhase::Column(column), SideSolver::Columns(columns)) => {
                SidePartial::Half(columns.half(shard, sides, column))
            }
            (phase, way) => panic!("{way:?} has no {phase:?}"),
        }
    }
}

impl Merge for AlternatingProgram {
    /// Tallies of the input's chunks are sums of counts.
    fn merge(&self, _: Option<&AlternatingPhase>, left: &mut SidePartial, right: SidePartial) {
        match (left, right) {
            (SidePartial::Tally(Some(left)), SidePartial::Tally(Some(right))) => left.merge(&right),
            (left @ SidePartial::Tally(None), right @ SidePartial::Tally(_)) => *left = right,
            (SidePartial::Tally(_), SidePartial::Tally(None)) => {}
            (SidePartial::Nothing(()), SidePartial::Nothing(())) => {}
            (left, right) => panic!("{left:?} is merged with {right:?}"),
        }
    }

    /// New rows are no smaller when merged, and squares are floating-point numbers, which are added in shard
    /// order.
    fn merges(&self, phase: Option<&AlternatingPhase>) -> bool {
        phase.is_none()
    }
}
