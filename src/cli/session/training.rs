//! The engines of a session: one after the other, in parts at the same time, or among several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use raddle::command_line_support::{CHECKPOINT, PreparationSeconds};
use raddle::{Ending, Engine, EpochRecord, Outcome, Program, Shard as _, Slowdown};

use super::super::environment::{begins, is_again};
use super::super::exit::{Error, ExitStatus};
use super::super::interrupt::Interrupt;
use super::super::parts::{PartEnd, PartRun, PartRuns, Sharing, forget};
use super::super::report::Timed;
use super::Session;
use crate::run_folder::begun::Begun;
use crate::run_folder::folder::Earlier;

/// File name of the checkpoint of the engine that follows parts.
const LAST: &str = "checkpoint.last.0";

impl Session {
    /// Runs an engine as the options say, with trace, progress and Ctrl-C, and counts its seconds to the fit.
    /// If a session runs several engines, their epochs are numbered consecutively, also for the plan of
    /// workers, and they share the time limit; the limit of epochs applies to each engine.
    ///
    /// # Errors
    /// If the engine fails, or the folder cannot be written at the beginning. A trace or checkpoint that
    /// cannot be written later is a warning.
    pub fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        self.run_checkpointed(engine, CHECKPOINT)
    }

    /// Runs the parts of a run at the same time on the workers, each with engines of its own
    /// ([`PartRun::run`]), and keeps their results as the options say: with `--resume`, parts that are done
    /// are not run again. `identity` names the run that the parts belong to, as [`Engine::identity`] does.
    /// The model that they choose is then fitted by [`run_last`](Self::run_last).
    ///
    /// # Errors
    /// The error of the first part that fails, or if the folder cannot be read or written.
    pub fn parts(
        &mut self,
        identity: &str,
        names: &[String],
        work: impl Fn(&mut PartRun<'_>) -> Result<PartEnd, Error> + Sync,
    ) -> Result<PartRuns, Error> {
        self.refuse_distributed("this command")?;
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

    /// Runs the engine that follows [`parts`](Self::parts) or an earlier [`run`](Self::run), with a
    /// checkpoint next to theirs.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_last<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        let outcome = self.run_checkpointed(engine, LAST)?;
        if outcome.report.ending == Ending::Target
            && let Some(folder) = self.folder.path()
        {
            forget(folder);
        }
        Ok(outcome)
    }

    /// Refuses a request that a run on several processes does not support.
    ///
    /// # Errors
    /// A usage error, if there are several processes.
    pub fn refuse_distributed(&self, what: &str) -> Result<(), Error> {
        match self.cluster.is_some() {
            true => Err(Error::usage(format!(
                "{what} takes several runs, and raddle launch carries out one: start it without raddle \
                 launch, or as a job of a pool, raddle pool run JOBS --out DIR"
            ))),
            false => Ok(()),
        }
    }

    pub(crate) fn begin_training(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.trains, true) {
            return Ok(());
        }
        // The process that is first at the end writes the model of a run that another process may have
        // started.
        if self.cluster.as_ref().is_some_and(|cluster| !begins(cluster)) {
            self.folder.take_over();
            return Ok(());
        }
        let is_new = self.options.earlier() != Earlier::Resumed && !is_again();
        self.folder.begin(&Begun::now(self.program, self.version), is_new)?;
        if let Some(folder) = self.folder.path().filter(|_| is_new) {
            forget(folder);
        }
        Ok(())
    }

    fn run_checkpointed<P: Program>(&mut self, engine: Engine<P>, file: &str) -> Result<Outcome<P>, Error> {
        self.begin_training()?;
        let screen = self.screen.clone();
        let left = self.options.time_limit.map(|limit| limit - self.before.seconds);
        let engine = self.options.limited(engine, self.before.epochs, left);
        // A version that was cut short starts again, from the one before.
        let engine = match self.data_version {
            // Shards that stay with parties make no checkpoint of all.
            0 if P::Shard::STAYS && self.cluster.is_some() => engine,
            0 => self.options.checkpointed(engine, file),
            version => engine.of_version(version),
        };
        let is_ended = Arc::new(AtomicBool::new(false));
        let engine =
            engine.observe(self.observer(Arc::clone(&is_ended))).on_warning(move |text| screen.warn(text));
        let mut engine = engine.stop(Interrupt::handler().training());
        if let Some(file) = &self.options.slowdown {
            engine = engine.slowdown(Slowdown::read(file).map_err(Error::input)?);
        }
        let cluster = self.cluster.take();
        let outcome = self.timed(Timed::Fit, || match &cluster {
            None => engine.run().map(Some),
            Some(cluster) => engine.run_on(cluster),
        });
        self.cluster = cluster;
        // The first process has the model, and reports it.
        let outcome = outcome?.ok_or(Error::quiet(ExitStatus::Done))?;
        self.has_model = true;
        self.screen.flush();
        if let Some(last) = outcome.trace.last().filter(|_| !is_ended.load(Ordering::Relaxed)) {
            // An epoch was cancelled: the run ends at a boundary that was shown as any other.
            let (epoch, data_version) = (self.before.epochs + last.epoch, self.data_version);
            self.folder.end_trace(&EpochRecord { epoch, data_version, ..last.clone() });
        }
        // Seconds that only measured the model count to the evaluation, not to the fit.
        let measured: f64 = outcome.trace.iter().map(|record| record.measured).sum();
        // Nor do seconds of waiting for processes that still read, or for a controller.
        let PreparationSeconds { awaited, made } = outcome.preparation;
        for (part, seconds) in
            [(Timed::Certify, measured), (Timed::Prepare, awaited), (self.preparation_part, made)]
        {
            self.seconds.add(Timed::Fit, -seconds);
            self.seconds.add(part, seconds);
        }
        self.seconds.add(Timed::Fit, -outcome.held);
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

    /// Returns an observer that shows and traces every epoch once, although a boundary between two
    /// generations is reported by both.
    fn observer(&self, is_ended: Arc<AtomicBool>) -> impl FnMut(&EpochRecord) + Send + 'static {
        let (screen, mut tracer) = (self.screen.clone(), self.folder.tracer());
        let (before, data_version, mut last) = (self.before.epochs, self.data_version, None);
        move |record| {
            is_ended.fetch_or(record.ending.is_some(), Ordering::Relaxed);
            if last.replace(record.epoch) != Some(record.epoch) {
                screen.epoch(record, before);
                tracer(&EpochRecord { epoch: before + record.epoch, data_version, ..record.clone() });
            }
        }
    }
}
