//! [`TrainingCaps`]: the maximum number of slots of each job, which grows as it trains.

use std::collections::BTreeMap;

use raddle_pool::policy::{Cluster, Job, JobId};

use super::operators::{Cap, Caps};

/// Maximum number of slots, as a multiple of the request.
const GROWTH: u32 = 4;

/// Training caps of all jobs.
#[derive(Debug, Default)]
pub(super) struct TrainingCaps(BTreeMap<JobId, u32>);

impl TrainingCaps {
    /// Updates and returns the caps of all jobs. A cap starts at the request and doubles after an epoch at
    /// the cap; it stays within the size of the cluster and four
    /// times the request.
    pub(super) fn renew(&mut self, cluster: &Cluster, jobs: &[Job]) -> Caps {
        let slots = cluster.slots();
        let mut caps = Caps::new();
        for job in jobs {
            let least = job.least.max(1);
            let most = job.most.min(slots).min(job.requested.max(1).saturating_mul(GROWTH)).max(job.least);
            let cap = self.0.entry(job.id).or_insert(job.requested.clamp(least, most.max(1)));
            let held = job.placement.workers();
            if held >= *cap && job.epochs_since_resize > 0 {
                *cap = (*cap * 2).min(most);
            }
            if least <= slots {
                caps.insert(job.id, Cap { least, size: *cap });
            }
        }
        caps
    }

    /// Forgets a job that has ended.
    pub(super) fn ended(&mut self, job: JobId) {
        self.0.remove(&job);
    }
}
