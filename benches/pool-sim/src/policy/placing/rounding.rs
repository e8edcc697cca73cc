//! [`Rounding`]: randomised rounding of the answer of the linear programme.

use raddle::random::Stream;
use raddle_pool::policy::{Market, Placement, Share};

use super::lp::{Answer, solve};
use super::spread::{Order, cheapest};

/// Numbers of linear programmes and of their roundings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roundings {
    /// Linear programmes with an answer.
    pub solved: u64,
    /// Infeasible linear programmes: there is no placement, even with fractions.
    pub infeasible: u64,
    /// Linear programmes that the library failed at, so that cheapest first was used: it panicked, gave up,
    /// violated a constraint, or found no placement although there is one.
    pub failed: u64,
    /// Answers of which no rounding was feasible.
    pub unrounded: u64,
}

/// Randomised rounding, with its random stream and counts.
#[derive(Debug)]
pub(super) struct Rounding {
    stream: Stream,
    pub(super) counts: Roundings,
}

impl Rounding {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, counts: Roundings::default() }
    }

    /// Returns the placement that rounding finds, or `Some(None)` if it finds none; `None` if the linear
    /// programme failed.
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
            // If there is a placement, the library is wrong.
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

/// Rounds up with the fraction as the probability, else down.
fn round(value: f64, stream: &mut Stream) -> u32 {
    let value = value.max(0.0);
    // Zeros and ones of the library have rounding errors.
    let near = value.round();
    if (value - near).abs() < 1e-7 {
        return near as u32;
    }
    let whole = value.floor();
    whole as u32 + u32::from(stream.unit() < value - whole)
}

/// `true` if there are at least `least` workers and at most the maximum of the job, with all servers that
/// they need, within the capacities.
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
