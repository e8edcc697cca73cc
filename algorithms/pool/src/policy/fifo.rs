//! First come, first served: a job gets the number of workers that it requested, or waits.

use std::collections::BTreeMap;

use super::cluster::{Cluster, Placement};
use super::job::{Job, JobId};
use super::room::Room;
use super::{Allocation, Policy};

/// Gangs in order of arrival: a job that does not fit blocks all that arrived after it.
#[derive(Debug, Clone, Default)]
pub struct Fifo {
    running: BTreeMap<JobId, Placement>,
}

impl Policy for Fifo {
    fn name(&self) -> &'static str {
        "fifo"
    }

    fn decide(&mut self, _now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let mut room = Room::of(cluster);
        let mut allocation = Allocation::default();
        // Running jobs keep their workers; on a cluster that shrank, the last to arrive stop first.
        for job in jobs {
            if let Some(held) = self.running.get(&job.id)
                && room.try_take(&job.demand, held)
            {
                allocation.placements.insert(job.id, held.clone());
            }
        }
        for job in jobs {
            if allocation.placements.contains_key(&job.id) {
                continue;
            }
            // A job that does not fit on an empty cluster is passed over; one that waits blocks later jobs.
            let Some(gang) = gang(cluster, job) else { continue };
            let Some(placement) = room.pack(&job.demand, gang) else { break };
            placement.shares.iter().for_each(|&share| room.take(&job.demand, share));
            allocation.placements.insert(job.id, placement);
        }
        self.running.clone_from(&allocation.placements);
        allocation
    }
}

/// Size of a job's gang: its request, or as much of it as an empty cluster holds.
fn gang(cluster: &Cluster, job: &Job) -> Option<u32> {
    let empty = Room::of(cluster);
    let asked = job.requested.max(job.least).min(job.most);
    (job.least.max(1)..=asked).rev().find(|&workers| empty.pack(&job.demand, workers).is_some())
}
