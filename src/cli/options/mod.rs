//! [`TrainOptions`]: the options of training that mean the same in every program.

pub(crate) mod foreign;
pub(crate) mod generate;
mod help;
pub(crate) mod idle;
pub(crate) mod subcommand;
pub(crate) mod uses;
pub(crate) mod values;

use std::path::{Path, PathBuf};
use std::{fs, thread};

use clap::{ArgAction, Args};
use raddle::command_line_support::CHECKPOINT;
use raddle::{CheckpointEvery, Engine, Program, has_checkpoint};
use serde::Serialize;

use self::values::{MOST_WORKERS, RescalePlan, Rho, choose};
use super::exit::Error;
use crate::environment;
use crate::run_folder::begun;
use crate::run_folder::folder::Earlier;

/// Heading of the options of a run's folder, length and display.
const RUN: &str = "The run";
/// Heading, in every help, of the options of how the engine executes a run: few users need them.
pub const ENGINE_HEADING: &str = "Execution";

/// The options of training that every program shares; flatten them into its own, as the last field, so that
/// the program's own come first in its help.
///
/// The help of `--schedule` becomes the program's own with clap's `mut_arg`. The options of the schedule
/// (`--parallelism`, `--rho`, `--explain`), `--shards`, `--seed`, `--format` and `--init` are the program's
/// to follow; the others are followed by [`apply`](Self::apply) and by the [`Session`](super::Session).
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = RUN)]
pub struct TrainOptions {
    /// Data: a file, gzipped or not. Default: a small embedded set.
    #[arg(help_heading = None)]
    pub data: Option<String>,
    /// Format of the data, one that DATA names. Default: recognised by its content.
    #[arg(long, value_name = "NAME", help_heading = None)]
    pub format: Option<String>,

    /// Write model, report and trace to this folder. Default: nothing is written.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace an earlier run in the folder of --out.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Continue the run in this folder. Data and options are those of the run, and the result goes to the
    /// same folder unless --out names another.
    #[arg(long, value_name = "RUN")]
    pub resume: Option<PathBuf>,
    /// Write a checkpoint to the run's folder after every N epochs. auto writes the first after 5 seconds,
    /// and then spends about a thirtieth of the time on checkpoints. Default: none; auto with several
    /// processes.
    #[arg(long, value_name = "N|auto", value_parser = str::parse::<CheckpointEvery>)]
    pub checkpoint_every: Option<CheckpointEvery>,
    /// Start from the model in the folder of an earlier run.
    #[arg(long, value_name = "MODEL")]
    pub init: Option<PathBuf>,
    /// Stop after N epochs. Default: no limit.
    #[arg(long, value_name = "N", value_parser = values::whole::<u64>)]
    pub epochs: Option<u64>,
    /// Stop at the end of the epoch in which this time is reached. An epoch that overruns it by 0.3 s or 5 %,
    /// whichever is longer, is cancelled; the model is then that of an earlier epoch.
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub time_limit: Option<f64>,
    /// Random seed. The same seed gives the same model.
    #[arg(long, value_name = "N", default_value_t = 42, value_parser = values::whole::<u64>)]
    pub seed: u64,
    /// Number of worker threads. Never changes the model. Default: the number of cores.
    #[arg(short, long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>)]
    pub workers: Option<usize>,
    /// Show no progress or notes.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the report as one line of JSON. Nothing else is written to stdout.
    #[arg(long)]
    pub json: bool,

    /// Rule that chooses which variables are updated together.
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = ENGINE_HEADING)]
    pub schedule: String,
    /// Number of shards (partitions) of the data. May change the model. Default: chosen from the size of the
    /// data.
    #[arg(long, value_name = "S", value_parser = values::between::<1, 65_536>, help_heading = ENGINE_HEADING)]
    pub shards: Option<usize>,
    /// Maximum number of variables updated in a round.
    #[arg(long, value_name = "P", value_parser = values::between::<1, 1_000_000>, help_heading = ENGINE_HEADING)]
    pub parallelism: Option<usize>,
    /// Dependency threshold: variables that depend on each other more strongly are never updated in the same
    /// round.
    #[arg(long, value_name = "X|off", value_parser = str::parse::<Rho>, help_heading = ENGINE_HEADING)]
    pub rho: Option<Rho>,
    /// Number of rounds whose updates may be missing when a round starts.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = values::between::<0, 1024>, help_heading = ENGINE_HEADING)]
    pub staleness: usize,
    /// Roll back an epoch that worsens the objective, and continue with less parallelism.
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = values::on_off, help_heading = ENGINE_HEADING)]
    pub guard: bool,
    /// Change the number of workers after an epoch: 3:4,6:1 continues with 4 workers after epoch 3 and with 1
    /// after epoch 6. Never changes the model.
    #[arg(long, value_name = "EPOCH:WORKERS,...", value_parser = str::parse::<RescalePlan>, help_heading = ENGINE_HEADING)]
    pub rescale: Option<RescalePlan>,
    /// Slow workers down, to try `raddle launch --balance`: a file with lines WORKER EPOCH FACTOR, each in
    /// force from that epoch on. Never changes the model.
    #[arg(long, value_name = "FILE", help_heading = ENGINE_HEADING)]
    pub slowdown: Option<PathBuf>,
    /// Show on stderr which variables each round proposes, rejects and keeps.
    #[arg(long, help_heading = ENGINE_HEADING)]
    pub explain: bool,
}

