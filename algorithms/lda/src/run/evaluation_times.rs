//! [`EvaluationTimes`]: decides after which epochs held-out documents are scored.

use raddle::schedule::EpochStart;

use super::annealing::Course;

/// Largest usual decrease of a perplexity, relative to itself, while the epochs of a stage double: in the
/// first stage, and in later ones, which start with topics. On four public corpora it was at most 0.21 (on
/// one of them 0.42 in the first six epochs) and 0.055.
const FALLS: [f64; 2] = [0.2, 0.07];

/// The epochs after which held-out documents are scored: every fifth one, or by the user's interval, and the
/// last one of a run of given length.
///
/// If a run has a target and the user gave no interval, an evaluation is due when the perplexity may have met
/// the target, at most twenty epochs after the last. While the same documents take part (see [`Course`]), the
/// perplexity falls about in proportion to the logarithm of their epochs: as fast as between the last two
/// evaluations, or by [`FALLS`] if there is only one. A settling chain falls ever more slowly, so that
/// evaluations are early rather than late. The first epoch with more documents lowers the perplexity more
/// than many before: an evaluation is due there, too, and none in the two epochs before. As the next one is
/// often due when more documents join whatever the perplexity is, an estimate is [enough](Self::waits) there.
#[derive(Debug, Clone, Default)]
pub(crate) struct EvaluationTimes {
    /// `true` if the user gave the interval: no other epoch is scored.
    pub(crate) is_fixed: bool,
    /// Epoch (from 1) and perplexity of the last two evaluations, in order.
    seen: Vec<(u64, f64)>,
    /// Epoch (from 1) of the last evaluation that was due.
    planned: Option<u64>,
}

raddle::state!(EvaluationTimes { is_fixed, seen, planned });

impl EvaluationTimes {
    pub(crate) fn fixed(is_fixed: bool) -> Self {
        Self { is_fixed, ..Self::default() }
    }

    /// Returns `true` if an evaluation is due at the boundary after the epoch that starts here. Must be
    /// called once per epoch.
    pub(crate) fn due(&mut self, course: &Course, start: &EpochStart) -> bool {
        if self.planned.is_some_and(|planned| planned == start.epoch) {
            self.seen.push((start.epoch, start.metric.value));
            self.seen.drain(..self.seen.len().saturating_sub(2));
        }
        let epoch = start.epoch + 1;
        let is_due = match start.metric.target.filter(|_| !self.is_fixed) {
            Some(target) => epoch >= self.next(course, target) || course.length() == Some(epoch),
            None => course.scores(start.epoch),
        };
        if is_due {
            self.planned = Some(epoch);
        }
        is_due
    }

    /// Returns `true` if the evaluation that was planned last is the first of documents that others will
    /// join: an estimate may then be [enough](Self::waits).
    pub(crate) fn may_be_estimated(&self, course: &Course, start: &EpochStart) -> bool {
        let Some(at) = self.planned.filter(|_| !self.is_fixed && start.metric.target.is_some()) else {
            return false;
        };
        let (begin, end) = course.part_of(at);
        let is_first = self.seen.last().is_none_or(|&(seen, _)| seen <= begin);
        is_first && end.is_some() && course.length() != Some(at)
    }

    /// Returns `true` if the target is not met at `at`, the first evaluation of its part of the documents,
    /// and the next is due once more join, for this value and for all larger ones: then no plan depends on
    /// the value, which is never compared with later ones either.
    pub(crate) fn waits(course: &Course, at: u64, value: f64, target: f64) -> bool {
        let seen = Self { seen: vec![(at, value)], ..Self::default() };
        value > target && course.part_of(at).1.is_some_and(|end| seen.next(course, target) > end)
    }

    /// Returns the epoch (from 1) after which the target may be met, or the last evaluation is too long ago.
    fn next(&self, course: &Course, target: f64) -> u64 {
        let Some(&(at, value)) = self.seen.last() else {
            return Self::before_more(course, 1, course.every);
        };
        let (begin, _) = course.part_of(at);
        let earlier = self.seen.iter().rev().nth(1).filter(|&&(earlier, _)| earlier > begin);
        // Decrease while the epochs of the stage grow by a factor of e.
        let falls = match earlier {
            Some(&(earlier, from)) => {
                (from - value) / libm::log((at - begin) as f64 / (earlier - begin) as f64)
            }
            None => value * FALLS[usize::from(begin > 0)] / std::f64::consts::LN_2,
        };
        let epochs = match falls > 0.0 {
            true => ((at - begin) as f64 * libm::expm1((value - target) / falls)).ceil(),
            false => course.every as f64,
        };
        Self::before_more(course, at, at + epochs.clamp(1.0, 4.0 * course.every as f64) as u64)
    }

