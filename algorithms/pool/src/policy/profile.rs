//! [`Profile`]: measurements of a run, for policies that need to know how long a similar job takes.

use std::path::{Path, PathBuf};

use raddle_datasets::{ReadError, read_text};
use serde::{Deserialize, Serialize};

use super::job::{Speed, Utility};

/// Maximum number of workers with a speed of their own.
const MOST: u32 = 4096;

/// Speed by the number of workers. The number of nodes does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct ByWorkers {
    rates: Vec<f64>,
}

impl ByWorkers {
    /// Work a second on 1, 2, ... workers. The last rate holds for all larger numbers.
    pub fn new(rates: Vec<f64>) -> Self {
        Self { rates }
    }

    /// Work a second on 1, 2, ... workers, up to `most`.
    pub fn up_to(most: u32, rate: impl Fn(u32) -> f64) -> Self {
        Self::new((1..=most.min(MOST)).map(rate).collect())
    }
}

impl Speed for ByWorkers {
    fn rate(&self, workers: u32, _: u32) -> f64 {
        let at = (workers as usize).min(self.rates.len());
        at.checked_sub(1).map_or(0.0, |at| self.rates[at])
    }
}

/// A file of profiles, as JSON or TOML, with a `[[job]]` for each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// Profiles of the jobs.
    #[serde(rename = "job")]
    pub jobs: Vec<Profile>,
}

/// Measurements of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name of the job.
    pub name: String,
    /// Program of the run: runs of one program are alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Time of arrival, in seconds.
    #[serde(default)]
    pub at: f64,
    /// Number of epochs until the run ended.
    pub epochs: f64,
    /// Seconds that a start takes: of the process, and to read the data.
    #[serde(default)]
    pub start: f64,
    /// Epochs a second by the number of workers, in ascending order of workers.
    pub speeds: Vec<(u32, f64)>,
    /// Minimum number of workers. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// Maximum number of workers. Default: the largest number with a speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Number of workers that a policy without elasticity grants. Default: the maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<u32>,
    /// Value of the job. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Seconds after arrival by which the job must finish to have its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<f64>,
}

/// Reason why a file of profiles cannot be used. The message names the file and the line or the job, and the
/// cure.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line is not valid, or a job has a value out of range.
    #[error("{}:{message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line or the job, the fault and the cure.
        message: String,
    },
}

impl Profiles {
    /// Reads profiles from a file: TOML if its name ends in `.toml`, else JSON.
    ///
    /// # Errors
    /// A file that cannot be read or parsed, with the line; a job with a value out of range.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let text = read_text(path)?;
        let refuse = |message: String| ProfileError::Content { path: path.into(), message };
        let profiles = parsed(path, &text).map_err(refuse)?;
        for profile in &profiles.jobs {
            profile.check().map_err(|why| refuse(format!(" {why}")))?;
        }
        Ok(profiles)
    }
}

/// Profiles of a text; an error has the line.
fn parsed(path: &Path, text: &str) -> Result<Profiles, String> {
    #[cfg(feature = "cli")]
    if path.extension().is_some_and(|ending| ending == "toml") {
        return toml::from_str(text).map_err(|why| {
            let before = why.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count();
            let is_of_runs = why.message().contains("`run`");
            let hint = if is_of_runs { ": give profiles, as `pool profile` writes them" } else { "" };
            format!("{line}: {}{hint}", why.message())
        });
    }
    #[cfg(not(feature = "cli"))]
    let _ = path;
    serde_json::from_str(text).map_err(|why| format!("{}: {why}", why.line().max(1)))
}

impl Profile {
    /// A run of `epochs` epochs at these speeds, without other measurements.
    pub fn new(name: String, epochs: f64, speeds: Vec<(u32, f64)>) -> Self {
        Self { name, epochs, speeds, ..Self::default() }
    }

    /// Epochs a second on `workers` workers: linear between two measured numbers, proportional to the workers
    /// below the smallest, constant above the largest. `speeds` must not be empty.
    pub fn speed(&self, workers: u32) -> f64 {
        let point = |at: usize| (f64::from(self.speeds[at].0), self.speeds[at].1);
        let above = self.speeds.partition_point(|(count, _)| *count < workers);
        if above == self.speeds.len() {
            return self.speeds.last().map_or(0.0, |last| last.1);
        }
        let (from, low) = if above == 0 { (0.0, 0.0) } else { point(above - 1) };
        let (to, high) = point(above);
        low + (f64::from(workers) - from) / (to - from) * (high - low)
    }

    /// Minimum, maximum and requested number of workers.
    pub fn workers(&self) -> (u32, u32, u32) {
        let largest = self.speeds.last().map_or(1, |(workers, _)| *workers);
        let most = self.most.unwrap_or(largest);
        (self.least.unwrap_or(1), most, self.requested.unwrap_or(most))
    }

    /// Value of the job as a function of the time of its end.
    pub fn utility(&self) -> Utility {
        Utility::until(self.value, self.deadline.map(|deadline| self.at + deadline))
    }

    /// Checks the range of every value.
    ///
    /// # Errors
    /// The message names the job and the value that is out of range.
    pub fn check(&self) -> Result<(), String> {
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
        let (least, most, requested) = self.workers();
        if !(1..=most).contains(&least) || !(least..=most).contains(&requested) {
            return refuse(format!(
                "workers: choose 1 <= least {least} <= requested {requested} <= most {most}"
            ));
        }
        if ![self.value, self.deadline].into_iter().flatten().all(is_number) {
            return refuse("value and deadline: choose numbers, 0 or more".into());
        }
        Ok(())
    }
}
