//! Mean completion times of ONES on the published workloads, compared with Tiresias.

use std::path::Path;

use raddle_datasets::registry::real_folder;
use raddle_pool::policy::las::Las;
use raddle_pool::policy::ones::Ones;
use raddle_pool::policy::{Cluster, Policy};
use raddle_pool_sim::policy::ones::{Options, Score, ones};
use raddle_pool_sim::published::Tables;
use raddle_pool_sim::{Settings, Spec, simulate};

/// Mean completion time in hours of each workload at load 1.
fn means(folder: &Path, rescale: f64, policy: &dyn Fn() -> Box<dyn Policy>) -> Vec<f64> {
    let tables = Tables::read(folder).unwrap();
    let cluster = Cluster::of_slots(16, 4);
    let of = |workload| {
        let jobs = tables.jobs(workload, 1.0).unwrap();
        let settings = Settings { tick: 60.0, rescale };
        simulate(&cluster, &jobs, &settings, &mut *policy(), &mut |_| ()).unwrap().mean() / 3600.0
    };
    tables.workloads().into_iter().map(of).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_options_over_all_jobs_are_the_form_of_the_pool() {
    let workload = Spec::parse("synth:jobs:n=30,seed=4").unwrap().workloads(1.0).unwrap().remove(0);
    let outcome = |policy: &mut dyn Policy| {
        simulate(&Cluster::of_slots(2, 8), &workload.jobs, &workload.settings, policy, &mut |_| ()).unwrap()
    };
    let of_pool = outcome(&mut Ones::new(5));
    assert!(of_pool.rescales() > 10);
    assert_eq!(of_pool, outcome(&mut ones(Options::of(Score::All), 5)));
}

#[test]
fn the_score_over_all_jobs_is_ahead_of_tiresias() {
    let Some(folder) = real_folder() else { return };
    let of_ones = means(&folder, 30.0, &|| Box::new(Ones::new(1)));
    let of_tiresias = means(&folder, 30.0, &|| Box::new(Las::default()));
    let below = of_ones.iter().zip(&of_tiresias).filter(|(ones, tiresias)| ones < tiresias).count();
    let mean = mean(&of_ones);
    assert_eq!((of_ones.len(), of_tiresias.len()), (8, 8));
    assert!(mean <= 0.93, "{mean} h: {of_ones:.3?}");
    assert!(below >= 7, "below Tiresias in {below}: {of_ones:.3?}, {of_tiresias:.3?}");
}

/// Prints the table of `SIMULATION.md`:
/// `cargo test --release -p raddle-pool-sim --test pool-sim variants:: -- --ignored --nocapture`.
#[test]
#[ignore = "minutes, optimised: prints the table of SIMULATION.md"]
fn variants_are_tabled() {
    let Some(folder) = real_folder() else { return };
    let all = Options::of(Score::All);
    let published = Options::of(Score::Published);
    let variants = [
        ("score over all jobs", all, 30.0),
        ("the same, 4 cycles", Options { cycles: 4, ..all }, 30.0),
        ("the same, 2 epochs apart", Options { apart: 2, ..all }, 30.0),
        ("the same, population 4", Options { population: 4, ..all }, 30.0),
        ("the same, population 64", Options { population: 64, ..all }, 30.0),
        ("the same, random schedules", Options { random: true, ..all }, 30.0),
        ("the same, no knowledge", Options { knowledge: false, ..all }, 30.0),
        ("the same, rescales of 1 s", all, 1.0),
        ("published score", published, 30.0),
        ("the same, caps begin as requested", Options { begin_as_requested: true, ..published }, 30.0),
        ("the same, random schedules", Options { begin_as_requested: true, random: true, ..published }, 30.0),
        ("published score, random schedules", Options { random: true, ..published }, 30.0),
        ("published score, no knowledge", Options { knowledge: false, ..published }, 30.0),
        ("published score, population 4", Options { population: 4, ..published }, 30.0),
        ("published score, population 64", Options { population: 64, ..published }, 30.0),
        ("published score, rescales of 1 s", published, 1.0),
    ];
    let of_tiresias = means(&folder, 30.0, &|| Box::new(Las::default()));
    println!("| variant | mean JCT, h | seeds | below Tiresias in |\n|---|---|---|---|");
    for (name, options, rescale) in variants {
        let seeds: Vec<Vec<f64>> =
            (1..=4).map(|seed| means(&folder, rescale, &|| Box::new(ones(options, seed)))).collect();
        let each: Vec<f64> = seeds.iter().map(|of| mean(of)).collect();
        let below =
            |of: &Vec<f64>| of.iter().zip(&of_tiresias).filter(|(ones, tiresias)| ones < tiresias).count();
        let (least, most) = each.iter().fold((f64::MAX, f64::MIN), |(l, m), x| (x.min(l), x.max(m)));
        let below: Vec<String> = seeds.iter().map(|of| below(of).to_string()).collect();
        println!("| {name} | {:.3} | {least:.3} to {most:.3} | {} |", mean(&each), below.join(", "));
    }
}
