//! Tests on six settings of 20 machines, 40 slots and 50 jobs.

use raddle_common::testing::{not_empty, pairs};
use raddle_pool_sim::Outcome;
use raddle_pool_sim::slots::{Spec, compare};

const SETTINGS: [(f64, f64); 6] = [(0.2, 0.5), (0.2, 1.0), (0.2, 2.0), (0.5, 0.5), (0.5, 1.0), (0.5, 2.0)];

const POLICIES: [&str; 4] = ["pdors", "oasis", "fifo", "drf"];

/// Outcomes by policy.
type Compared = Vec<Vec<Outcome>>;

/// Mean value of the outcomes of a policy.
fn utility(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().map(Outcome::value).sum::<f64>() / outcomes.len() as f64
}

/// Number of instances in which the first policy reaches a higher utility than another.
fn ahead(report: &Compared, other: usize) -> usize {
    pairs(&report[0], &report[other]).filter(|(first, other)| first.value() > other.value()).count()
}

/// `true` if the first policy is worth most in the mean.
fn is_first(report: &Compared) -> bool {
    report[1..].iter().all(|other| utility(other) < utility(&report[0]))
}

fn compared(spec: Spec) -> Compared {
    let report = compare(&spec.instances(), &POLICIES, None).unwrap();
    assert_eq!(report.iter().map(|outcomes| outcomes[0].policy).collect::<Vec<_>>(), POLICIES);
    let means: Vec<String> = report.iter().map(|outcomes| format!("{:.0}", utility(outcomes))).collect();
    let wins: Vec<String> = (1..POLICIES.len()).map(|other| ahead(&report, other).to_string()).collect();
    println!("| {}, {} | {} | {} |", spec.lo, spec.load, means.join(" | "), wins.join(", "));
    report
}

#[test]
fn pdors_is_worth_most_in_six_settings() {
    println!("| lo, load | {} | ahead of the others in |", POLICIES.join(" | "));
    for (lo, load) in SETTINGS {
        let report = compared(Spec { lo, load, seeds: 10, ..Spec::default() });
        assert!(is_first(&report), "{lo} {load}");
        for (other, least) in [(1, 7), (2, 9), (3, 8)] {
            let wins = ahead(&report, other);
            assert!(wins >= least, "{lo} {load}: ahead of {} in {wins} of 10", POLICIES[other]);
        }
        let mut promised = not_empty(&report[0]);
        assert!(promised.all(|outcome| outcome.late() == 0 && outcome.admitted() == outcome.ended()));
    }
}

/// The paper has no minimum price: prices of sigmoids then begin at almost nothing.
#[test]
fn a_minimum_price_is_worth_more_than_the_papers_prices() {
    let instances = Spec { seeds: 10, ..Spec::default() }.instances();
    let of = |floor| utility(&compare(&instances, &["pdors"], floor).unwrap()[0]);
    let (ours, papers) = (of(None), of(Some(0.0)));
    println!("lo 0.5, load 1: utility {ours:.0}, without a minimum price {papers:.0}");
    assert!(ours > 1.2 * papers, "{ours} {papers}");
}
