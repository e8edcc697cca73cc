//! Options of the verbs of `pool`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use raddle_cli::{Error, UseOptions, choose, refuse_without_effect};

use super::duration::Seconds;
use super::jobs::Given;
use crate::policy::Knowledge;
use crate::policy::names::PolicySettings;
use crate::pool::{Clock, Settings};

const FILE: &str = "Format of a file of jobs, in TOML. Times are seconds, or such as 90s, 20m, 1h30m and 2d:

  [[job]]
  run = \"mf fit ratings.csv --rank 64 --out mf64\"   # named after its folder, or by `name`
  at = \"20m\"           # arrival, after the start of the pool; at once by default
  value = 5            # value of the job, if it ends by its deadline; 1 by default
  deadline = \"2h\"      # after arrival; a later end has no value
  least = 1            # minimum number of workers
  most = 4             # maximum number of workers; all of the pool by default
  after = [\"mf32\"]     # jobs that must end first, with status 0 or 3

Jobs of one run (fit, path) may change their workers at every epoch. Others (a cross-validation, --refit, \
--changes, a program that is not raddle's) keep the workers that they start with. To resume a pool, give --out alone.

Exit status: 0 all jobs are done, 1 a job failed or was refused (the others continued), 2 bad usage or input, 130 interrupted (all are paused).

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
    /// Policy: greedy, drf, fifo or pdors. greedy gives workers to the jobs that gain most, drf (dominant
    /// resource fairness) gives equal shares, fifo serves jobs in order, and pdors promises each job an end
    /// time or refuses it. Default: greedy.
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
    /// For greedy: estimate of the work left. known makes it from limits, profiles and metrics, learnt from
    /// metrics and jobs that have ended, and none makes no estimate. Default: known.
    #[arg(long, value_name = "known|learnt|none")]
    knowledge: Option<String>,
    /// Report a running job that has been silent for this time, such as 20m. The job keeps its workers.
    /// Default: 10m.
    #[arg(long, value_name = "TIME")]
    patience: Option<Seconds>,
    /// For pdors: length of a slot, the unit of time of its plans. Default: 10.
    #[arg(long, value_name = "SECONDS")]
    slot: Option<f64>,
    /// For pdors: seconds that a change of workers takes. No work is planned in these seconds of a slot,
    /// which include the wait for the end of an epoch. Default: 1.
    #[arg(long, value_name = "SECONDS")]
    rescale: Option<f64>,
    /// For pdors: minimum price of workers, as a share (0 to 1) of the maximum price. A job that is worth
    /// less than its workers cost is refused. Default: 1e-4.
    #[arg(long, value_name = "X")]
    floor: Option<f64>,
    /// File of profiles of finished runs, written by `pool profile`, for jobs of the same names.
    #[arg(long, value_name = "FILE")]
    pub(super) profiles: Option<PathBuf>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Default of `--patience`.
const PATIENCE: Seconds = Seconds(600.0);
/// Default of `--seconds-per-cost`: a core does about a billion multiply-adds a second.
const SECONDS_PER_COST: f64 = 1e-9;
/// Maximum number of workers of a pool.
const MOST: u32 = 4096;

impl RunOptions {
    /// Settings of a new pool.
    pub(super) fn new_settings(&self, cores: u32) -> Result<Settings, Error> {
        let workers = self.workers.unwrap_or(cores);
        self.settings(Settings::new(workers, self.policy.as_deref().unwrap_or(POLICY)))
    }

    /// Returns settings in which those that were given replace the others.
    fn settings(&self, mut of: Settings) -> Result<Settings, Error> {
        let policy = &mut of.policy;
        of.workers = self.workers.unwrap_or(of.workers);
        of.alive = self.alive.unwrap_or(of.alive);
        policy.name = self.policy.clone().unwrap_or(std::mem::take(&mut policy.name));
        policy.slot = self.slot.unwrap_or(policy.slot);
        policy.rescale = self.rescale.unwrap_or(policy.rescale);
        policy.floor = self.floor.unwrap_or(policy.floor);
        if let Some(given) = &self.knowledge {
            policy.knowledge = choose("--knowledge", given, &Knowledge::NAMES)?;
        }
        if let Some(clock) = &self.clock {
            let counted = Clock::Counted { seconds_per_cost: SECONDS_PER_COST };
            let counted = if of.is_counted() { of.clock } else { counted };
            of.clock = choose("--clock", clock, &[("wall", Clock::Wall), ("counted", counted)])?;
        }
        if let (Some(given), Clock::Counted { seconds_per_cost }) = (self.seconds_per_cost, &mut of.clock) {
            *seconds_per_cost = given;
        }
        self.check(&of)?;
        Ok(of)
    }

    /// Checks the range of every setting, and that those that were given have an effect.
    fn check(&self, of: &Settings) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::usage(why));
        let Settings { workers, alive, policy, clock } = of;
        for (name, value) in [("--workers", workers), ("--alive", alive)] {
            if !(1..=MOST).contains(value) {
                return refuse(format!("{name} {value}: choose 1 to {MOST}"));
            }
        }
        policy.policy().map_err(|why| Error::usage(format!("--policy: {why}")))?;
        if policy.name != "greedy" {
            refuse_without_effect(&[("--knowledge", self.knowledge.is_some())], "without --policy greedy")?;
        }
        if policy.name != "pdors" {
            let (slot, rescale) = (self.slot.is_some(), self.rescale.is_some());
            let given = [("--slot", slot), ("--rescale", rescale), ("--floor", self.floor.is_some())];
            refuse_without_effect(&given, "without --policy pdors")?;
        }
        if *clock == Clock::Wall {
            let given = [("--seconds-per-cost", self.seconds_per_cost.is_some())];
            refuse_without_effect(&given, "without --clock counted")?;
        }
        let PolicySettings { slot, rescale, floor, .. } = policy;
        above_0("--slot", *slot)?;
        if let Clock::Counted { seconds_per_cost } = clock {
            above_0("--seconds-per-cost", *seconds_per_cost)?;
        }
        if !(0.0..*slot).contains(rescale) {
            return refuse(format!(
                "--rescale {rescale}: choose 0 or more, and less than a slot of {slot} s"
            ));
        }
        if !(0.0..=1.0).contains(floor) {
            return refuse(format!("--floor {floor}: choose a share from 0 to 1"));
        }
        Ok(())
    }

    /// Time without an event after which a running job is reported.
    pub(super) fn patience(&self) -> Duration {
        let Seconds(patience) = self.patience.unwrap_or(PATIENCE);
        Duration::try_from_secs_f64(patience).unwrap_or(Duration::MAX)
    }

    /// Refuses options that differ from the settings of a pool that is resumed.
    pub(super) fn check_same(&self, settings: &Settings) -> Result<(), Error> {
        let given = self.settings(settings.clone())?;
        let (new, old) = (&given.policy, &settings.policy);
        let differs = [
            ("--workers", given.workers != settings.workers),
            ("--alive", given.alive != settings.alive),
            ("--policy", new.name != old.name),
            ("--clock", given.is_counted() != settings.is_counted()),
            ("--seconds-per-cost", given.clock != settings.clock),
            ("--knowledge", new.knowledge != old.knowledge),
            ("--floor", new.floor != old.floor),
            ("--slot", new.slot != old.slot),
            ("--rescale", new.rescale != old.rescale),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
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
    #[command(flatten)]
    pub(super) job: Given,
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
    /// Follow the pool until it ends, then exit with its status. Each change is a line.
    #[arg(long)]
    pub(super) watch: bool,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}

/// Options of `pool cancel`.
#[derive(Debug, Args)]
#[command(after_help = "A running job is asked to end.\n\nExample: pool cancel nightly news")]
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
    /// Folders of finished runs, or of pools. The jobs of a pool are profiled by the pool's clock.
    #[arg(required = true, value_name = "RUN")]
    pub(super) runs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) use_options: UseOptions,
}
