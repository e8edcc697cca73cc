//! [`Report`]: `report.json`, all that a run is judged by.

pub(crate) mod combine;
mod data;
mod layout;
pub(crate) mod picture;
mod profile;
mod seconds;
pub(crate) mod summary;
pub(crate) mod trace;

use std::collections::BTreeMap;

use raddle::{
    CheckpointRecord, Ending, EpochRecord, GenerationRecord, Limit, Metric, ProcessRecord, RunReport,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::exit::ExitStatus;
use crate::number::{count, number};

pub use self::data::{Data, Records};
pub use self::profile::{Profile, profile};
pub use self::seconds::{Seconds, Timed};

/// Facts of a run that the engine cannot know.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The program's name.
    pub program: String,
    /// The program's version.
    pub version: String,
    /// All options of the run.
    pub parameters: Value,
    /// The data.
    pub data: Data,
    /// Workers at the start.
    pub workers: usize,
    /// The seed.
    pub seed: u64,
    /// Seconds of the phases.
    pub seconds: Seconds,
    /// The model's digest.
    pub model_digest: String,
}

/// `report.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The program's name.
    pub program: String,
    /// The program's version.
    pub version: String,
    /// All options of the run.
    pub parameters: Value,
    /// The data.
    pub data: Data,
    /// The records of the data: how many were read, are used and are not.
    pub records: Records,
    /// Notes on the data, as the screen shows them, a sentence each.
    pub notes: Vec<String>,
    /// Workers at the start; the generations tell the rest.
    pub workers: usize,
    /// Processes.
    pub processes: usize,
    /// Shards.
    pub shards: usize,
    /// The seed.
    pub seed: u64,
    /// Seconds of the phases.
    pub seconds: Seconds,
    /// Epochs completed.
    pub epochs: u64,
    /// Rounds handed out.
    pub rounds: u64,
    /// Tasks in these rounds: blocks that met a shard.
    pub tasks: u64,
    /// Candidates proposed.
    pub candidates: u64,
    /// Candidates rejected.
    pub rejected: u64,
    /// Variables updated.
    pub updates: u64,
    /// Bytes that crossed between workers.
    pub bytes_on_wire: u64,
    /// Bytes of blocks that crossed between workers: a part of `bytes_on_wire`.
    pub block_bytes_on_wire: u64,
    /// The metric of the model.
    pub metric: Metric,
    /// End of the run.
    pub ending: Ending,
    /// The objective, if there is a monotone one.
    pub objective: Option<f64>,
    /// Epochs that the guard rolled back.
    pub rollbacks: u64,
    /// SHA-256 over the model's values in the order that the program documents.
    pub model_digest: String,
    /// The most memory the process held; null where the system does not say.
    pub peak_memory_bytes: Option<u64>,
    /// CPU time over all threads; null where the system does not say.
    pub cpu_seconds: Option<f64>,
    /// Seconds from the start of the program to this report.
    pub wall_seconds: f64,
    /// CPU time over wall time: how many cores were busy on average.
    pub cpu_over_wall: Option<f64>,
    /// The most threads that computed at once: workers beyond the cores share theirs.
    pub threads: usize,
    /// Workers of the last generation that held no shard.
    pub idle_workers: usize,
    /// Shards that changed worker, over all generations.
    pub shards_moved: usize,
    /// The generations.
    pub generations: Vec<GenerationRecord>,
    /// Memory and CPU time of each process, where there were several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<ProcessRecord>,
    /// Checkpoints that were written.
    pub checkpoints: CheckpointRecord,
    /// Faults that did not end the run.
    pub warnings: Vec<String>,
    /// Costs and gains of an epoch, by workers.
    pub profile: BTreeMap<usize, Profile>,
    /// Results of the program itself, by name.
    pub results: Map<String, Value>,
}

impl Report {
    /// The report of a run. Memory and CPU time, measured last, are filled in when it is written.
    pub fn new(about: About, run: &RunReport, trace: &[EpochRecord]) -> Self {
        let About { program, version, parameters, mut data, workers, seed, seconds, model_digest } = about;
        let (records, notes) = (std::mem::take(&mut data.records), std::mem::take(&mut data.notes));
        Self {
            program,
            version,
            parameters,
            data,
            records,
            notes,
            workers,
            processes: run.generations.first().map_or(1, |generation| generation.processes),
            shards: run.shards,
            seed,
            seconds,
            epochs: run.epochs,
            rounds: run.rounds,
            tasks: run.tasks,
            candidates: run.candidates,
            rejected: run.rejected,
            updates: run.updates,
            bytes_on_wire: run.bytes_on_wire,
            block_bytes_on_wire: run.block_bytes_on_wire,
            metric: run.metric.clone(),
            ending: run.ending,
            objective: run.objective,
            rollbacks: run.rollbacks,
            model_digest,
            peak_memory_bytes: None,
            cpu_seconds: None,
            wall_seconds: 0.0,
            cpu_over_wall: None,
            threads: run.threads,
            idle_workers: run.idle_workers,
            shards_moved: run.generations.iter().map(|generation| generation.shards_moved).sum(),
            generations: run.generations.clone(),
            members: run.processes.clone(),
            checkpoints: run.checkpoints,
            warnings: run.warnings.clone(),
            profile: profile(trace),
            results: Map::new(),
        }
    }

    /// Adds a result of the program.
    pub fn result(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.results.insert(name.into(), value.into());
        self
    }

    /// The exit status that follows from the run's ending.
    pub fn status(&self) -> ExitStatus {
        ExitStatus::of(self.ending, &self.metric)
    }

    /// The run's ending and its metric, in a line for the screen.
    pub fn conclusion(&self) -> String {
        let ended = match self.ending {
            Ending::Converged if self.metric.is_missed() => "stopped: no further epoch comes closer",
            Ending::Target | Ending::Converged => "done",
            Ending::Limit(Limit::Epochs) => "stopped at the limit of epochs",
            Ending::Limit(Limit::Time) => "stopped at the time limit",
            Ending::Interrupted => "interrupted",
            Ending::Diverged => "stopped: it diverged",
        };
        format!(
            "{ended}: {}; {}, {:.3} s",
            measured(&self.metric),
            count(self.epochs, "epoch"),
            self.seconds.fit
        )
    }
}

/// A metric for the screen: its value, and its target if it has one.
fn measured(metric: &Metric) -> String {
    let Metric { name, value, target, on, .. } = metric;
    let value = if value.is_nan() { "not measured".into() } else { number(*value) };
    let missed = if metric.is_missed() { " not reached" } else { "" };
    let target = target.map_or(String::new(), |target| format!(" (target {}{missed})", number(target)));
    format!("{name} {value} on {on}{target}")
}

#[cfg(test)]
pub(crate) mod tests;