impl TrainOptions {
    /// Returns the number of workers: as given here or to `raddle launch`, or the cores this process may use.
    pub fn worker_count(&self) -> usize {
        self.workers
            .or_else(environment::workers)
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    }

    /// Returns the folder that the run writes to: `--out`, else that of the run it resumes.
    pub fn folder(&self) -> Option<&Path> {
        self.out.as_deref().or(self.resume.as_deref())
    }

    /// Fate of a run that is in the folder already.
    pub(super) fn earlier(&self) -> Earlier {
        earlier(self.resume.as_deref(), self.folder(), self.force)
    }

    /// Returns the entry of the program's list that `--schedule` names.
    ///
    /// # Errors
    /// A usage error that lists the names, if the list has no such name.
    pub fn schedule_from<T: Clone>(&self, list: &[(&str, T)]) -> Result<T, Error> {
        choose("--schedule", &self.schedule, list)
    }

    /// Returns the limit on dependencies, `default` unless `--rho` is given; `None` checks nothing.
    pub fn rho_or(&self, default: f32) -> Option<f32> {
        self.rho.unwrap_or(Rho::At(default)).limit()
    }

    /// Checks that the options make sense together.
    ///
    /// # Errors
    /// A usage error that names the option at fault.
    pub fn check(&self) -> Result<(), Error> {
        if self.checkpoint_every.is_some() && self.folder().is_none() {
            let why = "--checkpoint-every needs a folder for the checkpoint: give --out DIR";
            return Err(Error::usage(why));
        }
        match &self.resume {
            Some(run) if !was_begun(run) => {
                let why = if run.is_dir() { "no run was begun in it" } else { "there is no such folder" };
                Err(Error::usage(format!("--resume {}: {why}", run.display())))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the options suit a run on several processes.
    pub(super) fn check_distributed(&self) -> Result<(), Error> {
        // A run that is resumed may have had a number of workers on one process.
        if self.workers.is_some() && self.resume.is_none() {
            return Err(Error::usage("--workers: among several processes it is an option of raddle launch"));
        }
        Ok(())
    }

    /// Applies the options that are the engine's; those of the schedule are the program's to apply.
    pub fn apply<P: Program>(&self, engine: Engine<P>) -> Engine<P> {
        self.checkpointed(self.limited(engine, 0, self.time_limit), CHECKPOINT)
    }

    /// Applies the options of workers, staleness, guard, limits and rescaling to an engine that starts after
    /// `behind` epochs of the run and has `seconds_left` of the time limit.
    pub(super) fn limited<P: Program>(
        &self,
        engine: Engine<P>,
        behind: u64,
        seconds_left: Option<f64>,
    ) -> Engine<P> {
        let mut engine = engine.workers(self.worker_count()).guard(self.guard);
        // Schedules with lags need theirs.
        if self.staleness > 0 {
            engine = engine.staleness(self.staleness);
        }
        if let Some(epochs) = self.epochs {
            engine = engine.epochs(epochs);
        }
        if let Some(seconds) = seconds_left {
            engine = engine.time_limit(seconds.max(0.0));
        }
        if let Some(plan) = &self.rescale {
            engine = engine.rescale(&plan.after(behind));
        }
        engine
    }

    /// Applies the options of checkpoints, which go to a folder `file` in the folder of the run.
    pub(super) fn checkpointed<P: Program>(&self, mut engine: Engine<P>, file: &str) -> Engine<P> {
        // Among several processes one may be lost.
        let every = self.checkpoint_every.or_else(|| environment::workers().map(|_| CheckpointEvery::Auto));
        if let Some((every, folder)) = every.zip(self.folder()) {
            engine = engine.checkpoint(every, folder.join(file));
        }
        // A run that was killed before its first checkpoint starts again.
        match self.resume.as_ref().map(|run| run.join(file)) {
            Some(checkpoint) if has_checkpoint(&checkpoint) => engine.resume(checkpoint),
            _ => engine,
        }
    }
}

/// Fate of a run that is in this folder already; `resume` is the run to continue, if there is one.
pub(super) fn earlier(resume: Option<&Path>, folder: Option<&Path>, force: bool) -> Earlier {
    let same = |a: &Path, b: &Path| a == b || fs::canonicalize(a).ok() == fs::canonicalize(b).ok();
    match resume.zip(folder) {
        Some((run, folder)) if same(run, folder) => Earlier::Resumed,
        _ if force => Earlier::Replaced,
        _ => Earlier::Refused,
    }
}

/// `true` if a run was started in a folder, so that it can be resumed.
pub(super) fn was_begun(run: &Path) -> bool {
    run.join(begun::NAME).is_file() || run.join(CHECKPOINT).exists()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use clap::error::ErrorKind;

    use super::*;
    use crate::{Free, identity};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        train: TrainOptions,
    }

    fn parse(line: &[&str]) -> Result<TrainOptions, clap::Error> {
        Line::try_parse_from([&["program"], line].concat()).map(|line| line.train)
    }

    #[test]
    fn nothing_given_is_a_run_on_the_cores_that_writes_nothing() {
        let options = parse(&[]).unwrap();
        assert!(options.worker_count() >= 1);
        assert_eq!((options.seed, options.schedule.as_str(), options.guard), (42, "auto", true));
        assert_eq!(options.folder(), None);
        assert_eq!(options.rho_or(0.1), Some(0.1));
        options.check().unwrap();
    }

    #[test]
    fn everything_given_is_read() {
        let line = "data.svm --format libsvm --workers 2 --shards 8 --seed 7 --schedule priority \
                   --staleness 1 --epochs 9 --time-limit 1.5 --parallelism 4 --rho off --guard off \
                   --explain --rescale 3:4,6:1 --init old --out run --checkpoint-every 5 --quiet --json";
        let options = parse(&line.split_whitespace().collect::<Vec<_>>()).unwrap();
        assert_eq!(options.data.as_deref(), Some("data.svm"));
        assert_eq!((options.worker_count(), options.shards), (2, Some(8)));
        assert_eq!(options.rho_or(0.1), None);
        assert!(!options.guard && options.explain && options.quiet && options.json);
        let value = serde_json::to_value(&options).unwrap();
        assert_eq!(value["rescale"], "3:4,6:1");
        assert_eq!(value["rho"], "off");
        options.check().unwrap();
    }

    #[test]
    fn bad_numbers_name_their_option() {
        for (line, option) in [
            (["--workers", "0"], "--workers"),
            (["--workers", "100000"], "--workers"),
            (["--staleness", "18446744073709551615"], "--staleness"),
            (["--parallelism", "4294967295"], "--parallelism"),
            (["--shards", "1000000"], "--shards"),
            (["--shards", "many"], "--shards"),
            (["--time-limit", "nan"], "--time-limit"),
            (["--rho", "no"], "--rho"),
            (["--guard", "maybe"], "--guard"),
            (["--rescale", "3"], "--rescale"),
            (["--checkpoint-every", "0"], "--checkpoint-every"),
        ] {
            let error = parse(&line).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueValidation);
            assert!(error.to_string().contains(option), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn checkpoints_need_a_folder_and_resuming_needs_a_checkpoint() {
        let error = parse(&["--checkpoint-every", "2"]).unwrap().check().unwrap_err();
        assert!(error.to_string().starts_with("--checkpoint-every needs a folder"));
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().to_str().unwrap();
        let options = parse(&["--resume", run, "--checkpoint-every", "2"]).unwrap();
        assert!(options.check().unwrap_err().to_string().contains("no run was begun in it"));
        std::fs::write(folder.path().join("checkpoint"), "").unwrap();
        options.check().unwrap();
        assert_eq!(options.folder(), Some(folder.path()));
    }

    #[test]
    fn identity_holds_what_changes_the_model_and_nothing_else() {
        let of = |line: &[&str]| {
            let free = Free { neutral: &[], limits: &["epochs"] };
            identity("program", &parse(line).unwrap(), free, &[("data", "17")]).unwrap()
        };
        let same = ["--workers", "3", "--rescale", "1:2", "--epochs", "5", "--quiet", "--json", "--explain"];
        assert_eq!(of(&[]), of(&same));
        for other in [["--seed", "1"], ["--schedule", "cyclic"], ["--staleness", "1"], ["--guard", "off"]] {
            assert_ne!(of(&[]), of(&other), "{other:?}");
        }
        for other in [["--shards", "3"], ["--parallelism", "3"], ["--rho", "off"], ["--init", "run"]] {
            assert_ne!(of(&[]), of(&other), "{other:?}");
        }
        let schedules = [("auto", 0), ("cyclic", 1)];
        assert_eq!(parse(&["--schedule", "cyclic"]).unwrap().schedule_from(&schedules).unwrap(), 1);
    }
}
