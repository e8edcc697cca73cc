//! Properties of schedules: the guard keeps a fit from diverging, and structure saves updates.

use raddle::Ending;
use raddle_datasets::generate;
use raddle_lasso::{Choice, Lasso, Preparation, Problem};

use crate::common::Oracle;

/// Neighbouring columns correlate at 0.9: updates of many together go far beyond the minimum.
const GROUPS: &str = "synth:groups:n=60,p=2000,g=20,r=0.9,s=20";

/// Schedules without dependency checks.
fn blind() -> [(&'static str, Lasso); 2] {
    [
        ("cyclic", Lasso::params().schedule(Choice::Cyclic).parallelism(64)),
        ("priority without rho", Lasso::params().schedule(Choice::Priority).parallelism(256).rho(None)),
    ]
}

#[test]
fn without_the_guard_blind_updates_of_correlated_columns_diverge() {
    let table = generate::table(GROUPS).unwrap();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    for (name, lasso) in blind() {
        let fit = lasso.guard(false).fit_with(&problem, |engine| engine.epochs(5000)).unwrap();
        assert_eq!(fit.report.ending, Ending::Diverged, "{name}, after {} epochs", fit.report.epochs);
        assert!(!fit.report.metric.is_reached() && fit.report.rollbacks == 0, "{name}");
    }
}

#[test]
fn with_the_guard_no_epoch_worsens_the_objective() {
    let table = generate::table(GROUPS).unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    for (name, lasso) in blind() {
        let fit = lasso.tolerance(1e-3).fit_with(&problem, |engine| engine.epochs(60)).unwrap();
        assert!(fit.report.rollbacks > 0, "{name}: the guard had nothing to do");
        let kept: Vec<f64> = fit
            .trace
            .iter()
            .filter(|record| !record.rolled_back)
            .map(|record| record.objective.unwrap())
            .collect();
        // Up to rounding.
        assert!(kept.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{name}: {kept:?}");
        assert!(kept[kept.len() - 1] < 0.9 * kept[0], "{name}: {kept:?}");
        oracle.check(&fit, name);
        let (primal, _) = oracle.values(&oracle.coefficients(&fit), fit.lambda);
        assert!((primal - fit.report.objective.unwrap()).abs() <= 1e-9 * primal, "{name}");
    }
}

#[test]
fn dependencies_keep_priority_from_diverging_without_a_guard() {
    let table = generate::table(GROUPS).unwrap();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let lasso = Lasso::params().schedule(Choice::Priority).parallelism(256).tolerance(1e-3).guard(false);
    let fit = lasso.fit_with(&problem, |engine| engine.epochs(500)).unwrap();
    assert_eq!(fit.report.ending, Ending::Target);
    assert!(fit.report.rejected > 0);
}

#[test]
fn priority_needs_at_most_half_of_the_updates_of_shuffled() {
    let table = generate::table("synth:groups:n=200,p=2000,g=20,r=0.9,s=20").unwrap();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let updates = |schedule| {
        let lasso = Lasso::params().schedule(schedule).parallelism(64).tolerance(1e-3).workers(2);
        let fit = lasso.fit(&problem).unwrap();
        assert_eq!(fit.report.ending, Ending::Target, "{schedule:?}");
        fit.report.updates
    };
    let (priority, shuffled) = (updates(Choice::Priority), updates(Choice::Shuffled));
    assert!(2 * priority <= shuffled, "priority {priority} updates, shuffled {shuffled}");
}

#[test]
fn rounds_are_explained_by_what_they_reject() {
    let table = generate::table(GROUPS).unwrap();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    for schedule in [Choice::WorkingSet, Choice::Priority] {
        let lasso = Lasso::params().schedule(schedule).parallelism(16).explain(true).rho(Some(0.3));
        let fit = lasso.fit_with(&problem, |engine| engine.epochs(2)).unwrap();
        let logs: Vec<_> = fit.trace.iter().flat_map(|record| &record.log).collect();
        assert!(!logs.is_empty(), "{schedule:?}");
        let rejected: u64 = logs.iter().map(|log| log.rejected.len() as u64).sum();
        assert_eq!(rejected, fit.report.rejected, "{schedule:?}");
        assert!(rejected > 0, "{schedule:?}: groups tie their columns");
        for log in logs {
            let kept = |variable| log.survivors.contains(&variable);
            assert!(
                log.rejected.iter().all(|reason| !kept(reason.variable) && reason.strength > 0.3),
                "{log:?}"
            );
        }
    }
}
