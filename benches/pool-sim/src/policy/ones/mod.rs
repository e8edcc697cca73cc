//! ONES (Bian et al., arXiv 2108.03645): an evolutionary search of schedules, with batches that grow with the
//! workers. Schedules are scored over all jobs; the published score, over those that run, is behind Tiresias.
//!
//! An individual is a schedule: an owner for each slot, or none. Each cycle applies the [`operators`] to a
//! population, and the schedule with the minimum score is carried out. The share of a job changes only after
//! an epoch since its last change.

mod arrange;
mod caps;
mod estimate;
pub mod operators;
mod slots;

use raddle::random::Stream;
use raddle_pool::policy::{Allocation, Cluster, Job, JobId, Policy};

use self::caps::TrainingCaps;
use self::estimate::{Estimate, Estimates};
use self::operators::{Individual, counts, crossover, mutate, pad, refresh, select};
use self::slots::Slots;

/// Number of schedules that are kept.
const POPULATION: usize = 16;
/// Share by which the score of a resized job is reduced.
const RESIZED: f64 = 0.1;

/// The policy ONES.
#[derive(Debug)]
pub struct Ones {
    stream: Stream,
    slots: Slots,
    population: Vec<Individual>,
    caps: TrainingCaps,
}

impl Ones {
    /// A policy with an empty population.
    pub fn new(seed: u64) -> Self {
        Self {
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
        let made = offspring(&all, about, &mut self.stream);
        all.extend(made);
        for individual in &mut all {
            pad(individual, &about.new, &about.by_remaining, &about.caps);
        }
        let scores = all.iter().map(|individual| score(about, individual)).collect();
        // Scores depend on numbers of slots only, so only the kept schedules need to be arranged.
        let kept = select(all, scores, POPULATION);
        kept.iter().map(|individual| arrange::arrange(old, individual)).collect()
    }
}

/// Children of crossovers, then as many mutants, with parents drawn from the schedules that were kept.
fn offspring(kept: &[Individual], about: &Estimates, stream: &mut Stream) -> Vec<Individual> {
    let mut made = Vec::new();
    for _ in 0..POPULATION / 2 {
        let (one, other) = (stream.below(kept.len()), stream.below(kept.len()));
        made.extend(crossover(&kept[one], &kept[other], &about.caps, stream));
    }
    for _ in 0..POPULATION {
        let mut mutant = kept[stream.below(kept.len())].clone();
        mutate(&mut mutant, |id| about.may_drop(id), stream);
        made.push(mutant);
    }
    made
}

/// Score of a schedule. The schedule with the minimum is the best.
fn score(about: &Estimates, individual: &Individual) -> f64 {
    let of = |(id, count)| about.of(id).map_or(0.0, |job| score_of(job, count));
    counts(individual).into_iter().map(of).sum()
}

/// Score of a job: minus its speed-up over the square root of its remaining time on one slot, and a tenth
/// smaller in size if the job is resized.
fn score_of(job: &Estimate, slots: u32) -> f64 {
    let share = if job.held > 0 && job.held != slots { 1.0 - RESIZED } else { 1.0 };
    -share * job.speedup(slots) / job.remaining.sqrt()
}

impl Policy for Ones {
    fn name(&self) -> &'static str {
        "ones"
    }

    fn decide(&mut self, _: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        self.slots.follow(cluster, jobs);
        let caps = self.caps.renew(cluster, jobs);
        let is_locked = |job: &&Job| job.placement.workers() > 0 && job.epochs_since_resize == 0;
        let locked: Vec<JobId> = jobs.iter().filter(is_locked).map(|job| job.id).collect();
        let caps = caps.into_iter().filter(|(id, _)| !locked.contains(id)).collect();
        let about = Estimates::new(cluster, jobs, caps);
        let open = self.slots.open(&locked);
        let reduced = |full: &Individual| -> Individual { open.iter().map(|&slot| full[slot]).collect() };
        let old = reduced(&self.slots.owners);
        let full = self.slots.owners.len();
        let population = std::mem::take(&mut self.population);
        let population: Vec<Individual> =
            population.iter().filter(|individual| individual.len() == full).map(reduced).collect();
        let population = self.cycle(population, &about, &old);
        self.population = population.iter().map(|individual| self.slots.with(&open, individual)).collect();
        if let Some(best) = self.population.first() {
            self.slots.owners.clone_from(best);
        }
        Allocation { placements: self.slots.placements(), promises: Vec::new() }
    }

    fn ended(&mut self, job: &Job) {
        self.caps.ended(job.id);
    }

    fn scales_batch(&self) -> bool {
        true
    }
}
