//! Six settings of 20 machines, 40 slots and 50 jobs.

use raddle_pool::policy::Settings;
use raddle_pool::simulate::slots::{Report, Spec, compare, policy};

/// Settings and, after them, the seeds in which PD-ORS has to be ahead.
const SETTINGS: [(f64, f64); 6] = [(0.2, 0.5), (0.2, 1.0), (0.2, 2.0), (0.5, 0.5), (0.5, 1.0), (0.5, 2.0)];

const POLICIES: [&str; 4] = ["pdors", "oasis", "fifo", "drf"];

fn report(lo: f64, load: f64, seeds: u32) -> Report {
    let spec = Spec { lo, load, seeds, ..Spec::default() };
    let instances = spec.instances().unwrap();
    compare(&instances, &POLICIES, |name, instance| {
        policy(name, instance, &Settings::of_slots(instance.slots))
    })
    .unwrap()
}

#[test]
fn pdors_is_worth_most() {
    for (lo, load) in SETTINGS {
        let report = report(lo, load, 10);
        let ahead = |other: usize| {
            report.rows[0]
                .outcomes
                .iter()
                .zip(&report.rows[other].outcomes)
                .filter(|(a, b)| a.utility > b.utility)
                .count()
        };
        println!(
            "{lo} {load}: {:?} ahead of {:?}",
            report
                .rows
                .iter()
                .map(|r| (
                    r.policy,
                    r.utility as i64,
                    r.outcomes.iter().map(|o| o.admitted).sum::<usize>(),
                    r.outcomes.iter().map(|o| o.ended).sum::<usize>()
                ))
                .collect::<Vec<_>>(),
            [ahead(1), ahead(2), ahead(3)]
        );
    }
}
