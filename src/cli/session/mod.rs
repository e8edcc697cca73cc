//! [`Session`]: one training run of a program, from its options to its exit status.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use raddle::command_line_support::{FILE, cpu_seconds, peak_memory_bytes};
use raddle::files::{FileError, ModelFiles, Out};
use raddle::{Cluster, EpochRecord, RunReport};
use serde::Serialize;

pub use self::cut_short::CutShort;
use super::environment::{begins, is_alone, is_party};
use super::exit::{Error, ExitStatus};
use super::interrupt::Interrupt;
use super::options::TrainOptions;
use super::report::{About, Data, Report, Seconds, Timed};
use super::say::{say, say_json};
use super::screen::Screen;
use crate::report::summary::Summary;
use crate::run_folder::begun::{Begun, RecordedEnd};
use crate::run_folder::folder::{Earlier, RunFolder};

/// Name of the folder, next to the invitation to a run, in which its processes share files. The folder is
/// removed when the run has ended, so no other folder may have this name.
pub(super) const SHARED: &str = ".raddle-shared";
/// Exit status of a launched process that has logged the next version of the data. The launcher then starts
/// all processes of the run again, and they fit that version.
pub(super) const NEXT_VERSION: i32 = 76;

/// State of a run around its mathematics: the folder, the screen, the clock and Ctrl-C.
#[derive(Debug)]
pub struct Session {
    program: &'static str,
    version: &'static str,
    options: TrainOptions,
    folder: RunFolder,
    screen: Screen,
    seconds: Seconds,
    began: Instant,
    /// The cluster, if the run has other processes.
    cluster: Option<Cluster>,
    /// Epochs and seconds of earlier engines of this session.
    before: Spent,
    /// The part of the run to which the seconds of making shards are counted.
    preparation_part: Timed,
    /// `true` if an engine has run.
    trains: bool,
    /// `true` if the last engine left its model to this process.
    has_model: bool,
    /// The version of the data on which the run trains.
    data_version: u64,
    /// Faults outside the engines that did not end the run.
    warnings: Vec<String>,
    /// The epoch of the model, where a run is continued after it had ended: a model of fewer epochs does not
    /// replace that one.
    model_epoch: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    epochs: u64,
    seconds: f64,
}

impl Session {
    /// Checks the options, locks the folder and handles Ctrl-C from now on.
    ///
    /// # Errors
    /// If options contradict each other, or the folder belongs to a run that is alive.
    pub fn begin(
        program: &'static str,
        version: &'static str,
        options: &TrainOptions,
    ) -> Result<Self, Error> {
        let began = Instant::now();
        Interrupt::handler();
        options.check()?;
        let cluster = Cluster::launched(std::process::exit)?;
        let earlier = options.earlier();
        if let Some(cluster) = &cluster {
            options.check_distributed()?;
            Interrupt::handler().leave_by(cluster.leaver());
        }
        let hold = |path: &Path| match cluster {
            // Each party has a folder of its own, in which an attempt before may have left a run without end.
            Some(_) if is_party() => match Begun::read(path)? {
                Some(Begun { ended: None, .. }) => RunFolder::hold(path, Earlier::Replaced),
                _ => RunFolder::hold(path, earlier),
            },
            Some(_) => RunFolder::share(path),
            None => RunFolder::hold(path, earlier),
        };
        let folder = options.folder().map_or_else(|| Ok(RunFolder::none()), hold)?;
        let mut model_epoch = None;
        if earlier == Earlier::Resumed {
            folder.resume_trace();
            model_epoch = folder.path().and_then(ended_at);
        }
        // Only one of several processes shows the progress.
        let quiet = options.quiet || cluster.as_ref().is_some_and(|cluster| !begins(cluster));
        let (options, before) = (TrainOptions { quiet, ..options.clone() }, Spent::default());
        let (screen, seconds) = (Screen::new(&options), Seconds::default());
        let (trains, has_model, data_version, warnings) = (false, false, 0, Vec::new());
        Ok(Self {
            program,
            version,
            options,
            folder,
            screen,
            seconds,
            began,
            cluster,
            before,
            preparation_part: Timed::Fit,
            trains,
            has_model,
            data_version,
            warnings,
            model_epoch,
        })
    }

    /// Sets the name of the metric in the progress, such as `gap`. Default: the metric's own name.
    pub fn set_metric_name(&mut self, name: &str) {
        self.screen.set_metric_name(name);
    }

    /// Returns the folder that the run writes to.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the folder of files that are made of the data once for all processes of a machine; `None` if
    /// the run starts with one process, which reads its data as without a launcher. The folder is removed
    /// when the run has ended.
    pub fn shared_folder(&self) -> Option<PathBuf> {
        let _ = self.cluster.as_ref().filter(|_| !is_alone())?;
        let invitation = PathBuf::from(std::env::var_os(FILE)?);
        Some(invitation.parent()?.join(SHARED))
    }

    /// Sets the part of the run to which one of several processes counts the seconds of making its shards and
    /// blocks. By default that is the fit; a program whose [`LazyParts`](raddle::LazyParts) read or prepare
    /// data sets that part here.
    pub fn set_preparation_part(&mut self, part: Timed) {
        self.preparation_part = part;
    }