    /// Returns the planned epoch, or the first with more documents than `at` if that is soon.
    fn before_more(course: &Course, at: u64, planned: u64) -> u64 {
        match course.part_of(at) {
            (_, Some(end)) if planned + 2 > end => end + 1,
            _ => planned,
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

    /// Returns the epochs after which a perplexity that falls like this is evaluated, until the target is
    /// met.
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
            // A target that is met before the second evaluation is seen there.
            for met in [11, 12, 17, 40, 77, 100] {
                let found = times(EvaluationTimes::default(), &course, falls, falls(met) + 1e-9);
                assert_eq!(found.last(), Some(&met), "{found:?}");
                assert!(found.len() as u64 <= met / 20 + 5, "{met}: {found:?}");
                assert!(found.windows(2).all(|pair| pair[1] - pair[0] <= 20), "{found:?}");
            }
        }
    }

    #[test]
    fn evaluations_wait_for_more_documents_where_these_are_soon() {
        for (tokens, topics) in [(2_000_000, 100), (2_000_000, 1000), (9_200_000, 100), (9_200_000, 1000)] {
            let course = Course::new(tokens, topics, true, None, None);
            let ends: Vec<u64> = (1..60).filter(|&epoch| course.part_of(epoch).1 == Some(epoch)).collect();
            // Each stage leaves a third, and each doubling of its epochs a twentieth less.
            let falls = |epoch: u64| {
                let (begin, _) = course.part_of(epoch);
                let parts = ends.iter().filter(|&&end| end < epoch).count() as f64;
                1000.0 + 5000.0 * (-1.1 * parts - 0.05 * ((epoch - begin) as f64).log2()).exp()
            };
            for met in 1..60 {
                let found = times(EvaluationTimes::default(), &course, falls, falls(met) + 1e-9);
                let (last, before) = found.split_last().unwrap();
                assert!(*last >= met, "{topics} of {tokens}, {met}: {found:?}");
                for &end in &ends {
                    let is_soon = |at: u64| at <= end && at + 1 >= end && !ends.contains(&(at - 1));
                    assert!(!found.iter().any(|&at| is_soon(at)), "{end}: {found:?}");
                    let is_asked = end < *last;
                    assert_eq!(found.contains(&(end + 1)), is_asked, "{end}: {found:?}");
                }
                // The target may be seen late only if it is met before the first evaluation, or in the two
                // epochs without one.
                let is_waited_for = *last == met || before.is_empty() || ends.contains(&(last - 1));
                assert!(is_waited_for, "{topics} of {tokens}, {met}: {found:?}");
                assert!(found.len() <= ends.len() + 6, "{topics} of {tokens}, {met}: {found:?}");
            }
        }
    }

    #[test]
    fn estimates_that_are_enough_change_no_plan() {
        let (mut enough, mut all) = (0, 0);
        for (tokens, topics) in [(2_000_000, 100), (2_000_000, 1000), (9_200_000, 100), (9_200_000, 1000)] {
            let course = Course::new(tokens, topics, true, None, None);
            let value = |epoch: u64| 1000.0 + 5000.0 * (epoch as f64).powf(-0.7);
            for target in (1050..4000).step_by(37).map(f64::from) {
                let [mut exact, mut estimated] = [(); 2].map(|()| EvaluationTimes::default());
                let [mut one, mut other] = [f64::NAN; 2];
                for epoch in 0..80 {
                    let starts = [one, other].map(|value| start(epoch, value, Some(target)));
                    let is_due = exact.due(&course, &starts[0]);
                    assert_eq!(estimated.due(&course, &starts[1]), is_due, "{topics} of {tokens}: {epoch}");
                    if is_due {
                        (one, other) = (value(epoch + 1), value(epoch + 1));
                        // The largest error in either direction.
                        let estimate = one * if epoch % 2 == 0 { 1.01 } else { 0.99 };
                        if estimated.may_be_estimated(&course, &starts[1])
                            && EvaluationTimes::waits(&course, epoch + 1, estimate / 1.01, target)
                        {
                            (other, enough) = (estimate, enough + 1);
                        }
                        all += 1;
                        if one <= target {
                            assert_eq!(one, other, "no estimate ends a run");
                            break;
                        }
                    }
                }
            }
        }
        assert!(all > 700 && 5 * enough > all, "{enough} of {all}");
    }

    #[test]
    fn an_interval_of_the_users_is_kept() {
        let mut course = Course::new(390_000, 100, true, None, None);
        course.every = 3;
        let falls = |epoch: u64| 2000.0 - epoch as f64;
        assert_eq!(times(EvaluationTimes::fixed(true), &course, falls, 1989.0), [3, 6, 9, 12]);
    }

    #[test]
    fn without_a_target_and_where_nothing_falls_it_is_every_fifth_and_the_last() {
        let course = Course::new(390_000, 100, true, None, Some(12));
        let mut plain = EvaluationTimes::default();
        let due = (0..12).filter(|&epoch| plain.due(&course, &start(epoch, 2000.0 - epoch as f64, None)));
        assert_eq!(due.collect::<Vec<_>>(), [4, 9, 11]);
        let rising = times(EvaluationTimes::default(), &course, |epoch| 2000.0 + epoch as f64, 100.0);
        assert_eq!(rising[..4], [5, 12, 17, 22], "{rising:?}");
    }
}
