//! Tests on six settings of 20 machines, 40 slots and 50 jobs.

use raddle_pool_sim::Outcome;
use raddle_pool_sim::slots::{Report, Spec, compare};

const SETTINGS: [(f64, f64); 6] = [(0.2, 0.5), (0.2, 1.0), (0.2, 2.0), (0.5, 0.5), (0.5, 1.0), (0.5, 2.0)];

const POLICIES: [&str; 4] = ["pdors", "oasis", "fifo", "drf"];

/// Number of instances in which the first policy reaches a higher utility than another.
fn ahead(report: &Report, other: usize) -> usize {
    let of = |row: usize| report.rows[row].outcomes.iter().map(Outcome::value).collect::<Vec<_>>();
    let (first, other) = (of(0), of(other));
    assert_eq!(first.len(), other.len());
    (0..first.len()).filter(|&at| first[at] > other[at]).count()
}

fn compared(spec: Spec) -> Report {
    let report = compare(&spec.instances().unwrap(), &POLICIES, None).unwrap();
    assert_eq!(report.rows.iter().map(|row| row.policy).collect::<Vec<_>>(), POLICIES);
    let means: Vec<String> = report.rows.iter().map(|row| format!("{:.0}", row.utility)).collect();
    let wins: Vec<String> = (1..POLICIES.len()).map(|other| ahead(&report, other).to_string()).collect();
    println!("| {}, {} | {} | {} |", spec.lo, spec.load, means.join(" | "), wins.join(", "));
    report
}

#[test]
fn pdors_is_worth_most_in_six_settings() {
    println!("| lo, load | {} | ahead of the others in |", POLICIES.join(" | "));
    for (lo, load) in SETTINGS {
        let report = compared(Spec { lo, load, seeds: 10, ..Spec::default() });
        let most = report.rows[1..].iter().map(|row| row.utility).fold(0.0, f64::max);
        assert!(report.rows[0].utility > most, "{lo} {load}");
        for (other, least) in [(1, 7), (2, 9), (3, 8)] {
            let wins = ahead(&report, other);
            assert!(wins >= least, "{lo} {load}: ahead of {} in {wins} of 10", POLICIES[other]);
        }
        assert!(
            report.rows[0]
                .outcomes
                .iter()
                .all(|outcome| outcome.late() == 0 && outcome.admitted() == outcome.ended())
        );
    }
}

#[test]
fn jobs_that_arrive_as_in_a_table_are_ahead_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arrivals.csv");
    let rows: Vec<String> =
        (0..90).map(|at| format!("{at},2017-10-0{} 07:{:02}:00,1", 1 + at % 9, at % 60)).collect();
    std::fs::write(&path, format!("job,timestamp,num_gpus\n{}\n", rows.join("\n"))).unwrap();
    let report = compared(Spec { seeds: 3, arrivals: Some(path), ..Spec::default() });
    assert!(report.rows[0].utility > report.rows[2].utility);
}

#[test]
fn jobs_of_philly_are_admitted_in_time() {
    let Some(folder) = raddle_datasets::registry::real_folder() else { return };
    let path = folder.join("cluster/philly.csv.gz");
    let report = compared(Spec { seeds: 5, arrivals: Some(path), ..Spec::default() });
    let most = report.rows[1..].iter().map(|row| row.utility).fold(0.0, f64::max);
    assert!(report.rows[0].utility > most);
}
