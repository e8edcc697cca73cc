//! [`PartRuns`]: runs that make one model together, such as the fits of folds, side by side on the workers.
//!
//! With `--checkpoint-every`, the folder's checkpoint holds the result of each part that is done
//! ([`PartResults`]), and a part under way has a checkpoint of its own for each of its runs. Any number of
//! workers goes on from there: parts that are done are not done again.

mod results;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use raddle::command_line_support::{CHECKPOINT, Disk, into_inner, lock, remove_checkpoint};
use raddle::{
    Ending, Engine, EngineError, EpochRecord, Limit, Metric, Outcome, Program, RunReport, side_by_side,
};

use self::results::{PartResult, PartResults};
use super::exit::Error;
use super::interrupt::Interrupt;
use super::options::TrainOptions;
use super::screen::Screen;
use crate::report::combine::{combine, without_boundary};
use crate::report::trace::Trace;
use crate::run_folder::folder::RunFolder;

/// End of a part.
#[derive(Debug)]
pub enum PartEnd {
    /// The part is done with this result, which is kept until all parts are done.
    Done(Vec<u8>),
    /// A limit or Ctrl-C ended a run of the part: no further part is started.
    Cut,
}

/// Results of all parts.
#[derive(Debug, Default)]
pub struct PartRuns {
    /// Result of each part, in their order; `None` for those that did not come to their end.
    pub done: Vec<Option<Vec<u8>>>,
    /// All their runs as one.
    pub run: Option<RunReport>,
    /// The epochs of this attempt, part by part.
    pub trace: Vec<EpochRecord>,
    /// The run that was cut short, of the first part with one, and the number of that part.
    pub cut: Option<(usize, RunReport)>,
}

/// Things that parts share while they run.
pub(super) struct Sharing<'a> {
    pub(super) options: &'a TrainOptions,
    pub(super) screen: &'a Screen,
    pub(super) folder: &'a RunFolder,
    /// The identity of the run that the parts belong to.
    pub(super) identity: &'a str,
    pub(super) names: &'a [String],
    /// Epochs and seconds of the session so far.
    pub(super) before: (u64, f64),
}

/// One of several runs that make a model together.
#[derive(Debug)]
pub struct PartRun<'a> {
    number: usize,
    name: &'a str,
    options: &'a TrainOptions,
    screen: Screen,
    folder: Option<&'a Path>,
    workers: usize,
    /// Epochs before those of this part, where parts run one after the other.
    before: u64,
    /// Seconds that the session has left.
    seconds: Option<f64>,
    began: Instant,
    runs: Vec<RunReport>,
    /// `true` if a run was asked to end before its first boundary: the part is cut there.
    is_cut: bool,
    trace: Vec<EpochRecord>,
    /// Epochs of the part, with those of earlier invocations that it was resumed from.
    traced: Vec<EpochRecord>,
}

