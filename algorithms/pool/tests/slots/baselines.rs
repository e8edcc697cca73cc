//! Tests of first come, first served, and of dominant resource fairness.

use raddle_pool::policy::{Cluster, Demand, Drf, Fifo, Job, JobId, Policy, Utility};

use super::job;

const WORTH: Utility = Utility::Constant(1.0);

fn workers(policy: &mut dyn Policy, cluster: &Cluster, jobs: &[Job]) -> Vec<u32> {
    let allocation = policy.decide(0.0, cluster, jobs);
    jobs.iter().map(|job| allocation.placements.get(&job.id).map_or(0, |held| held.workers())).collect()
}

fn asking(id: u32, requested: u32) -> Job {
    Job { requested, ..job(id, 0.0, 8, 1.0, WORTH) }
}

#[test]
fn fifo_serves_gangs_in_order_and_lets_nobody_pass() {
    let cluster = Cluster::of_slots(1, 8);
    let mut fifo = Fifo::default();
    let jobs = [asking(0, 5), asking(1, 4), asking(2, 1)];
    assert_eq!(workers(&mut fifo, &cluster, &jobs), [5, 0, 0]);
    // Running jobs keep their workers; the next job starts as soon as it fits.
    assert_eq!(workers(&mut fifo, &cluster, &jobs[1..]), [4, 1]);
    assert_eq!(workers(&mut fifo, &cluster, &[asking(2, 8), asking(3, 7)]), [1, 7]);
}

#[test]
fn fifo_cuts_a_gang_to_what_an_empty_cluster_holds_and_passes_over_what_never_fits() {
    let cluster = Cluster::of_slots(2, 3);
    let mut never = asking(0, 1);
    never.demand.worker[0] = 4.0;
    let allocation = Fifo::default().decide(0.0, &cluster, &[never, asking(1, 8)]);
    assert_eq!(allocation.placements[&JobId(1)].workers(), 6);
    assert!(!allocation.placements.contains_key(&JobId(0)));
}

#[test]
fn drf_gives_equal_dominant_shares() {
    // The example of the paper: 9 cores and 18 GB, with tasks of (1, 4) and (3, 1). Three and two tasks give
    // each job a dominant share of two thirds.
    let cluster = Cluster { nodes: vec![[f64::INFINITY, 9.0, 18.0]] };
    let of = |id, cores, memory| {
        let worker = [0.0, cores, memory];
        Job { demand: Demand { worker, ..Demand::SLOT }, ..job(id, 0.0, 100, 1.0, WORTH) }
    };
    assert_eq!(workers(&mut Drf, &cluster, &[of(0, 1.0, 4.0), of(1, 3.0, 1.0)]), [3, 2]);
}

#[test]
fn drf_shares_slots_out_and_gives_what_others_cannot_use() {
    let cluster = Cluster::of_slots(1, 9);
    let jobs = [job(0, 0.0, 2, 1.0, WORTH), job(1, 0.0, 9, 1.0, WORTH), job(2, 0.0, 9, 1.0, WORTH)];
    assert_eq!(workers(&mut Drf, &cluster, &jobs), [2, 4, 3]);
    let crowd: Vec<Job> = (0..12).map(|id| job(id, 0.0, 9, 1.0, WORTH)).collect();
    assert_eq!(workers(&mut Drf, &cluster, &crowd).iter().filter(|&&held| held == 1).count(), 9);
}

#[test]
fn drf_places_servers_with_the_workers_that_need_them() {
    let cluster = Cluster { nodes: vec![[4.0, 8.0, 16.0]; 3] };
    let demand = Demand { worker: [1.0, 1.0, 2.0], server: [0.0, 1.0, 3.0], workers_per_server: 2 };
    let jobs: Vec<Job> = (0..2).map(|id| Job { demand, ..job(id, 0.0, 20, 1.0, WORTH) }).collect();
    let allocation = Drf.decide(0.0, &cluster, &jobs);
    assert_eq!(allocation.placements.len(), 2);
    for placement in allocation.placements.values() {
        let servers: u32 = placement.shares.iter().map(|share| share.servers).sum();
        assert!(servers * 2 >= placement.workers() && placement.workers() >= 5, "{placement:?}");
    }
}
