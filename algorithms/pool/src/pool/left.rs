//! [`left`]: epochs that are left of a job, as far as that can be told.

use std::collections::VecDeque;

/// Number of the last boundaries by which a slope is taken, and least number of them.
const LAST: usize = 10;
const LEAST: usize = 3;

/// The last values of a job's metric, by epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Slope {
    values: VecDeque<(u64, f64)>,
    target: Option<f64>,
}

impl Slope {
    /// Takes in the metric of a boundary.
    pub(super) fn learn(&mut self, epoch: u64, metric: Option<f64>, target: Option<f64>) {
        let Some(value) = metric.filter(|value| value.is_finite()) else { return };
        self.target = target;
        // A run that goes on from a checkpoint does these epochs again.
        self.values.retain(|(earlier, _)| *earlier < epoch);
        self.values.push_back((epoch, value));
        if self.values.len() > LAST {
            self.values.pop_front();
        }
    }

    /// Epochs until the metric reaches its target, if it goes on falling by the same share; by the same amount where no
    /// logarithm is to be had. None without a target, or where the metric does not fall.
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

/// Epochs that are left after `epoch`: by the slope of the metric or else by a profile, but never more than a limit.
pub(super) fn left(epoch: u64, limit: Option<u64>, profile: Option<f64>, slope: &Slope) -> Option<f64> {
    let limit = limit.map(|limit| limit.saturating_sub(epoch) as f64);
    // A run that is longer than its profile has shown how little that says of it.
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
            // Longer than its profile.
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
