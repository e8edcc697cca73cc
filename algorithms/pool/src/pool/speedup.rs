//! [`Amdahl`]: seconds of an epoch by the number of workers; [`Speeds`]: these seconds, learnt from a job's
//! epochs.

use std::collections::BTreeSet;
use std::path::Path;

use super::request::Request;
use crate::policy::{ByWorkers, Profile};

/// Factor by which the weight of an epoch falls with each later one.
const FADE: f64 = 0.9;
/// Weight of the known serial share, next to 1 of an epoch. Epochs on one number of workers say nothing of
/// it.
const PRIOR: f64 = 0.02;
/// Serial shares of programs before anything was measured. On two cores the Lasso is 1.0 to 1.6 times as fast
/// as on one, which is a share of 0.25 or more; the others are assumed.
const SERIAL: [(&str, f64); 4] = [("lda", 0.05), ("mf", 0.1), ("lasso", 0.4), ("linear", 0.3)];
/// Serial share of all others.
const OTHERS: f64 = 0.1;

/// Amdahl's law: an epoch on n workers takes `serial + parallel / n` seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amdahl {
    /// Seconds that more workers do not shorten.
    pub serial: f64,
    /// Seconds of one worker that all workers share.
    pub parallel: f64,
}

impl Amdahl {
    /// An epoch of a second on one worker, of which this share is serial.
    pub fn of_share(serial: f64) -> Self {
        Self { serial, parallel: 1.0 - serial }
    }

    /// Seconds of an epoch on `workers` workers.
    pub fn seconds(self, workers: u32) -> f64 {
        self.serial + self.parallel / f64::from(workers.max(1))
    }

    /// Serial share of the seconds on one worker.
    pub fn share(self) -> f64 {
        self.serial / (self.serial + self.parallel)
    }
}

/// Serial share of a job before any of its epochs was measured: of its profile, else of its program.
pub fn known_share(request: &Request) -> f64 {
    let program = program(request);
    let of_program = SERIAL.iter().find(|(name, _)| *name == program).map_or(OTHERS, |(_, share)| *share);
    let mut speeds = Speeds::default();
    for (workers, speed) in request.profile.iter().flat_map(|profile| &profile.speeds) {
        speeds.learn(*workers, 1.0 / speed);
    }
    speeds.fitted(of_program).map_or(of_program, Amdahl::share)
}

/// Name of the program of a job.
pub fn program(request: &Request) -> &str {
    let program = request.command.first().map_or("", String::as_str);
    Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Epochs of a job: weighted sums of 1, 1/n and 1/n^2 over their numbers of workers n, and of their seconds t
/// and t/n.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Speeds {
    ones: [f64; 3],
    seconds: [f64; 2],
    /// Numbers of workers with an epoch.
    seen: BTreeSet<u32>,
}

impl Speeds {
    /// Adds the seconds of an epoch on `workers` workers.
    pub fn learn(&mut self, workers: u32, seconds: f64) {
        if workers > 0 && seconds > 0.0 && seconds.is_finite() {
            let x = 1.0 / f64::from(workers);
            self.ones.iter_mut().zip([1.0, x, x * x]).for_each(|(sum, more)| *sum = FADE * *sum + more);
            self.seconds.iter_mut().zip([1.0, x]).for_each(|(sum, of)| *sum = FADE * *sum + of * seconds);
            self.seen.insert(workers);
        }
    }

    /// `true` if epochs were measured on several numbers of workers.
    pub fn has_shape(&self) -> bool {
        self.seen.len() > 1
    }

    /// Amdahl's law by least squares, where `share` is the serial share as far as epochs do not tell; `None`
    /// without epochs.
    pub fn fitted(&self, share: f64) -> Option<Amdahl> {
        let ([one, x, xx], [t, tx]) = (self.ones, self.seconds);
        if one == 0.0 {
            return None;
        }
        // The known share as an equation: (1 - share) serial - share parallel = 0.
        let (of_serial, of_parallel) = (1.0 - share, -share);
        let (a, b, c) = (
            one + PRIOR * of_serial * of_serial,
            x + PRIOR * of_serial * of_parallel,
            xx + PRIOR * of_parallel * of_parallel,
        );
        let determinant = a * c - b * b;
        let (serial, parallel) = ((t * c - tx * b) / determinant, (a * tx - b * t) / determinant);
        Some(match (serial > 0.0, parallel > 0.0) {
            (true, true) => Amdahl { serial, parallel },
            (false, _) => Amdahl { serial: 0.0, parallel: tx / xx },
            (_, false) => Amdahl { serial: t / one, parallel: 0.0 },
        })
    }

