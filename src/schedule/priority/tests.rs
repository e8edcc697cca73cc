//! Properties of the rounds that the priority schedule forms.

use super::*;
use crate::program::verdict::Metric;

/// Variables in groups of four that depend on each other by 0.9.
fn relate(candidates: &[u32]) -> Dependencies {
    Dependencies::of_pairs(candidates, |i, j| if i / 4 == j / 4 { 0.9 } else { 0.0 })
}

fn schedule(count: u32, settings: PrioritySettings) -> Priority {
    let variables = Variables::in_ranges(vec![1; count as usize], vec![0, count / 2, count]);
    let mut schedule = Priority::new(variables, settings);
    let weights = (0..count).map(|j| (j, f64::from(1 + j % 7))).collect();
    let metric = Metric::new("gap", 1.0, "nothing");
    schedule.begin_epoch(&EpochStart { epoch: 0, metric, objective: None, weights, batch_hint: 0 });
    schedule
}

fn next(schedule: &mut Priority, related: &mut usize) -> Option<Round> {
    let mut next = schedule.next_round();
    loop {
        match next {
            Next::Round(round) => return Some(round),
            Next::Drain | Next::EndOfEpoch => return None,
            Next::Relate(candidates) => {
                *related += 1;
                next = schedule.decide(&relate(&candidates.variables));
            }
        }
    }
}

#[test]
fn no_round_holds_two_variables_that_depend_on_each_other_nor_on_one_in_flight() {
    let mut schedule = schedule(64, PrioritySettings { explain: true, ..PrioritySettings::new(8, 1) });
    let (mut related, mut before, mut handed_out) = (0, None::<Round>, 0);
    while let Some(round) = next(&mut schedule, &mut related) {
        let mut groups: Vec<u32> =
            round.tasks.iter().flat_map(|task| &task.variables).map(|j| j / 4).collect();
        handed_out += groups.len();
        // Staleness 1: the round before has not landed yet.
        if let Some(before) = &before {
            groups.extend(before.tasks.iter().flat_map(|task| &task.variables).map(|j| j / 4));
        }
        let total = groups.len();
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(groups.len(), total);
        if let Some(landed) = before.replace(round) {
            schedule.learn(&landed, &[]);
        }
    }
    let log = schedule.take_log();
    assert_eq!(log.len(), 8);
    assert_eq!(log.iter().map(|round| round.survivors.len()).sum::<usize>(), handed_out);
    let rejected: usize = log.iter().map(|round| round.rejected.len()).sum();
    assert_eq!((schedule.counts().rejected, rejected > 0), (rejected as u64, true));
    assert!(log[0].to_string().starts_with("epoch 0 round 0: "));
}

#[test]
fn what_is_related_once_is_not_asked_again() {
    let mut schedule = schedule(16, PrioritySettings { rounds: Some(400), ..PrioritySettings::new(4, 1) });
    let (mut early, mut late, mut rounds) = (0, 0, 0);
    while let Some(round) = next(&mut schedule, if rounds < 200 { &mut early } else { &mut late }) {
        schedule.learn(&round, &[]);
        rounds += 1;
    }
    assert!(early > 0 && late == 0, "{early} questions in the first half, {late} in the second");
}

#[test]
fn rejected_candidates_are_replaced() {
    let taken = |batches| {
        let mut schedule = schedule(200, PrioritySettings { batches, ..PrioritySettings::new(40, 3) });
        let round = next(&mut schedule, &mut 0).unwrap();
        round.variables()
    };
    assert!(taken(1) < taken(2) && taken(4) == 40, "{} {} {}", taken(1), taken(2), taken(4));
}

#[test]
fn a_round_holds_no_more_than_its_counted_cost() {
    let costs: Vec<u32> = (0..100).map(|j| if j % 10 == 0 { 91 } else { 1 }).collect();
    let mut schedule = Priority::new(
        Variables::anywhere(costs.clone(), 3),
        PrioritySettings { rho: None, ..PrioritySettings::new(10, 5) },
    );
    let metric = Metric::new("gap", 1.0, "nothing");
    schedule.begin_epoch(&EpochStart { epoch: 0, metric, objective: None, weights: vec![], batch_hint: 0 });
    let mut rounds = 0;
    while let Some(round) = next(&mut schedule, &mut 0) {
        rounds += 1;
        let cost: u32 = round.tasks.iter().flat_map(|task| &task.variables).map(|&j| costs[j as usize]).sum();
        assert!(cost <= 100 && round.tasks.len() <= 3);
        schedule.learn(&round, &[]);
    }
    // An epoch takes as many variables as there are: ten a round, or fewer where they are dear.
    assert!(rounds >= 10, "{rounds}");
}
