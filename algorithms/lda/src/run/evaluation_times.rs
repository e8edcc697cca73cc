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

#[cfg(test)]
mod tests {
    use super::*;

    fn start(epoch: u64, value: f64, target: Option<f64>) -> EpochStart {
        let metric = Metric::new("perplexity", value, "test data").target(target);
        EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 }
    }

    /// Epochs after which a perplexity that falls like this is evaluated, until the target is met.
    fn times(mut times: EvaluationTimes, course: &Course, falls: impl Fn(u64) -> f64, target: f64) -> Vec<u64> {
        let (mut found, mut value) = (Vec::new(), f64::NAN);
        for epoch in 0..200 {
            if times.due(course, &start(epoch, value, Some(target))) {
                found.push(epoch + 1);
                value = falls(epoch + 1);
                if value <= target {
                    break;
                }
            }
        }
        found
    }

    #[test]
    fn a_target_is_seen_in_the_epoch_that_meets_it_for_few_evaluations() {
        let course = Course::new(390_000, 100, true, None, None);
        for (scale, power) in [(9000.0, 0.3), (5000.0, 0.5), (3000.0, 1.0)] {
            let falls = |epoch: u64| 1000.0 + scale * (epoch as f64).powf(-power);
            // What is met before the second evaluation is met there.
            for met in [11, 12, 17, 40, 77, 100] {
                let found = times(EvaluationTimes::default(), &course, falls, falls(met) + 1e-9);
                assert_eq!(found.last(), Some(&met), "{found:?}");
                assert!(found.len() as u64 <= met / 5 + 6, "{met}: {found:?}");
                assert!(found.windows(2).all(|pair| pair[1] - pair[0] <= 5), "{found:?}");
            }
        }
    }

    #[test]
    fn an_interval_of_the_users_is_kept() {
        let mut course = Course::new(390_000, 100, true, None, None);
        course.every = 3;
        let falls = |epoch: u64| 2000.0 - epoch as f64;
        assert_eq!(times(EvaluationTimes::fixed(true), &course, falls, 1989.0), [3, 6, 9, 12]);
        assert_eq!(times(EvaluationTimes::default(), &course, falls, 1989.0), [3, 6, 9, 11]);
    }

    #[test]
    fn without_a_target_and_where_nothing_falls_it_is_every_fifth_and_the_last() {
        let course = Course::new(390_000, 100, true, None, Some(12));
        let mut plain = EvaluationTimes::default();
        let due = (0..12).filter(|&epoch| plain.due(&course, &start(epoch, 2000.0 - epoch as f64, None)));
        assert_eq!(due.collect::<Vec<_>>(), [4, 9, 11]);
        let rising = times(EvaluationTimes::default(), &course, |epoch| 2000.0 + epoch as f64, 100.0);
        assert_eq!(rising[..3], [5, 10, 12], "{rising:?}");
    }
}
