//! Random shares: a baseline, and a test of everything that must not depend on a policy.

use raddle::random::Stream;

use super::cluster::{Cluster, Placement};
use super::job::Job;
use super::room::Room;
use super::{Allocation, Policy};

/// Shares drawn at every decision, for jobs in random order. The first job gets at least its minimum, so that
/// some job always makes progress.
#[derive(Debug, Clone)]
pub struct Random {
    stream: Stream,
}

impl Random {
    /// A policy with this seed.
    pub fn new(seed: u64) -> Self {
        Self { stream: Stream::new(&[seed]) }
    }
}

impl Policy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn decide(&mut self, _now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let mut room = Room::of(cluster);
        let mut order: Vec<&Job> = jobs.iter().collect();
        self.stream.shuffle(&mut order);
        let mut allocation = Allocation::default();
        for job in order {
            let is_first = allocation.placements.is_empty();
            let least = job.least.max(1);
            let drawn = self.stream.below(job.most.max(least) as usize + 1) as u32;
            let wanted = if is_first { drawn.max(least) } else { drawn };
            let placement: Option<Placement> =
                (least..=wanted).rev().find_map(|workers| room.pack(&job.demand, workers));
            let Some(placement) = placement else { continue };
            placement.shares.iter().for_each(|&share| room.take(&job.demand, share));
            allocation.placements.insert(job.id, placement);
        }
        allocation
    }
}
