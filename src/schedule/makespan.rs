//! [`makespan`]: the virtual clock of a plan that is known for the whole epoch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::{Assignment, Round};

/// Returns the time that an epoch of these rounds lasts if no round waits for another, in units of cost at
/// slowness 1.
///
/// It is a pure function of the plan, of the `placement` (the worker of each shard), of the counted `cost` of
/// each task, and of the `slowness` of each worker (2 at half the speed). Tasks run as the engine runs them
/// where changes become visible at the boundary: a task can start once its shard's and its block's earlier
/// tasks are done, and a worker that is free starts the one of the lowest round that can, by shard within a
/// round. Blocks travel in no time.
///
/// Returns `None` if a shard has no worker, a worker has no slowness, or a cost or a slowness is not a finite
/// number of at least 0.
///
/// ```
/// use raddle::schedule::{Rotation, makespan};
///
/// let rounds = Rotation::new(4, 2).rounds(()); // two blocks, each of which visits four shards
/// let placement = [0, 0, 1, 1];
/// assert_eq!(makespan(&rounds, &placement, |_| 10.0, &[1.0, 1.0]), Some(40.0)); // nobody waits
/// assert_eq!(makespan(&rounds, &placement, |_| 10.0, &[1.0, 2.0]), Some(80.0));
/// assert_eq!(makespan(&rounds, &[0, 0, 0, 1], |_| 10.0, &[1.0, 2.0]), Some(60.0)); // a shard has moved
/// ```
pub fn makespan<F>(
    rounds: &[Round<F>],
    placement: &[u32],
    cost: impl Fn(&Assignment) -> f64,
    slowness: &[f64],
) -> Option<f64> {
    let mut tasks = tasks(rounds, placement, cost, slowness)?;
    let mut ready: Vec<BinaryHeap<Reverse<usize>>> = vec![BinaryHeap::new(); slowness.len()];
    let mut is_free = vec![true; slowness.len()];
    let mut running: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
    for (number, task) in tasks.iter().enumerate().filter(|(_, task)| task.awaits == 0) {
        ready[task.worker].push(Reverse(number));
    }
    let mut now = 0.0;
    loop {
        for (ready, is_free) in ready.iter_mut().zip(&mut is_free).filter(|(_, is_free)| **is_free) {
            if let Some(Reverse(number)) = ready.pop() {
                *is_free = false;
                running.push(Reverse((Time(now + tasks[number].lasts), number)));
            }
        }
        let Some(&Reverse((Time(end), _))) = running.peek() else { return Some(now) };
        now = end;
        // All tasks that are done by now are counted before another starts, so that their order does not
        // matter.
        while let Some(&Reverse((Time(end), number))) = running.peek() {
            if end > now {
                break;
            }
            running.pop();
            is_free[tasks[number].worker] = true;
            for next in std::mem::take(&mut tasks[number].then) {
                tasks[next].awaits -= 1;
                if tasks[next].awaits == 0 {
                    ready[tasks[next].worker].push(Reverse(next));
                }
            }
        }
    }
}

/// Task of a plan.
struct Planned {
    worker: usize,
    lasts: f64,
    /// Number of tasks not yet done that precede this one directly, on its shard or with its block.
    awaits: usize,
    /// Tasks that follow this one directly.
    then: Vec<usize>,
}

/// Returns the tasks of a plan, in the order of their rounds and shards.
fn tasks<F>(
    rounds: &[Round<F>],
    placement: &[u32],
    cost: impl Fn(&Assignment) -> f64,
    slowness: &[f64],
) -> Option<Vec<Planned>> {
    let mut tasks: Vec<Planned> = Vec::new();
    let (mut of_shard, mut of_block) = (BTreeMap::new(), BTreeMap::new());
    for round in rounds {
        let mut in_order: Vec<&Assignment> = round.tasks.iter().collect();
        in_order.sort_by_key(|task| task.shard);
        for task in in_order {
            let number = tasks.len();
            let worker = *placement.get(task.shard as usize)? as usize;
            let (cost, slowness) = (cost(task), *slowness.get(worker)?);
            let lasts = cost * slowness;
            if !(cost >= 0.0 && slowness >= 0.0 && lasts.is_finite()) {
                return None;
            }
            let before = of_shard.insert(task.shard, number);
            let before =
                before.into_iter().chain(task.block.and_then(|block| of_block.insert(block, number)));
            let mut awaits = 0;
            for before in before {
                tasks.get_mut(before)?.then.push(number);
                awaits += 1;
            }
            tasks.push(Planned { worker, lasts, awaits, then: Vec::new() });
        }
    }
    Some(tasks)
}

