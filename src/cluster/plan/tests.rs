//! Plans place every shard and block once, and those that name nothing are not sound.

use proptest::prelude::*;
use raddle_common::testing::pairs;

use super::*;

fn participants(ids: &[u32]) -> Vec<Participant> {
    ids.iter().map(|&id| Participant { id, address: format!("at {id}"), capacity: 2 }).collect()
}

proptest! {
    #[test]
    fn every_plan_is_sound_and_blocks_stay_where_they_can(
        costs in prop::collection::vec(1u64..50, 1..40),
        blocks in 0u32..20,
        (processes, then) in (1u32..5, 1u32..5),
        (asked, cores) in (1u64..12, 1u32..4),
    ) {
        let ids: Vec<u32> = (0..processes).collect();
        let one = GenerationPlan::new(1, participants(&ids), (asked, cores), &costs, blocks, None, None);
        prop_assert!(one.is_sound(costs.len(), blocks as usize));
        prop_assert!(one.threads <= cores, "{} threads on {} cores", one.threads, cores);
        // The first participant leaves, others join.
        let ids: Vec<u32> = (1..1 + then).collect();
        let before = Before { plan: &one, block_at: &one.block_at };
        let two = GenerationPlan::new(2, participants(&ids), (asked + 1, cores), &costs, blocks, None, Some(&before));
        prop_assert!(two.is_sound(costs.len(), blocks as usize));
        for block in 0..blocks {
            let was = &one.participants[one.block_process(block) as usize];
            let has_workers = two.index_of(was.id).is_some_and(|participant| two.process_of.contains(&(participant as u32)));
            if has_workers {
                prop_assert_eq!(&two.participants[two.block_process(block) as usize], was);
            }
        }
        let end = GenerationPlan::end(3, &two);
        prop_assert!(end.is_sound(costs.len(), blocks as usize));
    }

    #[test]
    fn workers_are_shared_out_by_capacity(
        capacities in prop::collection::vec(1u32..9, 1..6),
        workers in 1u32..40,
    ) {
        let mut those = participants(&(0..capacities.len() as u32).collect::<Vec<_>>());
        those.iter_mut().zip(&capacities).for_each(|(one, &capacity)| one.capacity = capacity);
        let all: u32 = capacities.iter().sum();
        let shared = shares(workers, &those);
        prop_assert_eq!(shared.iter().sum::<u32>(), workers);
        prop_assert!(shared[0] > 0);
        for (&share, &capacity) in pairs(&shared, &capacities) {
            let exact = f64::from(workers * capacity) / f64::from(all);
            // One more or one less goes to the process of the hub.
            prop_assert!((f64::from(share) - exact).abs() < 1.0 || shared[0] == 1, "{:?} of {:?}", shared, capacities);
        }
        prop_assert_eq!(shares(all, &those), capacities);
        // Equal ones have as many each, or the first ones have one more.
        let equal = shares(workers, &participants(&[0, 1, 2]));
        prop_assert_eq!(equal, (0..3).map(|at| workers / 3 + u32::from(at < workers % 3)).collect::<Vec<_>>());
    }

    #[test]
    fn no_contiguous_cut_is_done_sooner(
        costs in prop::collection::vec(1u64..50, 4..12),
        speeds in prop::collection::vec(0.1f64..2.0, 1..5),
    ) {
        // All contiguous placements, one worker after the other, each with a shard.
        fn best(costs: &[u64], speeds: &[f64]) -> f64 {
            let Some((speed, others)) = speeds.split_first() else {
                return if costs.is_empty() { 0.0 } else { f64::INFINITY };
            };
            let taking = |count: usize| {
                let own = costs[..count].iter().sum::<u64>() as f64 / speed;
                own.max(best(&costs[count..], others))
            };
            (1..=costs.len()).map(taking).fold(f64::INFINITY, f64::min)
        }
        let placement = place_by_speed(&costs, &speeds);
        prop_assert!(placement.is_sorted() && placement.len() == costs.len());
        prop_assert!((0..speeds.len() as u32).all(|worker| placement.contains(&worker)));
        let mut loads = vec![0.0; speeds.len()];
        placement.iter().zip(&costs).for_each(|(&worker, &cost)| loads[worker as usize] += cost as f64);
        let seconds = loads.iter().zip(&speeds).map(|(load, speed)| load / speed).fold(0.0, f64::max);
        prop_assert!(seconds <= best(&costs, &speeds) * (1.0 + 1e-4));
    }
}

#[test]
fn a_plan_with_any_number_that_names_nothing_is_not_sound() {
    let plan = GenerationPlan::new(1, participants(&[0, 1]), (4, 2), &[1; 6], 3, None, None);
    assert!(plan.is_sound(6, 3) && !plan.is_sound(5, 3) && !plan.is_sound(6, 4));
    let faults: [fn(&mut GenerationPlan); 13] = [
        |plan| plan.participants.clear(),
        |plan| plan.process_of.clear(),
        |plan| plan.thread_of.truncate(3),
        |plan| plan.threads = 0,
        |plan| plan.asked = 0,
        |plan| plan.process_of = vec![1; 4],
        |plan| plan.thread_of[0] = 1,
        |plan| plan.process_of.swap(1, 2),
        |plan| plan.process_of[3] = 2,
        |plan| plan.thread_of[3] = plan.threads,
        |plan| plan.shard_at[5] = 4,
        |plan| plan.block_at[2] = 4,
        |plan| (plan.process_of, plan.thread_of) = (Vec::new(), Vec::new()),
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let mut faulty = plan.clone();
        fault(&mut faulty);
        assert!(faulty != plan && !faulty.is_sound(6, 3), "fault {number}");
    }
}
