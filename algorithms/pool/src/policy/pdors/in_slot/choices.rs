//! All placements of a job in one slot that are worth a look.

use super::drawn::Drawn;
use super::market::Market;
use super::{apart, one, rounding, spread};
use crate::policy::cluster::Placement;
use crate::policy::job::Job;
use crate::policy::pdors::programme::Choice;
use crate::policy::pdors::settings::Spread;

/// Where the parameter servers of a job are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Servers {
    /// On any node, also on that of all workers (PD-ORS).
    Beside,
    /// On nodes that have no worker of the job (OASiS).
    Apart,
}

impl Market<'_> {
    /// Placements in which the job works for so many seconds: of those with as many workers the cheapest, and none that
    /// costs more than another which does as much.
    pub(crate) fn choices(
        &self,
        seconds: f64,
        servers: Servers,
        spread: Spread,
        drawn: &mut Drawn,
    ) -> Vec<Choice> {
        let mut found: Vec<Choice> = Vec::new();
        let mut offer = |placement: Option<Placement>| {
            let Some(placement) = placement else { return };
            let work = self.job.speed.rate(placement.workers(), placement.nodes()) * seconds;
            if work > 0.0 {
                found.push(Choice { work, cost: self.cost(&placement), placement });
            }
        };
        let several = self.room.nodes() > 1;
        let by_price = spread::Order::of(self);
        for workers in counts(self.job) {
            drawn.steps += self.room.nodes() as u64;
            let has_servers = self.job.demand.servers(workers) > 0;
            if servers == Servers::Beside || !has_servers {
                offer(one::cheapest(self, workers));
            }
            if !several {
                continue;
            }
            drawn.steps += 2 * self.room.nodes() as u64;
            if servers == Servers::Apart && has_servers {
                offer(apart::cheapest(self, workers, &by_price));
                continue;
            }
            offer(match spread {
                Spread::CheapestFirst => spread::cheapest(self, workers, &by_price),
                Spread::Rounded { scale, turns } => {
                    rounding::rounded(self, workers, &by_price, (scale, turns), drawn)
                        .unwrap_or_else(|| spread::cheapest(self, workers, &by_price))
                }
            });
        }
        undominated(found)
    }
}

/// Numbers of workers that are tried: the least, then a quarter more each, up to the most.
fn counts(job: &Job) -> impl Iterator<Item = u32> {
    let (least, most) = (job.least.max(1), job.most);
    std::iter::successors((least <= most).then_some(least), move |&workers| {
        (workers < most).then(|| (workers + 1).max(workers + workers / 4).min(most))
    })
}

/// Choices than which none does as much work for less.
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
