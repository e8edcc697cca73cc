//! A fit by gradient steps: makes an engine from parameters, and a model from its outcome.

use std::sync::Arc;

use raddle::{Engine, Lazy, LazyParts, Outcome, Parts};

use super::carry::TrainedRows;
use super::early_stopping::EarlyStopping;
use super::factor_block::{FactorBlock, Scaling};
use super::learning_rate::{LearningRateSchedule, Tail, default_decay};
use super::partition::{Partition, fewest_parts};
use super::program::SgdProgram;
use super::schedule::GridSchedule;
use super::shard::{ItemBlock, UserShard};
use super::side_balance::SideBalance;
use crate::error::MfError;
use crate::fitted::Fit;
use crate::initial::Start;
use crate::input::baseline::DAMPING;
use crate::input::chunk::{CHUNKS, Chunk, chunk_owner};
use crate::input::problem::Problem;
use crate::model::Model;
use crate::params::{Mf, ScheduleKind};
use crate::runner::Runner;
use raddle_kernels::factors::{LANES, Rows};

/// Number of values that a task should update at least: some tenths of a millisecond, enough to be worth
/// scheduling.
const TASK: usize = 1_500_000;

/// Multiply-adds of a step by one rating for each unit of rank: one for the product, two for each row.
const STEP: u64 = 5;

/// Bytes of rows that a task may touch for them to stay in the cache of its core.
const NEAR: usize = 640 << 10;

impl Mf {
    /// Fits, and returns the outcome of the run, which has the rows for a fit that continues from it.
    pub(crate) fn fit_by_steps<R: Runner>(
        &self,
        problem: &Problem,
        runner: &mut R,
    ) -> Result<(Fit, Outcome<SgdProgram>), R::Error> {
        let outcome = runner.run(self.steps_engine(problem))?;
        let mut fit = collect(self, &self.stages(problem), &outcome, problem);
        fit.keep_what_is_not_trained(self.init.as_ref(), || problem.rated());
        Ok((fit.admit_divergence(), outcome))
    }

    /// Continues from rows that were carried over, with the end of their step schedule. The rows have this
    /// `error` on held-out ratings, if there are any.
    pub(crate) fn go_on_by_steps<R: Runner>(
        &self,
        problem: &Problem,
        from: TrainedRows,
        error: Option<f64>,
        runner: &mut R,
    ) -> Result<(Fit, Option<TrainedRows>), R::Error> {
        let (length, reg) = (from.length, from.reg);
        let outcome = runner.run(self.carried_engine(problem, from, error))?;
        let mut fit = collect(self, &LearningRateSchedule::tails(self.epochs), &outcome, problem);
        fit.fold_in.reg = reg;
        let carried = TrainedRows::of(outcome, length, reg);
        Ok((fit.admit_divergence(), carried))
    }

    fn carried_engine(&self, problem: &Problem, from: TrainedRows, error: Option<f64>) -> Engine<SgdProgram> {
        let partitioning = Arc::new(from.partitioning);
        let (shards, blocks) = (partitioning.users.parts(), partitioning.items.parts());
        let mf = Self { reg: Some(from.reg), ..self.clone() };
        let mut program = mf.steps_program(problem, [shards, blocks], problem.rated_rows());
        program.rates.lengths = LearningRateSchedule::tails(self.epochs);
        program.rates.tail = Some(Tail { length: from.length });
        program.carried = Some(Arc::clone(&partitioning));
        let scales = |partition: &Partition, part: u32| {
            let bias_decay = program.rates.bias_decay / partitioning.scale;
            program.scaling.of(partition.part(part), partition, partitioning.middle(), bias_decay)
        };
        let blocks_of = |rows: Vec<Rows>, partition: &Partition| -> Vec<FactorBlock> {
            let parts = (0..).zip(rows);
            parts.map(|(part, rows)| FactorBlock::going_on(rows, scales(partition, part))).collect()
        };
        let users = blocks_of(from.users, &partitioning.users);
        let items = blocks_of(from.items, &partitioning.items);
        let parts: Parts<SgdProgram> = Parts {
            shards: users.into_iter().map(|part| UserShard { part, ..UserShard::default() }).collect(),
            blocks: items.into_iter().map(ItemBlock::of).collect(),
            pinned: EarlyStopping::going_on(shards * blocks, error),
            replica: Default::default(),
        };
        self.engine_of(problem, program, parts)
    }

