//! Greedy next to ONES, Tiresias and equal shares: on published workloads, on some drawn here, and on one
//! machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use raddle::random::Stream;
use raddle_common::testing::pairs;
use raddle_datasets::read_text;
use raddle_datasets::registry::real_folder;
use raddle_pool::policy::{Cluster, Drf, Greedy, Knowledge, Policy};
use raddle_pool_sim::policy::las::Las;
use raddle_pool_sim::policy::ones::Ones;
use raddle_pool_sim::published::{LOADS, Tables};
use raddle_pool_sim::{Settings, Spec, Submitted, simulate};

/// `RADDLE_POOL_ALL`: all loads and seeds, for builds that are optimised.
fn is_long() -> bool {
    std::env::var_os("RADDLE_POOL_ALL").is_some()
}

/// Mean completion time of jobs, in hours.
fn hours(jobs: &[Submitted], policy: &mut dyn Policy) -> f64 {
    let settings = Settings { tick: 60.0, rescale: 30.0 };
    simulate(&Cluster::of_slots(16, 4), jobs, &settings, policy).unwrap().mean() / 3600.0
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn it_is_ahead_of_ones_in_every_published_workload() {
    let Some(folder) = real_folder() else { return };
    let tables = Tables::read(&folder).unwrap();
    for (load, most) in pairs(LOADS, [0.45, 0.80, 1.00, 1.38]) {
        if load != 1.0 && !is_long() {
            continue;
        }
        let jobs = |workload| tables.jobs(workload, load).unwrap();
        let workloads = tables.workloads();
        let of = |knowledge| -> Vec<f64> {
            workloads.iter().map(|&at| hours(&jobs(at), &mut Greedy::new(knowledge))).collect()
        };
        let (known, learnt) = (of(Knowledge::Known), of(Knowledge::Learnt));
        let of_ones: Vec<f64> = workloads.iter().map(|&at| hours(&jobs(at), &mut Ones::new(1))).collect();
        println!(
            "load {load}: {:.3} h, learnt {:.3}, ones {:.3}",
            mean(&known),
            mean(&learnt),
            mean(&of_ones)
        );
        assert!(mean(&known) <= most, "load {load}: {known:.3?}");
        let below = known.iter().zip(&of_ones).filter(|(greedy, ones)| greedy < ones).count();
        assert_eq!((below, workloads.len()), (8, 8), "load {load}: {known:.3?}, {of_ones:.3?}");
        if load == 1.0 {
            let nothing = of(Knowledge::None);
            println!("load 1, nothing known: {:.3} h", mean(&nothing));
            assert!(mean(&nothing) <= 0.87, "{nothing:.3?}");
        }
    }
}

/// A workload of 160 jobs that arrive within five hours: applications evenly, but few of imagenet, each with
/// the batch of a published job, and half to twice as many replicas.
fn drawn(folder: &Path, seed: u64) -> Vec<Submitted> {
    let text = read_text(&folder.join("cluster/workloads.csv.gz")).unwrap();
    let mut rows: BTreeMap<&str, Vec<[&str; 2]>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        rows.entry(row[4]).or_default().push([row[5], row[6]]);
    }
    let mut stream = Stream::new(&[seed, 62]);
    let mut lines = text.lines().next().unwrap().to_owned() + "\n";
    let names: Vec<&str> = rows.keys().copied().filter(|name| *name != "imagenet").collect();
    for at in 0..160 {
        let name = if stream.unit() < 0.1 { "imagenet" } else { names[stream.below(names.len())] };
        let [replicas, batch] = rows[name][stream.below(rows[name].len())];
        let times = [0.5, 1.0, 1.0, 2.0][stream.below(4)];
        let replicas = (replicas.parse::<f64>().unwrap() * times).ceil();
        lines += &format!("1,1,{name}-{at},{:.0},{name},{replicas},{batch}\n", stream.unit() * 18_000.0);
    }
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("cluster")).unwrap();
    for table in ["placements", "scalability", "validation"] {
        let name = format!("cluster/{table}.csv.gz");
        fs::copy(folder.join(&name), place.path().join(&name)).unwrap();
    }
    fs::write(place.path().join("cluster/workloads.csv.gz"), lines).unwrap();
    Tables::read(place.path()).unwrap().jobs(1, 1.0).unwrap()
}

#[test]
fn it_is_ahead_on_workloads_that_it_was_not_chosen_on() {
    let Some(folder) = real_folder() else { return };
    let seeds = if is_long() { 8 } else { 1 };
    let (mut greedy, mut of_ones, mut las) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..seeds {
        let jobs = drawn(&folder, seed);
        greedy.push(hours(&jobs, &mut Greedy::default()));
        of_ones.push(hours(&jobs, &mut Ones::new(1)));
        las.push(hours(&jobs, &mut Las::default()));
    }
    let [greedy, of_ones, las] = [greedy, of_ones, las].map(|of| mean(&of));
    println!("drawn: {greedy:.3} h, ones {of_ones:.3}, tiresias {las:.3}");
    assert!(greedy <= 0.80 * of_ones && greedy <= 0.55 * las);
}

/// Completion under greedy over that under equal shares: the mean over seeds of the mixes of fits.
fn beside_drf(slots: u32, jobs: u32, seeds: u64) -> f64 {
    let of = |policy: &mut dyn Policy, seed: u64| {
        let workload = Spec::parse(&format!("synth:jobs:n={jobs},seed={seed},hours=4")).unwrap();
        let workload = workload.workloads(1.0).unwrap().remove(0);
        simulate(&Cluster::of_slots(1, slots), &workload.jobs, &workload.settings, policy).unwrap().mean()
    };
    let ratios: Vec<f64> =
        (1..=seeds).map(|seed| of(&mut Greedy::default(), seed) / of(&mut Drf, seed)).collect();
    println!("{slots} slots, {jobs} jobs: {:.3} of drf's, {ratios:.2?}", mean(&ratios));
    mean(&ratios)
}

#[test]
fn it_is_never_behind_equal_shares_on_one_machine() {
    let seeds = if is_long() { 12 } else { 4 };
    for slots in [8, 16] {
        for (jobs, most) in [(5, 1.02), (10, 1.02), (20, 1.02), (40, 0.85)] {
            let ratio = beside_drf(slots, jobs, seeds);
            assert!(ratio <= most, "{slots} slots, {jobs} jobs: {ratio}");
        }
    }
}
