//! [`Variant`]: the parts of ONES in which its forms differ.

use std::fmt::Debug;

use raddle::random::Stream;

use super::beta::Predictor;
use super::estimate::{Estimate, Estimates};
use super::operators::{Caps, Individual, crossover, mutate};
use crate::policy::{Cluster, Job};

/// Share that a job counts less in the schedule that resizes it.
const RESIZED: f64 = 0.1;

/// Parts of ONES in which its forms differ. Each that is not given is that of a pool that runs.
pub trait Variant: Debug {
    /// Number of schedules that are kept.
    fn population(&self) -> usize {
        16
    }

    /// Cycles a decision.
    fn cycles(&self) -> usize {
        1
    }

    /// Epochs from one change of a job's share to the next.
    fn apart(&self) -> u64 {
        1
    }

    /// Number of slots at which the training cap of a job begins.
    fn first_cap(&self, job: &Job) -> u32 {
        job.requested
    }

    /// Lowers caps for one decision.
    fn limit(&mut self, _now: f64, _cluster: &Cluster, _jobs: &[Job], _caps: &mut Caps) {}

    /// Score of a job on so many slots, one or more; the schedule whose jobs have the least sum is the best.
    fn score(&self, job: &Estimate, slots: u32) -> f64 {
        speedup_over_root(job, slots)
    }

    /// New schedules, made of those that were kept.
    fn offspring(&mut self, kept: &[Individual], about: &Estimates, stream: &mut Stream) -> Vec<Individual> {
        evolved(self.population(), kept, about, stream)
    }

    /// Sees the jobs before each decision.
    fn observe(&mut self, _jobs: &[Job]) {}

    /// Learns from a job that has ended.
    fn ended(&mut self, _job: &Job) {}

    /// Work that is left of a job.
    fn left(&self, job: &Job, stream: &mut Stream) -> f64;
}

/// Minus the speed-up of a job over the root of its remaining time on one slot, a tenth less for one that is resized.
pub fn speedup_over_root(job: &Estimate, slots: u32) -> f64 {
    let share = if job.held > 0 && job.held != slots { 1.0 - RESIZED } else { 1.0 };
    -share * job.speedup(slots) / job.remaining.sqrt()
}

/// A crossover for each two schedules of a population, and as many mutants as it has.
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

/// The form of a pool that runs: work that is left is used where it is known, and else drawn.
#[derive(Debug)]
pub struct Plain(Predictor);

impl Plain {
    /// A form by this stream.
    pub fn new(stream: &mut Stream) -> Self {
        Self(Predictor::new(stream))
    }
}

impl Variant for Plain {
    fn left(&self, job: &Job, stream: &mut Stream) -> f64 {
        job.left.unwrap_or_else(|| self.0.remaining(job, stream))
    }
}
