//! Operators of ONES: every job stays within its caps, and as few slots as possible change.

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle::random::Stream;
use raddle_common::testing::{not_empty, pairs};
use raddle_pool::policy::JobId;
use raddle_pool_sim::policy::ones::operators::{
    Cap, Caps, Individual, counts, crossover, mutate, pad, refresh, reorder, select,
};

/// Number of slots of each job, counted independently.
fn held(individual: &Individual) -> BTreeMap<u32, u32> {
    let mut held = BTreeMap::new();
    for id in individual.iter().flatten() {
        *held.entry(id.0).or_insert(0) += 1;
    }
    held
}

/// `true` if every job with slots is known, and has at least its minimum and at most this cap.
fn is_within(individual: &Individual, caps: &Caps, most: fn(&Cap) -> u32) -> bool {
    held(individual)
        .iter()
        .all(|(id, count)| caps.get(&JobId(*id)).is_some_and(|cap| (cap.least..=most(cap)).contains(count)))
}

/// Schedules of 1 to 24 slots with jobs 0 to 6, and caps of jobs 0 to 4: jobs 5 and 6 have ended.
fn schedules() -> impl Strategy<Value = (Individual, Individual, Caps, u64)> {
    let slots = 1..24_usize;
    slots.prop_flat_map(|slots| {
        let owners = || proptest::collection::vec(proptest::option::of((0..7_u32).prop_map(JobId)), slots);
        let cap = (1..4_u32, 0..12_u32).prop_map(|(least, size)| Cap { least, size: least + size });
        let caps = proptest::collection::vec(cap, 5);
        let caps = caps.prop_map(|caps| (0..).map(JobId).zip(caps).collect::<Caps>());
        (owners(), owners(), caps, any::<u64>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_operator_exceeds_a_cap((one, other, caps, seed) in schedules()) {
        let size: fn(&Cap) -> u32 = |cap| cap.size;
        let mut stream = Stream::new(&[seed]);
        let mut fresh = one.clone();
        refresh(&mut fresh, &caps);
        prop_assert!(is_within(&fresh, &caps, size), "refresh: {fresh:?}");
        for child in crossover(&one, &other, &caps, &mut stream) {
            prop_assert!(is_within(&child, &caps, size), "crossover: {child:?}");
        }
        let mut mutant = fresh.clone();
        mutate(&mut mutant, |id| id.0 != 0, &mut stream);
        prop_assert!(is_within(&mutant, &caps, size), "mutation: {mutant:?}");
        // A mutation drops whole jobs, and only those that may be dropped.
        for (id, count) in held(&fresh) {
            let left = held(&mutant).get(&id).copied().unwrap_or(0);
            prop_assert!(left == count || (left == 0 && id != 0));
        }
        let order: Vec<JobId> = caps.keys().copied().collect();
        for individual in [fresh, mutant, vec![None; one.len()]] {
            let mut padded = individual.clone();
            pad(&mut padded, &order[3..], &order, &caps);
            prop_assert!(is_within(&padded, &caps, |cap| cap.size), "pad: {padded:?}");
            // Padding takes no slots from jobs, and leaves no slot free that a job could have.
            let takes = |(before, after): (&Option<JobId>, &Option<JobId>)| before.is_some() && before != after;
            prop_assert!(!pairs(&individual, &padded).any(takes));
            let free = padded.iter().filter(|owner| owner.is_none()).count() as u32;
            for (id, cap) in &caps {
                let count = held(&padded).get(&id.0).copied().unwrap_or(0);
                let could_have = count < cap.size && free > 0 && count + free.min(cap.size - count) >= cap.least;
                prop_assert!(!could_have, "{id:?} has {count} of {cap:?}, and {free} are free");
            }
            let wanted: Vec<(JobId, u32)> = counts(&padded).into_iter().collect();
            let reordered = reorder(&one, &wanted);
            prop_assert_eq!(held(&reordered), held(&padded));
        }
    }
}

/// All schedules with runs of these lengths, in any order and with gaps anywhere.
fn layouts(slots: usize, runs: &[(JobId, u32)]) -> Vec<Individual> {
    if slots == 0 {
        return if runs.is_empty() { vec![Vec::new()] } else { Vec::new() };
    }
    let after = |first: Individual, rest: Vec<Individual>| {
        rest.into_iter().map(move |rest| [first.clone(), rest].concat()).collect::<Vec<_>>()
    };
    let mut found = after(vec![None], layouts(slots - 1, runs));
    for (at, (id, count)) in runs.iter().enumerate() {
        if *count as usize <= slots {
            let others = [&runs[..at], &runs[at + 1..]].concat();
            found.extend(after(vec![Some(*id); *count as usize], layouts(slots - *count as usize, &others)));
        }
    }
    found
}

fn changes(old: &Individual, new: &Individual) -> usize {
    old.iter().zip(new).filter(|(old, new)| old != new).count()
}

#[test]
fn reorder_is_optimal_on_eight_slots_with_four_jobs() {
    let mut stream = Stream::new(&[40]);
    let mut compared = 0;
    for _ in 0..150 {
        let owner = |stream: &mut Stream| Some(JobId(stream.below(5) as u32)).filter(|id| id.0 < 4);
        let old: Individual = (0..8).map(|_| owner(&mut stream)).collect();
        let wanted: Vec<(JobId, u32)> = (0..4).map(|id| (JobId(id), 1 + stream.below(2) as u32)).collect();
        let found = reorder(&old, &wanted);
        let least = not_empty(layouts(8, &wanted)).map(|layout| changes(&old, &layout)).min();
        assert_eq!(Some(changes(&old, &found)), least, "{old:?} to {wanted:?}: {found:?}");
        assert!(layouts(8, &wanted).contains(&found), "runs without gaps: {found:?}");
        compared += 1;
    }
    assert_eq!(compared, 150);
}

#[test]
fn reorder_of_many_jobs_keeps_what_can_stay() {
    // Ten jobs of two slots each; one grows into the gap after it, and no other job moves.
    let mut old: Individual = (0..20).map(|slot| Some(JobId(slot / 2))).collect();
    old.insert(8, None);
    let wanted: Vec<(JobId, u32)> = (0..10).map(|id| (JobId(id), if id == 3 { 3 } else { 2 })).collect();
    let found = reorder(&old, &wanted);
    assert_eq!(changes(&old, &found), 1, "{found:?}");
}

#[test]
fn the_least_scores_are_selected_and_of_equal_ones_the_first() {
    let of = |id| vec![Some(JobId(id))];
    let selected = select((0..5).map(of).collect(), vec![3.0, 1.0, 2.0, 1.0, f64::NAN], 3);
    assert_eq!(selected, [of(1), of(3), of(2)]);
}
