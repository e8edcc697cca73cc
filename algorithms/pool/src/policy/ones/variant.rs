//! [`Variant`]: the parts of ONES that can be replaced.

use std::fmt::Debug;

use raddle::random::Stream;

use super::beta::Predictor;
use super::estimate::{Estimate, Estimates};
use super::operators::{Caps, Individual, crossover, mutate};
use crate::policy::{Cluster, Job};

/// Share by which the score of a resized job is reduced.
const RESIZED: f64 = 0.1;

/// The parts of ONES that can be replaced. Defaults are those of a live pool.
pub trait Variant: Debug {
    /// Number of schedules that are kept.
    fn population(&self) -> usize {
        16
    }

    /// Number of cycles in each decision.
    fn cycles(&self) -> usize {
        1
    }

    /// Minimum number of epochs between two changes of a job's share.
    fn apart(&self) -> u64 {
        1
    }

    /// Initial training cap of a job, in slots.
    fn first_cap(&self, job: &Job) -> u32 {
        job.requested
    }

    /// Lowers caps for one decision.
    fn limit(&mut self, _now: f64, _cluster: &Cluster, _jobs: &[Job], _caps: &mut Caps) {}

    /// Score of a job on `slots` slots, at least one. The schedule with the minimum sum of scores is the
    /// best.
    fn score(&self, job: &Estimate, slots: u32) -> f64 {
        speedup_over_root(job, slots)
    }

    /// Creates new schedules from those that were kept.
    fn offspring(&mut self, kept: &[Individual], about: &Estimates, stream: &mut Stream) -> Vec<Individual> {
        evolved(self.population(), kept, about, stream)
    }

    /// Observes the jobs before each decision.
    fn observe(&mut self, _jobs: &[Job]) {}

    /// Learns from a job that has ended.
    fn ended(&mut self, _job: &Job) {}

    /// Predicts the work left of a job.
    fn left(&self, job: &Job, stream: &mut Stream) -> f64;
}

/// Score of a job: minus its speed-up over the square root of its remaining time on one slot, and a tenth
/// smaller in size if the job is resized.
pub fn speedup_over_root(job: &Estimate, slots: u32) -> f64 {
    let share = if job.held > 0 && job.held != slots { 1.0 - RESIZED } else { 1.0 };
    -share * job.speedup(slots) / job.remaining.sqrt()
}

/// Returns `population` children of crossovers, then as many mutants, with parents drawn from `kept`.
pub fn evolved(
    population: usize,
    kept: &[Individual],
    about: &Estimates,
    stream: &mut Stream,
) -> Vec<Individual> {
    let mut made = Vec::new();
    for _ in 0..population / 2 {
        let (one, other) = (stream.below(kept.len()), stream.below(kept.len()));
        made.extend(crossover(&kept[one], &kept[other], &about.caps, stream));
    }
    for _ in 0..population {
        let mut mutant = kept[stream.below(kept.len())].clone();
        mutate(&mut mutant, |id| about.may_drop(id), stream);
        made.push(mutant);
    }
    made
}

/// The variant of a live pool: the work left is used if it is known, else drawn.
#[derive(Debug)]
pub struct Plain(Predictor);

impl Plain {
    /// A variant with a random stream.
    pub fn new(stream: &mut Stream) -> Self {
        Self(Predictor::new(stream))
    }
}

impl Variant for Plain {
    fn left(&self, job: &Job, stream: &mut Stream) -> f64 {
        job.left.unwrap_or_else(|| self.0.remaining(job, stream))
    }
}
