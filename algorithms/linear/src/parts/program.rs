//! [`PartsProgram`]: parts as blocks, rows with their dual values as shards, the weights as the replica.

use raddle::prelude::*;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{RestoreByShard, Restoring};

use super::cut::Cut;
use super::phase::PartsPhase;
use super::sigma::Sigma;
use super::step::{Weighed, best_step};
use crate::certificate::Certificate;
use crate::data::slice::RowSlice;

/// Epochs without a smaller gap after which rounding is assumed to prevent further progress.
const IDLE: u64 = 200;

/// A linear classifier of two classes whose rows are split into parts.
#[derive(Debug)]
pub struct PartsProgram {
    pub(super) rows: Weighed,
    pub(super) cut: Cut,
    pub(super) sigma: Sigma,
    pub(super) tolerance: f64,
    pub(super) seed: u64,
}

/// The rows of a shard with their dual values.
#[derive(Debug, Clone, Default)]
pub struct PartShard {
    /// Place of the first row.
    pub(super) first: u64,
    pub(super) rows: RowSlice,
    pub(super) a: Vec<f64>,
    /// Dual values at the start of the current epoch; empty at a boundary.
    pub(super) before: Vec<f64>,
}

raddle::state!(PartShard { first, rows, a, before });

impl PartShard {
    /// Returns the dual values of the rows.
    pub fn values(&self) -> &[f64] {
        &self.a
    }

    /// Takes a part of the epoch's step with the dual values, as the weights do, so that these still follow
    /// from them.
    pub(super) fn shorten(&mut self, step: f64) {
        for (after, before) in self.a.iter_mut().zip(std::mem::take(&mut self.before)) {
            if step < 1.0 {
                let (low, high) = (before.min(*after), before.max(*after));
                *after = (before + step * (*after - before)).clamp(low, high);
            }
        }
    }
}

/// The result of a shard: the change of the weights, which only the last shard of a part returns, and two
/// sums. In an epoch, the sums are the coefficients of the dual's gain by a step t, l t - s t^2, without the
/// square of the changes; at a boundary, they are the losses and the dual terms.
#[derive(Debug, Clone, Default)]
pub struct PartAnswer {
    pub(super) change: Vec<f64>,
    pub(super) sums: (f64, f64),
}

raddle::state!(PartAnswer { change, sums });

/// The sum of the parts' changes of the weights, and the step to take along it.
#[derive(Debug, Clone)]
pub struct Change {
    pub(super) sum: Vec<f64>,
    pub(super) step: f64,
}

raddle::state!(Change { sum, step });

impl Change {
    pub(super) fn add_to(&self, weights: &mut [f64]) {
        weights.iter_mut().zip(&self.sum).for_each(|(weight, sum)| *weight += self.step * sum);
    }
}

/// The state of a run at a boundary.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Adaptive factor for the next epoch; then the factor, the number of parts and the best step of the last
    /// one.
    sigma: f64,
    last: (f64, u32, f64),
    /// Smallest gap so far; then the number of epochs since.
    least: f64,
    idle: u64,
}

raddle::state!(Standing { sigma, last, least, idle });

impl Default for Standing {
    fn default() -> Self {
        Self { sigma: 1.0, last: (1.0, 0, 1.0), least: f64::INFINITY, idle: 0 }
    }
}

impl Program for PartsProgram {
    raddle::program!(
        Shard = PartShard,
        Block = Vec<f64>, // the part's change of the weights; empty at a boundary
        Pinned = Standing,
        Replica = Vec<f64>, // the weights
        Partial = PartAnswer,
        Change = Change,
        Phase = PartsPhase;
        update_block, restore_by_shard
    );

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn prepare(&self, phase: &mut PartsPhase, standing: &Standing) {
        phase.sigma = self.sigma.of(standing.sigma, phase.parts);
    }

    /// Takes the best step along the sum of the changes, at most the full one, so that the dual never falls.
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Change {
        let (mut sum, mut l, mut s) = (vec![0.0; self.rows.width], 0.0, 0.0);
        for told in &at.partials {
            sum.iter_mut().zip(&told.change).for_each(|(sum, change)| *sum += change);
            (l, s) = (l + told.sums.0, s + told.sums.1);
        }
        s += 0.5 * sum.iter().map(|change| change * change).sum::<f64>();
        let best = best_step(l, s);
        self.follow(at.pinned, &at.round.phase, best);
        Change { sum, step: best.clamp(0.0, 1.0) }
    }

    fn commit(&self, change: &Change, weights: &mut Vec<f64>) {
        change.add_to(weights);
    }

