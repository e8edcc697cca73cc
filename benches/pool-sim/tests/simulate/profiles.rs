//! Tests of jobs from profiles, and of the synthetic mix.

use std::fs;

use raddle_common::testing::pairs;
use raddle_pool::policy::{Placement, Profile, Profiles};
use raddle_pool_sim::profile::submitted;
use raddle_pool_sim::{SimulateError, Spec};

/// A profile with an arrival, a number of epochs, and speeds.
pub(crate) fn profile(at: f64, epochs: f64, speeds: &[(u32, f64)]) -> Profile {
    Profile { at, ..Profile::new(format!("job at {at}"), epochs, speeds.to_vec()) }
}

#[test]
fn speeds_are_linear_between_those_measured() {
    let job = submitted(&profile(0.0, 10.0, &[(2, 1.0), (4, 1.6)])).unwrap().model.view();
    let speeds: Vec<f64> = (0..6).map(|workers| job.speed.rate(workers, 1)).collect();
    assert_eq!(speeds, [0.0, 0.5, 1.0, 1.3, 1.6, 1.6]);
    assert_eq!((job.least, job.most, job.requested, job.left), (1, 4, 4, Some(10.0)));
}

#[test]
fn a_start_costs_what_was_measured_and_a_resize_does_not() {
    let job = submitted(&Profile { start: 7.0, ..profile(0.0, 10.0, &[(1, 1.0)]) }).unwrap().model;
    let (nothing, one, two) = (Placement::default(), Placement::on_one(1), Placement::on_one(2));
    assert_eq!((job.cost(&nothing, &two, 0.5), job.cost(&one, &two, 0.5)), (7.0, 0.5));
}

#[test]
fn a_file_of_profiles_is_read_as_toml_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let toml = folder.path().join("jobs.toml");
    let text = "[[job]]\nname = \"a\"\nepochs = 5\nspeeds = [[1, 2.0], [4, 6.5]]\nvalue = 3\ndeadline = 60\n";
    fs::write(&toml, text).unwrap();
    let mut written = profile(0.0, 5.0, &[(1, 2.0), (4, 6.5)]);
    written.name = "a".into();
    (written.value, written.deadline) = (Some(3.0), Some(60.0));
    let json = folder.path().join("jobs.json");
    fs::write(&json, serde_json::to_string(&Profiles { jobs: vec![written] }).unwrap()).unwrap();
    let [of_toml, of_json] = [&toml, &json].map(|path| {
        let workload = Spec::parse(path.to_str().unwrap()).unwrap().workloads(1.0).unwrap().remove(0);
        assert_eq!(workload.jobs.len(), 1);
        let job = workload.jobs[0].model.view();
        (workload.jobs[0].name.clone(), job.utility, job.left, job.speed.rate(3, 1))
    });
    assert_eq!(of_toml, of_json);
    assert_eq!(of_toml.3, 5.0);
}

#[test]
fn profiles_out_of_range_are_refused_by_name() {
    let good = profile(0.0, 10.0, &[(1, 1.0), (2, 1.5)]);
    let bad = [
        (Profile { epochs: 0.0, ..good.clone() }, "epochs 0"),
        (Profile { at: -1.0, ..good.clone() }, "at -1"),
        (Profile { speeds: Vec::new(), ..good.clone() }, "speeds"),
        (Profile { speeds: vec![(2, 1.0), (1, 1.0)], ..good.clone() }, "rising order"),
        (Profile { least: Some(3), ..good.clone() }, "least 3"),
        (Profile { requested: Some(9), ..good.clone() }, "requested 9"),
        (Profile { value: Some(f64::NAN), ..good }, "value"),
    ];
    for (profile, words) in bad {
        let error = submitted(&profile).unwrap_err();
        assert!(error.starts_with("job job at ") && error.contains(words), "{error}");
    }
}

#[test]
fn faults_of_a_file_of_profiles_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text, words) in [
        (
            "a.toml",
            "[[job]]\nname = \"a\"\nepochs = 5\nspeeds = [[1, 2.0]]\nvalu = 3\n",
            ":5: unknown field `valu`",
        ),
        ("b.toml", "[[job]]\nname = \"a\"\nepochs = \"many\"\nspeeds = [[1, 2.0]]\n", ":3: "),
        ("c.json", "{\"job\": [\n{\"name\": \"a\", \"epochs\": 3}]}", ":2: missing field `speeds`"),
        ("d.json", "{\"job\": []}", "it has no job"),
    ] {
        let path = folder.path().join(file);
        fs::write(&path, text).unwrap();
        let error = Spec::parse(path.to_str().unwrap()).unwrap().workloads(1.0).unwrap_err().to_string();
        assert!(error.contains(file) && error.contains(words), "{error}");
    }
}

#[test]
fn the_synthetic_mix_arrives_in_its_hours_and_has_values_and_deadlines() {
    let workload = |spec: &str, load| Spec::parse(spec).unwrap().workloads(load).unwrap().remove(0);
    let mix = workload("synth:jobs:n=400,seed=5", 1.0);
    assert_eq!(mix.jobs.len(), 400);
    let arrivals: Vec<f64> = mix.jobs.iter().map(|job| job.arrival).collect();
    assert!(arrivals.is_sorted() && arrivals[0] >= 0.0 && arrivals[399] <= 8.0 * 3600.0);
    let texts: Vec<String> = mix.jobs.iter().map(|job| format!("{:?}", job.model)).collect();
    let share = |word: &str| texts.iter().filter(|text| text.contains(word)).count() as f64 / 400.0;
    assert!((0.28..0.44).contains(&share("Deadline")), "{}", share("Deadline"));
    // Seconds on one worker are heavy-tailed, with a mean far above the median, and twice as long at twice
    // the load.
    let lengths = |load| {
        let of = |job: &raddle_pool_sim::Submitted| {
            let view = job.model.view();
            view.left.unwrap() / view.speed.rate(1, 1)
        };
        let mut lengths: Vec<f64> = workload("synth:jobs:n=400,seed=5", load).jobs.iter().map(of).collect();
        lengths.sort_by(f64::total_cmp);
        lengths
    };
    let (once, twice) = (lengths(1.0), lengths(2.0));
    let mean = once.iter().sum::<f64>() / 400.0;
    assert!(mean > 2.0 * once[200] && (4_000.0..20_000.0).contains(&mean), "{mean}, median {}", once[200]);
    assert!(pairs(&once, &twice).all(|(once, twice)| (2.0 * once / twice - 1.0).abs() < 1e-9));
    let other = workload("synth:jobs:n=400,seed=6", 1.0);
    assert_ne!(arrivals, other.jobs.iter().map(|job| job.arrival).collect::<Vec<_>>());
}

#[test]
fn specifications_that_cannot_be_followed_say_what_to_write() {
    for (spec, words) in [
        ("synth:jobs:n=0", "n=0: choose a whole number from 1"),
        ("synth:jobs:n=5,n=6", "`n` is given twice"),
        ("synth:jobs:seed=-1", "seed=-1: choose a whole number"),
        ("synth:jobs:hours=0", "hours=0: choose a number above 0"),
        ("synth:jobs:load=2", "`load` is no parameter here: known are n, seed, hours"),
        ("synth:jobs:n", "write name=value"),
        ("pollux:six", "`six` is not the number of a workload"),
        ("polux:6", "expected pollux, pollux:1 to pollux:8"),
    ] {
        let error = Spec::parse(spec).unwrap_err();
        assert!(matches!(&error, SimulateError::Spec { .. }));
        let error = error.to_string();
        assert!(error.starts_with(spec) && error.contains(words), "{error}");
    }
}
