//! [`choices`]: the placements of a job in one slot that may be optimal.

use super::market::Market;
use super::placer::Placer;
use crate::policy::cluster::Placement;
use crate::policy::job::Job;
use crate::policy::pdors::programme::Choice;

/// Returns the placements in which the job works for `seconds` seconds, without any that costs more than
/// another that does as much work, and the number of steps of the search.
pub(in crate::policy::pdors) fn choices(
    market: &Market<'_>,
    seconds: f64,
    placer: &mut impl Placer,
) -> (Vec<Choice>, u64) {
    let nodes = market.room.nodes();
    let counts: Vec<u32> = counts(market.job).collect();
    let choice = |placement: Placement| {
        let work = market.job.speed.rate(placement.workers(), placement.nodes()) * seconds;
        Choice { work, cost: market.cost(&placement), placement }
    };
    let found = placer.placements(market, &counts).into_iter().map(choice);
    let found = found.filter(|choice| choice.work > 0.0).collect();
    (undominated(found), counts.len() as u64 * nodes as u64 * placer.looks(nodes))
}

/// Numbers of workers that are tried: the minimum, then about a quarter more each time, up to the maximum.
fn counts(job: &Job) -> impl Iterator<Item = u32> {
    let (least, most) = (job.least.max(1), job.most);
    std::iter::successors((least <= most).then_some(least), move |&workers| {
        (workers < most).then(|| (workers + 1).max(workers + workers / 4).min(most))
    })
}

/// Choices without those for which another does as much work at a lower cost.
fn undominated(mut choices: Vec<Choice>) -> Vec<Choice> {
    choices.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.work.total_cmp(&a.work)));
    let mut most = 0.0;
    choices.retain(|choice| {
        let more = choice.work > most;
        most = choice.work.max(most);
        more
    });
    choices
}
