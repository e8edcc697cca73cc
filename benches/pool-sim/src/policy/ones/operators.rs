//! Operators on schedules. Each keeps every job within its cap, with at least its minimum of slots or none.

use std::collections::BTreeMap;

use raddle::random::Stream;
use raddle_pool::policy::JobId;

/// A schedule: the owner of each slot that may change.
pub type Individual = Vec<Option<JobId>>;

/// Probability that a crossover swaps a slot.
const SWAP: f64 = 0.5;
/// Probability that a mutation drops a job.
const DROP: f64 = 0.3;

/// Bounds of the number of slots of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// Minimum number of slots, unless the job has none.
    pub least: u32,
    /// Maximum number of slots.
    pub size: u32,
}

/// Bounds of the jobs that may change.
pub type Caps = BTreeMap<JobId, Cap>;

/// Number of slots of each job.
pub fn counts(individual: &[Option<JobId>]) -> BTreeMap<JobId, u32> {
    let mut counts = BTreeMap::new();
    individual.iter().flatten().for_each(|id| *counts.entry(*id).or_insert(0) += 1);
    counts
}

/// Removes jobs without bounds and jobs below their minimum; jobs above their cap keep their first
/// slots.
pub fn refresh(individual: &mut Individual, caps: &Caps) {
    let counts = counts(individual);
    let mut seen: BTreeMap<JobId, u32> = BTreeMap::new();
    for slot in individual {
        *slot = slot.filter(|id| {
            let Some(cap) = caps.get(id).filter(|cap| counts[id] >= cap.least) else { return false };
            let seen = seen.entry(*id).or_insert(0);
            *seen += 1;
            *seen <= cap.size
        });
    }
}

/// Uniform crossover: each slot of the two schedules is swapped or not.
pub fn crossover(one: &Individual, other: &Individual, caps: &Caps, stream: &mut Stream) -> [Individual; 2] {
    let mut children = [one.clone(), other.clone()];
    let [first, second] = &mut children;
    for (first, second) in first.iter_mut().zip(second) {
        if stream.unit() < SWAP {
            std::mem::swap(first, second);
        }
    }
    children.iter_mut().for_each(|child| refresh(child, caps));
    children
}

/// Mutation: each job that may be dropped is dropped or not.
pub fn mutate(individual: &mut Individual, may_drop: impl Fn(JobId) -> bool, stream: &mut Stream) {
    let held = counts(individual).into_keys();
    let dropped: Vec<JobId> = held.filter(|id| may_drop(*id) && stream.unit() < DROP).collect();
    for slot in individual {
        *slot = slot.filter(|id| !dropped.contains(id));
    }
}

/// Fills free slots: first new jobs get their minimum, in order; then all jobs, in order of remaining time,
/// get slots up to their cap.
pub fn pad(individual: &mut Individual, new: &[JobId], by_remaining: &[JobId], caps: &Caps) {
    let mut held = counts(individual);
    let mut free: Vec<usize> =
        (0..individual.len()).rev().filter(|&slot| individual[slot].is_none()).collect();
    let mut give = |id: &JobId, most: &dyn Fn(&Cap) -> u32| {
        let Some(cap) = caps.get(id) else { return };
        let held = held.entry(*id).or_insert(0);
        let given = (most(cap).saturating_sub(*held)).min(free.len() as u32);
        if *held + given >= cap.least {
            *held += given;
            (0..given).filter_map(|_| free.pop()).for_each(|slot| individual[slot] = Some(*id));
        }
    };
    new.iter().for_each(|id| give(id, &|cap| cap.least.min(cap.size)));
    by_remaining.iter().for_each(|id| give(id, &|cap| cap.size));
}

/// The `count` schedules with the lowest scores, in ascending order; of equal ones the first.
pub fn select(population: Vec<Individual>, scores: Vec<f64>, count: usize) -> Vec<Individual> {
    let mut ranked: Vec<(f64, Individual)> = scores.into_iter().zip(population).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().take(count.max(1)).map(|(_, individual)| individual).collect()
}

/// Number of slots that keep their owner, and the run laid last; `None` for a free slot.
type Laid = (usize, Option<usize>);

/// Maximum number of jobs for which [`reorder`] tries every order.
const EVERY_ORDER: usize = 6;

/// Returns a schedule with these numbers of slots, in which the slots of a job form a run without gaps, such
/// that as few slots as possible change their owner. Free slots may be anywhere between the runs.
///
/// Two jobs that both keep slots keep their order, too. For up to six jobs the minimum number of changes is
/// found. For more jobs it is the minimum over runs in the order in which the jobs first appear in `old`,
/// with the jobs that do not appear last.
pub fn reorder(old: &[Option<JobId>], counts: &[(JobId, u32)]) -> Individual {
    let first = |id: JobId| old.iter().position(|owner| *owner == Some(id)).unwrap_or(old.len());
    let mut runs: Vec<(JobId, usize)> = counts.iter().map(|&(id, count)| (id, count as usize)).collect();
    runs.retain(|(_, count)| *count > 0);
    runs.sort_by_key(|(id, _)| first(*id));
    // The sets of runs that may be laid: any set, or the first few runs.
    let is_any = runs.len() <= EVERY_ORDER;
    let sets = if is_any { 1 << runs.len() } else { runs.len() + 1 };
    let with = |set: usize, run: usize| match is_any {
        true => (set >> run & 1 == 0).then_some(set | 1 << run),
        false => (set == run).then_some(set + 1),
    };
    let kept_from = |slot: usize, run: usize| {
        let (id, count) = runs[run];
        old.get(slot..slot + count).map(|of| of.iter().filter(|owner| **owner == Some(id)).count())
    };
    // Maximum number of slots kept, and the last run laid, by the number of slots passed and the set of runs
    // laid on them.
    let mut best: Vec<Vec<Option<Laid>>> = vec![vec![None; sets]; old.len() + 1];
    best[0][0] = Some((0, None));
    for slot in 0..old.len() {
        for set in 0..sets {
            let Some((kept, _)) = best[slot][set] else { continue };
            let mut offer = |slot: usize, set: usize, kept: usize, run: Option<usize>| {
                let there = &mut best[slot][set];
                if there.is_none_or(|(known, _)| kept > known) {
                    *there = Some((kept, run));
                }
            };
            // A free slot stays free.
            offer(slot + 1, set, kept + usize::from(old[slot].is_none()), None);
            let next = if is_any { 0..runs.len() } else { set..(set + 1).min(runs.len()) };
            for run in next {
                if let Some((with, more)) = with(set, run).zip(kept_from(slot, run)) {
                    offer(slot + runs[run].1, with, kept + more, Some(run));
                }
            }
        }
    }
    let mut individual = vec![None; old.len()];
    let (mut slot, mut set) = (old.len(), sets - 1);
    while let Some((_, run)) = best[slot][set].filter(|_| slot > 0) {
        match run {
            None => slot -= 1,
            Some(run) => {
                let (id, count) = runs[run];
                slot -= count;
                individual[slot..slot + count].fill(Some(id));
                set = if is_any { set & !(1 << run) } else { run };
            }
        }
    }
    individual
}
