//! [`SgdProgram`]: stochastic gradient steps as a rotation without barriers.

use std::sync::Arc;

use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Evaluate, Fold, Metric, Program, Task, UpdateBlock, Verdict, Visibility,
};

use super::early_stopping::{AfterEpoch, EarlyStopping};
use super::factor_block::Scaling;
use super::learning_rate::LearningRateSchedule;
use super::partition::Partition;
use super::replica::{Answer, Change, EpochPlan, Errors, GridPartitioning, Replica, Squares};
use super::schedule::Phase;
use super::shard::{ItemBlock, UserShard};
use crate::initial::Start;
use crate::input::chunk::Chunk;
use crate::input::source::Counts;
use crate::model::Side;
use raddle::Pool;
use raddle_kernels::factors::{self as kernels, Rating};

/// The mathematics of a run by gradient steps.
#[derive(Debug)]
pub struct SgdProgram {
    pub(crate) users: usize,
    pub(crate) items: usize,
    pub(crate) shards: usize,
    pub(crate) blocks: usize,
    pub(crate) rates: LearningRateSchedule,
    pub(crate) start: Start,
    pub(crate) scaling: Scaling,
    /// `true` if the mean is subtracted from the ratings.
    pub(crate) centered: bool,
    /// Name of the data to measure on, if any.
    pub(crate) measured_on: Option<&'static str>,
    /// The error of the mean of the ratings on these data.
    pub(crate) mean_rmse: Option<f64>,
    pub(crate) target: Option<f64>,
    /// `true` if the schedule needs the reduction of each cell's error.
    pub(crate) by_priority: bool,
    pub(crate) pool: Pool<Rating>,
    /// The layout of the data, if rows were carried over from an earlier run.
    pub(crate) carried: Option<Arc<GridPartitioning>>,
}

impl SgdProgram {
    /// Makes the layout of the data from the counts of all chunks in shard order.
    pub(crate) fn lay_out(&self, chunks: impl Iterator<Item = Counts>) -> GridPartitioning {
        let mut all = Counts { rows: [vec![0; self.users], vec![0; self.items]], ..Counts::default() };
        for chunk in chunks {
            all.add_rows(&chunk);
            all.sum += chunk.sum;
            all.squares += chunk.squares;
        }
        let [users, items] = all.rows;
        let number: u64 = users.iter().map(|&count| u64::from(count)).sum();
        let mean = all.sum / number as f64;
        let center = if self.centered { mean } else { 0.0 };
        let variance = (all.squares / number as f64 - mean * mean).max(0.0);
        let scale = if variance.sqrt() > 1e-6 * mean.abs() { variance.sqrt() } else { 1.0 };
        let spread = if self.centered { variance } else { all.squares / number as f64 };
        let deviation = spread.sqrt();
        let (users, items) = (Partition::new(users, self.shards), Partition::new(items, self.blocks));
        GridPartitioning { users, items, mean, center, scale, deviation }
    }

    /// Brings both sides to the start of the epoch.
    fn begin(
        &self,
        task: &Task<Phase>,
        shard: &mut UserShard,
        number: u32,
        block: &mut ItemBlock,
        partitioning: &GridPartitioning,
        plan: &EpochPlan,
    ) {
        let sides = [(&mut shard.part, task.shard, Side::Users), (&mut block.part, number, Side::Items)];
        for (part, number, side) in sides {
            let partition = partitioning.side(side);
            let rows = partition.part(number);
            let scales = || {
                self.scaling.of(
                    rows,
                    partition,
                    partitioning.middle(),
                    self.rates.bias_decay / partitioning.scale,
                )
            };
            let restarts = self.rates.tail.is_none();
            part.begin(
                task.epoch,
                plan,
                restarts,
                |sums, scales| self.start.rows(rows, side, partitioning, sums, scales),
                scales,
            );
        }
    }

    /// Before the first step only the mean predicts, unless there is a model to start from.
    fn beginning(&self, partitioning: &GridPartitioning) -> Verdict<Change> {
        match self.start.given {
            None if self.carried.is_none() => {
                Verdict::new(Metric::new("rmse", partitioning.deviation, "training data"))
            }
            _ => Verdict::unmeasured("rmse", "training data"),
        }
    }
}

