//! ONES as published, and variants between that and the one of the pool.

mod options;
mod training;

use std::collections::BTreeMap;

use raddle::random::Stream;
use raddle_pool::policy::ones::operators::{Caps, Individual};
use raddle_pool::policy::ones::{Estimate, Estimates, Ones, Variant, evolved, speedup_over_root};
use raddle_pool::policy::{Cluster, Job, JobId};

pub use self::options::{Options, Score};
use self::training::Training;

/// Creates ONES with these options.
pub fn ones(options: Options, seed: u64) -> Ones<Tried> {
    Ones::with_variant(seed, |stream| Tried {
        options,
        training: Training::new(stream),
        begun: BTreeMap::new(),
        ended: Vec::new(),
        now: 0.0,
    })
}

/// A variant of ONES, given by its options.
#[derive(Debug)]
pub struct Tried {
    options: Options,
    training: Training,
    /// Time at which each job was first seen with workers.
    begun: BTreeMap<JobId, f64>,
    /// Run times of jobs that have ended, in seconds.
    ended: Vec<f64>,
    now: f64,
}

impl Tried {
    /// Lowers the cap of the largest job if it holds half the cluster and has run for longer than the median.
    fn shrink(&self, now: f64, slots: u32, jobs: &[Job], caps: &mut Caps) {
        let Some(largest) = jobs.iter().rev().max_by_key(|job| job.placement.workers()) else { return };
        let held = largest.placement.workers();
        let age = |id: &JobId| self.begun.get(id).map(|begun| now - begun);
        let mut times: Vec<f64> =
            jobs.iter().filter_map(|job| age(&job.id)).chain(self.ended.iter().copied()).collect();
        times.sort_unstable_by(f64::total_cmp);
        let Some((median, own)) = times.get(times.len() / 2).copied().zip(age(&largest.id)) else { return };
        if 2 * held >= slots && own > median && median > 0.0 {
            let size = 2.0 * f64::from(held) / (own / median + 1.0);
            let even = 2 * (size / 2.0).ceil() as u32;
            if let Some(cap) = caps.get_mut(&largest.id) {
                cap.size = even.clamp(cap.least, cap.size);
            }
        }
    }
}

impl Variant for Tried {
    fn population(&self) -> usize {
        self.options.population
    }

    fn cycles(&self) -> usize {
        self.options.cycles
    }

    fn apart(&self) -> u64 {
        self.options.apart
    }

    fn first_cap(&self, job: &Job) -> u32 {
        if self.options.begin_as_requested { job.requested } else { job.least }
    }

    fn limit(&mut self, now: f64, cluster: &Cluster, jobs: &[Job], caps: &mut Caps) {
        self.now = now;
        for job in jobs.iter().filter(|job| job.placement.workers() > 0) {
            self.begun.entry(job.id).or_insert(now);
        }
        if self.options.shrink {
            self.shrink(now, cluster.slots(), jobs, caps);
        }
    }

    fn score(&self, job: &Estimate, slots: u32) -> f64 {
        match self.options.score {
            Score::Published => f64::from(slots) * job.remaining / job.speedup(slots).max(f64::MIN_POSITIVE),
            Score::All => speedup_over_root(job, slots),
        }
    }

    fn offspring(&mut self, kept: &[Individual], about: &Estimates, stream: &mut Stream) -> Vec<Individual> {
        let Options { population, random: is_random, .. } = self.options;
        match is_random {
            true => (0..2 * population).map(|_| random(kept[0].len(), &about.caps, stream)).collect(),
            false => evolved(population, kept, about, stream),
        }
    }

    fn observe(&mut self, jobs: &[Job]) {
        if !self.options.knowledge {
            self.training.observe(jobs);
        }
    }

    fn ended(&mut self, job: &Job) {
        self.ended.extend(self.begun.remove(&job.id).map(|begun| self.now - begun));
        if !self.options.knowledge {
            self.training.ended(job);
        }
    }

    fn left(&self, job: &Job, stream: &mut Stream) -> f64 {
        match job.left {
            Some(left) if self.options.knowledge => left,
            _ => self.training.predictor.remaining(job, stream),
        }
    }
}

/// A random schedule: jobs in random order, each with a random number of slots up to its size cap.
pub fn random(slots: usize, caps: &Caps, stream: &mut Stream) -> Individual {
    let mut order: Vec<_> = caps.iter().collect();
    stream.shuffle(&mut order);
    let mut individual = Individual::with_capacity(slots);
    for (id, cap) in order {
        let count = stream.below(cap.size as usize + 1).min(slots - individual.len());
        if count >= cap.least as usize {
            individual.resize(individual.len() + count, Some(*id));
        }
    }
    individual.resize(slots, None);
    individual
}
