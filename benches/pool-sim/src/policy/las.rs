//! Tiresias (Gu et al., NSDI 2019): least attained service first, in two queues.

use std::collections::BTreeMap;

use raddle_pool::policy::{Allocation, Cluster, Job, JobId, Policy, place};

/// Service after which a job moves to the second queue, in workers times seconds: 16 hours of one worker.
const THRESHOLD: f64 = 57_600.0;

/// Two queues, each in order of arrival. A job whose service reaches the threshold moves to the end of the
/// second queue, and stays there. Jobs are served in order, the first queue before the second: a job gets the
/// number of workers that it requested, or none if they are not free.
#[derive(Debug, Clone)]
pub struct Las {
    threshold: f64,
    queues: [Vec<JobId>; 2],
}

impl Default for Las {
    fn default() -> Self {
        Self::new(THRESHOLD)
    }
}

impl Las {
    /// Empty queues with this threshold, in workers times seconds.
    pub fn new(threshold: f64) -> Self {
        Self { threshold, queues: [Vec::new(), Vec::new()] }
    }

    /// Adds new jobs to the first queue, and moves jobs whose service has reached the threshold to the
    /// second.
    fn queue(&mut self, jobs: &BTreeMap<JobId, &Job>) {
        self.queues.iter_mut().for_each(|queue| queue.retain(|id| jobs.contains_key(id)));
        let [first, second] = &mut self.queues;
        let new = |id: &&JobId| !first.contains(id) && !second.contains(id);
        let new: Vec<JobId> = jobs.keys().filter(new).copied().collect();
        first.extend(new);
        let threshold = self.threshold;
        let is_served = |id: &JobId| {
            let job = &jobs[id];
            job.placement.workers() > 0 && job.service >= threshold
        };
        let served: Vec<JobId> =
            jobs.keys().filter(|id| first.contains(id) && is_served(id)).copied().collect();
        first.retain(|id| !served.contains(id));
        second.extend(served);
    }
}

impl Policy for Las {
    fn name(&self) -> &'static str {
        "las"
    }

    fn decide(&mut self, _: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let by_id: BTreeMap<JobId, &Job> = jobs.iter().map(|job| (job.id, job)).collect();
        self.queue(&by_id);
        let slots = cluster.slots();
        let mut left = slots;
        let mut runs = Vec::new();
        for job in self.queues.iter().flatten().map(|id| by_id[id]) {
            let asked = job.requested.min(slots);
            if asked <= left {
                left -= asked;
                runs.push((job, asked));
            }
        }
        place(cluster, &runs)
    }
}
