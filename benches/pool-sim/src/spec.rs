//! [`Spec`]: jobs, as users specify them.

use std::path::{Path, PathBuf};

use raddle_datasets::registry::data_folder;
use raddle_pool::policy::Profiles;

use super::error::{NO_TABLES, SimulateError};
use super::model::Submitted;
use super::profile::{submitted, synthetic};
use super::published::{LOADS, TICK, Tables};
use super::run::Settings;

/// Jobs, as users specify them.
#[derive(Debug, Clone, PartialEq)]
pub enum Spec {
    /// `pollux:6`, a published workload; or `pollux` for all of them.
    Published(Option<u32>),
    /// `synth:jobs:n=160,seed=1`, a random mix of fits.
    Synthetic {
        /// Number of jobs.
        count: u32,
        /// Seed of the mix.
        seed: u64,
        /// Hours within which the jobs arrive.
        hours: f64,
    },
    /// A file of profiles.
    File(PathBuf),
}

/// Jobs that are simulated together.
#[derive(Debug)]
pub struct Workload {
    /// Name, which is itself a valid specification.
    pub name: String,
    /// The jobs.
    pub jobs: Vec<Submitted>,
    /// Default settings.
    pub settings: Settings,
}

/// Valid specifications, for messages.
const FORM: &str =
    "expected pollux, pollux:1 to pollux:8, synth:jobs:n=160,seed=1, or a file of profiles (.toml, .json)";

impl Spec {
    /// Parses a specification.
    ///
    /// # Errors
    /// A text of another form, a parameter that is unknown or out of range, a missing file.
    pub fn parse(text: &str) -> Result<Self, SimulateError> {
        let refuse = |message: String| SimulateError::Spec { spec: text.into(), message };
        if text == "pollux" {
            return Ok(Self::Published(None));
        }
        if let Some(number) = text.strip_prefix("pollux:") {
            let number = number
                .parse()
                .map_err(|_| refuse(format!("`{number}` is not the number of a workload: {FORM}")))?;
            return Ok(Self::Published(Some(number)));
        }
        if let Some(list) = text.strip_prefix("synth:jobs:") {
            return synthetic_spec(list).map_err(refuse);
        }
        match Path::new(text).is_file() {
            true => Ok(Self::File(text.into())),
            false => Err(refuse(format!("no such file: {FORM}"))),
        }
    }

    /// Creates the workloads at a load.
    ///
    /// # Errors
    /// Tables or a file that cannot be read; an unknown load or workload.
    pub fn workloads(&self, load: f64) -> Result<Vec<Workload>, SimulateError> {
        match self {
            Self::Published(number) => published(*number, load),
            Self::Synthetic { count, seed, hours } => {
                if !(load > 0.0 && load.is_finite()) {
                    let message = "choose a number above 0";
                    return Err(SimulateError::Setting { name: "load", value: load, message });
                }
                let name = format!("synth:jobs:n={count},seed={seed},hours={hours}");
                let profiles = synthetic(*count, *seed, *hours, load);
                let jobs: Result<Vec<Submitted>, String> = profiles.iter().map(submitted).collect();
                let jobs = jobs.map_err(|message| SimulateError::Spec { spec: name.clone(), message })?;
                Ok(vec![Workload { name, jobs, settings: Settings { tick: 60.0, rescale: 1.0 } }])
            }
            Self::File(path) => {
                let message = "choose 1: a file of profiles has a fixed load";
                if load != 1.0 {
                    return Err(SimulateError::Setting { name: "load", value: load, message });
                }
                let refuse = |message| SimulateError::File { path: path.clone(), message };
                let profiles = Profiles::read(path)?;
                if profiles.jobs.is_empty() {
                    return Err(refuse("it has no job: add a [[job]]".into()));
                }
                let jobs = profiles.jobs.iter().map(submitted).collect::<Result<_, _>>();
                let jobs = jobs.map_err(refuse)?;
                let name = path.display().to_string();
                Ok(vec![Workload { name, jobs, settings: Settings { tick: 1.0, rescale: 0.1 } }])
            }
        }
    }
}

fn published(number: Option<u32>, load: f64) -> Result<Vec<Workload>, SimulateError> {
    if !LOADS.contains(&load) {
        return Err(SimulateError::Setting { name: "load", value: load, message: "choose 0.5, 1, 1.5 or 2" });
    }
    let folder = data_folder().ok_or_else(|| SimulateError::File {
        path: "cluster/workloads.csv.gz".into(),
        message: NO_TABLES.into(),
    })?;
    let tables = Tables::read(&folder)?;
    let known = tables.workloads();
    if let Some(number) = number.filter(|number| !known.contains(number)) {
        let known: Vec<String> = known.iter().map(u32::to_string).collect();
        let message = format!("there is no such workload: choose one of {}", known.join(", "));
        return Err(SimulateError::Spec { spec: format!("pollux:{number}"), message });
    }
    let of = |number| {
        let jobs = tables.jobs(number, load)?;
        Ok(Workload {
            name: format!("pollux:{number}"),
            jobs,
            settings: Settings { tick: TICK, rescale: 30.0 },
        })
    };
    known.into_iter().filter(|known| number.is_none_or(|number| number == *known)).map(of).collect()
}

fn synthetic_spec(list: &str) -> Result<Spec, String> {
    let (mut count, mut seed, mut hours) = (160, 1, 8.0);
    let mut seen: Vec<&str> = Vec::new();
    for pair in list.split(',') {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}`: write name=value"))?;
        if seen.contains(&name) {
            return Err(format!("`{name}` is given twice: keep one"));
        }
        seen.push(name);
        let refuse = |range: &str| format!("{pair}: choose {range}");
        match name {
            "n" => {
                let read = value.parse().ok().filter(|count| (1..=1_000_000).contains(count));
                count = read.ok_or_else(|| refuse("a whole number from 1 to 1000000"))?;
            }
            "seed" => seed = value.parse().map_err(|_| refuse("a whole number, 0 or more"))?,
            "hours" => {
                let read = value.parse().ok().filter(|hours| *hours > 0.0 && f64::is_finite(*hours));
                hours = read.ok_or_else(|| refuse("a number above 0"))?;
            }
            _ => return Err(format!("`{name}` is no parameter here: known are n, seed, hours")),
        }
    }
    Ok(Spec::Synthetic { count, seed, hours })
}
