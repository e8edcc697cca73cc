//! Tests of greedy, Tiresias and Optimus on a few jobs, whose shares can be computed by hand.

use std::sync::Arc;

use raddle_pool::policy::{Allocation, ByWorkers, Cluster, Greedy, Job, JobId, Knowledge, Placement, Policy};
use raddle_pool_sim::policy::las::Las;
use raddle_pool_sim::policy::optimus::Optimus;

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

/// Jobs of 100, 25 and 4 epochs, each with these speeds.
fn three(rates: &[f64]) -> [Job; 3] {
    [job(0, 1, 100.0, rates), job(1, 1, 25.0, rates), job(2, 1, 4.0, rates)]
}

#[test]
fn greedy_gives_each_step_to_whom_it_is_worth_most() {
    // A slot is worth its speed over 10, 5 and 2.
    let jobs = three(&[1.0, 1.5, 1.75, 1.8]);
    for (slots, expected) in
        [(1, [0, 0, 1]), (2, [0, 0, 2]), (3, [0, 1, 2]), (4, [0, 1, 3]), (6, [1, 2, 3]), (12, [4, 4, 4])]
    {
        let allocation = Greedy::default().decide(0.0, &Cluster::of_slots(1, slots), &jobs);
        assert_eq!(workers(&allocation, &jobs), expected, "{slots} slots");
    }
    // Without knowledge all are alike, and none has more than four times its request.
    let allocation = Greedy::new(Knowledge::None).decide(0.0, &Cluster::of_slots(1, 5), &jobs);
    assert_eq!(workers(&allocation, &jobs), [2, 2, 1]);
    let wide = three(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let allocation = Greedy::new(Knowledge::None).decide(0.0, &Cluster::of_slots(1, 18), &wide);
    assert_eq!(workers(&allocation, &wide), [4, 4, 4]);
    // Two slots that gain nothing alone are one step, as is a minimum.
    let mut steps = three(&[1.0, 1.0, 3.0]);
    steps[2].least = 3;
    let allocation = Greedy::default().decide(0.0, &Cluster::of_slots(1, 6), &steps);
    assert_eq!(workers(&allocation, &steps), [0, 3, 3]);
}

#[test]
fn greedy_changes_nobody_within_an_epoch_and_nobody_for_little() {
    let cluster = Cluster::of_slots(1, 4);
    let mut jobs = three(&[1.0, 1.9, 2.7, 3.4]);
    jobs[0].placement = Placement::on_one(3);
    let allocation = Greedy::default().decide(0.0, &cluster, &jobs);
    assert_eq!(workers(&allocation, &jobs), [3, 0, 1]);
    jobs[0].epochs_since_resize = 1;
    let allocation = Greedy::default().decide(0.0, &cluster, &jobs);
    assert_eq!(workers(&allocation, &jobs), [0, 0, 4]);
    // A slot of the second job is worth a fifth more, less than a change costs; then twice as much.
    for (left, expected) in [(70.0, [2, 2]), (25.0, [0, 4])] {
        let mut two = [100.0, left].map(|left| job(0, 1, left, &[1.0, 2.0, 3.0, 4.0]));
        two[1].id = JobId(1);
        for job in &mut two {
            (job.placement, job.epochs_since_resize) = (Placement::on_one(2), 5);
        }
        let allocation = Greedy::default().decide(0.0, &cluster, &two);
        assert_eq!(workers(&allocation, &two), expected, "{left}");
    }
}

#[test]
fn greedy_learns_what_is_left_from_jobs_of_the_same_program_and_size() {
    let of = |id, program: &str, rate: f64, done| {
        let job = Job { program: program.into(), done, ..job(id, 1, 1.0, &[rate, 2.0 * rate]) };
        Job { left: None, ..job }
    };
    let mut greedy = Greedy::new(Knowledge::Learnt);
    for done in [400.0, 1000.0] {
        greedy.ended(&of(0, "long", 1.0, done));
    }
    greedy.ended(&of(0, "short", 1.0, 20.0));
    // 900 s are left of the first, 20 of the second; the third is of another size, and counts an
    // epoch of 10 s.
    let jobs = [of(1, "long", 1.0, 500.0), of(2, "short", 1.0, 0.0), of(3, "long", 0.1, 0.0)];
    for (slots, expected) in [(2, [0, 0, 2]), (4, [0, 2, 2]), (6, [2, 2, 2])] {
        let allocation = greedy.decide(0.0, &Cluster::of_slots(1, slots), &jobs);
        assert_eq!(workers(&allocation, &jobs), expected, "{slots} slots");
    }
    // The course of a metric says more, of an end that is near: far ahead the job counts as half done.
    let mut jobs = jobs;
    jobs[0].course = Some(5.0);
    let allocation = greedy.decide(0.0, &Cluster::of_slots(1, 2), &jobs);
    assert_eq!(workers(&allocation, &jobs), [2, 0, 0]);
    for (done, expected) in [(3.0, [2, 0, 0]), (300.0, [0, 0, 2])] {
        (jobs[0].course, jobs[0].done) = (Some(1e6), done);
        let allocation = greedy.decide(0.0, &Cluster::of_slots(1, 2), &jobs);
        assert_eq!(workers(&allocation, &jobs), expected, "{done}");
    }
}
