//! The tables of `ADMISSION.md`.

use raddle_pool::policy::PlanSettings;
use raddle_pool_sim::policy::pdors;
use raddle_pool_sim::policy::placing::{Roundings, Spread};
use raddle_pool_sim::slots::{Spec, World, run};

/// Mean utility, number of admitted jobs, and numbers of roundings of PD-ORS with these settings.
fn measured(
    spec: &Spec,
    spread: Spread,
    with: impl Fn(PlanSettings) -> PlanSettings,
) -> (f64, usize, Roundings) {
    let (mut utility, mut admitted, mut counts) = (0.0, 0, Roundings::default());
    for instance in spec.instances().unwrap() {
        let mut policy = pdors(with(PlanSettings::of_slots(instance.slots)), spread, 1);
        instance.jobs.iter().for_each(|job| policy.expect(&instance.cluster, job));
        let outcome = run(&instance, &World::default(), &mut policy).unwrap();
        utility += outcome.value() / f64::from(spec.seeds);
        admitted += outcome.admitted();
        let more = policy.placer().roundings();
        counts.solved += more.solved;
        counts.infeasible += more.infeasible;
        counts.failed += more.failed;
        counts.unrounded += more.unrounded;
    }
    (utility, admitted, counts)
}

fn row(name: &str, spec: &Spec, spread: Spread) -> (f64, Roundings) {
    let (utility, admitted, counts) = measured(spec, spread, |settings| settings);
    let share = |part: u64, of: u64| {
        if of == 0 { "".into() } else { format!("{:.1} %", 100.0 * part as f64 / of as f64) }
    };
    let all = counts.solved + counts.infeasible + counts.failed;
    println!(
        "| {name} | {utility:.0} | {admitted} | {} | {} | {} | {} |",
        all,
        share(counts.infeasible, all),
        counts.failed,
        share(counts.unrounded, counts.solved),
    );
    (utility, counts)
}

const HEAD: &str = "| placement | utility | admitted | LPs | no placement | failed | roundings infeasible |";

#[test]
fn cheapest_first_and_rounding_side_by_side() {
    let spec = Spec { nodes: 6, jobs: 15, seeds: 2, load: 0.5, slots: 20, ..Spec::default() };
    println!("{HEAD}");
    let (cheapest, none) = row("cheapest first", &spec, Spread::CheapestFirst);
    assert_eq!(none, Roundings::default());
    let mut shares = Vec::new();
    for turns in [1, 20] {
        let (utility, counts) = row(&format!("G 1, S {turns}"), &spec, Spread::Rounded { scale: 1.0, turns });
        assert!(counts.solved > 100 && utility > 0.5 * cheapest, "{counts:?} {utility} {cheapest}");
        shares.push(counts.unrounded as f64 / counts.solved as f64);
    }
    assert!(shares[1] < shares[0], "{shares:?}");
}

#[test]
#[ignore = "minutes, optimised: prints the tables of ADMISSION.md"]
fn tables() {
    for (lo, load) in [(0.2, 1.0), (0.5, 1.0)] {
        let spec = Spec { lo, load, seeds: 10, ..Spec::default() };
        println!("\nlo {lo}, load {load}\n{HEAD}");
        row("cheapest first", &spec, Spread::CheapestFirst);
        for scale in [0.8, 1.0, 1.2, 1.5] {
            for turns in [1, 10, 50] {
                row(&format!("G {scale}, S {turns}"), &spec, Spread::Rounded { scale, turns });
            }
        }
    }
    println!(
        "\n| floor | {} |",
        ["0.2, 0.5", "0.2, 1", "0.2, 2", "0.5, 0.5", "0.5, 1", "0.5, 2"].join(" | ")
    );
    for floor in [0.0, 1e-6, 1e-5, 3e-5, 1e-4, 1e-3] {
        let means: Vec<String> = [(0.2, 0.5), (0.2, 1.0), (0.2, 2.0), (0.5, 0.5), (0.5, 1.0), (0.5, 2.0)]
            .map(|(lo, load)| {
                let spec = Spec { lo, load, seeds: 10, ..Spec::default() };
                let with = |settings| PlanSettings { floor, ..settings };
                format!("{:.0}", measured(&spec, Spread::CheapestFirst, with).0)
            })
            .into();
        println!("| {floor:e} | {} |", means.join(" | "));
    }
}
