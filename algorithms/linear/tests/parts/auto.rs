//! The number of parts that is sought, against the best one that stays.

use super::*;

const CONSTANTS: [u32; 5] = [1, 2, 4, 8, 16];

/// Virtual time of a fit with a worker for each part, and the parts of its epochs.
fn time(problem: &Problem, settings: &InParts) -> (f64, Vec<u32>) {
    let (fit, cut) = (fitted(problem, settings), settings.cut(problem).unwrap());
    let parts: Vec<u32> = fit.trace[1..].iter().map(|record| record.shown["parts"] as u32).collect();
    let of = |&parts: &u32| epoch_time(&cut, parts, &own_workers(&cut, parts), &vec![1.0; parts as usize]);
    (parts.iter().map(of).sum(), parts)
}

/// Time of the search over that of the best constant number of parts, medians of seeds.
fn share(table: &Table, lambda: f64, tolerance: f64, seeds: u64) -> f64 {
    let linear = |seed| hinge(lambda, seed).tolerance(tolerance);
    let of = |plan: &PartPlan| {
        let one = |seed| time(&shuffled(table, seed), &InParts::new(linear(seed), plan.clone())).0;
        median((0..seeds).map(one).collect())
    };
    let sought = of(&PartPlan::Auto);
    let constant: Vec<f64> = CONSTANTS.map(|parts| of(&PartPlan::constant(parts))).to_vec();
    let best = constant.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{} {lambda} to {tolerance}: sought {sought:.2}, constants {constant:.2?}, {:.2}",
        table.name,
        sought / best
    );
    sought / best
}

#[test]
fn a_search_comes_near_the_best_number_of_parts() {
    let sets = [("cocoa-demo", 1e-3), ("cocoa-demo", 1e-4), ("w8a", 1e-3), ("w8a", 1e-4), ("farmads", 1e-2)];
    let mut shares = Vec::new();
    for (name, lambda) in &sets[..if long().is_some() { 5 } else { 1 }] {
        let Some(table) = registry::real(name) else { return };
        shares.push(share(&table, *lambda, 1e-2, long().unwrap_or(3)));
    }
    assert!(shares.iter().all(|share| *share <= 1.1), "{shares:?}");
}

/// The search follows counts: the same numbers of parts on any number of workers, as hinted at the boundary
/// before.
#[test]
fn a_search_is_told_beforehand_and_follows_no_clock() {
    let problem = clouds(600);
    let settings = InParts::new(hinge(1e-2, 3).tolerance(1e-9), PartPlan::Auto);
    let run = |workers| settings.fit_with(&problem, |engine| engine.workers(workers).epochs(13)).unwrap();
    let fit = run(1);
    let parts: Vec<u32> = fit.trace[1..].iter().map(|record| record.shown["parts"] as u32).collect();
    let wanted: Vec<u32> = fit.trace.iter().filter_map(|record| record.wanted).collect();
    assert_eq!(parts.len(), 13);
    assert_eq!(parts, wanted);
    assert_eq!(parts[..6], [16, 16, 16, 16, 16, 8]);
    assert_eq!(run(3).digest(), fit.digest());
}
