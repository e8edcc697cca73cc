//! Randomised rounding of the linear programme's answer.

use raddle::random::Stream;

use super::drawn::Drawn;
use super::lp::{Answer, solve};
use super::market::Market;
use super::spread::{Order, cheapest};
use crate::policy::cluster::{Placement, Share};

/// The placement that rounding finds, if it does. None where the linear programme failed.
#[allow(clippy::option_option, reason = "an answer, which may be that there is no placement")]
pub(super) fn rounded(
    market: &Market<'_>,
    workers: u32,
    order: &Order,
    (scale, turns): (f64, u32),
    drawn: &mut Drawn,
) -> Option<Option<Placement>> {
    let servers = market.job.demand.servers(workers);
    let counts = &mut drawn.roundings;
    let found = match solve(market, workers, servers) {
        Answer::Found(found) => found,
        // Where a placement is at hand, it is the library that is wrong.
        Answer::Infeasible if cheapest(market, workers, order).is_none() => {
            counts.infeasible += 1;
            return Some(None);
        }
        Answer::Infeasible | Answer::Failed => {
            counts.failed += 1;
            return None;
        }
    };
    counts.solved += 1;
    for _ in 0..turns {
        let placement = Placement {
            shares: (0u32..)
                .zip(&found)
                .map(|(node, &(w, s))| {
                    let workers = round(w * scale, &mut drawn.stream);
                    Share { node, workers, servers: round(s * scale, &mut drawn.stream) }
                })
                .filter(|share| share.workers > 0 || share.servers > 0)
                .collect(),
        };
        if feasible(market, workers, &placement) {
            return Some(Some(placement));
        }
    }
    counts.unrounded += 1;
    Some(None)
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
fn feasible(market: &Market<'_>, least: u32, placement: &Placement) -> bool {
    let demand = &market.job.demand;
    let workers = placement.workers();
    let servers: u32 = placement.shares.iter().map(|share| share.servers).sum();
    let fits = |share: &Share| market.room.fits(share.node as usize, demand, share.workers, share.servers);
    workers >= least
        && workers <= market.job.most
        && servers >= demand.servers(workers)
        && placement.shares.iter().all(fits)
}
