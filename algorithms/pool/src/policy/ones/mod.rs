//! ONES (Bian et al., arXiv 2108.03645): schedules evolve, and a job's batch grows with its workers.
//!
//! An individual is a schedule: an owner for each slot, or none. A cycle takes the population through the [`operators`], and the
//! schedule with the least score is followed. A job's share changes only after an epoch or two on the one before.

mod arrange;
mod beta;
mod caps;
mod estimate;
mod net;
pub mod operators;
mod options;
mod score;
mod slots;

use std::collections::BTreeMap;

use raddle::random::Stream;

use self::beta::Predictor;
use self::caps::TrainingCaps;
use self::estimate::Estimates;
use self::operators::{Cap, Individual, crossover, mutate, pad, random, refresh, select};
pub use self::options::Options;
pub use self::score::Score;
use self::slots::Slots;
use super::{Allocation, Cluster, Job, JobId, Policy};

/// ONES.
#[derive(Debug)]
pub struct Ones {
    options: Options,
    stream: Stream,
    slots: Slots,
    population: Vec<Individual>,
    caps: TrainingCaps,
    predictor: Predictor,
}

impl Ones {
    /// A policy without schedules yet.
    pub fn new(options: Options, seed: u64) -> Self {
        Self {
            options,
            stream: Stream::new(&[seed, 0]),
            slots: Slots::default(),
            population: Vec::new(),
            caps: TrainingCaps::default(),
            predictor: Predictor::new(&mut Stream::new(&[seed, 1])),
        }
    }

    /// One cycle on the slots that are free to change: the population that is kept, best first.
    fn cycle(&mut self, population: Vec<Individual>, about: &Estimates, old: &Individual) -> Vec<Individual> {
        let Options { population: size, random: is_random, .. } = self.options;
        let (caps, stream) = (&about.caps, &mut self.stream);
        let mut all = population;
        for individual in &mut all {
            refresh(individual, caps);
        }
        all.resize_with(all.len().max(1), || vec![None; old.len()]);
        let parents = all.len();
        let mut made = Vec::new();
        if is_random {
            made.extend((0..2 * size).map(|_| random(old.len(), caps, stream)));
        } else {
            for _ in 0..size / 2 {
                let (one, other) = (stream.below(parents), stream.below(parents));
                made.extend(crossover(&all[one], &all[other], caps, stream));
            }
            for _ in 0..size {
                let mut mutant = all[stream.below(parents)].clone();
                mutate(&mut mutant, |id| about.may_drop(id), stream);
                made.push(mutant);
            }
        }
        all.extend(made);
        for individual in &mut all {
            pad(individual, &about.new, &about.by_remaining, caps);
        }
        let scores = all.iter().map(|individual| self.options.score.of(about, individual)).collect();
        // Scores count slots, not which: only those that are kept need be reordered.
        let kept = select(all, scores, size);
        kept.iter().map(|individual| arrange::arrange(old, individual)).collect()
    }
}

impl Policy for Ones {
    fn name(&self) -> &'static str {
        "ones"
    }

    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        if !self.options.knowledge {
            self.predictor.observe(jobs);
        }
        self.slots.follow(cluster, jobs);
        let caps: BTreeMap<JobId, Cap> = self.caps.renew(now, cluster, jobs, &self.options);
        let is_locked =
            |job: &&Job| job.placement.workers() > 0 && job.epochs_since_resize < self.options.apart;
        let locked: Vec<JobId> = jobs.iter().filter(is_locked).map(|job| job.id).collect();
        let caps = caps.into_iter().filter(|(id, _)| !locked.contains(id)).collect();
        let about = Estimates::new(cluster, jobs, caps, |job| match job.left {
            Some(left) if self.options.knowledge => left,
            _ => self.predictor.remaining(job, &mut self.stream),
        });
        let open = self.slots.open(&locked);
        let reduced = |full: &Individual| -> Individual { open.iter().map(|&slot| full[slot]).collect() };
        let old = reduced(&self.slots.owners);
        let full = self.slots.owners.len();
        let population = std::mem::take(&mut self.population);
        let mut population: Vec<Individual> =
            population.iter().filter(|individual| individual.len() == full).map(reduced).collect();
        for _ in 0..self.options.cycles.max(1) {
            population = self.cycle(population, &about, &old);
        }
        self.population = population.iter().map(|individual| self.slots.with(&open, individual)).collect();
        let mut allocation = Allocation::default();
        if let Some(best) = self.population.first() {
            let score = self.options.score.of(&about, &population[0]);
            allocation.reasons.push(format!("least score {score:.4} of {} schedules", self.population.len()));
            self.slots.owners.clone_from(best);
        }
        allocation.placements = self.slots.placements();
        allocation
    }

    fn ended(&mut self, job: &Job) {
        self.caps.ended(job);
        if !self.options.knowledge {
            self.predictor.ended(job);
        }
    }

    fn scales_batch(&self) -> bool {
        true
    }
}
