//! Jobs that cannot be promised anything, and specifications that cannot be followed: each says what to do.

use raddle_pool::policy::{
    Allocation, Cluster, Demand, Job, PdOrs, PlanSettings, Policy, Promise, Unfit, Utility, promisable,
};
use raddle_pool::simulate::slots::{Spec, arrivals_of, parse};

use super::job;

const WORTH: Utility = Utility::Constant(1.0);

fn cluster() -> Cluster {
    Cluster::of_slots(1, 4)
}

fn decided(now: f64, job: Job) -> Allocation {
    PdOrs::new(PlanSettings::default()).decide(now, &cluster(), &[job])
}

/// The job is refused for this reason, which says so much.
fn refused(now: f64, job: Job, unfit: &Unfit, text: &str) {
    assert_eq!(promisable(now, &cluster(), &job), Err(unfit.clone()));
    assert!(unfit.to_string().contains(text), "{unfit}");
    let id = job.id;
    let allocation = decided(now, job);
    assert_eq!(allocation.promises, [(id, Promise::Refused(None))]);
    assert!(allocation.placements.is_empty());
    assert_eq!(allocation.reasons, [format!("job {} is refused: {unfit}", id.0)]);
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
    refused(0.0, large, &Unfit::TooLarge { workers: 1 }, "fit nowhere");
    let many = Job { least: 5, ..job(0, 0.0, 9, 10.0, WORTH) };
    refused(0.0, many, &Unfit::TooLarge { workers: 5 }, "lower `least`");
}

#[test]
fn a_deadline_that_cannot_be_kept_is_refused_with_the_earliest_that_could() {
    let by = |by| job(0, 0.0, 4, 100.0, Utility::Deadline { value: 1.0, by });
    let [(_, Promise::Refused(Some(earliest)))] = decided(0.0, by(12.0)).promises[..] else { panic!() };
    // 100 units at 4 workers take 25 s, and a promise leaves slack.
    assert!((25.0..=40.0).contains(&earliest), "{earliest}");
    assert_eq!(decided(0.0, by(earliest)).promises[0].1, Promise::By(earliest));
    let [(_, Promise::Refused(Some(again)))] = decided(0.0, by(earliest - 1.0)).promises[..] else {
        panic!()
    };
    assert_eq!(again, earliest);
    // A job that is longer than all slots ahead: no time can be named.
    let endless = job(0, 0.0, 4, 1e9, WORTH);
    assert_eq!(decided(0.0, endless).promises[0].1, Promise::Refused(None));
}

#[test]
fn specifications_name_the_setting_and_what_it_takes() {
    let spec = parse("synth:slots:lo=0.2,load=2,seed=7,seeds=3,nodes=5,slots=9,jobs=4").unwrap();
    assert_eq!((spec.lo, spec.load, spec.seed, spec.seeds), (0.2, 2.0, 7, 3));
    assert_eq!((spec.nodes, spec.slots, spec.jobs), (5, 9, 4));
    assert_eq!(parse("synth:slots").unwrap(), Spec::default());
    assert_eq!(parse("synth:slots:tiny").unwrap(), Spec::tiny());
    for (spec, said) in [
        ("synth:jobs:n=5", "synth:slots:lo=0.5"),
        ("synth:slots:machines=5", "no setting is called machines: there are nodes, slots"),
        ("synth:slots:nodes=0", "nodes=0: give a whole number from 1 to 200"),
        ("synth:slots:nodes=5000", "nodes=5000: give a whole number from 1 to 200"),
        ("synth:slots:lo=0.95", "lo=0.95: give a number above 0, at most 0.9"),
        ("synth:slots:load=nan", "load=nan: give a number above 0"),
        ("synth:slots:seed=x", "seed=x: give a whole number"),
        ("synth:slots:slots", "slots=: give a whole number from 1 to 1000"),
        ("synth:slots:tiny=2", "tiny=2: give no value"),
        ("synth:slots:tiny,nodes=3", "tiny has 2 machines"),
        ("synth:slots:arrivals=", "arrivals=: give `uniform` or the path of a table"),
    ] {
        let error = parse(spec).unwrap_err().to_string();
        assert!(error.contains(said), "{spec}: {error}");
    }
}

#[test]
fn tables_of_arrivals_are_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for (text, said) in [
        ("time\n2017-10-09 07:01:55\n", "a.csv:1: no column `timestamp`"),
        ("timestamp\n2017-10-09 07:01:55\nyesterday\n", "a.csv:3: no time here"),
        ("timestamp\n", "a.csv:1: no arrivals"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = arrivals_of(&path).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let error = arrivals_of(&folder.path().join("none.csv")).unwrap_err().to_string();
    assert!(error.contains("none.csv"), "{error}");
}