    /// Returns the numbers of shards and blocks: enough that the rows of a task stay in the cache, few enough
    /// that a task is worth scheduling.
    fn grid(&self, problem: &Problem) -> [usize; 2] {
        let width = self.rank.next_multiple_of(LANES);
        let by_cost = ((problem.ratings() * width / TASK) as f64).sqrt() as usize;
        let by_size = ((problem.users + problem.items) * width * size_of::<f32>()).div_ceil(NEAR);
        let parts = by_size.max(4).min(by_cost.max(2));
        let part = |given: Option<usize>, rows: usize| {
            given.unwrap_or(parts).max(fewest_parts(rows)).min(rows.clamp(1, 65_535))
        };
        [part(self.shards, problem.users), part(self.blocks.or(self.shards), problem.items)]
    }

    /// Makes the engine that [`fit`](Mf::fit) runs.
    pub(crate) fn steps_engine(&self, problem: &Problem) -> Engine<SgdProgram> {
        let [shards, blocks] = self.grid(problem);
        let program = self.steps_program(problem, [shards, blocks], self.learned(problem));
        let parts: Parts<SgdProgram> = Parts {
            shards: vec![UserShard::default(); shards],
            blocks: vec![ItemBlock::default(); blocks],
            pinned: EarlyStopping::new(shards * blocks),
            replica: Default::default(),
        };
        self.engine_of(problem, program, parts)
    }

    /// Returns how many users and items there are to learn: all of them, or only those with ratings if the
    /// others stay as in a model.
    pub(crate) fn learned(&self, problem: &Problem) -> [usize; 2] {
        if self.init.is_some() { problem.rated_rows() } else { [problem.users, problem.items] }
    }

    /// Makes the program for this many shards and blocks, and users and items to be learned.
    pub(crate) fn steps_program(
        &self,
        problem: &Problem,
        [shards, blocks]: [usize; 2],
        learned: [usize; 2],
    ) -> SgdProgram {
        let measured = problem.measured.as_ref();
        let balance = SideBalance::new(problem, learned);
        // A model to start from has biases already; a given power determines the step sizes of every row.
        let is_sparse = self.biases && balance.is_sparse();
        let [of_users, of_items] =
            self.count_power.map_or_else(|| balance.step_multipliers(), |_| [1.0, 1.0]);
        SgdProgram {
            users: problem.users,
            items: problem.items,
            shards,
            blocks,
            rates: LearningRateSchedule {
                lengths: self.stages(problem),
                cut: self.cut,
                step: self.step,
                decay: self.reg,
                bias: if self.biases { self.bias_step } else { 0.0 },
                bias_decay: self.bias_reg,
                shares: [of_users, of_items * self.item_step],
                non_negative: self.non_negative,
                tail: None,
            },
            start: self.start(),
            scaling: Scaling {
                power: self.count_power.unwrap_or(0.0),
                damped: is_sparse.then_some(DAMPING),
                reg_power: self.power(),
                is_by_default: self.reg.is_none(),
            },
            centered: self.is_centered(),
            measured_on: measured.map(|measured| measured.on),
            mean_rmse: problem.mean_rmse(),
            target: self.target,
            by_priority: self.schedule == ScheduleKind::Priority,
            pool: self.pool.clone(),
            carried: None,
        }
    }

