//! ONES (Bian et al., arXiv 2108.03645): an evolutionary search of schedules, with batches that grow with the
//! workers.
//!
//! An individual is a schedule: an owner for each slot, or none. Each cycle applies the [`operators`] to a
//! population, and the schedule with the minimum score is carried out. The share of a job changes only after
//! an epoch or two since its last change.

mod arrange;
mod beta;
mod caps;
mod estimate;
mod net;
pub mod operators;
mod slots;
mod variant;

use std::collections::BTreeMap;

use raddle::random::Stream;

pub use self::beta::{Predictor, inputs};
use self::caps::TrainingCaps;
pub use self::estimate::{Estimate, Estimates};
pub use self::net::{INPUTS, Net, OUTPUT, WEIGHTS};
use self::operators::{Cap, Individual, counts, pad, refresh, select};
use self::slots::Slots;
pub use self::variant::{Plain, Variant, evolved, speedup_over_root};
use super::{Allocation, Cluster, Job, JobId, Policy};

/// The policy ONES, in a variant.
#[derive(Debug)]
pub struct Ones<V = Plain> {
    variant: V,
    stream: Stream,
    slots: Slots,
    population: Vec<Individual>,
    caps: TrainingCaps,
}

impl Ones {
    /// A policy with an empty population.
    pub fn new(seed: u64) -> Self {
        Self::with_variant(seed, Plain::new)
    }
}

impl<V: Variant> Ones<V> {
    /// A variant of the policy, created from a random stream of its own, with an empty population.
    pub fn with_variant(seed: u64, variant: impl FnOnce(&mut Stream) -> V) -> Self {
        Self {
            variant: variant(&mut Stream::new(&[seed, 1])),
            stream: Stream::new(&[seed, 0]),
            slots: Slots::default(),
            population: Vec::new(),
            caps: TrainingCaps::default(),
        }
    }

    /// Runs a cycle on the slots that may change, and returns the population that is kept, best first.
    fn cycle(&mut self, population: Vec<Individual>, about: &Estimates, old: &Individual) -> Vec<Individual> {
        let mut all = population;
        for individual in &mut all {
            refresh(individual, &about.caps);
        }
        all.resize_with(all.len().max(1), || vec![None; old.len()]);
        let made = self.variant.offspring(&all, about, &mut self.stream);
        all.extend(made);
        for individual in &mut all {
            pad(individual, &about.new, &about.by_remaining, &about.caps);
        }
        let scores = all.iter().map(|individual| self.score(about, individual)).collect();
        // Scores depend on numbers of slots only, so only the kept schedules need to be arranged.
        let kept = select(all, scores, self.variant.population());
        kept.iter().map(|individual| arrange::arrange(old, individual)).collect()
    }

    /// Score of a schedule.
    fn score(&self, about: &Estimates, individual: &Individual) -> f64 {
        let of = |(id, count)| about.of(id).map_or(0.0, |job| self.variant.score(job, count));
        counts(individual).into_iter().map(of).sum()
    }
}

impl<V: Variant> Policy for Ones<V> {
    fn name(&self) -> &'static str {
        "ones"
    }

    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        self.variant.observe(jobs);
        self.slots.follow(cluster, jobs);
        let mut caps: BTreeMap<JobId, Cap> = self.caps.renew(cluster, jobs, &self.variant);
        self.variant.limit(now, cluster, jobs, &mut caps);
        let apart = self.variant.apart();
        let is_locked = |job: &&Job| job.placement.workers() > 0 && job.epochs_since_resize < apart;
        let locked: Vec<JobId> = jobs.iter().filter(is_locked).map(|job| job.id).collect();
        let caps = caps.into_iter().filter(|(id, _)| !locked.contains(id)).collect();
        let about = Estimates::new(cluster, jobs, caps, |job| self.variant.left(job, &mut self.stream));
        let open = self.slots.open(&locked);
        let reduced = |full: &Individual| -> Individual { open.iter().map(|&slot| full[slot]).collect() };
        let old = reduced(&self.slots.owners);
        let full = self.slots.owners.len();
        let population = std::mem::take(&mut self.population);
        let mut population: Vec<Individual> =
            population.iter().filter(|individual| individual.len() == full).map(reduced).collect();
        for _ in 0..self.variant.cycles().max(1) {
            population = self.cycle(population, &about, &old);
        }
        self.population = population.iter().map(|individual| self.slots.with(&open, individual)).collect();
        let mut allocation = Allocation::default();
        if let Some(best) = self.population.first() {
            let score = self.score(&about, &population[0]);
            allocation.reasons.push(format!("least score {score:.4} of {} schedules", self.population.len()));
            self.slots.owners.clone_from(best);
        }
        allocation.placements = self.slots.placements();
        allocation
    }

    fn ended(&mut self, job: &Job) {
        self.caps.ended(job.id);
        self.variant.ended(job);
    }

    fn scales_batch(&self) -> bool {
        true
    }
}
