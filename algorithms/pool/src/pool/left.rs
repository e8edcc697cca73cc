//! [`left`]: estimate of the epochs that a job has left.

use std::collections::VecDeque;

/// Maximum and minimum number of boundaries from which a slope is estimated.
const LAST: usize = 10;
const LEAST: usize = 3;

/// Last values of a job's metric, by epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Slope {
    values: VecDeque<(u64, f64)>,
    target: Option<f64>,
}

impl Slope {
    /// Adds the metric at a boundary.
    pub(super) fn learn(&mut self, epoch: u64, metric: Option<f64>, target: Option<f64>) {
        let Some(value) = metric.filter(|value| value.is_finite()) else { return };
        self.target = target;
        // A run that continues from a checkpoint repeats these epochs.
        self.values.retain(|(earlier, _)| *earlier < epoch);
        self.values.push_back((epoch, value));
        if self.values.len() > LAST {
            self.values.pop_front();
        }
    }

    /// The last value, and its target.
    pub(super) fn last(&self) -> Option<(f64, Option<f64>)> {
        self.values.back().map(|(_, value)| (*value, self.target))
    }

    /// Epochs until the metric reaches its target, if it continues to fall by the same factor each epoch; by
    /// the same amount if the target is not positive, where no logarithm exists. `None` without a target, or
    /// if the metric does not fall.
    pub(super) fn left(&self) -> Option<f64> {
        let target = self.target?;
        let (&(from, first), &(to, last)) = self.values.front().zip(self.values.back())?;
        if self.values.len() < LEAST || last >= first {
            return None;
        }
        let height = |value: f64| if target > 0.0 { libm::log(value) } else { value };
        let fall = (height(first) - height(last)) / (to - from) as f64;
        let left = (height(last) - height(target)) / fall;
        left.is_finite().then_some(left.max(0.0))
    }
}

/// Epochs left after `epoch`: from the slope of the metric, else from a profile, but never more than the
/// limit.
pub(super) fn left(epoch: u64, limit: Option<u64>, profile: Option<f64>, slope: &Slope) -> Option<f64> {
    let limit = limit.map(|limit| limit.saturating_sub(epoch) as f64);
    // The profile does not describe a run that takes longer than it.
    let profile = profile.map(|all| all - epoch as f64).filter(|left| *left > 0.0);
    match (slope.left().or(profile), limit) {
        (Some(left), Some(limit)) => Some(left.min(limit)),
        (left, limit) => left.or(limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(values: &[f64], target: Option<f64>) -> Slope {
        let mut slope = Slope::default();
        (0..).zip(values).for_each(|(epoch, &value)| slope.learn(epoch, Some(value), target));
        slope
    }

    #[test]
    fn a_metric_that_falls_by_shares_reaches_its_target_in_time() {
        let left = slope(&[1.0, 0.1, 0.01], Some(1e-6)).left().unwrap();
        assert!((left - 4.0).abs() < 1e-9, "{left}");
        // Below 0 there are no logarithms.
        assert_eq!(slope(&[3.0, 2.0, 1.0], Some(-1.0)).left(), Some(2.0));
    }

    #[test]
    fn nothing_is_told_where_nothing_is_known() {
        for unknown in [
            slope(&[1.0, 0.1], Some(1e-6)),
            slope(&[1.0, 0.1, 0.01], None),
            slope(&[1.0, 2.0, 3.0], Some(1e-6)),
            slope(&[1.0, f64::NAN, f64::NAN], Some(0.5)),
        ] {
            assert_eq!(unknown.left(), None);
            assert_eq!(left(3, None, None, &unknown), None);
            assert_eq!(left(3, Some(10), None, &unknown), Some(7.0));
            assert_eq!(left(3, Some(10), Some(8.0), &unknown), Some(5.0));
            // The run is longer than its profile.
            assert_eq!(left(9, None, Some(8.0), &unknown), None);
        }
    }

    #[test]
    fn a_limit_is_never_exceeded() {
        let falling = slope(&[1.0, 0.5, 0.25], Some(1e-9));
        assert_eq!(left(2, Some(10), Some(5.0), &falling), Some(8.0));
        assert_eq!(left(12, Some(10), None, &falling), Some(0.0));
    }
}
