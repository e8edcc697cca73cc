//! [`Rounding`]: randomised rounding of the linear programme's answer.

use raddle::random::Stream;
use raddle_pool::policy::{Market, Placement, Share};

use super::lp::{Answer, solve};
use super::spread::{Order, cheapest};

/// Counts of linear programmes and of their roundings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roundings {
    /// Linear programmes with an answer.
    pub solved: u64,
    /// Linear programmes without an answer: no placement, not even with fractions.
    pub infeasible: u64,
    /// Linear programmes that the library answered wrongly or not at all, so that cheapest first did: it panicked, gave up, broke a
    /// constraint, or found no placement where there is one.
    pub failed: u64,
    /// Answers all of whose roundings were infeasible.
    pub unrounded: u64,
}

/// Random numbers, and counts of what they were drawn for.
#[derive(Debug)]
pub(super) struct Rounding {
    stream: Stream,
    pub(super) counts: Roundings,
}

impl Rounding {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, counts: Roundings::default() }
    }

    /// The placement that rounding finds, if it does. None where the linear programme failed.
    #[allow(clippy::option_option, reason = "an answer, which may be that there is no placement")]
    pub(super) fn rounded(
        &mut self,
        market: &Market<'_>,
        workers: u32,
        order: &Order,
        (scale, turns): (f64, u32),
    ) -> Option<Option<Placement>> {
        let found = match solve(market, workers, market.job.demand.servers(workers)) {
            Answer::Found(found) => found,
            // Where a placement is at hand, it is the library that is wrong.
            Answer::Infeasible if cheapest(market, workers, order).is_none() => {
                self.counts.infeasible += 1;
                return Some(None);
            }
            Answer::Infeasible | Answer::Failed => {
                self.counts.failed += 1;
                return None;
            }
        };
        self.counts.solved += 1;
        for _ in 0..turns {
            let placement = Placement {
                shares: (0u32..)
                    .zip(&found)
                    .map(|(node, &(w, s))| {
                        let workers = round(w * scale, &mut self.stream);
                        Share { node, workers, servers: round(s * scale, &mut self.stream) }
                    })
                    .filter(|share| share.workers > 0 || share.servers > 0)
                    .collect(),
            };
            if is_feasible(market, workers, &placement) {
                return Some(Some(placement));
            }
        }
        self.counts.unrounded += 1;
        Some(None)
    }
}

/// Rounds up with the fraction as the probability.
fn round(value: f64, stream: &mut Stream) -> u32 {
    let value = value.max(0.0);
    // The library's zeros and ones are off by little.
    let near = value.round();
    if (value - near).abs() < 1e-7 {
        return near as u32;
    }
    let whole = value.floor();
    whole as u32 + u32::from(stream.unit() < value - whole)
}

/// Workers as many as needed and not more than the job may have, servers as many as they need, all capacities kept.
fn is_feasible(market: &Market<'_>, least: u32, placement: &Placement) -> bool {
    let demand = &market.job.demand;
    let workers = placement.workers();
    let servers: u32 = placement.shares.iter().map(|share| share.servers).sum();
    let fits = |share: &Share| market.room.fits(share.node as usize, demand, share.workers, share.servers);
    workers >= least
        && workers <= market.job.most
        && servers >= demand.servers(workers)
        && placement.shares.iter().all(fits)
}
