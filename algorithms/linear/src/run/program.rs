//! [`LinearProgram`]: an epoch is ten dual passes, or a direct solver where these are counted to cost more.

use raddle::prelude::*;

use super::shard::Duals;
use crate::data::problem::Problem;
use crate::loss::{Certificate, Loss, weights_of};
use crate::solve::interior::interior;
use crate::solve::newton::newton;
use crate::solve::passes::passes;
use crate::solve::{cost_of_step, is_possible};

/// Passes in an epoch.
const PASSES: usize = 10;
/// Steps that a direct solver is counted to take.
const STEPS: f64 = 20.0;
/// A visit of a value in a pass costs so many of the multiplications of a factor.
const VISIT: f64 = 4.0;
/// Epochs of a direct solver in a run, at most: what it leaves is rounding.
const DIRECT: u64 = 2;
/// Boundaries without a smaller gap after which a run is over.
const IDLE: u64 = 40;

/// A linear classifier as a program of the engine.
#[derive(Debug)]
pub struct LinearProgram {
    pub(crate) problem: Problem,
    pub(crate) loss: Loss,
    /// The weight of each row's loss.
    pub(crate) costs: Vec<f64>,
    pub(crate) tolerance: f64,
    pub(crate) seed: u64,
}

impl LinearProgram {
    /// `true` if a direct solver is counted to cost less than the passes that the gap's course lets expect.
    fn is_direct_cheaper(&self, duals: &Duals) -> bool {
        let rows = &self.problem.rows;
        let few = self.loss != Loss::SquaredHinge || duals.epochs < 2;
        let count = if few { rows.count() } else { duals.values.iter().filter(|a| **a > 0.0).count() };
        if duals.epochs == 0 || duals.direct >= DIRECT || !is_possible(rows, count) {
            return false;
        }
        let fallen = (duals.before / duals.gap).ln();
        let rate = if fallen.is_finite() { fallen.max(1e-3) } else { 1e-3 };
        let left = (duals.gap / self.tolerance).ln().max(0.0) / rate;
        let pass = rows.stored() as f64 * 2.0 * VISIT;
        STEPS * cost_of_step(rows) < left.ceil() * PASSES as f64 * pass
    }

    /// The dual point of the direct solver.
    fn direct(&self, w: &[f64]) -> Option<Vec<f64>> {
        let target = self.tolerance * 0.5;
        match self.loss {
            Loss::Hinge => interior(&self.problem, &self.costs, target),
            loss => newton(&self.problem, (loss, &self.costs), w, target),
        }
    }

    fn gap(&self, a: &[f64], w: &[f64]) -> f64 {
        Certificate::of(&self.problem, self.loss, &self.costs, a, w).gap()
    }
}

impl Program for LinearProgram {
    raddle::program!(Shard = Duals, Replica = Vec<f64>, Partial = Vec<f64>; update);

    /// The weights, by the shard.
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<f64> {
        at.partials.sum()
    }

    fn commit(&self, weights: &Vec<f64>, replica: &mut Vec<f64>) {
        replica.clone_from(weights);
    }

    /// Both objectives, the number of rows that support the weights, and of boundaries without a smaller gap.
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        let Evaluate { shard, replica: weights, .. } = at;
        let found = Certificate::of(&self.problem, self.loss, &self.costs, &shard.values, weights);
        let gap = found.gap();
        (shard.before, shard.gap) = (shard.gap, gap);
        if shard.epochs <= 1 || gap < shard.least {
            (shard.least, shard.idle) = (gap, 0);
        } else {
            shard.idle += 1;
        }
        let supports = shard.values.iter().filter(|a| **a > 0.0).count();
        vec![found.primal, found.dual, supports as f64, shard.idle as f64]
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<f64>> {
        let sums = at.partials.sum();
        let found = Certificate { primal: sums[0], dual: sums[1] };
        let metric = Metric::new("relative-duality-gap", found.gap(), "training data").target(self.tolerance);
        let status = if sums[3] >= IDLE as f64 { Status::Completed } else { Status::Continue };
        let verdict = Verdict::new(metric.certified()).status(status);
        verdict.show("primal", found.primal).show("dual", found.dual).show("support", sums[2])
    }
}

impl Update for LinearProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        let TaskOf { task, shard, replica: weights } = at;
        let is_direct = self.is_direct_cheaper(shard);
        shard.epochs += 1;
        if is_direct {
            shard.direct += 1;
            if let Some(mut a) = self.direct(weights) {
                a.iter_mut().zip(&self.costs).for_each(|(a, c)| *a = self.loss.within(*a, *c));
                let w = weights_of(&self.problem, &a);
                if self.gap(&a, &w) < self.gap(&shard.values, weights) {
                    shard.values = a;
                    return w;
                }
            }
        }
        let (mut w, mut stream) = (weights.clone(), task.stream(self.seed));
        passes(&self.problem, (self.loss, &self.costs), &mut shard.values, &mut w, (PASSES, &mut stream));
        // What steps have added up differs from the sum by rounding: the certificate is of the sum.
        weights_of(&self.problem, &shard.values)
    }
}
