//! [`FolderStatus`]: the status of a run, read from the files in its folder.

use raddle::command_line_support::INVITATION;
use raddle::{EpochRecord, Metric};
use serde::Serialize;

use super::curve::curve;
use crate::exit::Error;
use crate::number::{count, number, rounded};
use crate::run_folder::begun::RecordedEnd;
use crate::run_folder::life::Life;
use crate::run_folder::snapshot::RunSnapshot;

/// Epochs over which rates are taken.
const RECENT: usize = 10;
/// Characters of the curve.
const WIDTH: usize = 60;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// The process of the run is alive.
    Running,
    /// The run has ended, and its model is written.
    Ended,
    /// The process of the run is gone, and the run is not finished.
    Dead,
    /// The system does not say whether the process of the run is alive.
    Unknown,
}

/// Status of a run, as `--json` writes it.
#[derive(Debug, Serialize)]
pub(super) struct FolderStatus<'a> {
    #[serde(skip)]
    run: &'a RunSnapshot,
    pub(super) state: State,
    /// Number of the process that has the folder, if it is known.
    process: Option<u32>,
    program: Option<&'a str>,
    verb: Option<&'a str>,
    /// Epochs completed; null before the first boundary.
    pub(super) epoch: Option<u64>,
    data_version: u64,
    /// Seconds at that boundary, since the run or its last part started.
    seconds: Option<f64>,
    workers: Option<usize>,
    /// Workers that the current epoch can keep busy, if its schedule knows.
    wanted: Option<u32>,
    position: Option<&'a str>,
    metric: Option<&'a Metric>,
    objective: Option<f64>,
    /// Rate over the last epochs; null if they took no time.
    epochs_per_second: Option<f64>,
    updates_per_second: Option<f64>,
    /// End of the run, as in its report.
    ending: Option<&'a str>,
    /// Exit status of the run.
    pub(super) status: Option<u8>,
    notes: &'a [String],
}

impl<'a> FolderStatus<'a> {
    /// Returns the status of the run that was read.
    pub(super) fn new(run: &'a RunSnapshot) -> Self {
        let (ended, last) = (run.ended(), run.trace.last());
        let given = |text: &'a String| Some(text.as_str()).filter(|text| !text.is_empty());
        let program = given(&run.begun.program);
        let (state, process) = match (run.life, ended) {
            (Life::Alive(process), _) => (State::Running, process),
            (_, Some(_)) => (State::Ended, None),
            (Life::Gone, None) if program.is_none() && run.path.join("report.json").is_file() => {
                (State::Ended, None)
            }
            (Life::Gone, None) => (State::Dead, None),
            (Life::Unknown, None) => (State::Unknown, None),
        };
        // The end of an earlier part is not the end of a run that was resumed.
        let ended = ended.filter(|_| state == State::Ended);
        let rates = rates(&run.trace);
        Self {
            run,
            state,
            process,
            program,
            verb: given(&run.begun.verb),
            epoch: last.map(|last| last.epoch),
            data_version: last.map_or(0, |last| last.data_version),
            seconds: last.map(|last| last.seconds),
            workers: last.map(|last| last.workers),
            wanted: last.and_then(|last| last.wanted),
            position: last.and_then(|last| last.position.as_deref()),
            metric: run.metric(),
            objective: last.and_then(|last| last.objective),
            epochs_per_second: rates.map(|rates| rates.0),
            updates_per_second: rates.map(|rates| rates.1),
            ending: ended.map(|ended| ended.ending.as_str()),
            status: ended.map(|ended| ended.status),
            notes: &run.notes,
        }
    }

