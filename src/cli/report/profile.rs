//! [`Profile`]: cost and gain of an epoch with a number of workers, to decide how many to give.

use std::collections::BTreeMap;

use raddle::EpochRecord;
use serde::Serialize;

/// Costs and gains of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Profile {
    /// Seconds an epoch took, on average.
    pub seconds_per_epoch: f64,
    /// Decades by which an epoch brought the metric down, on average; `None` where it has no logarithm.
    pub progress: Option<f64>,
}

/// The profile of a run by its numbers of workers. Pauses between generations are no part of it.
pub fn profile(trace: &[EpochRecord]) -> BTreeMap<usize, Profile> {
    let mut sums: BTreeMap<usize, Sums> = BTreeMap::new();
    let epochs = trace.windows(2).filter(|pair| pair[1].epoch > pair[0].epoch);
    for (before, after) in epochs.map(|pair| (&pair[0], &pair[1])) {
        sums.entry(after.workers).or_default().add(before, after);
    }
    sums.into_iter().map(|(workers, sums)| (workers, sums.mean())).collect()
}

#[derive(Default)]
struct Sums {
    epochs: usize,
    seconds: f64,
    measured: usize,
    decades: f64,
}

impl Sums {
    fn add(&mut self, before: &EpochRecord, after: &EpochRecord) {
        self.epochs += 1;
        self.seconds += after.seconds - before.seconds;
        let decades = libm::log10(before.value() / after.value());
        if decades.is_finite() {
            self.measured += 1;
            self.decades += decades;
        }
    }

    fn mean(self) -> Profile {
        Profile {
            seconds_per_epoch: self.seconds / self.epochs as f64,
            progress: (self.measured > 0).then(|| self.decades / self.measured as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Metric;

    fn record(epoch: u64, workers: usize, seconds: f64, value: f64) -> EpochRecord {
        let metric = Some(Metric::new("gap", value, "training data"));
        EpochRecord { epoch, workers, seconds, metric, ..EpochRecord::default() }
    }

    #[test]
    fn epochs_are_told_apart_by_workers_and_pauses_left_out() {
        let trace = [
            record(0, 1, 1.0, 1.0),
            record(1, 1, 3.0, 0.1),
            record(2, 1, 5.0, 0.001),
            record(2, 2, 9.0, 0.001), // the same boundary, seen by the next generation
            record(3, 2, 10.0, 0.0),
        ];
        let profile = profile(&trace);
        assert_eq!(profile[&1].seconds_per_epoch, 2.0);
        assert!((profile[&1].progress.unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(profile[&2], Profile { seconds_per_epoch: 1.0, progress: None });
    }

    #[test]
    fn a_run_without_epochs_has_none() {
        assert!(profile(&[record(0, 1, 1.0, 1.0)]).is_empty());
    }
}
