//! [`EvaluationTimes`]: the epochs after which held-out documents are scored.

use raddle::Metric;
use raddle::schedule::EpochStart;

use super::annealing::Course;

/// Epochs after which held-out documents are scored.
///
/// Every so many epochs; after the last one of a run of given length; and where the run is to meet a target, as
/// soon as the perplexity, if it goes on falling as fast as between the last two evaluations, may have met it. A
/// chain that settles falls ever more slowly, so it is seen at its target in the epoch that meets it, as a rule,
/// for a few evaluations in all.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvaluationTimes {
    /// The interval is the user's: no epoch between is scored.
    pub(crate) is_fixed: bool,
    /// Epoch (from 1) and perplexity of the last two evaluations, in order.
    seen: Vec<(u64, f64)>,
    /// The epoch (from 1) after which an evaluation was planned, whose perplexity is not in `seen` yet.
    planned: Option<u64>,
}

raddle::state!(EvaluationTimes { is_fixed, seen, planned });

impl EvaluationTimes {
    pub(crate) fn fixed(is_fixed: bool) -> Self {
        Self { is_fixed, ..Self::default() }
    }

    /// An evaluation is due at the boundary after the epoch that begins here. To be asked once an epoch.
    pub(crate) fn due(&mut self, course: &Course, start: &EpochStart) -> bool {
        if self.planned.take_if(|planned| *planned <= start.epoch).is_some() {
            self.seen.push((start.epoch, start.metric.value));
            self.seen.drain(..self.seen.len().saturating_sub(2));
        }
        let (epoch, last) = (start.epoch + 1, self.seen.last().map_or(0, |&(epoch, _)| epoch));
        let is_due = course.scores(start.epoch) || !self.is_fixed && self.is_near(&start.metric, epoch - last);
        if is_due {
            self.planned = Some(epoch);
        }
        is_due
    }

    /// The target may be met this many epochs after the last evaluation.
    fn is_near(&self, metric: &Metric, epochs: u64) -> bool {
        let (Some(target), [(before, from), (at, to)]) = (metric.target, self.seen.as_slice()) else {
            return false;
        };
        let an_epoch = (from - to) / (at - before) as f64;
        to - an_epoch * epochs as f64 <= target
    }
}
