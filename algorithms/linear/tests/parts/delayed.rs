//! Parts whose changes come over links of declared speed: certified, and the same bytes wherever they run.

use std::collections::BTreeSet;

use raddle::Engine;
use raddle::schedule::{Delayed, Links};
use raddle_linear::parts::DelayedParts;

use super::*;
use crate::leaving::{ALONE, How, carry_out};

/// Three processes, the last of which has a link so many times slower.
fn links(skew: u32) -> Links {
    format!("0 8 0\n1 8 0\n2 {} 0", 8.0 / f64::from(skew)).parse().unwrap()
}

fn settings(loss: Loss, tolerance: f64) -> InParts {
    InParts::new(Linear::params().loss(loss).c(3.0).tolerance(tolerance), PartPlan::constant(6))
}

fn engine(problem: &Problem, loss: Loss, lag: u32) -> Engine<DelayedParts> {
    settings(loss, 1e-13).delayed(problem, links(8), lag).unwrap().identity("the same")
}

#[test]
fn delayed_parts_replay_to_the_bit() {
    let problem = clouds(150);
    for (loss, lag) in [(Loss::Hinge, 0), (Loss::SquaredHinge, 4), (Loss::Logistic, 32)] {
        raddle::replay::check(|| engine(&problem, loss, lag).epochs(3)).unwrap();
    }
}

#[test]
fn digests_are_those_of_any_number_of_workers_and_processes() {
    let problem = clouds(150);
    let mut all = BTreeSet::new();
    for (lag, loss) in [(0, Loss::SquaredHinge), (4, Loss::Hinge), (32, Loss::Hinge), (32, Loss::Logistic)] {
        let make = || engine(&problem, loss, lag).epochs(4);
        let one = make().run().unwrap().digest();
        for workers in [2, 3, 4, 7] {
            let run = make().workers(workers).serialized(workers % 2 == 0).run();
            assert_eq!(run.unwrap().digest(), one, "lag {lag}, {workers} workers");
        }
        let rescaled = make().workers(2).rescale(&[(1, 7), (2, 1), (3, 3)]).run();
        assert_eq!(rescaled.unwrap().digest(), one, "lag {lag}, rescaled");
        let folder = tempfile::tempdir().unwrap();
        make().epochs(2).workers(3).checkpoint(1, folder.path()).run().unwrap();
        let resumed = make().workers(2).resume(folder.path()).run().unwrap();
        assert_eq!(resumed.digest(), one, "lag {lag}, resumed");
        // Processes keep the dual values alone.
        let (_, alone) = carry_out(&make, ALONE);
        let fit = |outcome| settings(loss, 1e-13).finish(&problem, outcome).unwrap().digest();
        let (_, three) = carry_out(&make, How { processes: 3, workers: 2, ..ALONE });
        assert_eq!(three.digest(), alone.digest(), "lag {lag}, 3 processes");
        assert_eq!(fit(three), fit(make().run().unwrap()), "lag {lag}, 3 processes");
        all.insert(one);
    }
    // A lag is mathematics.
    assert_eq!(all.len(), 4, "{all:?}");
}

#[test]
fn delayed_parts_are_certified_and_the_dual_never_falls() {
    let problem = clouds(150);
    for (loss, skew, lag) in [
        (Loss::Hinge, 1, 32),
        (Loss::Hinge, 16, 4),
        (Loss::SquaredHinge, 8, 0),
        (Loss::SquaredHinge, 16, 64),
        (Loss::Logistic, 4, 32),
    ] {
        let settings = settings(loss, 1e-4);
        let outcome = settings.delayed(&problem, links(skew), lag).unwrap().epochs(400).run().unwrap();
        let fit = settings.finish(&problem, outcome).unwrap();
        assert!(fit.gap() <= 1.000_001e-4, "{loss:?}, skew {skew}, lag {lag}: {}", fit.gap());
        let duals: Vec<f64> = fit.trace.iter().map(|record| record.shown["dual"]).collect();
        assert!(duals.len() >= 2);
        assert!(duals.windows(2).all(|two| two[1] >= two[0] - 1e-12 * two[0].abs()), "{duals:?}");
    }
}

#[test]
fn links_and_lags_that_do_not_suit_a_run_are_refused() {
    let problem = clouds(40);
    for plan in ["auto", "0:4,2:2"] {
        let parts = InParts::new(Linear::params(), plan.parse().unwrap());
        let said = parts.delayed(&problem, links(8), 4).err().unwrap().to_string();
        assert_eq!(said, format!("parts: they are {plan}: give one number of parts to be delayed"));
    }
    let said = engine(&problem, Loss::Hinge, u32::MAX).run().err().unwrap().to_string();
    assert!(said.contains("the lag 4294967295 makes epochs too long"), "{said}");
    let said = engine(&problem, Loss::Hinge, 5).staleness(4).epochs(1).run().err().unwrap().to_string();
    assert!(said.contains("a lag of 5, but the run's staleness is 4"), "{said}");
    // Links and lag are in the identity.
    let folder = tempfile::tempdir().unwrap();
    engine(&problem, Loss::Hinge, 5).epochs(1).checkpoint(1, folder.path()).run().unwrap();
    let slower = settings(Loss::Hinge, 1e-13).delayed(&problem, links(9), 5).unwrap().identity("the same");
    for other in [engine(&problem, Loss::Hinge, 6), slower] {
        let said = other.epochs(2).resume(folder.path()).run().err().unwrap().to_string();
        assert!(said.contains("lag 5") && said.contains("milliseconds"), "{said}");
    }
}

/// Virtual seconds to a gap of 1e-2 of sixteen parts in four places, where the link of the last is eight
/// times slower. Answers come one after the other: with a lag, or all of an epoch.
fn seconds(problem: &Problem, settings: &InParts, lag: Option<u32>) -> f64 {
    let links: Links = "0 8 0\n1 8 0\n2 8 0\n3 1 0".parse().unwrap();
    let bytes = vec![8 * 9947; 16]; // a number for each column
    let Some(lag) = lag else {
        let transfers = (0..16).map(|part| links.nanoseconds(part / 4, bytes[part]));
        return fitted(problem, settings).report.epochs as f64 * transfers.sum::<u64>() as f64 / 1e9;
    };
    let outcome = settings.delayed(problem, links.clone(), lag).unwrap().epochs(4000).run().unwrap();
    assert!(outcome.report.metric.is_reached() && outcome.parts.replica.len() == 9947);
    let epoch = Delayed::new(links, bytes).lag(lag).seconds();
    outcome.report.epochs as f64 * epoch.last().unwrap()
}

#[test]
fn late_changes_save_time_where_a_link_is_slow_and_many_rounds_are_needed() {
    let Some(table) = cocoa() else { return };
    let cases =
        [(1e-4, Sigma::Adaptive), (1e-4, Sigma::Parts), (1e-3, Sigma::Adaptive), (1e-3, Sigma::Parts)];
    for (lambda, sigma) in &cases[..if long().is_some() { 4 } else { 1 }] {
        let of = |lag| {
            let one = |seed| {
                let settings = InParts::new(hinge(*lambda, seed), PartPlan::constant(16)).sigma(*sigma);
                seconds(&shuffled(&table, seed), &settings.shards(1), lag)
            };
            median((0..long().unwrap_or(1)).map(one).collect())
        };
        let [together, in_turn, late] = [None, Some(15), Some(32)].map(of);
        println!("{lambda} {sigma}: together {together:.1}, in turn {in_turn:.1}, lag 32 {late:.1} s");
        assert!(late < in_turn && (*lambda > 1e-4 || late < together), "{together} {in_turn} {late}");
    }
}