    /// Returns the number of the party whose process this is, from 0; `None` in a process without others.
    pub fn party(&self) -> Option<usize> {
        self.cluster.as_ref().map(|cluster| (cluster.index() as usize).saturating_sub(1))
    }

    /// Returns the screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// `true` if Ctrl-C asked the run to end: programs that make several runs make no more of them.
    pub fn is_interrupted(&self) -> bool {
        Interrupt::handler().is_requested()
    }

    /// Runs `work` and counts its seconds to a part of the run.
    pub fn timed<T>(&mut self, part: Timed, work: impl FnOnce() -> T) -> T {
        self.screen.part(part);
        let start = Instant::now();
        let result = work();
        self.seconds.add(part, start.elapsed().as_secs_f64());
        result
    }

    /// Returns, in words, where the whole of a table is that the screen shows in part: in the run's folder,
    /// or only with `--out`.
    pub fn place_of(&self, file: &str) -> String {
        match self.folder.path() {
            Some(folder) => format!("in {}", folder.join(file).display()),
            None => format!("in {file} with --out DIR"),
        }
    }

    /// Makes the report of a run; `parameters` are all options of the program.
    ///
    /// # Errors
    /// If the parameters cannot be written as JSON.
    pub fn report(
        &self,
        parameters: &impl Serialize,
        data: Data,
        model_digest: String,
        run: &RunReport,
        trace: &[EpochRecord],
    ) -> Result<Report, Error> {
        let about = About {
            program: self.program.into(),
            version: self.version.into(),
            parameters: serde_json::to_value(parameters).map_err(Error::failed)?,
            data,
            // Among several processes the generations know the number of workers.
            workers: match (&self.cluster, run.generations.first()) {
                (Some(_), Some(first)) => first.workers,
                _ => self.options.worker_count(),
            },
            seed: self.options.seed,
            seconds: self.seconds,
            model_digest,
        };
        let mut report = Report::new(about, run, trace);
        report.warnings.extend(self.warnings.iter().cloned());
        Ok(report)
    }

    /// Writes summary and report, and prints the result to stdout: the text, or the report with `--json`.
    ///
    /// # Errors
    /// If a file or stdout cannot be written.
    pub fn finish(mut self, mut report: Report, summary: &Summary, text: &str) -> Result<ExitStatus, Error> {
        if let Some(epoch) = self.model_epoch.filter(|&epoch| epoch > report.epochs) {
            let text = format!(
                "{}\nthe model in the folder is of epoch {epoch}, further than this run came, and stays",
                report.conclusion()
            );
            return self.finish_without_model(report, &text);
        }
        self.save(&mut report, summary, text)?;
        self.print(&report, text)?;
        Ok(report.status())
    }

    /// Prints the end of a run that has no model, and writes nothing: the report of this run must not stand
    /// next to the model of an earlier run in the same folder.
    ///
    /// # Errors
    /// If stdout cannot be written.
    pub fn finish_without_model(self, mut report: Report, text: &str) -> Result<ExitStatus, Error> {
        self.measure(&mut report);
        self.print(&report, text)?;
        Ok(report.status())
    }

    fn print(&self, report: &Report, text: &str) -> Result<(), Error> {
        self.screen.clear();
        if self.options.json { say_json(report) } else { say(text) }
    }

    /// Commits model, summary and report together.
    fn save(&mut self, report: &mut Report, summary: &Summary, said: &str) -> Result<(), Error> {
        self.write("summary.json", |out| summary.write(out))?;
        let ended = RecordedEnd {
            ending: report.ending.name().into(),
            status: report.status().code(),
            said: said.into(),
        };
        self.folder.write_end(Begun::now(self.program, self.version), ended)?;
        self.measure(report);
        self.folder.write("report.json", |out| Ok(serde_json::to_writer_pretty(out, report)?))?;
        self.folder.commit(self.program, self.version)
    }

    /// Adds the measures that are taken last.
    fn measure(&self, report: &mut Report) {
        report.seconds = self.seconds;
        report.peak_memory_bytes = peak_memory_bytes();
        report.wall_seconds = self.began.elapsed().as_secs_f64();
        report.cpu_seconds = cpu_seconds();
        report.cpu_over_wall = report.cpu_seconds.map(|cpu| cpu / report.wall_seconds);
    }
}

/// Returns the epoch of the model of a run that has ended.
fn ended_at(folder: &Path) -> Option<u64> {
    Begun::read(folder).ok()??.ended?;
    let report = std::fs::read(folder.join("report.json")).ok()?;
    let report: serde_json::Value = serde_json::from_slice(&report).ok()?;
    report["epochs"].as_u64()
}

/// Files that become visible together when the session [`finish`](Session::finish)es. Does nothing without
/// a folder.
impl ModelFiles for Session {
    fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), FileError> {
        self.screen.part(Timed::Write);
        let start = Instant::now();
        let written = self.folder.write(name, write);
        self.seconds.add(Timed::Write, start.elapsed().as_secs_f64());
        written
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.screen.clear();
    }
}

mod cut_short;
#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;
mod training;
mod versions;
