//! Workers that no plan uses in a slot go to admitted jobs: a job ahead of its plan keeps its promise more
//! surely.

use std::collections::BTreeMap;

use super::settings::PlanSettings;
use crate::policy::Room;
use crate::policy::cluster::{Demand, Placement, Share};
use crate::policy::job::{Job, JobId};

/// Gives free workers of the only node to jobs in this order, as far as the job gains more work than the
/// change of workers costs.
pub(super) fn fill(
    settings: &PlanSettings,
    now: f64,
    slot: u32,
    room: &mut Room,
    jobs: &[&Job],
    placements: &mut BTreeMap<JobId, Placement>,
) {
    let rest = settings.rest(now, slot);
    for job in jobs {
        let planned = placements.get(&job.id).map_or(0, Placement::workers);
        let held = job.placement.workers();
        let done = |workers: u32| {
            let seconds = if workers == held { rest } else { (rest - settings.rescale).max(0.0) };
            if workers == 0 { 0.0 } else { job.speed.rate(workers, 1) * seconds }
        };
        let mut best = planned;
        for workers in planned.max(job.least.max(1) - 1) + 1..=job.most {
            if more(room, &job.demand, planned, workers).is_none() {
                break;
            }
            if done(workers) > done(best) {
                best = workers;
            }
        }
        if best > planned
            && let Some(share) = more(room, &job.demand, planned, best)
        {
            room.take(&job.demand, share);
            let servers = job.demand.servers(best);
            let placement = Placement { shares: vec![Share { node: 0, workers: best, servers }] };
            placements.insert(job.id, placement);
        }
    }
}

/// Share of `workers` workers beyond the `planned` ones; `None` if it is not free.
fn more(room: &Room, demand: &Demand, planned: u32, workers: u32) -> Option<Share> {
    let servers = demand.servers(workers) - demand.servers(planned);
    let share = Share { node: 0, workers: workers - planned, servers };
    room.fits(0, demand, share.workers, share.servers).then_some(share)
}