impl Program for SgdProgram {
    raddle::program!(
        Shard = UserShard,
        Block = ItemBlock,
        Pinned = EarlyStopping,
        Replica = Replica,
        Partial = Answer,
        Change = Change,
        Phase = Phase;
        update_block, fold, restore_by_shard
    );

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }

    fn is_evaluation(&self, phase: Option<&Phase>) -> bool {
        matches!(phase, Some(Phase::Measure(_)))
    }

    /// Sends the plan of the epoch with all tasks.
    fn prepare(&self, phase: &mut Phase, early_stopping: &EarlyStopping) {
        if let Phase::Train(plan) | Phase::Measure(plan) = phase {
            *plan = early_stopping.now;
        }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Change {
        let mut all = Errors::default();
        raddle::answers!(at.partials, Answer::Errors).into_iter().for_each(|errors| all.add(errors));
        at.pinned.errors = all;
        Change::default()
    }

    fn commit(&self, change: &Change, replica: &mut Replica) {
        change.commit(replica);
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Answer {
        match at.replica.partitioning {
            Some(_) => Answer::Nothing(()),
            None if self.carried.is_some() => Answer::Counts(None),
            None => {
                let count = |chunk: &Chunk| Box::new(chunk.count(self.users, self.items));
                Answer::Counts(at.shard.chunk.as_ref().map(count))
            }
        }
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Change> {
        let Conclude { boundary, pinned: early_stopping, replica, partials: shares } = at;
        let Some(partitioning) = &replica.partitioning else {
            let counts = raddle::answers!(shares, Answer::Counts).into_iter().flatten().map(|counts| *counts);
            let partitioning = self.carried.clone().unwrap_or_else(|| Arc::new(self.lay_out(counts)));
            let mut verdict = self.beginning(&partitioning);
            early_stopping.now = early_stopping.first(&self.rates, partitioning.scale);
            verdict.change = Some(Change { partitioning: Some(partitioning) });
            return verdict;
        };
        let Errors { trained, measured, cells } = std::mem::take(&mut early_stopping.errors);
        let in_units = |squares: &Squares| squares.root_mean() * partitioning.scale;
        let measured = self.measured_on.map(|_| in_units(&measured));
        let error = measured.unwrap_or_else(|| in_units(&trained));
        let on = self.measured_on.unwrap_or("training data, as met");
        let mut verdict = Verdict::new(Metric::new("rmse", error, on).target(self.target));
        early_stopping.log.push(error);
        match early_stopping.next(&self.rates, partitioning.scale, boundary.epoch, measured, self.mean_rmse) {
            AfterEpoch::Done(status) => verdict.status = status,
            AfterEpoch::Epoch(now) => {
                if now.stage != early_stopping.now.stage {
                    let length = self.rates.length(now.stage);
                    verdict.note = Some(format!("restart: {length} epochs from new factors"));
                }
                early_stopping.now = now;
            }
        }
        if self.by_priority {
            verdict.weights = early_stopping.reductions(&cells);
        }
        verdict
    }

    /// The model needs no ratings.
    fn drop_training_data(&self, shard: &mut UserShard) {
        let UserShard { part, cells: _, held: _, chunk: _ } = std::mem::take(shard);
        shard.part = part;
    }

    /// Ratings are split again from the data.
    fn save_state(&self, shard: &UserShard, out: &mut Learned<Writer>) {
        out.write(&shard.part);
    }

    fn load_state(&self, shard: &mut UserShard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        shard.part = from.read()?;
        Ok(())
    }
}

impl UpdateBlock for SgdProgram {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Answer {
        let BlockTaskOf { task, shard, block, replica, .. } = at;
        let mut errors = Errors::default();
        let (Some(partitioning), Some(number)) = (&replica.partitioning, task.block) else {
            return Answer::Errors(errors);
        };
        match &task.phase {
            Phase::Scatter => shard.scatter(number, block, partitioning, &self.pool),
            Phase::Deliver => shard.take(task.shard, block, partitioning),
            Phase::ItemMeans => shard.add_to_items(number, block, partitioning, self.start.width()),
            Phase::UserMeans => {
                shard.add_to_users(task.shard, number, block, partitioning, self.start.width())
            }
            Phase::Train(plan) => {
                self.begin(task, shard, number, block, partitioning, plan);
                let UserShard { part, cells, .. } = shard;
                for cell in cells[number as usize].for_steps(self.start.width()) {
                    raddle::cancellation_point((cell.ratings().len() * self.start.width()) as u64);
                    let sum = kernels::sgd(cell, &mut part.rows, &mut block.part.rows, &plan.steps);
                    errors.trained.add(Squares { sum, count: cell.ratings().len() as u64 });
                }
                if self.by_priority && errors.trained.count > 0 {
                    let Squares { sum, count } = errors.trained;
                    errors.cells.push((task.shard * self.blocks as u32 + number, sum / count as f64));
                }
            }
            Phase::Measure(plan) => {
                // A side that no task of this epoch has trained starts the epoch here.
                self.begin(task, shard, number, block, partitioning, plan);
                for cell in shard.held[number as usize].for_errors() {
                    let sum = kernels::squares(cell, &shard.part.rows, &block.part.rows);
                    errors.measured.add(Squares { sum, count: cell.ratings().len() as u64 });
                }
            }
        }
        Answer::Errors(errors)
    }
}

impl Fold for SgdProgram {
    fn fold(&self, so_far: &mut Answer, next: Answer) {
        match (so_far, next) {
            (Answer::Errors(so_far), Answer::Errors(next)) => so_far.add(next),
            (so_far, next) => panic!("tasks answer squared errors, not {so_far:?} and {next:?}"),
        }
    }
}