impl PartRun<'_> {
    /// Number of the part, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Runs an engine as the options say, with its share of the workers. A part may run several, one after
    /// the other; if one is cut short the part is.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Error> {
        let (screen, own) = (self.screen.clone(), self.screen.clone());
        screen.stage(self.name);
        let (mut last, before) = (None, self.before + self.epochs());
        let traces = self.trace_file(self.runs.len());
        let mut beside = traces.clone().map(Trace::of_part);
        if let (Some(beside), Some(_)) = (&mut beside, &self.options.resume) {
            beside.keep_earlier();
        }
        let observe = move |record: &EpochRecord| {
            if last.replace(record.epoch) != Some(record.epoch) {
                own.epoch(record, before);
                // Best effort: a lost line is missing in the trace alone.
                if let Some(beside) = &mut beside {
                    beside.add(record);
                }
            }
        };
        let left = self.seconds.map(|seconds| seconds - self.began.elapsed().as_secs_f64());
        let engine = self.options.limited(engine, before, left).workers(self.workers);
        let engine = self.options.checkpointed(engine, &file(self.number, self.runs.len()));
        let engine = engine.observe(observe).on_warning(move |text| screen.warn(text));
        let outcome = engine.stop(Interrupt::handler().training()).run().inspect_err(|why| {
            if let EngineError::BeforeBoundary { interrupted } = *why {
                let limit = Ending::Limit(Limit::Time);
                self.runs.push(without_boundary(if interrupted { Ending::Interrupted } else { limit }));
                self.is_cut = true;
            }
        })?;
        let (offset, mut last) = (self.epochs(), None);
        // A boundary between generations is seen by both.
        let mut is_new = |record: &&EpochRecord| last.replace(record.epoch) != Some(record.epoch);
        let records: Vec<EpochRecord> =
            outcome.trace.iter().filter(|record| is_new(record)).cloned().collect();
        let first = records.first().map_or(0, |record| record.epoch);
        let earlier = traces.map_or_else(Vec::new, |file| records_before(&file, first));
        let on = |record: EpochRecord| EpochRecord { epoch: offset + record.epoch, ..record };
        self.traced.extend(earlier.into_iter().chain(records.iter().cloned()).map(on));
        self.trace.extend(records.into_iter().map(on));
        self.runs.push(outcome.report.clone());
        Ok(outcome)
    }

    /// File of the epochs of a run while it is under way, beside its checkpoint.
    fn trace_file(&self, run: usize) -> Option<PathBuf> {
        let folder = self.folder.filter(|_| self.options.checkpoint_every.is_some())?;
        Some(folder.join(file(self.number, run) + TRACE))
    }

    fn epochs(&self) -> u64 {
        self.runs.iter().map(|run| run.epochs).sum()
    }

    /// Removes the checkpoints of the part, once it is done.
    fn clear(&self) {
        let Some(folder) = self.folder else { return };
        for run in 0..=self.runs.len() {
            // Best effort: another run removes them, too.
            let _ = remove_checkpoint(&folder.join(file(self.number, run)), &Disk);
            let _ = self.trace_file(run).map(fs::remove_file);
        }
    }
}

/// The epochs before this one that an earlier attempt has kept.
fn records_before(file: &Path, first: u64) -> Vec<EpochRecord> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map_while(results::record).take_while(|record| record.epoch < first).collect()
}

/// Suffix of the trace file beside a checkpoint.
const TRACE: &str = ".trace";

/// The checkpoint of a part's run.
fn file(part: usize, run: usize) -> String {
    format!("{CHECKPOINT}.{part}.{run}")
}

/// Removes checkpoints of parts, of a run that is replaced or has come to its end.
pub(super) fn forget(folder: &Path) {
    let is_ours = |name: &str| {
        let numbers = name.strip_prefix(CHECKPOINT)?.strip_prefix('.')?;
        let numbers = numbers.strip_suffix(TRACE).unwrap_or(numbers);
        let (part, run) = numbers.split_once('.')?;
        let is_part = part == "last" || part.parse::<usize>().is_ok();
        (is_part && run.parse::<usize>().is_ok()).then_some(())
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().and_then(is_ours).is_some() {
            // Best effort: the files are in the way of nothing.
            let _ = remove_checkpoint(&entry.path(), &Disk);
        }
    }
}

/// Results of parts so far, of all threads.
struct Progress {
    results: PartResults,
    /// Parts whose epochs the trace has, and how many these are.
    traced: (usize, u64),
    /// Epochs of parts that are done but not yet in the trace, by part.
    waiting: Vec<Option<Vec<EpochRecord>>>,
    warnings: Vec<String>,
}

