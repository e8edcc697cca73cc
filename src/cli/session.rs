//! [`Session`]: one training run of a program, from its options to its exit status.

use std::io;
use std::time::Instant;

use serde::Serialize;

use super::begun::{Begun, Ended};
use super::exit::{Error, ExitStatus};
use super::folder::{CHECKPOINT, Earlier, RunFolder};
use super::interrupt::Interrupt;
use super::options::TrainOptions;
use super::parts::{Part, PartEnd, Parts, Sharing, forget};
use super::report::{About, Data, Report, Seconds, Timed};
use super::screen::{Screen, say};
use super::store::Out;
use super::summary::Summary;
use crate::cluster::Cluster;
use crate::engine::{Engine, Outcome};
use crate::error::EngineError;
use crate::process::{cpu_seconds, peak_memory_bytes};
use crate::program::Program;
use crate::record::{Ending, EpochRecord, RunReport};
use crate::slowdown::Slowdown;

/// The checkpoint of what follows parts.
const LAST: &str = "checkpoint.last.0";

/// Holds what a run needs around its mathematics: the folder, the screen, the clock and Ctrl-C.
#[derive(Debug)]
pub struct Session {
    program: &'static str,
    version: &'static str,
    options: TrainOptions,
    folder: RunFolder,
    screen: Screen,
    seconds: Seconds,
    began: Instant,
    /// Where the run has other processes.
    cluster: Option<Cluster>,
    /// What earlier engines of this session took.
    before: Spent,
    /// Whether an engine has run.
    trains: bool,
    /// The version of the data that is trained on.
    data_version: u64,
    /// What went wrong beside the engines without ending the run.
    warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    epochs: u64,
    seconds: f64,
}

