//! What parts cost in rounds.

use super::*;

/// Rounds to a gap, and the fall of the dual in each, if it ever fell.
fn rounds(problem: &Problem, linear: Linear, parts: u32, sigma: Sigma) -> f64 {
    let settings = InParts::new(linear, PartPlan::constant(parts)).sigma(sigma).shards(parts as usize);
    let fit = settings.fit_with(problem, |engine| engine.epochs(3000)).unwrap();
    assert!(fit.report.metric.is_reached());
    let duals: Vec<f64> = fit.trace.iter().map(|record| record.shown["dual"]).collect();
    assert!(
        duals.len() > 2 && duals.windows(2).all(|two| two[1] >= two[0] - 1e-12 * two[0].abs()),
        "{duals:?}"
    );
    fit.report.epochs as f64
}

#[test]
fn measure() {
    let Some(problem) = cocoa() else { return };
    let seeds = if is_long() { 5 } else { 1 };
    for lambda in [1e-3, 1e-4] {
        for sigma in [Sigma::Parts, Sigma::Adaptive] {
            let of = |parts| {
                median((0..seeds).map(|seed| rounds(&problem, hinge(lambda, seed), parts, sigma)).collect())
            };
            let line: Vec<f64> = [1, 2, 4, 8, 16, 64].into_iter().map(of).collect();
            println!("{lambda} {sigma}: {line:?}");
        }
    }
}
