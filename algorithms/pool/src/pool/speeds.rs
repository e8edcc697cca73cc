//! [`Speeds`]: the measured speeds of a job, in epochs a second.

use std::collections::{BTreeMap, VecDeque};

use crate::policy::{ByWorkers, Profile};

/// Number of the last epochs that a speed is averaged over.
const LAST: usize = 5;

/// Speeds of a job, by the number of workers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Speeds {
    seconds: BTreeMap<u32, VecDeque<f64>>,
}

impl Speeds {
    /// Adds the seconds of an epoch on `workers` workers.
    pub fn learn(&mut self, workers: u32, seconds: f64) {
        if workers > 0 && seconds > 0.0 && seconds.is_finite() {
            let last = self.seconds.entry(workers).or_default();
            last.push_back(seconds);
            if last.len() > LAST {
                last.pop_front();
            }
        }
    }

    /// Epochs a second on `workers` workers, if measured.
    pub fn measured(&self, workers: u32) -> Option<f64> {
        let last = self.seconds.get(&workers)?;
        Some(last.len() as f64 / last.iter().sum::<f64>())
    }

    /// Measured epochs a second, in ascending order of workers.
    pub fn all(&self) -> Vec<(u32, f64)> {
        self.seconds.keys().filter_map(|&workers| Some((workers, self.measured(workers)?))).collect()
    }

    /// Epochs a second on 1, 2, ... workers, up to `most`: linear between two measured numbers of workers;
    /// outside them in proportion to a profile, or else to the workers. Without measurements the speed is
    /// that of the profile, or else one epoch a second for each worker.
    pub fn rates(&self, most: u32, profile: Option<&Profile>) -> ByWorkers {
        let shape = |workers: u32| profile.map_or(f64::from(workers), |profile| profile.speed(workers));
        let known = self.all();
        let rate = |workers: u32| {
            let above = known.partition_point(|(count, _)| *count < workers);
            match (above.checked_sub(1).map(|at| known[at]), known.get(above)) {
                (_, Some(&(count, rate))) if count == workers => rate,
                (Some((low, slow)), Some(&(high, fast))) => {
                    slow + (fast - slow) * f64::from(workers - low) / f64::from(high - low)
                }
                (Some((count, rate)), None) | (None, Some(&(count, rate))) => {
                    rate * shape(workers) / shape(count)
                }
                (None, None) => shape(workers),
            }
        };
        ByWorkers::up_to(most, rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Speed as _;

    #[test]
    fn speeds_are_means_of_the_last_five_and_linear_between() {
        let mut speeds = Speeds::default();
        for seconds in [100.0, 4.0, 4.0, 4.0, 2.0, 6.0] {
            speeds.learn(2, seconds);
        }
        speeds.learn(4, 2.5);
        assert_eq!((speeds.measured(2), speeds.measured(3)), (Some(0.25), None));
        let rates = speeds.rates(8, None);
        let expected = [0.125, 0.25, 0.325, 0.4, 0.5, 0.6, 0.7, 0.8];
        for (workers, expected) in (1..).zip(expected) {
            assert!((rates.rate(workers, 1) - expected).abs() < 1e-12, "{workers}");
        }
    }

    #[test]
    fn a_profile_gives_the_shape() {
        let profile: Profile =
            serde_json::from_str(r#"{"name": "a", "epochs": 9, "speeds": [[1, 1.0], [2, 1.5]]}"#).unwrap();
        let mut speeds = Speeds::default();
        let rate = |speeds: &Speeds, workers| speeds.rates(4, Some(&profile)).rate(workers, 1);
        assert_eq!((rate(&speeds, 1), rate(&speeds, 2), rate(&speeds, 4)), (1.0, 1.5, 1.5));
        speeds.learn(1, 0.5);
        assert_eq!((rate(&speeds, 1), rate(&speeds, 2)), (2.0, 3.0));
        speeds.learn(1, f64::NAN);
        speeds.learn(0, 1.0);
        assert_eq!(rate(&speeds, 1), 2.0);
    }
}
