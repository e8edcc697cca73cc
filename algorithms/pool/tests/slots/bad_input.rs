//! Jobs that cannot be promised an end: each message has the cure.

use raddle_pool::policy::{
    Allocation, Cluster, Demand, Job, PdOrs, PlanSettings, Policy, Promise, Unfit, Utility, promisable,
};

use super::job;

const WORTH: Utility = Utility::Constant(1.0);

fn cluster() -> Cluster {
    Cluster::of_slots(1, 4)
}

fn decided(now: f64, job: Job) -> Allocation {
    PdOrs::new(PlanSettings::default()).decide(now, &cluster(), &[job])
}

/// Checks that the job is refused for this reason, with this text in its message.
fn refused(now: f64, job: Job, unfit: &Unfit, text: &str) {
    assert_eq!(promisable(now, &cluster(), &job), Err(unfit.clone()));
    assert!(unfit.to_string().contains(text), "{unfit}");
    let id = job.id;
    let allocation = decided(now, job);
    assert_eq!(allocation.promises, [(id, Promise::Refused(None))]);
    assert!(allocation.placements.is_empty());
}

#[test]
fn a_deadline_past() {
    let late = job(0, 5.0, 4, 10.0, Utility::Deadline { value: 1.0, by: 3.0 });
    refused(5.0, late, &Unfit::DeadlinePast { late: 2.0 }, "give a later one");
}

#[test]
fn no_value() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(0.0, job(0, 0.0, 4, 10.0, Utility::Constant(value)), &Unfit::NoValue, "`--value 5`");
    }
}

#[test]
fn unknown_length() {
    let mut unknown = job(0, 0.0, 4, 10.0, WORTH);
    unknown.left = None;
    refused(0.0, unknown, &Unfit::UnknownLength, "`pool profile RUN`");
}

#[test]
fn unknown_speed() {
    #[derive(Debug)]
    struct Unknown;
    impl raddle_pool::policy::Speed for Unknown {
        fn rate(&self, _: u32, _: u32) -> f64 {
            0.0
        }
    }
    let unknown = Job { speed: std::sync::Arc::new(Unknown), ..job(0, 0.0, 4, 10.0, WORTH) };
    refused(0.0, unknown, &Unfit::UnknownLength, "`pool profile RUN`");
}

#[test]
fn least_above_most() {
    let job = Job { least: 3, ..job(0, 0.0, 2, 10.0, WORTH) };
    refused(0.0, job, &Unfit::LeastAboveMost { least: 3, most: 2 }, "raise `most` or lower `least`");
}

#[test]
fn demands_that_no_machine_holds() {
    let demand = Demand { worker: [5.0, 0.0, 0.0], ..Demand::SLOT };
    let large = Job { demand, ..job(0, 0.0, 2, 10.0, WORTH) };
    refused(0.0, large, &Unfit::TooLarge { workers: 1 }, "does not fit on an empty cluster");
    let many = Job { least: 5, ..job(0, 0.0, 9, 10.0, WORTH) };
    refused(0.0, many, &Unfit::TooLarge { workers: 5 }, "lower `least`");
}

#[test]
fn a_deadline_that_cannot_be_kept_is_refused_with_the_earliest_that_could() {
    let by = |by| job(0, 0.0, 4, 100.0, Utility::Deadline { value: 1.0, by });
    let [(_, Promise::Refused(Some(earliest)))] = decided(0.0, by(12.0)).promises[..] else { panic!() };
    // On 4 workers 100 units take 25 s, and a promise has a margin.
    assert!((25.0..=40.0).contains(&earliest), "{earliest}");
    assert_eq!(decided(0.0, by(earliest)).promises[0].1, Promise::By(earliest));
    let [(_, Promise::Refused(Some(again)))] = decided(0.0, by(earliest - 1.0)).promises[..] else {
        panic!()
    };
    assert_eq!(again, earliest);
    // The job is longer than all slots ahead, so that no time can be promised.
    let endless = job(0, 0.0, 4, 1e9, WORTH);
    assert_eq!(decided(0.0, endless).promises[0].1, Promise::Refused(None));
}