    /// Epochs a second, in ascending order of the workers that had epochs.
    pub fn all(&self, share: f64) -> Vec<(u32, f64)> {
        let law = self.fitted(share);
        self.seen.iter().filter_map(|&workers| Some((workers, 1.0 / law?.seconds(workers)))).collect()
    }

    /// Epochs a second on 1, 2, ... workers, up to `most`. Without epochs those of the profile, or else an
    /// epoch a second on one worker.
    pub fn rates(&self, most: u32, share: f64, profile: Option<&Profile>) -> ByWorkers {
        match (self.fitted(share), profile) {
            (None, Some(profile)) => ByWorkers::up_to(most, |workers| profile.speed(workers)),
            (law, _) => {
                let law = law.unwrap_or(Amdahl::of_share(share));
                ByWorkers::up_to(most, |workers| 1.0 / law.seconds(workers))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Speed as _;

    /// Seconds of epochs by Amdahl's law on these numbers of workers, in turn.
    fn learnt(serial: f64, parallel: f64, workers: &[u32]) -> Speeds {
        let mut speeds = Speeds::default();
        workers.iter().for_each(|&n| speeds.learn(n, Amdahl { serial, parallel }.seconds(n)));
        speeds
    }

    #[test]
    fn one_number_of_workers_tells_the_level_and_the_known_share_the_shape() {
        let law = learnt(1.0, 3.0, &[2, 2, 2]).fitted(0.1).unwrap();
        assert!((law.seconds(2) - 2.5).abs() < 1e-9 && (law.share() - 0.1).abs() < 1e-9, "{law:?}");
        assert_eq!(Speeds::default().fitted(0.1), None);
    }

    #[test]
    fn several_numbers_tell_both_and_the_last_epochs_count_most() {
        let law = learnt(1.0, 3.0, &[1, 2, 4, 8, 1, 2, 4, 8]).fitted(0.5).unwrap();
        assert!((law.share() - 0.25).abs() < 0.02, "{law:?}");
        let mut speeds = learnt(1.0, 3.0, &[1, 2, 4, 8]);
        for _ in 0..20 {
            [1, 4]
                .into_iter()
                .for_each(|n| speeds.learn(n, Amdahl { serial: 0.2, parallel: 7.8 }.seconds(n)));
        }
        let law = speeds.fitted(0.5).unwrap();
        assert!((law.share() - 0.025).abs() < 0.02, "{law:?}");
        // Neither number is below 0, whatever was measured.
        let mut odd = Speeds::default();
        [(1, 1.0), (2, 9.0), (1, f64::NAN), (0, 1.0)].into_iter().for_each(|(n, t)| odd.learn(n, t));
        assert_eq!(odd.fitted(0.1).map(|law| law.parallel), Some(0.0));
        let mut odd = Speeds::default();
        [(1, 9.0), (2, 1.0)].into_iter().for_each(|(n, t)| odd.learn(n, t));
        assert_eq!(odd.fitted(0.1).map(|law| law.serial), Some(0.0));
    }

    #[test]
    fn a_profile_gives_level_and_shape_until_epochs_do() {
        let profile: Profile =
            serde_json::from_str(r#"{"name": "a", "epochs": 9, "speeds": [[1, 1.0], [2, 1.6]]}"#).unwrap();
        let request = Request { profile: Some(profile.clone()), ..Request::new("a", &["bin/lasso"], 4) };
        let share = known_share(&request);
        assert!((share - 0.25).abs() < 0.05, "{share}");
        assert_eq!(known_share(&Request { profile: None, ..request }), 0.4);
        let mut speeds = Speeds::default();
        assert_eq!(speeds.rates(4, share, Some(&profile)).rate(2, 1), 1.6);
        speeds.learn(1, 0.5);
        let rate = speeds.rates(4, share, Some(&profile)).rate(2, 1);
        assert!((rate - 3.2).abs() < 0.15, "{rate}");
    }
}
