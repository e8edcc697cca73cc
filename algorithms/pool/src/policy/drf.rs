//! Dominant resource fairness (Ghodsi et al., NSDI 2011). The dominant share of a job is its largest share of
//! any resource of the cluster; all jobs get equal dominant shares, as far as they can use them.

use super::cluster::{Amounts, Cluster, Placement, RESOURCES, Share};
use super::job::Job;
use super::room::Room;
use super::{Allocation, Policy};

/// Equal dominant shares for elastic jobs, allocated worker by worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct Drf;

impl Policy for Drf {
    fn name(&self) -> &'static str {
        "drf"
    }

    fn decide(&mut self, _now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let total: Amounts = std::array::from_fn(|r| cluster.nodes.iter().map(|node| node[r]).sum());
        let mut room = Room::of(cluster);
        let mut held = vec![Placement::default(); jobs.len()];
        let mut share = vec![0.0_f64; jobs.len()];
        let mut growing: Vec<usize> = (0..jobs.len()).collect();
        // Of jobs with equal shares, the first to arrive.
        while let Some(at) =
            (0..growing.len()).min_by(|&a, &b| share[growing[a]].total_cmp(&share[growing[b]]))
        {
            let job = growing[at];
            if grow(&mut room, &jobs[job], &mut held[job]) {
                share[job] = dominant(&total, &jobs[job], &held[job]);
            } else {
                growing.remove(at);
            }
        }
        let placements = jobs.iter().zip(held).filter(|(_, held)| !held.shares.is_empty());
        Allocation {
            placements: placements.map(|(job, held)| (job.id, held)).collect(),
            promises: Vec::new(),
        }
    }
}

/// Dominant share of a job: the largest share of a resource of the cluster that it holds.
fn dominant(total: &Amounts, job: &Job, held: &Placement) -> f64 {
    let servers = held.shares.iter().map(|share| share.servers).sum();
    let taken = job.demand.of(held.workers(), servers);
    (0..RESOURCES)
        .filter(|&r| total[r].is_finite() && total[r] > 0.0)
        .map(|r| taken[r] / total[r])
        .fold(0.0, f64::max)
}

/// Gives a job its minimum of workers, or one more worker: on a node that it already has, if the worker fits
/// there. Returns `false` if the job cannot grow.
fn grow(room: &mut Room, job: &Job, held: &mut Placement) -> bool {
    let workers = held.workers();
    if workers >= job.most {
        return false;
    }
    if workers == 0 {
        let Some(placement) = first(room, job) else { return false };
        placement.shares.iter().for_each(|&share| room.take(&job.demand, share));
        *held = placement;
        return true;
    }
    let servers: u32 = held.shares.iter().map(|share| share.servers).sum();
    let more = u32::from(job.demand.servers(workers + 1) > servers);
    let mut nodes: Vec<usize> = held.shares.iter().map(|share| share.node as usize).collect();
    nodes.extend(room.emptiest_first());
    let Some(&node) = nodes.iter().find(|&&node| room.fits(node, &job.demand, 1, more)) else { return false };
    let share = Share { node: node as u32, workers: 1, servers: more };
    room.take(&job.demand, share);
    match held.shares.binary_search_by_key(&share.node, |share| share.node) {
        Ok(at) => {
            held.shares[at].workers += 1;
            held.shares[at].servers += more;
        }
        Err(at) => held.shares.insert(at, share),
    }
    true
}

/// First placement of a job: its minimum of workers on the emptiest node, where it can grow; else packed over
/// several nodes.
fn first(room: &Room, job: &Job) -> Option<Placement> {
    let workers = job.least.max(1);
    let servers = job.demand.servers(workers);
    let node = room.emptiest_first().into_iter().find(|&node| room.fits(node, &job.demand, workers, servers));
    match node {
        Some(node) => Some(Placement { shares: vec![Share { node: node as u32, workers, servers }] }),
        None => room.pack(&job.demand, workers),
    }
}
