//! Options of the verbs of `pool`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use raddle_cli::{Error, UseOptions, choose, refuse_without_effect};

use super::duration;
use crate::policy::{Knowledge, names};
use crate::pool::{Clock, PolicySettings, Settings};

const FILE: &str = "Format of a file of jobs, in TOML:

  [[job]]
  run = \"mf fit ratings.csv --rank 64 --out mf64\"   # named after its folder, or by `name`
  at = \"20m\"           # time of arrival; at once by default
  value = 5            # value of finishing; 1 by default
  deadline = \"2h\"      # after arrival; a later end has no value
  least = 1            # minimum number of workers
  most = 4             # maximum number of workers; all of the pool by default
  after = [\"mf32\"]     # jobs that must end first, with status 0 or 3

Jobs that train one model (fit, path) may change their workers at every epoch. Others (a cross-validation, --refit, \
--changes, a program that is not raddle's) keep the workers that they start with. To resume a pool, give --out alone.

Exit status: 0 all jobs are done, 1 a job failed (the others continued), 130 interrupted (all are paused).

Example: pool run jobs.toml --workers 8 --out nightly";

/// Default policy: the best one on published workloads, and never behind equal shares.
const POLICY: &str = "greedy";

/// Options of `pool run`.
#[derive(Debug, Args)]
#[command(after_help = FILE)]
pub(crate) struct RunOptions {
    /// File of jobs, in TOML; leave it out to resume a pool.
    #[arg(value_name = "JOBS")]
    pub(super) jobs: Option<PathBuf>,
    /// Folder of the pool.
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Number of workers, shared by all jobs. Default: the number of cores.
    #[arg(long, value_name = "N")]
    workers: Option<u32>,
    /// Maximum number of jobs in memory at once. Default: the number of workers.
    #[arg(long, value_name = "N")]
    alive: Option<u32>,
    /// Policy: greedy, drf, fifo or pdors. greedy gives workers where they gain most, drf gives equal shares,
    /// fifo serves jobs in order, and pdors makes promises. Default: greedy.
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Clock: wall or counted. wall is real time; counted is simulated from counted operations, and equal on
    /// any machine. Default: wall.
    #[arg(long, value_name = "wall|counted")]
    clock: Option<String>,
    /// With --clock counted: seconds that one worker takes for a unit of cost, about a multiply-add.
    /// Default: 1e-9.
    #[arg(long, value_name = "X")]
    seconds_per_cost: Option<f64>,
    /// Seed of policies that draw random numbers. Default: 1.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// For greedy: use the work left as limits, profiles and metrics tell it, learn it from metrics and jobs
    /// that have ended, or use nothing (none). Default: known.
    #[arg(long, value_name = "known|learnt|none")]
    knowledge: Option<String>,
    /// Report a running job that has been silent for this time, such as 20m; it keeps its workers.
    /// Default: 10m.
    #[arg(long, value_name = "TIME", value_parser = duration::seconds)]
    patience: Option<f64>,
    /// For pdors: length of a slot, the unit of time of its plans. Default: 10.
    #[arg(long, value_name = "SECONDS")]
    slot: Option<f64>,
    /// For pdors: seconds to change workers in each slot. They are reserved, and include the wait for the end
    /// of an epoch. Default: 1.
    #[arg(long, value_name = "SECONDS")]
    rescale: Option<f64>,
    /// For pdors: minimum price, as a share of the maximum; 0 is the paper's. Default: 1e-4.
    #[arg(long, value_name = "X")]
    floor: Option<f64>,
    /// File of profiles of finished runs, written by `pool profile`, for jobs of the same names.
    #[arg(long, value_name = "FILE")]
    pub(super) profiles: Option<PathBuf>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Default of `--patience`, in seconds.
const PATIENCE: f64 = 600.0;
/// Default of `--seconds-per-cost`: a core does about a billion multiply-adds a second.
const SECONDS_PER_COST: f64 = 1e-9;
/// Maximum number of workers of a pool.
const MOST: u32 = 4096;

impl RunOptions {
    /// Settings of a new pool.
    pub(super) fn settings(&self, cores: u32) -> Result<Settings, Error> {
        let workers = self.workers.unwrap_or(cores);
        for (name, value) in [("--workers", Some(workers)), ("--alive", self.alive)] {
            if let Some(value) = value.filter(|value| !(1..=MOST).contains(value)) {
                return Err(Error::usage(format!("{name} {value}: choose 1 to {MOST}")));
            }
        }
        let name = self.policy.as_deref().unwrap_or(POLICY);
        let mut policy = PolicySettings::named(name);
        names::policy(name, &names::Settings::default())
            .map_err(|why| Error::usage(format!("--policy: {why}")))?;
        if name != "greedy" {
            refuse_without_effect(&[("--knowledge", self.knowledge.is_some())], "without --policy greedy")?;
        }
        if name != "pdors" {
            let given = [
                ("--slot", self.slot.is_some()),
                ("--rescale", self.rescale.is_some()),
                ("--floor", self.floor.is_some()),
            ];
            refuse_without_effect(&given, "without --policy pdors")?;
        }
        policy.slot = self.slot.unwrap_or(policy.slot);
        policy.rescale = self.rescale.unwrap_or(policy.rescale);
        above_0("--slot", policy.slot)?;
        if !(0.0..policy.slot).contains(&policy.rescale) {
            let (given, slot) = (policy.rescale, policy.slot);
            return Err(Error::usage(format!(
                "--rescale {given}: choose 0 or more, and less than a slot of {slot} s"
            )));
        }
        policy.seed = self.seed.unwrap_or(policy.seed);
        if let Some(given) = &self.knowledge {
            policy.knowledge = choose("--knowledge", given, &Knowledge::NAMES)?;
        }
        policy.floor = self.floor.unwrap_or(policy.floor);
        if !(0.0..=1.0).contains(&policy.floor) {
            return Err(Error::usage(format!("--floor {}: choose a share from 0 to 1", policy.floor)));
        }
        let is_counted = match &self.clock {
            Some(clock) => choose("--clock", clock, &[("wall", false), ("counted", true)])?,
            None => false,
        };
        if !is_counted {
            let given = [("--seconds-per-cost", self.seconds_per_cost.is_some())];
            refuse_without_effect(&given, "without --clock counted")?;
        }
        let seconds_per_cost = self.seconds_per_cost.unwrap_or(SECONDS_PER_COST);
        above_0("--seconds-per-cost", seconds_per_cost)?;
        let clock = if is_counted { Clock::Counted { seconds_per_cost } } else { Clock::Wall };
        Ok(Settings { workers, alive: self.alive.unwrap_or(workers), policy, clock })
    }

    /// Time without an event after which a running job is reported.
    pub(super) fn patience(&self) -> Duration {
        Duration::try_from_secs_f64(self.patience.unwrap_or(PATIENCE)).unwrap_or(Duration::MAX)
    }

    /// Refuses options that differ from the settings of a pool that is resumed.
    pub(super) fn check_same(&self, settings: &Settings) -> Result<(), Error> {
        let Settings { workers, alive, policy, clock } = settings;
        let (is_counted, per_cost) = match clock {
            Clock::Wall => (false, None),
            Clock::Counted { seconds_per_cost } => (true, Some(*seconds_per_cost)),
        };
        let of_clock = |clock: &str| clock == if is_counted { "counted" } else { "wall" };
        let of_knowledge =
            |given: &str| Knowledge::NAMES.iter().any(|(name, of)| *name == given && *of == policy.knowledge);
        let same = [
            ("--workers", self.workers.is_none_or(|given| given == *workers)),
            ("--alive", self.alive.is_none_or(|given| given == *alive)),
            ("--policy", self.policy.as_ref().is_none_or(|given| *given == policy.name)),
            ("--clock", self.clock.as_deref().is_none_or(of_clock)),
            ("--seconds-per-cost", self.seconds_per_cost.is_none_or(|given| Some(given) == per_cost)),
            ("--seed", self.seed.is_none_or(|given| given == policy.seed)),
            ("--knowledge", self.knowledge.as_deref().is_none_or(of_knowledge)),
            ("--floor", self.floor.is_none_or(|given| given == policy.floor)),
            ("--slot", self.slot.is_none_or(|given| given == policy.slot)),
            ("--rescale", self.rescale.is_none_or(|given| given == policy.rescale)),
        ];
        match same.into_iter().find(|(_, is_same)| !is_same) {
            Some((name, _)) => Err(Error::usage(format!(
                "{name}: the pool in {} was created with another value: leave it out to resume the pool, or give another folder with --out",
                self.out.display()
            ))),
            None => Ok(()),
        }
    }
}

fn above_0(name: &str, value: f64) -> Result<(), Error> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::usage(format!("{name} {value}: choose a number above 0"))),
    }
}

