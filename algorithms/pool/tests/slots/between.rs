//! Decisions at times within a slot, as a live pool asks for them.

use raddle_pool::policy::{Allocation, Cluster, Job, JobId, PdOrs, PlanSettings, Policy, Promise, Utility};

use super::job;

fn fresh(id: u32, arrival: f64, work: f64) -> Job {
    job(id, arrival, 8, work, Utility::Deadline { value: 1.0, by: 300.0 })
}

fn workers(allocation: &Allocation, id: u32) -> u32 {
    allocation.placements.get(&JobId(id)).map_or(0, |held| held.workers())
}

/// Moves time on: jobs hold what they were given, and their work is counted.
fn go_on(jobs: &mut [Job], allocation: &Allocation, seconds: f64) {
    for job in jobs {
        job.placement = allocation.placements.get(&job.id).cloned().unwrap_or_default();
        let work = job.speed.rate(job.placement.workers(), 1) * seconds;
        job.left = job.left.map(|left| (left - work).max(0.0));
    }
}

#[test]
fn a_job_that_comes_between_is_answered_at_once_and_asking_again_changes_nothing() {
    let cluster = Cluster::of_slots(1, 8);
    let mut policy = PdOrs::new(PlanSettings::default());
    let mut jobs = vec![fresh(0, 0.0, 500.0)];
    let first = policy.decide(0.0, &cluster, &jobs);
    assert!(workers(&first, 0) > 0 && matches!(first.promises[..], [(JobId(0), Promise::By(_))]));
    go_on(&mut jobs, &first, 13.0);
    jobs.push(fresh(1, 13.0, 20.0));
    let second = policy.decide(13.0, &cluster, &jobs);
    let [(JobId(1), Promise::By(by))] = second.promises[..] else { panic!("{second:?}") };
    assert!(by > 13.0 && by <= 300.0);
    assert!(workers(&second, 0) + workers(&second, 1) <= 8);
    go_on(&mut jobs, &second, 0.0);
    let again = policy.decide(13.0, &cluster, &jobs);
    assert_eq!((again.promises.len(), &again.placements), (0, &second.placements));
    // The first job leaves, and its workers are free for the other within the slot.
    let alone = policy.decide(15.0, &cluster, &jobs[1..]);
    assert!(workers(&alone, 0) == 0 && workers(&alone, 1) > 0, "{alone:?}");
}

#[test]
fn a_cluster_that_shrinks_is_not_overfull_and_jobs_are_planned_anew() {
    // Nobody gets workers beyond a plan: a job ends because its plan was made again.
    let mut policy = PdOrs::new(PlanSettings { fill: false, ..PlanSettings::default() });
    let mut jobs: Vec<Job> = (0..4).map(|id| fresh(id, 0.0, 200.0)).collect();
    let mut ended = 0;
    for slot in 0..60 {
        let slots = if slot < 3 { 8 } else { 4 };
        let allocation = policy.decide(f64::from(slot) * 10.0, &Cluster::of_slots(1, slots), &jobs);
        let held: u32 = allocation.placements.values().map(|held| held.workers()).sum();
        assert!(held <= slots, "{held} of {slots} in slot {slot}");
        let refused = |job: &Job| {
            allocation.promises.iter().any(|&(id, p)| id == job.id && matches!(p, Promise::Refused(_)))
        };
        jobs.retain(|job| !refused(job));
        go_on(&mut jobs, &allocation, 10.0);
        ended += jobs.iter().filter(|job| job.left == Some(0.0)).count();
        jobs.retain(|job| job.left != Some(0.0));
    }
    assert!(ended >= 3 && jobs.is_empty(), "{ended} {jobs:?}");
}

#[test]
fn a_later_end_is_promised_where_it_saves_more_than_it_is_worth_less() {
    let cluster = Cluster::of_slots(1, 8);
    let settings = PlanSettings { margin: 0.0, rescale: 0.0, fill: false, ..PlanSettings::default() };
    // Six of the eight workers are taken in the first slot, none in the second.
    let urgent = job(0, 0.0, 6, 60.0, Utility::Deadline { value: 1.0, by: 10.0 });
    let end = |steepness| {
        let other = job(1, 0.0, 2, 20.0, Utility::Sigmoid { value: 1.0, steepness, middle: 15.0 });
        let mut policy = PdOrs::new(settings.clone());
        let first = policy.decide(0.0, &cluster, std::slice::from_ref(&urgent));
        assert!(matches!(first.promises[..], [(JobId(0), Promise::By(10.0))]), "{first:?}");
        let second = policy.decide(0.0, &cluster, &[urgent.clone(), other]);
        let [(JobId(1), Promise::By(end))] = second.promises[..] else { panic!("{second:?}") };
        end
    };
    assert_eq!([end(1e-6), end(1.0)], [20.0, 10.0]);
}