impl Session {
    /// Checks the options, takes hold of the folder and of Ctrl-C.
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
        let cluster = Cluster::from_environment()?;
        let earlier = options.earlier();
        if let Some(cluster) = &cluster {
            options.check_among()?;
            Interrupt::handler().leave_by(cluster.leaver());
        }
        let hold = |path| match cluster {
            Some(_) => RunFolder::share(path),
            None => RunFolder::hold(path, earlier),
        };
        let folder = options.folder().map_or_else(|| Ok(RunFolder::none()), hold)?;
        if earlier == Earlier::Resumed {
            folder.resume_trace();
        }
        // The first process speaks for all.
        let quiet = options.quiet || cluster.as_ref().is_some_and(|cluster| cluster.index() > 0);
        let (options, before) = (TrainOptions { quiet, ..options.clone() }, Spent::default());
        let (screen, seconds) = (Screen::new(&options), Seconds::default());
        let (trains, data_version, warnings) = (false, 0, Vec::new());
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
            trains,
            data_version,
            warnings,
        })
    }

    /// What the metric is called in the progress, such as `gap`.
    pub fn set_metric_name(&mut self, name: &str) {
        self.screen.set_metric_name(name);
    }

    /// The folder the run writes to.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Whether Ctrl-C asked the run to end: programs that make several runs make no more of them.
    pub fn is_interrupted(&self) -> bool {
        Interrupt::handler().is_requested()
    }

    /// Does some work and counts its seconds to a part of the run.
    pub fn timed<T>(&mut self, part: Timed, work: impl FnOnce() -> T) -> T {
        self.screen.part(part);
        let start = Instant::now();
        let result = work();
        self.seconds.add(part, start.elapsed().as_secs_f64());
        result
    }

    /// Runs an engine as the options say, with trace, progress and Ctrl-C; its seconds are counted to the fit. Where
    /// there are several, epochs are counted on from one to the next, for the plan of workers too, and they share the
    /// time limit; the limit of epochs is each one's own.
    ///
    /// # Errors
    /// If the engine fails, or the folder cannot be written at the beginning. A trace or checkpoint that cannot be
    /// written later is a warning.
    pub fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        self.run_kept(engine, CHECKPOINT)
    }

    /// Does parts of a run side by side on the workers, each by runs of its own ([`Part::run`]), and keeps what they came
    /// to as the options say: with `--resume`, those that are done are not done again. `identity` says which run they are
    /// of, as [`Engine::identity`] does. What is chosen by them is then fitted by [`run_last`](Self::run_last).
    ///
    /// # Errors
    /// The first part's that fails, or if the folder cannot be read or written.
    pub fn parts(
        &mut self,
        identity: &str,
        names: &[String],
        work: impl Fn(&mut Part<'_>) -> Result<PartEnd, Error> + Sync,
    ) -> Result<Parts, Error> {
        self.refuse_among("this command", true)?;
        if self.options.slowdown.is_some() {
            return Err(Error::usage("--slowdown has no effect on a run of several parts: leave it out"));
        }
        self.begin_training()?;
        self.screen.part(Timed::Fit);
        let (start, options, screen) = (Instant::now(), self.options.clone(), self.screen.clone());
        let before = (self.before.epochs, self.before.seconds);
        let sharing =
            Sharing { options: &options, screen: &screen, folder: &self.folder, identity, names, before };
        let parts = sharing.run(work)?;
        let seconds = start.elapsed().as_secs_f64();
        self.seconds.add(Timed::Fit, seconds);
        self.before.epochs += parts.run.as_ref().map_or(0, |run| run.epochs);
        self.before.seconds += seconds;
        Ok(parts)
    }

    /// Runs the engine that follows [`parts`](Self::parts), with a checkpoint beside theirs.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_last<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        let outcome = self.run_kept(engine, LAST)?;
        if outcome.report.ending == Ending::Target
            && let Some(folder) = self.folder.path()
        {
            forget(folder);
        }
        Ok(outcome)
    }

    /// Refuses what a run on several processes cannot do, such as an option.
    ///
    /// # Errors
    /// A usage error, where there are several processes and it is given.
    pub fn refuse_among(&self, what: &str, is_given: bool) -> Result<(), Error> {
        match is_given && self.cluster.is_some() {
            true => Err(Error::usage(format!(
                "{what} takes several runs, and several processes carry out one: start it without raddle launch"
            ))),
            false => Ok(()),
        }
    }

    pub(super) fn begin_training(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.trains, true) {
            return Ok(());
        }
        // Whoever is the first process in the end writes the model of a run that the first one has begun.
        if self.cluster.as_ref().is_some_and(|cluster| cluster.index() > 0) {
            return self.folder.take_over();
        }
        let is_new = self.options.earlier() != Earlier::Resumed;
        self.folder.begin(&Begun::now(self.program, self.version), is_new)?;
        if let Some(folder) = self.folder.path().filter(|_| is_new) {
            forget(folder);
        }
        Ok(())
    }

    fn run_kept<P: Program>(&mut self, engine: Engine<P>, file: &str) -> Result<Outcome<P>, Error> {
        self.begin_training()?;
        let screen = self.screen.clone();
        let engine = self.options.limit(engine);
        // A version that is cut short is begun anew, from the one before.
        let engine = if self.data_version > 0 { engine } else { self.options.keep(engine, file) };
        let engine = engine.observe(self.observer()).on_warning(move |text| screen.warn(text));
        let mut engine = engine.stop(Interrupt::handler().training());
        if let Some(limit) = self.options.time_limit {
            engine = engine.time_limit((limit - self.before.seconds).max(0.0));
        }
        if let Some(plan) = &self.options.rescale {
            engine = engine.rescale(&plan.after(self.before.epochs));
        }
        if let Some(file) = &self.options.slowdown {
            engine = engine.slowdown(Slowdown::read(file).map_err(Error::input)?);
        }
        let cluster = self.cluster.take();
        let outcome = self.timed(Timed::Fit, || match &cluster {
            None => engine.run().map(Some),
            Some(cluster) => engine.run_on(cluster),
        });
        self.cluster = cluster;
        let outcome = outcome.map_err(|error| match error {
            EngineError::Checkpoint { .. } => Error::input(error),
            error => Error::from(error),
        })?;
        // The first process has the model, and says what there is to say.
        let outcome = outcome.ok_or(Error::quiet(ExitStatus::Done))?;
        self.screen.flush();
        // What only measures the model is certified, not fitted.
        let measured: f64 = outcome.trace.iter().map(|record| record.measured).sum();
        self.seconds.add(Timed::Fit, -measured);
        self.seconds.add(Timed::Certify, measured);
        self.before.epochs += outcome.report.epochs;
        self.before.seconds += outcome.report.seconds;
        let folder = &self.folder;
        let start = Instant::now();
        if let Err(why) = folder.check_trace() {
            self.screen.warn(&why.to_string());
            self.warnings.push(why.to_string());
        }
        self.seconds.add(Timed::Write, start.elapsed().as_secs_f64());
        Ok(outcome)
    }

    /// Shows and traces every epoch once: a boundary between generations is seen by both.
    fn observer(&self) -> impl FnMut(&EpochRecord) + Send + 'static {
        let (screen, mut tracer) = (self.screen.clone(), self.folder.tracer());
        let (before, data_version, mut last) = (self.before.epochs, self.data_version, None);
        move |record| {
            if last.replace(record.epoch) != Some(record.epoch) {
                screen.epoch(record, before);
                tracer(&EpochRecord { epoch: before + record.epoch, data_version, ..record.clone() });
            }
        }
    }

    /// Streams a file of the model, if there is a folder; all of them become visible together when the session
    /// [`finish`](Self::finish)es. What is written as `model.json` is an object, what the program says of its model:
    /// program, version and the digest of every file are put in front of it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
        self.screen.part(Timed::Write);
        let start = Instant::now();
        let written = self.folder.write(name, write);
        self.seconds.add(Timed::Write, start.elapsed().as_secs_f64());
        written
    }

    /// Where all of a table is that the screen shows in part: in the run's folder, or with `--out`.
    pub fn place_of(&self, file: &str) -> String {
        match self.folder.path() {
            Some(folder) => format!("in {}", folder.join(file).display()),
            None => format!("in {file} with --out DIR"),
        }
    }

    /// The report of a run; `parameters` are all options of the program.
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
            // Several processes have other numbers.
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

    /// Writes summary and report, and says the result on stdout: the text, or the report with `--json`.
    ///
    /// # Errors
    /// If a file or stdout cannot be written.
    pub fn finish(mut self, mut report: Report, summary: &Summary, text: &str) -> Result<ExitStatus, Error> {
        self.save(&mut report, summary, text)?;
        self.tell(&report, text)?;
        Ok(report.status())
    }

    /// Says how a run ended that came to no model, and writes nothing: beside the model of an earlier run in the same
    /// folder, the report of this one would be a lie.
    ///
    /// # Errors
    /// If stdout cannot be written.
    pub fn finish_without_model(self, mut report: Report, text: &str) -> Result<ExitStatus, Error> {
        self.measure(&mut report);
        self.tell(&report, text)?;
        Ok(report.status())
    }

    fn tell(&self, report: &Report, text: &str) -> Result<(), Error> {
        self.screen.clear();
        if self.options.json {
            say(&serde_json::to_string(report).map_err(Error::failed)?)?;
        } else {
            say(text)?;
        }
        Ok(())
    }

    /// Model, summary and report become visible together.
    fn save(&mut self, report: &mut Report, summary: &Summary, said: &str) -> Result<(), Error> {
        self.write("summary.json", |out| Ok(serde_json::to_writer_pretty(out, summary)?))?;
        let ended =
            Ended { ending: report.ending.name().into(), status: report.status().code(), said: said.into() };
        self.folder.write_end(Begun::now(self.program, self.version), ended)?;
        self.measure(report);
        self.folder.write("report.json", |out| Ok(serde_json::to_writer_pretty(out, report)?))?;
        self.folder.commit(self.program, self.version)
    }

    /// What is measured last.
    fn measure(&self, report: &mut Report) {
        report.seconds = self.seconds;
        report.peak_memory_bytes = peak_memory_bytes();
        report.wall_seconds = self.began.elapsed().as_secs_f64();
        report.cpu_seconds = cpu_seconds();
        report.cpu_over_wall = report.cpu_seconds.map(|cpu| cpu / report.wall_seconds);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.screen.clear();
    }
}

#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;
mod versions;
