//! [`Estimates`]: properties of the jobs that a decision depends on.

use std::collections::BTreeMap;

use raddle_pool::policy::{Cluster, Job, JobId};

use super::operators::Caps;

/// Minimum of the remaining time, in seconds: smaller ones count as equal.
const LEAST: f64 = 1.0;
/// Epochs after which a mutation may drop a job.
const KNOWN: u64 = 2;

/// Properties of a job for one decision.
#[derive(Debug)]
pub(super) struct Estimate {
    /// Remaining seconds on one slot, or on the minimum of the job.
    pub(super) remaining: f64,
    /// Number of slots that the job holds now.
    pub(super) held: u32,
    epochs: u64,
    /// Speeds on 1, 2, ... slots, relative to that on the minimum of the job.
    speedups: Vec<f64>,
}

impl Estimate {
    /// Speed on `count` slots, relative to that on the minimum of the job.
    pub(super) fn speedup(&self, count: u32) -> f64 {
        let at = (count as usize).min(self.speedups.len());
        at.checked_sub(1).map_or(0.0, |at| self.speedups[at])
    }
}

/// Properties of the jobs that may change in one decision.
#[derive(Debug)]
pub(super) struct Estimates {
    jobs: BTreeMap<JobId, Estimate>,
    /// Bounds of each of these jobs.
    pub(super) caps: Caps,
    /// Jobs that have never run, in order of arrival.
    pub(super) new: Vec<JobId>,
    /// Jobs in ascending order of remaining time.
    pub(super) by_remaining: Vec<JobId>,
}

impl Estimates {
    /// Properties of the jobs that have a cap.
    pub(super) fn new(cluster: &Cluster, jobs: &[Job], caps: Caps) -> Self {
        let nodes: Vec<u32> = (0..=cluster.slots()).map(|workers| cluster.nodes_for(workers)).collect();
        let mut known = BTreeMap::new();
        let mut new = Vec::new();
        for job in jobs {
            let Some(cap) = caps.get(&job.id) else { continue };
            let rate = |workers: u32| job.speed.rate(workers, nodes[workers as usize]);
            let first = rate(cap.least.max(1)).max(f64::MIN_POSITIVE);
            let estimate = Estimate {
                remaining: (job.remaining() / first).max(LEAST),
                held: job.placement.workers(),
                epochs: job.epochs,
                speedups: (1..=cap.size).map(|workers| rate(workers) / first).collect(),
            };
            if job.service == 0.0 && estimate.held == 0 {
                new.push(job.id);
            }
            known.insert(job.id, estimate);
        }
        let mut by_remaining: Vec<JobId> = known.keys().copied().collect();
        by_remaining.sort_by(|a, b| known[a].remaining.total_cmp(&known[b].remaining));
        Self { jobs: known, caps, new, by_remaining }
    }

    /// `true` if a mutation may drop the job.
    pub(super) fn may_drop(&self, id: JobId) -> bool {
        self.jobs.get(&id).is_some_and(|job| job.epochs >= KNOWN)
    }

    /// Properties of a job.
    pub(super) fn of(&self, id: JobId) -> Option<&Estimate> {
        self.jobs.get(&id)
    }
}
