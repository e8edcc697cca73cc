//! [`TrainingCaps`]: the most slots of each job, which grow as it learns.

use std::collections::BTreeMap;

use super::operators::{Cap, Caps};
use super::options::Options;
use crate::policy::{Cluster, Job, JobId};

/// Epochs at the cap after which it doubles.
const EPOCHS: u64 = 2;
/// Most slots over those that were asked for.
const GROWTH: u32 = 4;

/// Training caps, and for how long jobs ran.
#[derive(Debug, Default)]
pub(super) struct TrainingCaps {
    caps: BTreeMap<JobId, u32>,
    /// Time at which each job was first seen to hold something.
    begun: BTreeMap<JobId, f64>,
    /// Seconds for which jobs ran that have ended.
    ended: Vec<f64>,
    now: f64,
}

impl TrainingCaps {
    /// Caps of all jobs. A cap begins at 1 or as requested, and doubles after two epochs at the cap, up to the cluster and to four
    /// times the request. With [`Options::shrink`] the largest job shrinks for this decision where it holds half the cluster and
    /// has run for longer than the median.
    pub(super) fn renew(&mut self, now: f64, cluster: &Cluster, jobs: &[Job], options: &Options) -> Caps {
        self.now = now;
        let slots = cluster.slots();
        let mut caps = Caps::new();
        for job in jobs {
            let held = job.placement.workers();
            if held > 0 {
                self.begun.entry(job.id).or_insert(now);
            }
            let most = job.most.min(slots).min(job.requested.max(1).saturating_mul(GROWTH)).max(job.least);
            let begin = if options.begin_as_requested { job.requested } else { job.least };
            let cap = self.caps.entry(job.id).or_insert(begin.clamp(job.least.max(1), most.max(1)));
            if held >= *cap && job.epochs_since_resize >= EPOCHS.min(options.apart) {
                *cap = (*cap * 2).min(most);
            }
            let least = job.least.max(1);
            if least <= slots {
                caps.insert(job.id, Cap { least, size: *cap, training: *cap });
            }
        }
        if options.shrink {
            self.shrink(now, slots, jobs, &mut caps);
        }
        caps
    }

    /// Keeps the time for which a job ran.
    pub(super) fn ended(&mut self, job: &Job) {
        self.caps.remove(&job.id);
        if let Some(begun) = self.begun.remove(&job.id) {
            self.ended.push(self.now - begun);
        }
    }

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