    fn commit_shard(&self, change: &Change, _: u32, shard: &mut PartShard) {
        shard.shorten(change.step);
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> PartAnswer {
        self.terms(at.shard, at.replica)
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Change> {
        self.verdict(at.pinned, at.replica, &at.partials)
    }

    /// Saves the dual values only, as rows are made again from the data.
    fn save_state(&self, shard: &PartShard, out: &mut Learned<Writer>) {
        out.write(&shard.a);
        out.write(&shard.before);
    }

    fn load_state(&self, shard: &mut PartShard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        (shard.a, shard.before) = (from.read()?, from.read()?);
        Ok(())
    }

    /// Keeps the dual values only, which are the model.
    fn drop_training_data(&self, shard: &mut PartShard) {
        shard.rows = RowSlice::default();
    }
}

impl PartsProgram {
    /// Follows the best step along a change that was made with this factor and number of parts.
    pub(super) fn follow(&self, standing: &mut Standing, phase: &PartsPhase, best: f64) {
        let &PartsPhase { parts, sigma } = phase;
        standing.last = (sigma, parts, best);
        if self.sigma == Sigma::Adaptive {
            standing.sigma = Sigma::next(sigma, best, parts);
        }
    }

    /// Returns the losses and the dual terms of a shard's rows.
    pub(super) fn terms(&self, shard: &PartShard, weights: &[f64]) -> PartAnswer {
        let (rows, mut sums) = (&self.rows, (0.0, 0.0));
        let first = shard.first as usize;
        for (place, &a) in shard.a.iter().enumerate() {
            let (row, c) = (first + place, rows.costs[first + place]);
            if c > 0.0 {
                let margin = rows.signs[row] * shard.rows.dot(place, weights);
                sums = (sums.0 + c * rows.loss.value(margin), sums.1 + rows.loss.dual(a, c));
            }
        }
        PartAnswer { change: Vec::new(), sums }
    }

    /// Returns the certificate of the terms of all shards.
    pub(super) fn verdict<C>(
        &self,
        standing: &mut Standing,
        weights: &[f64],
        terms: &Partials<PartAnswer>,
    ) -> Verdict<C> {
        let half = 0.5 * weights.iter().map(|weight| weight * weight).sum::<f64>();
        let (mut primal, mut dual) = (half, -half);
        for told in terms {
            (primal, dual) = (primal + told.sums.0, dual + told.sums.1);
        }
        let gap = Certificate { primal, dual }.gap();
        standing.idle = if gap < standing.least { 0 } else { standing.idle + 1 };
        standing.least = standing.least.min(gap);
        let status = if standing.idle >= IDLE { Status::Converged } else { Status::Continue };
        let metric = Metric::new("relative-duality-gap", gap, "training data").target(self.tolerance);
        let mut verdict =
            Verdict::new(metric.certified()).status(status).show("primal", primal).show("dual", dual);
        verdict.objective = Some(0.0 - dual); // no -0
        match standing.last {
            (_, 0, _) => verdict,
            (sigma, parts, best) => {
                verdict.show("parts", f64::from(parts)).show("sigma", sigma).show("best-step", best)
            }
        }
    }

    /// Passes over the shard's rows in a random order and sets each dual value to the best one for its part.
    /// Adds to the part's change of the weights; returns the sums of a [`PartAnswer`].
    pub(super) fn pass(
        &self,
        task: &Task<PartsPhase>,
        shard: &mut PartShard,
        change: &mut Vec<f64>,
        weights: &[f64],
    ) -> (f64, f64) {
        let (rows, of, sigma) = (&self.rows, shard.rows.clone(), task.phase.sigma);
        change.resize(weights.len(), 0.0);
        shard.before.clone_from(&shard.a);
        let mut order: Vec<usize> = (0..shard.a.len()).collect();
        task.stream(self.seed).shuffle(&mut order);
        let mut sums = (0.0, 0.0);
        for at in order {
            let row = shard.first as usize + at;
            let (sign, from) = (rows.signs[row], shard.a[at]);
            let margin = sign * (of.dot(at, weights) + sigma * of.dot(at, change));
            let to = rows.best((row, of.square(at)), from, margin, sigma);
            if to != from {
                let (l, s) = rows.gained(row, from, to);
                sums = (sums.0 + l, sums.1 + s);
                of.add(at, sign * (to - from), change);
                shard.a[at] = to;
            }
        }
        sums
    }

    /// Checks the sizes of a run that is restored.
    pub(super) fn check_restored(&self, shards: u32, weights: &[f64]) -> Result<(), StateError> {
        let fit = shards as usize == self.cut.shards() && weights.len() == self.rows.width;
        if fit { Ok(()) } else { Err(StateError::new("a weight for each column")) }
    }

    /// Checks that a shard that is restored has the dual values of its rows.
    pub(super) fn check_shard(&self, number: u32, shard: &PartShard) -> Result<(), StateError> {
        let rows = &self.cut.rows[number as usize];
        let fits = shard.first == rows.start as u64
            && [shard.a.len(), shard.rows.count()] == [rows.len(); 2]
            && shard.rows.is_of(self.rows.width)
            && shard.before.is_empty();
        if fits { Ok(()) } else { Err(StateError::new("dual values of the rows of each shard")) }
    }
}

/// Checks that every shard has the dual values of its rows.
impl RestoreByShard for PartsProgram {
    type Question = ();
    type Answer = ();

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        self.check_restored(run.boundary.shards, run.replica)?;
        Ok(if run.question.is_none() { Some(()) } else { None })
    }

    fn answer(&self, (): &(), number: u32, shard: &mut PartShard, _: &Vec<f64>) -> Result<(), StateError> {
        self.check_shard(number, shard)
    }

    fn answer_of_block(
        &self,
        (): &(),
        _: u32,
        block: &mut Vec<f64>,
        _: &Vec<f64>,
    ) -> Result<Option<()>, StateError> {
        if block.is_empty() { Ok(None) } else { Err(StateError::new("a block between epochs")) }
    }
}

impl UpdateBlock for PartsProgram {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> PartAnswer {
        let BlockTaskOf { task, shard, block: change, replica: weights, .. } = at;
        let mut sums = self.pass(task, shard, change, weights);
        let is_last = (task.round + 1) * u64::from(task.phase.parts) == self.cut.shards() as u64;
        let change = if is_last { std::mem::take(change) } else { Vec::new() };
        sums.0 -= weights.iter().zip(&change).map(|(weight, change)| weight * change).sum::<f64>();
        PartAnswer { change, sums }
    }
}
