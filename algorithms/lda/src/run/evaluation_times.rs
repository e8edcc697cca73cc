//! [`EvaluationTimes`]: the epochs after which held-out documents are scored.

use raddle::schedule::EpochStart;

use super::annealing::Course;

/// Epochs after which held-out documents are scored: every fifth, or as the user says, and the last one of a run of
/// given length.
///
/// Where a run is to meet a target and the user says nothing, an evaluation is due when the perplexity may have met the
/// target if it goes on falling as fast as between the last two, at most ten epochs after the last. A chain that
/// settles falls ever more slowly, so that the line through the last two evaluations is early rather than late: as a
/// rule the target is seen in the epoch that meets it, for few evaluations in all.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvaluationTimes {
    /// The interval is the user's: no epoch between is scored.
    pub(crate) is_fixed: bool,
    /// Epoch (from 1) and perplexity of the last two evaluations, in order.
    seen: Vec<(u64, f64)>,
    /// The epoch (from 1) of the last evaluation that was due.
    planned: Option<u64>,
}

raddle::state!(EvaluationTimes { is_fixed, seen, planned });

impl EvaluationTimes {
    pub(crate) fn fixed(is_fixed: bool) -> Self {
        Self { is_fixed, ..Self::default() }
    }

    /// An evaluation is due at the boundary after the epoch that begins here. To be asked once an epoch.
    pub(crate) fn due(&mut self, course: &Course, start: &EpochStart) -> bool {
        if self.planned.is_some_and(|planned| planned == start.epoch) {
            self.seen.push((start.epoch, start.metric.value));
            self.seen.drain(..self.seen.len().saturating_sub(2));
        }
        let epoch = start.epoch + 1;
        let is_due = match start.metric.target.filter(|_| !self.is_fixed) {
            Some(target) => epoch >= self.next(course.every, target) || course.length() == Some(epoch),
            None => course.scores(start.epoch),
        };
        if is_due {
            self.planned = Some(epoch);
        }
        is_due
    }

    /// The epoch (from 1) after which the target may be met, or the last evaluation is long ago.
    fn next(&self, every: u64, target: f64) -> u64 {
        match *self.seen.as_slice() {
            [(before, from), (at, to)] if from > to => {
                let epochs = (to - target) * (at - before) as f64 / (from - to);
                at + epochs.ceil().clamp(1.0, 2.0 * every as f64) as u64
            }
            _ => self.seen.last().map_or(0, |&(at, _)| at) + every,
        }
    }
}

#[cfg(test)]
mod tests {
    use raddle::Metric;

    use super::*;

    fn start(epoch: u64, value: f64, target: Option<f64>) -> EpochStart {
        let metric = Metric::new("perplexity", value, "test data").target(target);
        EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 }
    }

    /// Epochs after which a perplexity that falls like this is evaluated, until the target is met.
    fn times(
        mut times: EvaluationTimes,
        course: &Course,
        falls: impl Fn(u64) -> f64,
        target: f64,
    ) -> Vec<u64> {
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
                assert!(found.len() as u64 <= met / 10 + 6, "{met}: {found:?}");
                assert!(found.windows(2).all(|pair| pair[1] - pair[0] <= 10), "{found:?}");
            }
        }
    }

    #[test]
    fn an_interval_of_the_users_is_kept() {
        let mut course = Course::new(390_000, 100, true, None, None);
        course.every = 3;
        let falls = |epoch: u64| 2000.0 - epoch as f64;
        assert_eq!(times(EvaluationTimes::fixed(true), &course, falls, 1989.0), [3, 6, 9, 12]);
        assert_eq!(times(EvaluationTimes::default(), &course, falls, 1989.0), [3, 6, 11]);
    }

    #[test]
    fn without_a_target_and_where_nothing_falls_it_is_every_fifth_and_the_last() {
        let course = Course::new(390_000, 100, true, None, Some(12));
        let mut plain = EvaluationTimes::default();
        let due = (0..12).filter(|&epoch| plain.due(&course, &start(epoch, 2000.0 - epoch as f64, None)));
        assert_eq!(due.collect::<Vec<_>>(), [4, 9, 11]);
        let rising = times(EvaluationTimes::default(), &course, |epoch| 2000.0 + epoch as f64, 100.0);
        assert_eq!(rising[..5], [5, 10, 12, 17, 22], "{rising:?}");
    }
}
