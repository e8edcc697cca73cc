//! Tests of the simulator on jobs whose times can be computed by hand.

mod bad_input;
mod profiles;
pub(crate) mod tables;

use raddle_common::testing::pairs;
use raddle_pool::policy::{Allocation, Cluster, Job, Placement, Policy, Promise};
use raddle_pool_sim::policy::las::Las;
use raddle_pool_sim::policy::names::{self, NAMES};
use raddle_pool_sim::profile::submitted;
use raddle_pool_sim::published::Tables;
use raddle_pool_sim::{Settings, SimulateError, Spec, Submitted, simulate};

use self::profiles::profile;

/// Arrival, number of epochs, and speeds by workers.
type Known<'a> = (f64, f64, &'a [(u32, f64)]);

fn jobs(list: &[Known<'_>]) -> Vec<Submitted> {
    let of = |&(at, epochs, speeds): &Known<'_>| submitted(&profile(at, epochs, speeds)).unwrap();
    list.iter().map(of).collect()
}

#[test]
fn a_job_waits_for_a_tick_holds_its_share_idly_and_works() {
    let jobs = jobs(&[(5.0, 120.0, &[(1, 1.0), (2, 2.0)]), (70.0, 10.0, &[(1, 1.0)])]);
    let settings = Settings { tick: 60.0, rescale: 30.0 };
    let outcome = simulate(&Cluster::of_slots(1, 3), &jobs, &settings, &mut Las::default()).unwrap();
    // The first job gets two workers at 60 s, and works for 60 s from 90 s on; the second gets one at 120 s.
    assert_eq!(outcome.jobs.iter().map(|job| job.end).collect::<Vec<_>>(), [Some(150.0), Some(160.0)]);
    assert_eq!(outcome.jobs[0].service, 2.0 * 90.0);
    assert_eq!(outcome.jobs[1].service, 40.0);
    assert_eq!((outcome.mean(), outcome.quantile(0.5), outcome.quantile(1.0)), (117.5, 90.0, 145.0));
    assert_eq!((outcome.makespan(), outcome.rescales()), (155.0, 0));
    assert!((outcome.utilisation() - 220.0 / (155.0 * 3.0)).abs() < 1e-12);
}

/// A policy with fixed decisions.
struct Fixed(fn(f64, &[Job]) -> Allocation);

impl Policy for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }
    fn decide(&mut self, now: f64, _: &Cluster, jobs: &[Job]) -> Allocation {
        (self.0)(now, jobs)
    }
}

fn run(policy: fn(f64, &[Job]) -> Allocation) -> Result<raddle_pool_sim::Outcome, SimulateError> {
    let jobs = jobs(&[(0.0, 100.0, &[(1, 1.0), (2, 1.5)]), (0.0, 100.0, &[(1, 1.0)])]);
    let settings = Settings { tick: 10.0, rescale: 4.0 };
    simulate(&Cluster::of_slots(1, 2), &jobs, &settings, &mut Fixed(policy))
}

#[test]
fn a_rescale_costs_its_seconds_and_a_refused_job_never_runs() {
    let outcome = run(|now, jobs| {
        let mut allocation = Allocation::default();
        let workers = if now < 50.0 { 1 } else { 2 };
        allocation.placements.insert(jobs[0].id, Placement::on_one(workers));
        if let Some(other) = jobs.get(1) {
            allocation.promises.push((other.id, Promise::Refused(None)));
        }
        allocation
    });
    let outcome = outcome.unwrap();
    // One worker completes 36 epochs from 14 to 50 s, and two workers the other 64 from 54 s on, at 1.5 a
    // second.
    assert!((outcome.jobs[0].end.unwrap() - (54.0 + 64.0 / 1.5)).abs() < 1e-9);
    assert_eq!((outcome.jobs[0].rescales, outcome.refused(), outcome.jobs[1].end), (1, 1, None));
}

#[test]
fn a_policy_that_gives_too_much_or_nothing_is_an_error() {
    let error = run(|_, jobs| {
        let placements = jobs.iter().map(|job| (job.id, Placement::on_one(2))).collect();
        Allocation { placements, ..Allocation::default() }
    });
    assert!(matches!(&error, Err(SimulateError::Allocation { policy: "fixed", now: 10.0, .. })), "{error:?}");
    let error = run(|_, _| Allocation::default());
    assert!(matches!(&error, Err(SimulateError::Stalled { policy: "fixed", jobs: 2, .. })), "{error:?}");
}

#[test]
fn jobs_that_are_resized_for_ever_are_an_error() {
    let jobs = jobs(&[(0.0, 100.0, &[(1, 1.0), (2, 1.5)])]);
    let mut policy = Fixed(|now, jobs| {
        let workers = 1 + (now / 10.0) as u32 % 2;
        Allocation { placements: [(jobs[0].id, Placement::on_one(workers))].into(), ..Allocation::default() }
    });
    let mut run = |rescale| {
        let settings = Settings { tick: 10.0, rescale };
        simulate(&Cluster::of_slots(1, 2), &jobs, &settings, &mut policy)
    };
    assert!(run(9.0).is_ok());
    let error = run(10.0);
    assert!(matches!(&error, Err(SimulateError::Stalled { since: 0.0, jobs: 1, .. })), "{error:?}");
}

#[test]
fn equal_seeds_give_equal_decisions_under_every_policy() {
    let cluster = Cluster::of_slots(4, 4);
    let run = |name: &str, seed: u64| {
        let workload = Spec::parse("synth:jobs:n=40,seed=3").unwrap().workloads(1.0).unwrap().remove(0);
        let settings = names::Settings { seed, ..names::Settings::default() };
        let mut policy = names::policy(name, &settings).unwrap();
        simulate(&cluster, &workload.jobs, &workload.settings, &mut *policy).unwrap()
    };
    for name in NAMES {
        let (first, again) = (run(name, 1), run(name, 1));
        assert!(first.decisions > 10 && first == again, "{name}");
        let is_drawn = ["ones", "random"].contains(&name);
        assert_eq!(run(name, 2) != first, is_drawn, "{name}");
    }
}

#[test]
fn a_published_job_takes_the_time_that_its_tables_say() {
    let folder = tables::folder(&["1,1,a,0,bert,1,8", "1,1,b,0,cifar10,2,32"]);
    let jobs = Tables::read(folder.path()).unwrap().jobs(1, 1.0).unwrap();
    let settings = Settings { tick: 60.0, rescale: 30.0 };
    let outcome = simulate(&Cluster::of_slots(1, 4), &jobs, &settings, &mut Las::default()).unwrap();
    // bert: 8 is the minimum batch size, so its gain is 1 and nothing is accumulated: 2 epochs of 100
    // iterations of 1 s.
    // cifar10: 16 samples on each of 2 replicas take 2 s; the gain of 4 times the batch is (1 + 1) / (1 / 4 +
    // 1), and 100 epochs of 100 iterations take 125 s each.
    let expected = [60.0 + 30.0 + 200.0, 60.0 + 30.0 + 100.0 * 125.0];
    for (job, expected) in pairs(&outcome.jobs, expected) {
        assert_eq!(job.end, Some(expected), "{}", job.name);
    }
}
