//! [`Profile`]: a run as it was measured, and a job that does the same again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::policy::{Demand, Job, JobId, Placement, Speed as _, Utility};
use crate::simulate::model::{ByWorkers, Model, Submitted};

/// A file of profiles, as JSON or TOML: `[[job]]` for each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The jobs.
    #[serde(rename = "job")]
    pub jobs: Vec<Profile>,
}

/// A run as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name of the job.
    pub name: String,
    /// Time of its arrival, in seconds.
    #[serde(default)]
    pub at: f64,
    /// Number of epochs to its end.
    pub epochs: f64,
    /// Seconds of a start: of the process, and to read the data.
    #[serde(default)]
    pub start: f64,
    /// Epochs a second by the number of workers, in rising order of workers.
    pub speeds: Vec<(u32, f64)>,
    /// Least number of workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// Most workers. Default: the largest number with a speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Number of workers that a policy without elasticity gives it. Default: the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<u32>,
    /// Value of the job. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Seconds from its arrival up to which it has its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<f64>,
}

impl Profile {
    /// Epochs a second on so many workers: in proportion below the least number that was measured, linear between two, and
    /// that of the largest beyond. `speeds` has one at least.
    pub fn speed(&self, workers: u32) -> f64 {
        if self.speeds.is_empty() { 0.0 } else { between(&self.speeds, workers) }
    }

    /// The job, to be simulated.
    ///
    /// # Errors
    /// A text that names the value out of its range.
    pub fn submitted(&self) -> Result<Submitted, String> {
        let Self { name, at, epochs, start, speeds, .. } = self;
        let is_number = |value: f64| value >= 0.0 && value.is_finite();
        let refuse = |message: String| Err(format!("job {name}: {message}"));
        if !is_number(*at) || !is_number(*start) {
            return refuse(format!("at {at}, start {start}: choose seconds, 0 or more"));
        }
        if !(*epochs > 0.0 && epochs.is_finite()) {
            return refuse(format!("epochs {epochs}: choose a number above 0"));
        }
        let is_speed = |(workers, speed): &(u32, f64)| *workers > 0 && *speed > 0.0 && speed.is_finite();
        if speeds.is_empty() || !speeds.iter().all(is_speed) || !speeds.is_sorted_by(|a, b| a.0 < b.0) {
            return refuse(
                "speeds: give [workers, epochs a second] above 0, in rising order of workers".into(),
            );
        }
        let largest = speeds.last().map_or(1, |(workers, _)| *workers);
        let (least, most) = (self.least.unwrap_or(1), self.most.unwrap_or(largest));
        let requested = self.requested.unwrap_or(most);
        if !(1..=most).contains(&least) || !(least..=most).contains(&requested) {
            return refuse(format!(
                "workers: choose 1 <= least {least} <= requested {requested} <= most {most}"
            ));
        }
        if ![self.value, self.deadline].into_iter().flatten().all(is_number) {
            return refuse("value and deadline: choose numbers, 0 or more".into());
        }
        let value = self.value.unwrap_or(1.0);
        let utility = match self.deadline {
            Some(deadline) => Utility::Deadline { value, by: at + deadline },
            None => Utility::Constant(value),
        };
        let rates = (1..=most.min(MOST)).map(|workers| between(speeds, workers)).collect();
        let speed = Arc::new(ByWorkers::new(rates));
        let model = ProfiledJob {
            workers: (least, most, requested),
            utility,
            start: *start,
            speed,
            all: *epochs,
            done: 0.0,
        };
        Ok(Submitted { name: name.clone(), arrival: *at, model: Box::new(model) })
    }
}

/// Most workers that are told apart.
const MOST: u32 = 4096;

/// Speed of so many workers: in proportion below the least that was measured, linear between two, and that of the largest beyond.
fn between(speeds: &[(u32, f64)], workers: u32) -> f64 {
    let above = speeds.partition_point(|(count, _)| *count < workers);
    let point = |at: usize| (f64::from(speeds[at].0), speeds[at].1);
    if above == speeds.len() {
        return speeds[above - 1].1;
    }
    let (from, low) = if above == 0 { (0.0, 0.0) } else { point(above - 1) };
    let (to, high) = point(above);
    low + (f64::from(workers) - from) / (to - from) * (high - low)
}

/// A job that does again what was measured. Its work is counted in epochs.
#[derive(Debug, Clone)]
struct ProfiledJob {
    /// Least, most and requested.
    workers: (u32, u32, u32),
    utility: Utility,
    start: f64,
    speed: Arc<ByWorkers>,
    all: f64,
    done: f64,
}

impl Model for ProfiledJob {
    fn view(&self) -> Job {
        let (least, most, requested) = self.workers;
        Job {
            id: JobId(0),
            arrival: 0.0,
            least,
            most,
            requested,
            demand: Demand::SLOT,
            utility: self.utility,
            speed: self.speed.clone(),
            done: self.done,
            left: Some(self.all - self.done),
            epochs: self.done as u64,
            epochs_since_resize: 0,
            service: 0.0,
            placement: Placement::default(),
            observed: None,
        }
    }

    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64> {
        let (least, most, _) = self.workers;
        let workers = placement.workers();
        if workers < least {
            return None;
        }
        let rate = self.speed.rate(workers.min(most), placement.nodes());
        let needed = (self.all - self.done) / rate;
        let is_over = needed <= seconds;
        self.done = if is_over { self.all } else { self.done + rate * seconds };
        is_over.then_some(needed)
    }

    fn done(&self) -> f64 {
        self.done
    }

    /// A job that held nothing starts a process; one that runs is resized at a boundary.
    fn cost(&self, from: &Placement, _: &Placement, rescale: f64) -> f64 {
        if from.shares.is_empty() { self.start.max(rescale) } else { rescale }
    }

    fn copied(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
