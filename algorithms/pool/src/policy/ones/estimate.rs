//! [`Estimates`]: what a decision knows of each job.

use std::collections::BTreeMap;

use super::operators::Caps;
use crate::policy::{Cluster, Job, JobId};

/// Least remaining time that is told apart, in seconds.
const LEAST: f64 = 1.0;
/// Epochs after which a job may be dropped.
const KNOWN: u64 = 2;

/// Estimate of a job for one decision.
#[derive(Debug)]
pub struct Estimate {
    /// Remaining seconds on one slot, or on its least.
    pub remaining: f64,
    /// Number of slots that it holds now.
    pub held: u32,
    epochs: u64,
    /// Speed on 1, 2, ... slots, over that on its least.
    speedups: Vec<f64>,
}

impl Estimate {
    /// Speed on so many slots, over that on its least.
    pub fn speedup(&self, count: u32) -> f64 {
        let at = (count as usize).min(self.speedups.len());
        at.checked_sub(1).map_or(0.0, |at| self.speedups[at])
    }
}

/// Estimates of the jobs that may change in one decision.
#[derive(Debug)]
pub struct Estimates {
    jobs: BTreeMap<JobId, Estimate>,
    /// Bounds of each of them.
    pub caps: Caps,
    /// Jobs that have not begun, in order of arrival.
    pub new: Vec<JobId>,
    /// Jobs by their remaining time, least first.
    pub by_remaining: Vec<JobId>,
}

impl Estimates {
    /// Estimates of the jobs that have a cap; `left` predicts the work that is left of a job.
    pub(super) fn new(
        cluster: &Cluster,
        jobs: &[Job],
        caps: Caps,
        mut left: impl FnMut(&Job) -> f64,
    ) -> Self {
        let nodes: Vec<u32> = (0..=cluster.slots()).map(|workers| cluster.nodes_for(workers)).collect();
        let mut known = BTreeMap::new();
        let mut new = Vec::new();
        for job in jobs {
            let Some(cap) = caps.get(&job.id) else { continue };
            let rate = |workers: u32| job.speed.rate(workers, nodes[workers as usize]);
            let first = rate(cap.least.max(1)).max(f64::MIN_POSITIVE);
            let estimate = Estimate {
                remaining: (left(job) / first).max(LEAST),
                held: job.placement.workers(),
                epochs: job.epochs,
                speedups: (1..=cap.training).map(|workers| rate(workers) / first).collect(),
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
    pub fn may_drop(&self, id: JobId) -> bool {
        self.jobs.get(&id).is_some_and(|job| job.epochs >= KNOWN)
    }

    /// The estimate of a job.
    pub fn of(&self, id: JobId) -> Option<&Estimate> {
        self.jobs.get(&id)
    }
}