/// Options of `pool add`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: pool add nightly --value 5 --deadline 20m -- lda fit news.txt --topics 500 --out news"
)]
pub(crate) struct AddOptions {
    /// Folder of the pool.
    #[arg(value_name = "POOL")]
    pub(super) pool: PathBuf,
    /// Name of the job. Default: the name of its --out folder.
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Value of finishing, by --deadline if there is one. Default: 1.
    #[arg(long, value_name = "X")]
    pub(super) value: Option<f64>,
    /// Time by which the job must finish. It counts from now, such as 20m or 90s; a later end has no value.
    #[arg(long, value_name = "TIME", value_parser = duration::seconds)]
    pub(super) deadline: Option<f64>,
    /// Minimum number of workers. Default: 1.
    #[arg(long, value_name = "N")]
    pub(super) least: Option<u32>,
    /// Maximum number of workers. Default: all workers of the pool.
    #[arg(long, value_name = "N")]
    pub(super) most: Option<u32>,
    /// Jobs that must succeed first, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) after: Vec<String>,
    /// File of profiles of finished runs, written by `pool profile`.
    #[arg(long, value_name = "FILE")]
    pub(super) profiles: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM ..")]
    pub(super) line: Vec<String>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Options of `pool status`.
#[derive(Debug, Args)]
#[command(after_help = "Example: pool status nightly --watch")]
pub(crate) struct StatusOptions {
    /// Folder of the pool.
    #[arg(value_name = "POOL")]
    pub(super) pool: PathBuf,
    /// Follow the pool until it ends, a line for each change, and end with its exit status.
    #[arg(long)]
    pub(super) watch: bool,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Options of `pool cancel`.
#[derive(Debug, Args)]
#[command(after_help = "Example: pool cancel nightly news")]
pub(crate) struct CancelOptions {
    /// Folder of the pool.
    #[arg(value_name = "POOL")]
    pub(super) pool: PathBuf,
    /// Name of the job.
    #[arg(value_name = "JOB")]
    pub(super) job: String,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Options of `pool profile`.
#[derive(Debug, Args)]
#[command(after_help = "Example: pool profile mf64 news > profiles.toml")]
pub(crate) struct ProfileOptions {
    /// Folders of finished runs, or of pools, whose jobs are profiled by the pool's clock.
    #[arg(required = true, value_name = "RUN")]
    pub(super) runs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}
