//! [`Session`]: one training run of a program, from its options to its exit status.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;

use super::exit::{Error, ExitStatus};
use super::folder::{Earlier, RunFolder};
use super::interrupt::Interrupt;
use super::options::TrainOptions;
use super::process::{cpu_seconds, peak_memory_bytes};
use super::report::{About, Data, Phase, Report, Seconds};
use super::screen::{Screen, say};
use super::store::Out;
use super::summary::Summary;
use crate::engine::{Engine, Outcome};
use crate::error::EngineError;
use crate::program::Program;
use crate::record::{EpochRecord, RunReport};

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
    /// What earlier engines of this session took.
    before: Spent,
    /// Whether an engine has run.
    trains: bool,
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
        options.check()?;
        let earlier = options.earlier();
        let hold = |path| RunFolder::hold(path, earlier);
        let folder = options.folder().map_or_else(|| Ok(RunFolder::none()), hold)?;
        if earlier == Earlier::Resumed {
            folder.resume_trace();
        }
        Interrupt::handler();
        let (screen, seconds) = (Screen::new(options), Seconds::default());
        let (options, before) = (options.clone(), Spent::default());
        Ok(Self { program, version, options, folder, screen, seconds, began, before, trains: false })
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

    /// Does some work and counts its seconds to a phase.
    pub fn timed<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        self.screen.phase(phase);
        let start = Instant::now();
        let result = work();
        self.seconds.add(phase, start.elapsed().as_secs_f64());
        result
    }

    /// Runs an engine as the options say, with trace, progress and Ctrl-C; its seconds are counted to the fit. Where
    /// there are several, epochs are counted on from one to the next, for the plan of workers too, and they share the
    /// time limit; the limit of epochs is each one's own.
    ///
    /// # Errors
    /// If the engine fails, or the trace cannot be written.
    pub fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        if !std::mem::replace(&mut self.trains, true) && self.options.earlier() != Earlier::Resumed {
            self.folder.begin_anew()?;
        }
        let began = Arc::new(AtomicBool::new(false));
        let observer = self.observer(Arc::clone(&began));
        let mut engine = self.options.apply(engine).observe(observer).stop(Interrupt::handler().training());
        if let Some(limit) = self.options.time_limit {
            engine = engine.time_limit((limit - self.before.seconds).max(0.0));
        }
        if let Some(plan) = &self.options.rescale {
            engine = engine.rescale(&plan.after(self.before.epochs));
        }
        let outcome = self.timed(Phase::Fit, || engine.run()).map_err(|error| match error {
            // Before the first boundary a checkpoint is read, after it they are written.
            EngineError::Checkpoint { .. } if !began.load(Ordering::Relaxed) => Error::input(error),
            error => Error::from(error),
        })?;
        // What only measures the model is certified, not fitted.
        let measured: f64 = outcome.trace.iter().map(|record| record.measured).sum();
        self.seconds.add(Phase::Fit, -measured);
        self.seconds.add(Phase::Certify, measured);
        self.before.epochs += outcome.report.epochs;
        self.before.seconds += outcome.report.seconds;
        let folder = &self.folder;
        let start = Instant::now();
        folder.check_trace()?;
        self.seconds.add(Phase::Write, start.elapsed().as_secs_f64());
        Ok(outcome)
    }

    /// Shows and traces every epoch once: a boundary between generations is seen by both.
    fn observer(&self, began: Arc<AtomicBool>) -> impl FnMut(&EpochRecord) + Send + 'static {
        let (screen, mut tracer) = (self.screen.clone(), self.folder.tracer());
        let (before, mut last) = (self.before.epochs, None);
        move |record| {
            began.store(true, Ordering::Relaxed);
            if last.replace(record.epoch) != Some(record.epoch) {
                let record = EpochRecord { epoch: before + record.epoch, ..record.clone() };
                tracer(&record);
                screen.epoch(&record);
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
        self.screen.phase(Phase::Write);
        let start = Instant::now();
        let written = self.folder.write(name, write);
        self.seconds.add(Phase::Write, start.elapsed().as_secs_f64());
        written
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
            workers: self.options.worker_count(),
            seed: self.options.seed,
            seconds: self.seconds,
            model_digest,
        };
        Ok(Report::new(about, run, trace))
    }

    /// Writes summary and report, and says the result on stdout: the text, or the report with `--json`.
    ///
    /// # Errors
    /// If a file or stdout cannot be written.
    pub fn finish(mut self, mut report: Report, summary: &Summary, text: &str) -> Result<ExitStatus, Error> {
        self.save(&mut report, summary)?;
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
    fn save(&mut self, report: &mut Report, summary: &Summary) -> Result<(), Error> {
        self.write("summary.json", |out| Ok(serde_json::to_writer_pretty(out, summary)?))?;
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
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::engine::Parts;
    use crate::program::{Boundary, Task};
    use crate::record::{Ending, Limit};
    use crate::schedule::{Cyclic, Round, Variables};
    use crate::verdict::{Metric, Verdict};

    /// Halves a number an epoch.
    struct Halving;

    impl Program for Halving {
        type Shard = ();
        type Block = ();
        type Pinned = ();
        type Replica = f64;
        type Partial = ();
        type Change = ();

        fn update(&self, _: &Task, (): &mut (), _: &f64) {}
        fn aggregate(&self, _: &Round, (): &mut (), _: Vec<(u32, ())>) {}
        fn commit(&self, (): &(), number: &mut f64) {
            *number /= 2.0;
        }
        fn certify(&self, _: u32, (): &mut (), _: &f64) {}
        fn conclude(&self, _: &Boundary, (): &mut (), number: &f64, _: Vec<(u32, ())>) -> Verdict<()> {
            Verdict::new(Metric::new("number", *number, "itself").target(0.1))
        }
    }

    fn engine() -> Engine<Halving> {
        let schedule = Cyclic::new(Variables::anywhere(vec![1], 1), 1);
        Engine::new(Halving, schedule, Parts::new(vec![()], 1.0))
    }

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        train: TrainOptions,
    }

    fn session(line: &[&str]) -> Session {
        let line = [&["halving", "--quiet", "--workers", "1"], line].concat();
        Session::begin("halving", "1.0", &Line::parse_from(line).train).unwrap()
    }

    fn epochs(run: &Path) -> Vec<u64> {
        let trace = fs::read_to_string(run.join("trace.jsonl")).unwrap();
        let epoch =
            |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["epoch"].as_u64().unwrap();
        trace.lines().map(epoch).collect()
    }

    #[test]
    fn a_run_leaves_its_folder_complete() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let mut session = session(&["--out", run.to_str().unwrap(), "--checkpoint-every", "1"]);
        let outcome = session.run(engine()).unwrap();
        session.write("number", |out| io::Write::write_all(out, b"0.0625")).unwrap();
        let report = session.report(&(), Data::default(), String::new(), &outcome.report, &outcome.trace);
        session.save(&mut report.unwrap(), &Summary::default()).unwrap();
        assert_eq!(epochs(&run), [0, 1, 2, 3, 4]);
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(run.join("report.json")).unwrap()).unwrap();
        assert_eq!((&report["ending"], &report["epochs"]), (&"target".into(), &4.into()));
        assert!(report["seconds"]["fit"].as_f64() > Some(0.0) && report["wall_seconds"].as_f64() > Some(0.0));
        assert!(run.join("number").exists() && run.join("summary.json").exists());
    }

    #[test]
    fn a_run_goes_on_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().to_str().unwrap();
        let stopped =
            session(&["--out", run, "--epochs", "2", "--checkpoint-every", "2"]).run(engine()).unwrap();
        assert_eq!(
            (stopped.report.ending, epochs(folder.path())),
            (Ending::Limit(Limit::Epochs), vec![0, 1, 2])
        );
        let outcome = session(&["--resume", run]).run(engine()).unwrap();
        assert_eq!((outcome.report.ending, outcome.parts.replica), (Ending::Target, 0.0625));
        assert_eq!(epochs(folder.path()), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_checkpoint_that_cannot_be_used_is_bad_input() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("checkpoint"), "nonsense").unwrap();
        let mut session = session(&["--resume", folder.path().to_str().unwrap()]);
        let error = session.run(engine()).err().unwrap();
        assert_eq!(error.status(), ExitStatus::Usage);
        assert!(error.to_string().contains("damaged or not a checkpoint"), "{error}");
    }

    #[test]
    fn several_engines_count_on() {
        let folder = tempfile::tempdir().unwrap();
        let line = ["--out", folder.path().to_str().unwrap(), "--epochs", "2", "--rescale", "1:2,3:3"];
        let mut session = session(&line);
        let workers = |outcome: Outcome<Halving>| -> Vec<usize> {
            outcome.report.generations.iter().map(|generation| generation.workers).collect()
        };
        assert_eq!(workers(session.run(engine()).unwrap()), [1, 2]);
        assert_eq!(workers(session.run(engine()).unwrap()), [2, 3]);
        assert_eq!(epochs(folder.path()), [0, 1, 2, 2, 3, 4]);
    }
}
