//! Tests of Tiresias and Optimus on a few jobs, whose shares can be computed by hand.

use std::sync::Arc;

use raddle_pool::policy::las::Las;
use raddle_pool::policy::optimus::Optimus;
use raddle_pool::policy::{Allocation, ByWorkers, Cluster, Job, JobId, Placement, Policy};

fn job(id: u32, requested: u32, left: f64, rates: &[f64]) -> Job {
    let speed = Arc::new(ByWorkers::new(rates.to_vec()));
    Job {
        arrival: f64::from(id),
        requested,
        left: Some(left),
        ..Job::new(JobId(id), rates.len() as u32, speed)
    }
}

fn workers(allocation: &Allocation, jobs: &[Job]) -> Vec<u32> {
    jobs.iter().map(|job| allocation.placements.get(&job.id).map_or(0, Placement::workers)).collect()
}

#[test]
fn las_gives_all_or_nothing_in_order_and_lets_smaller_ones_pass() {
    let jobs = [job(0, 4, 9.0, &[1.0; 4]), job(1, 6, 9.0, &[1.0; 6]), job(2, 3, 9.0, &[1.0; 3])];
    let allocation = Las::default().decide(60.0, &Cluster::of_slots(2, 4), &jobs);
    assert_eq!(workers(&allocation, &jobs), [4, 0, 3]);
    // The first job has a node of its own.
    assert_eq!(allocation.placements[&JobId(0)].nodes(), 1);
}

#[test]
fn las_puts_a_job_that_was_served_long_behind_those_that_were_not() {
    let cluster = Cluster::of_slots(1, 4);
    let mut las = Las::new(100.0);
    let mut jobs = [job(0, 4, 9.0, &[1.0; 4]), job(1, 4, 9.0, &[1.0; 4])];
    let first = las.decide(0.0, &cluster, &jobs);
    assert_eq!(workers(&first, &jobs), [4, 0]);
    jobs[0].placement = first.placements[&JobId(0)].clone();
    jobs[0].service = 99.0;
    assert_eq!(workers(&las.decide(25.0, &cluster, &jobs), &jobs), [4, 0]);
    jobs[0].service = 100.0;
    let after = las.decide(26.0, &cluster, &jobs);
    assert_eq!(workers(&after, &jobs), [0, 4]);
    assert_eq!(after.reasons, ["job 0 goes to the second queue"]);
    // The job stays in the second queue, after jobs that arrive later, too.
    jobs[0].placement = Placement::default();
    let later = [jobs[0].clone(), job(2, 4, 9.0, &[1.0; 4])];
    assert_eq!(workers(&las.decide(90.0, &cluster, &later), &later), [0, 4]);
}

#[test]
fn optimus_gives_each_worker_to_whom_it_shortens_most() {
    // Seconds left on 1, 2, 3, 4 workers: 100, 50, 33, 25; 30, 15, 10; 64 on any number.
    let jobs = [
        job(0, 1, 100.0, &[1.0, 2.0, 3.0, 4.0]),
        job(1, 1, 30.0, &[1.0, 2.0, 3.0]),
        job(2, 1, 64.0, &[1.0, 1.0, 1.0]),
    ];
    for (slots, expected) in
        [(2, [1, 1, 0]), (3, [1, 1, 1]), (4, [2, 1, 1]), (5, [3, 1, 1]), (6, [3, 2, 1]), (9, [4, 3, 1])]
    {
        let allocation = Optimus.decide(0.0, &Cluster::of_slots(1, slots), &jobs);
        assert_eq!(workers(&allocation, &jobs), expected, "{slots} slots");
    }
}