impl Sharing<'_> {
    /// Does the parts that are not done yet.
    pub(super) fn run(
        &self,
        work: impl Fn(&mut PartRun<'_>) -> Result<PartEnd, Error> + Sync,
    ) -> Result<PartRuns, Error> {
        let (count, began) = (self.names.len(), Instant::now());
        let path = self.folder.path().map(|folder| folder.join(CHECKPOINT));
        let resumed = path.as_deref().filter(|path| self.options.resume.is_some() && path.is_file());
        let results = match resumed {
            Some(path) => PartResults::read(path, self.identity, count)?,
            None => PartResults::new(self.identity),
        };
        let todo: Vec<usize> =
            (0..count).filter(|part| !results.parts.contains_key(&(*part as u64))).collect();
        let waiting = (0..count).map(|part| Some(results.parts.get(&(part as u64))?.records())).collect();
        let progress = Mutex::new(Progress { results, traced: (0, 0), waiting, warnings: Vec::new() });
        self.trace(&mut lock(&progress));
        // A plan of workers counts the epochs of all, so they run one after the other.
        let all = self.options.worker_count();
        let lanes = if self.options.rescale.is_some() { 1 } else { all.min(todo.len()).max(1) };
        let keeps = path.filter(|_| self.options.checkpoint_every.is_some());
        let lane = |at: usize| {
            let number = todo[at];
            let mut part = self.part(number, all / lanes, began, lock(&progress).traced.1);
            let ended = work(&mut part);
            let ended = if part.is_cut { Ok(PartEnd::Cut) } else { ended };
            let goes_on = matches!(ended, Ok(PartEnd::Done(_)));
            let ended =
                ended.and_then(|end| self.ended(&mut part, end, &mut lock(&progress), keeps.as_ref()));
            let result = (number, ended, part.runs, part.trace);
            if goes_on && result.1.is_ok() {
                ControlFlow::Continue(result)
            } else {
                ControlFlow::Break(result)
            }
        };
        let ended = side_by_side(lanes, todo.len(), lane);
        let Progress { results, warnings, .. } = into_inner(progress);
        let mut parts = PartRuns { done: vec![None; count], ..PartRuns::default() };
        let mut runs: Vec<Vec<RunReport>> = (0..count).map(|_| Vec::new()).collect();
        for (number, part) in results.parts {
            runs[number as usize] = part.report().into_iter().collect();
            parts.done[number as usize] = Some(part.value);
        }
        for (number, end, own, trace) in ended.into_iter().flatten() {
            end?;
            if parts.done[number].is_none() && parts.cut.is_none() {
                parts.cut = own.last().map(|run| (number, run.clone()));
            }
            runs[number] = own;
            parts.trace.extend(trace);
        }
        if let Some((_, cut)) = parts.cut.as_mut().filter(|(_, cut)| cut.metric.name.is_empty()) {
            // It had nothing to measure: the metric is that of the others.
            let measured = runs.iter().flatten().find(|run| !run.metric.name.is_empty());
            let metric = measured.map(|run| Metric { value: f64::NAN, ..run.metric.clone() });
            cut.metric = metric.unwrap_or_else(|| Metric::new("metric", f64::NAN, "training data"));
        }
        for run in runs.iter().flatten().filter(|run| !run.metric.name.is_empty()) {
            match &mut parts.run {
                Some(total) => combine(total, run),
                None => parts.run = Some(run.clone()),
            }
        }
        if let Some(run) = &mut parts.run {
            run.threads *= lanes.min(todo.len()).max(1);
            run.warnings.extend(warnings);
        }
        Ok(parts)
    }

    fn part(&self, number: usize, workers: usize, began: Instant, epochs: u64) -> PartRun<'_> {
        let (epochs_before, seconds_before) = self.before;
        PartRun {
            number,
            name: &self.names[number],
            options: self.options,
            screen: self.screen.apart(),
            folder: self.folder.path(),
            workers,
            before: epochs_before + epochs,
            seconds: self.options.time_limit.map(|limit| limit - seconds_before),
            began,
            runs: Vec::new(),
            is_cut: false,
            trace: Vec::new(),
            traced: Vec::new(),
        }
    }

    /// Keeps the result of a part, and lets the trace have its epochs.
    fn ended(
        &self,
        part: &mut PartRun<'_>,
        end: PartEnd,
        progress: &mut Progress,
        keeps: Option<&PathBuf>,
    ) -> Result<(), Error> {
        part.screen.flush();
        if let PartEnd::Done(value) = end {
            let result = PartResult::new(value, &part.runs, &part.traced);
            progress.results.parts.insert(part.number as u64, result);
            if let Some(path) = keeps {
                match progress.results.write(path) {
                    Ok(()) => part.clear(),
                    // The run is worth more than its checkpoint.
                    Err(why) => {
                        part.screen.warn(&why.to_string());
                        progress.warnings.push(why.to_string());
                    }
                }
            }
        }
        progress.waiting[part.number] = Some(part.traced.clone());
        self.trace(progress);
        Ok(())
    }

    /// Writes the epochs of parts that are done, in the order of the parts, counted on from one to the next.
    fn trace(&self, progress: &mut Progress) {
        let mut tracer = self.folder.tracer();
        while let Some(records) = progress.waiting.get_mut(progress.traced.0).and_then(Option::take) {
            let before = self.before.0 + progress.traced.1;
            let last = records.last().map_or(0, |record| record.epoch);
            for record in records {
                tracer(&EpochRecord { epoch: before + record.epoch, ..record });
            }
            progress.traced = (progress.traced.0 + 1, progress.traced.1 + last);
        }
    }
}