    /// Makes the engine of a program over these parts, among which the ratings are split.
    fn engine_of(
        &self,
        problem: &Problem,
        program: SgdProgram,
        mut parts: Parts<SgdProgram>,
    ) -> Engine<SgdProgram> {
        let (shards, blocks) = (program.shards, program.blocks);
        // Each chunk counts all rows, which limits the useful number of chunks.
        let worth = (problem.ratings() / (problem.users + problem.items)).max(2);
        let chunks = shards.min(blocks).min(CHUNKS).min(worth);
        let measured = problem.measured.as_ref();
        // Biases start with means only if there is nothing else to start from.
        let with_means = program.scaling.damped.is_some() && self.init.is_none() && program.carried.is_none();
        let owner = move |chunk: u32| chunk_owner(chunk, chunks as u32, shards as u32);
        let of_ratings = |count: usize| (count * self.rank).div_ceil(shards) as u64;
        let cost = STEP * of_ratings(problem.ratings());
        let measure = measured.map(|measured| of_ratings(measured.ratings.len()));
        let input = problem.clone();
        let mut given = std::mem::take(&mut parts.shards);
        let make = move |shard: u32| -> Result<UserShard, MfError> {
            let mine = (0..chunks as u32).find(|&chunk| owner(chunk) == shard);
            let chunk = mine.map(|chunk| Chunk::of(&input, chunk as usize, chunks)).transpose()?;
            Ok(UserShard { chunk, ..std::mem::take(&mut given[shard as usize]) })
        };
        let parts: LazyParts<SgdProgram> = LazyParts { shards: Lazy::new(shards, make), ..parts.into() };
        let (s, b) = (shards as u32, blocks as u32);
        let mut schedule = GridSchedule::new(s, b, chunks as u32, measure);
        schedule.means = with_means;
        if program.by_priority {
            schedule = schedule.by_priority();
        }
        Engine::new(program, schedule, parts).costs(vec![cost.max(1); shards]).workers(self.workers)
    }

    fn stages(&self, problem: &Problem) -> Vec<u32> {
        let stages = LearningRateSchedule::stages(self.epochs, problem.measured.is_some());
        if self.target.is_some() { LearningRateSchedule::to_target(stages) } else { stages }
    }

    /// Returns the settings for the initial rows.
    pub(crate) fn start(&self) -> Start {
        let has_factors = |model: &Model| {
            [&model.user_factors, &model.item_factors].into_iter().flatten().any(|&value| value != 0.0)
        };
        Start {
            has_factors: self.init.as_ref().is_some_and(has_factors),
            rank: self.rank,
            scale: self.init_scale,
            non_negative: self.non_negative,
            biases: self.biases,
            seed: self.seed,
            given: self.init.clone().map(Arc::new),
        }
    }

    /// `true` if the mean is subtracted from the ratings.
    pub(crate) fn is_centered(&self) -> bool {
        self.implicit.is_none() && (self.biases || !self.non_negative)
    }
}

/// Makes the model from the outcome of a run with these stages.
fn collect(mf: &Mf, stages: &[u32], outcome: &Outcome<SgdProgram>, problem: &Problem) -> Fit {
    let rank = mf.rank;
    let Outcome { parts: Parts { shards, blocks, pinned, replica }, report, trace, .. } = outcome;
    let mut report = report.clone();
    let model = match &replica.partitioning {
        Some(partitioning) => {
            // The best factors are stored separately unless the run ended with them.
            let use_best = pinned.best_epoch != report.epochs;
            let users = shards.iter().map(|shard| &shard.part).collect::<Vec<_>>();
            let items = blocks.iter().map(|block| &block.part).collect();
            partitioning
                .model([users, items].map(|of| of.into_iter().map(|part| part.result(use_best))), rank)
        }
        None => Model::zeros(problem.users, problem.items, rank),
    };
    let best = pinned.best.is_finite().then_some(pinned.best);
    let (stage, epochs) = pinned.length();
    let scale = replica.partitioning.as_ref().map_or(1.0, |partitioning| partitioning.scale);
    let length = stages.get(stage as usize).copied().unwrap_or(1);
    let reg = mf.reg.unwrap_or_else(|| default_decay(length) * scale);
    if let Some(best) = best {
        // The model is that of the best epoch, and so is the metric.
        report.metric.value = best;
    }
    let (best_epoch, length, log) = (pinned.best_epoch, (length, epochs), pinned.log.clone());
    let trace = trace.clone();
    Fit { best, best_epoch, length, log, trace, ..Fit::of(model, mf.folds_in(reg), report) }
}