    /// A line of JSON.
    pub(super) fn json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(Error::failed)
    }

    /// Renders the status in a few lines.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![self.head()];
        lines.extend(self.progress());
        if let (Some(metric), Some(measured)) = (self.metric, self.measured()) {
            let of_metric = self.run.trace.iter().filter_map(|epoch| epoch.metric.as_ref());
            let values: Vec<f64> =
                of_metric.filter(|other| other.name == metric.name).map(|other| other.value).collect();
            lines.push(measured);
            lines.extend((values.len() > 1).then(|| curve(&values, WIDTH)));
        }
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines.join("\n")
    }

    /// Renders the status in one line, for output that is read line by line.
    pub(super) fn line(&self) -> String {
        match self.state {
            State::Running => {
                let parts = [self.progress(), self.measured()].into_iter().flatten().collect::<Vec<_>>();
                if parts.is_empty() { self.head() } else { parts.join(", ") }
            }
            _ => self.head(),
        }
    }

    /// Renders the run and its state.
    fn head(&self) -> String {
        let name = format!("{} {}", self.program.unwrap_or("run"), self.verb.unwrap_or_default());
        let name = name.trim();
        match self.state {
            State::Running => {
                let process = self.process.map_or(String::new(), |process| format!(" (process {process})"));
                let begins = if self.epoch.is_none() { ": no epoch yet" } else { "" };
                format!("{name}: running{process}{begins}")
            }
            State::Ended => {
                let last = self.run.ended().and_then(RecordedEnd::conclusion).unwrap_or("it has a model");
                let status = self.status.map_or(String::new(), |status| format!(" with status {status}"));
                format!("{name}: ended{status}: {last}")
            }
            State::Dead => {
                let path = &self.run.path;
                // The invitation is still there: the run was launched.
                let resume = match (path.join(INVITATION).is_file(), self.program) {
                    (true, _) => "raddle launch",
                    (false, Some(_)) => name,
                    (false, None) => "PROGRAM VERB",
                };
                let again = if path.join("checkpoint").exists() { "continue" } else { "start again" };
                format!(
                    "{name}: dead: no process here runs it, and it has no model; to {again}: `{resume} --resume {}`",
                    path.display()
                )
            }
            State::Unknown => format!("{name}: it cannot be seen from here whether its process lives"),
        }
    }

    /// Renders epoch, seconds, workers and rates.
    fn progress(&self) -> Option<String> {
        let data =
            if self.data_version > 0 { format!(" of data {}", self.data_version) } else { String::new() };
        let mut text = format!("epoch {}{data} after {} s", self.epoch?, rounded(self.seconds?, 4));
        text += &format!(", {}", count(self.workers? as u64, "worker"));
        text += &self.wanted.map_or(String::new(), |wanted| format!(" ({wanted} would have work)"));
        if let (Some(epochs), Some(updates)) = (self.epochs_per_second, self.updates_per_second) {
            text += &format!(", {} epochs/s, {} updates/s", rounded(epochs, 3), rounded(updates, 3));
        }
        Some(text + &self.position.map_or(String::new(), |position| format!(", {position}")))
    }

    /// Renders the metric and its target.
    fn measured(&self) -> Option<String> {
        let Metric { name, value, target, on, certified } = self.metric?;
        let value = if value.is_nan() { "not measured".into() } else { number(*value) };
        let proven = if *certified { ", certified" } else { "" };
        let target = target.map_or(String::new(), |target| format!(" (target {}{proven})", number(target)));
        Some(format!("{name} {value} on {on}{target}"))
    }
}

/// Returns epochs and updates per second, over the last epochs of the run's last part.
fn rates(trace: &[EpochRecord]) -> Option<(f64, f64)> {
    let last = trace.last()?;
    let recent = &trace[trace.len().saturating_sub(RECENT + 1)..];
    // A part that was resumed counts its seconds from its own start.
    let resumed =
        recent.windows(2).rposition(|pair| pair[1].seconds < pair[0].seconds).map_or(0, |at| at + 1);
    let recent = &recent[resumed..];
    let seconds = last.seconds - recent.first()?.seconds;
    let updates: u64 = recent.iter().skip(1).map(|epoch| epoch.updates).sum();
    (seconds > 0.0).then(|| ((recent.len() - 1) as f64 / seconds, updates as f64 / seconds))
}
