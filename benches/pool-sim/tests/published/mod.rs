//! Comparison with the published simulator: completion times of all jobs of all workloads.

use std::collections::BTreeMap;
use std::path::Path;

use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::registry::real_folder;
use raddle_pool::policy::{Cluster, Policy};
use raddle_pool_sim::policy::las::Las;
use raddle_pool_sim::policy::optimus::Optimus;
use raddle_pool_sim::published::{LOADS, Tables};
use raddle_pool_sim::{Settings, simulate};

/// Published completion time of every job in seconds, by load, policy and workload.
type Published = BTreeMap<(String, String, String), BTreeMap<String, f64>>;

fn published(folder: &Path) -> Published {
    let text = raddle_datasets::read_text(&folder.join("cluster/results.csv.gz")).unwrap();
    let mut published = Published::new();
    for line in text.lines().skip(1) {
        let [load, policy, workload, name, seconds] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let key = (load.to_owned(), policy.to_owned(), workload.to_owned());
        published.entry(key).or_default().insert(name.to_owned(), seconds.parse().unwrap());
    }
    published
}

/// Ranks of values; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (of_x, of_y) = (mean(x), mean(y));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs(x, y).map(|(x, y)| of(x - of_x, y - of_y)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

#[test]
fn completion_times_are_those_of_the_artifact() {
    let Some(folder) = real_folder() else { return };
    let tables = Tables::read(&folder).unwrap();
    let published = published(&folder);
    let cluster = Cluster::of_slots(16, 4);
    let settings = Settings { tick: 60.0, rescale: 30.0 };
    for load in LOADS {
        // Tolerances of the mean and of each workload, and the minimum rank correlation.
        let (of_mean, of_each, least) = if load == 1.0 { (0.02, 0.05, 0.98) } else { (0.03, 0.10, 0.95) };
        for name in ["tiresias", "optimus"] {
            let (mut here, mut there) = (Vec::new(), Vec::new());
            for workload in not_empty(tables.workloads()) {
                let jobs = tables.jobs(workload, load).unwrap();
                let mut policy: Box<dyn Policy> =
                    if name == "tiresias" { Box::new(Las::default()) } else { Box::new(Optimus) };
                let outcome = simulate(&cluster, &jobs, &settings, &mut *policy).unwrap();
                let expected = &published[&(load.to_string(), name.into(), workload.to_string())];
                assert_eq!(outcome.jobs.len(), expected.len());
                let times: (Vec<f64>, Vec<f64>) =
                    outcome.jobs.iter().map(|job| (job.completion().unwrap(), expected[&job.name])).unzip();
                let rank = correlation(&ranks(&times.0), &ranks(&times.1));
                let (own, theirs) = (mean(&times.0) / 3600.0, mean(&times.1) / 3600.0);
                eprintln!(
                    "{name} {load} {workload}: {own:.3} h, {theirs:.3} h there, {:+.1} %, rank {rank:.3}",
                    (own / theirs - 1.0) * 100.0
                );
                assert!(rank >= least, "{name}, load {load}, workload {workload}: rank correlation {rank}");
                assert!(
                    (own / theirs - 1.0).abs() <= of_each,
                    "{name}, load {load}, workload {workload}: {own} h, not {theirs}"
                );
                here.push(own);
                there.push(theirs);
            }
            let (own, theirs) = (mean(&here), mean(&there));
            eprintln!(
                "{name} {load}: {own:.3} h, {theirs:.3} h there, {:+.1} %",
                (own / theirs - 1.0) * 100.0
            );
            assert!((own / theirs - 1.0).abs() <= of_mean, "{name}, load {load}: {own} h, not {theirs}");
        }
    }
}