/// Finite time, ordered.
#[derive(PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::Rotation;

    /// Shard and block of each task, by round.
    type Pairs = Vec<Vec<(u32, Option<u32>)>>;

    fn rounds(pairs: &Pairs) -> Vec<Round> {
        let task = |&(shard, block): &(u32, Option<u32>)| Assignment { shard, block, variables: Vec::new() };
        pairs.iter().map(|round| Round::new((), round.iter().map(task).collect())).collect()
    }

    fn cost(task: &Assignment) -> f64 {
        f64::from(1 + (task.shard * 7 + task.block.unwrap_or(3) * 5) % 11)
    }

    /// Rounds of at most one task a shard and a block, some tasks without a block.
    fn plans(shards: u32, blocks: u32) -> impl Strategy<Value = Pairs> {
        vec(vec((0..shards, prop::option::of(0..blocks)), 1..6), 1..20).prop_map(|mut plan| {
            for round in &mut plan {
                let (mut shards, mut blocks) = (Vec::new(), Vec::new());
                round.retain(|&(shard, block)| {
                    let is_new =
                        !shards.contains(&shard) && block.is_none_or(|block| !blocks.contains(&block));
                    if is_new {
                        shards.push(shard);
                        blocks.extend(block);
                    }
                    is_new
                });
            }
            plan
        })
    }

    /// A list of all tasks, searched from its beginning at each moment at which one ends.
    fn naive(plan: &Pairs, placement: &[u32], slowness: &[f64]) -> f64 {
        let mut tasks: Vec<(usize, u32, Option<u32>)> = Vec::new();
        for (round, pairs) in plan.iter().enumerate() {
            tasks.extend(pairs.iter().map(|&(shard, block)| (round, shard, block)));
        }
        tasks.sort();
        let mut ends: Vec<Option<f64>> = vec![None; tasks.len()];
        let mut now = 0.0;
        loop {
            for worker in 0..slowness.len() as u32 {
                let is_at = |at: usize| placement[tasks[at].1 as usize] == worker;
                if (0..tasks.len()).any(|at| is_at(at) && ends[at].is_some_and(|end| end > now)) {
                    continue;
                }
                let can_start = |&at: &usize| {
                    let (round, shard, block) = tasks[at];
                    ends[at].is_none()
                        && is_at(at)
                        && (0..tasks.len()).filter(|&other| tasks[other].0 < round).all(|other| {
                            let ties =
                                tasks[other].1 == shard || (block.is_some() && tasks[other].2 == block);
                            !ties || ends[other].is_some_and(|end| end <= now)
                        })
                };
                if let Some(at) = (0..tasks.len()).find(can_start) {
                    let (_, shard, block) = tasks[at];
                    let task = Assignment { shard, block, variables: Vec::new() };
                    ends[at] = Some(now + cost(&task) * slowness[worker as usize]);
                }
            }
            match ends.iter().flatten().copied().filter(|&end| end > now).reduce(f64::min) {
                Some(next) => now = next,
                None => return now,
            }
        }
    }

    proptest! {
        #[test]
        fn the_clock_agrees_with_a_search_of_the_list_of_tasks(
            plan in plans(7, 5), placement in vec(0u32..3, 7), slowness in vec(0.25f64..4.0, 3)
        ) {
            let time = makespan(&rounds(&plan), &placement, cost, &slowness).unwrap();
            prop_assert_eq!(time, naive(&plan, &placement, &slowness));
        }

        #[test]
        fn no_epoch_is_shorter_than_its_work_and_its_chains_allow(
            plan in plans(9, 4), placement in vec(0u32..4, 9), slowness in vec(0.25f64..4.0, 4)
        ) {
            let plan = rounds(&plan);
            let time = makespan(&plan, &placement, cost, &slowness).unwrap();
            let tasks = || plan.iter().flat_map(|round| &round.tasks);
            let lasts = |task: &Assignment| cost(task) * slowness[placement[task.shard as usize] as usize];
            let enough = 1e-9 + time;
            let speed: f64 = slowness.iter().map(|slowness| 1.0 / slowness).sum();
            prop_assert!(tasks().map(cost).sum::<f64>() / speed <= enough);
            for at in 0..9 {
                prop_assert!(tasks().filter(|task| task.shard == at).map(lasts).sum::<f64>() <= enough);
                prop_assert!(tasks().filter(|task| task.block == Some(at)).map(lasts).sum::<f64>() <= enough);
                let here = |task: &&Assignment| placement[task.shard as usize] == at;
                prop_assert!(tasks().filter(here).map(lasts).sum::<f64>() <= enough);
            }
            // At every moment some worker is busy.
            prop_assert!(time <= 1e-9 + tasks().map(lasts).sum::<f64>());
        }

        #[test]
        fn a_rotation_of_one_block_a_worker_never_waits(workers in 1u32..9, positions in 1u32..9) {
            let rounds = Rotation::new(workers * positions, workers).rounds(());
            let placement: Vec<u32> = (0..workers * positions).map(|shard| shard / positions).collect();
            let time = makespan(&rounds, &placement, |_| 3.0, &vec![1.0; workers as usize]);
            prop_assert_eq!(time, Some(f64::from(3 * workers * positions)));
        }

        #[test]
        fn an_epoch_of_one_round_lasts_as_long_as_its_slowest_worker(
            placement in vec(0u32..3, 1..20), slowness in vec(0.25f64..4.0, 3)
        ) {
            let rounds = [Round::to_shards((), 0..placement.len() as u32)];
            let mut loads = [0.0; 3];
            for (shard, &worker) in (0..).zip(&placement) {
                loads[worker as usize] += f64::from(shard) * slowness[worker as usize];
            }
            let slowest = loads.into_iter().fold(0.0, f64::max);
            let time = makespan(&rounds, &placement, |task| f64::from(task.shard), &slowness).unwrap();
            prop_assert!((time - slowest).abs() <= 1e-9 * slowest);
        }
    }

    #[test]
    fn a_plan_that_cannot_be_timed_has_no_time() {
        let rounds = [Round::to_shards((), 0..2)];
        assert_eq!(makespan(&rounds, &[0], |_| 1.0, &[1.0]), None);
        assert_eq!(makespan(&rounds, &[0, 1], |_| 1.0, &[1.0]), None);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(makespan(&rounds, &[0, 0], |_| bad, &[1.0]), None);
            assert_eq!(makespan(&rounds, &[0, 0], |_| 1.0, &[bad]), None);
        }
        assert_eq!(makespan::<()>(&[], &[], |_| 1.0, &[]), Some(0.0));
    }
}
