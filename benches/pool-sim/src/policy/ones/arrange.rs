//! [`arrange`]: a schedule moved to the slots that are in use.

use raddle_pool::policy::JobId;

use super::operators::{Individual, counts, reorder};

/// Arranges a schedule so that few slots change their owner: jobs with as many slots as in `old` keep them,
/// and the others are reordered on the rest.
pub(super) fn arrange(old: &Individual, new: &Individual) -> Individual {
    let (before, after) = (counts(old), counts(new));
    let keeps = |id: &JobId| before.get(id) == after.get(id);
    let mut arranged: Individual = old.iter().map(|owner| owner.filter(keeps)).collect();
    let rest: Vec<usize> = (0..old.len()).filter(|&slot| arranged[slot].is_none()).collect();
    let changed: Vec<(JobId, u32)> =
        after.iter().filter(|(id, _)| !keeps(id)).map(|(id, count)| (*id, *count)).collect();
    let owners: Vec<Option<JobId>> =
        rest.iter().map(|&slot| old[slot].filter(|id| after.contains_key(id))).collect();
    for (slot, owner) in rest.into_iter().zip(reorder(&owners, &changed)) {
        arranged[slot] = owner;
    }
    arranged
}
