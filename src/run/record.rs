//! Records of a run: one an epoch, and a report at the end.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::error::EngineError;
use crate::program::verdict::Metric;
use crate::run::traffic::Traffic;
use crate::schedule::RoundLog;

/// One epoch, as written to `trace.jsonl`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Epochs completed, this one included; 0 is the boundary before the first.
    pub epoch: u64,
    /// Version of the data; 0 until records are inserted or retracted.
    pub data_version: u64,
    /// Seconds since the run started.
    pub seconds: f64,
    /// Seconds of this epoch that were spent measuring the model
    /// ([`Program::is_evaluation`](crate::Program::is_evaluation)), on the worker that spent the most.
    pub measured: f64,
    /// Workers in this epoch.
    pub workers: usize,
    /// The objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// The metric at the boundary that ends the epoch; `None` if nothing was measured.
    pub metric: Option<Metric>,
    /// Position of the run at that boundary, in the program's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// End of the run, only at its last boundary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The program's note at the boundary, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Further values that the program shows, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nulls_or_numbers")]
    pub shown: BTreeMap<String, f64>,
    /// Variables named by the rounds of this epoch, each as often as it is named; a task that names none
    /// counts its block.
    pub updates: u64,
    /// Rounds in this epoch.
    pub rounds: u64,
    /// Candidates proposed in this epoch.
    pub candidates: u64,
    /// Candidates rejected in this epoch.
    pub rejected: u64,
    /// `true` if the guard rolled the epoch back.
    pub rolled_back: bool,
    /// Number of workers that the next epoch can keep busy, if its schedule knows
    /// ([`Schedule::wanted`](crate::Schedule::wanted)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u32>,
    /// Seconds that each worker with a shard computed.
    pub load: Vec<f64>,
    /// Counted cost of the epoch's tasks, where the run is held
    /// ([`HeldBoundary::cost`](crate::cluster::HeldBoundary::cost)); else 0.
    #[serde(skip)]
    pub cost: u64,
    /// Log of the rounds, if the schedule was asked to explain them.
    #[serde(skip)]
    pub log: Vec<RoundLog>,
}

fn nulls_or_numbers<'de, D: Deserializer<'de>>(json: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let values = BTreeMap::<String, Option<f64>>::deserialize(json)?;
    Ok(values.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}

impl EpochRecord {
    /// Returns the value of the metric; NaN if nothing was measured.
    pub fn value(&self) -> f64 {
        self.metric.as_ref().map_or(f64::NAN, |metric| metric.value)
    }
}

/// One timely computation with a fixed set of workers, as listed in the report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GenerationRecord {
    /// Epochs completed when the generation started.
    pub epoch: u64,
    /// Number of workers.
    pub workers: usize,
    /// Number of processes.
    pub processes: usize,
    /// Seconds between the last boundary of the generation before and the first work of this one; 0 for the
    /// first.
    pub pause: f64,
    /// Shards that changed worker.
    pub shards_moved: usize,
    /// Bytes that were handed over between processes before the generation started.
    pub bytes_moved: u64,
    /// Processes of the generation, the one with the hub first.
    #[serde(default)]
    pub members: Vec<GenerationMember>,
}

/// A process of a generation, as listed in the report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationMember {
    /// Number of the process.
    pub process: u32,
    /// Number of its workers.
    pub workers: usize,
    /// Number of its shards.
    pub shards: usize,
    /// Number of its blocks when the generation started.
    pub blocks: usize,
    /// Messages that the process sent as bytes: to other processes or, in the serialized mode, between its
    /// threads.
    pub messages_sent: u64,
    /// Bytes of these messages.
    pub bytes_sent: u64,
    /// Bytes that were handed over to the process before the generation started.
    pub bytes_received: u64,
}

crate::state!(GenerationRecord { epoch, workers, processes, pause, shards_moved, bytes_moved, members });
crate::state!(GenerationMember {
    process,
    workers,
    shards,
    blocks,
    messages_sent,
    bytes_sent,
    bytes_received
});

impl GenerationRecord {
    /// Adds what a process sent in the generation, and the bytes that were handed over to it before.
    pub(crate) fn note(&mut self, process: u32, sent: Traffic, received: u64) {
        for member in self.members.iter_mut().filter(|member| member.process == process) {
            member.messages_sent += sent.messages;
            member.bytes_sent += sent.bytes;
            member.bytes_received += received;
        }
    }
}

/// A process of a run, as listed in the report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProcessRecord {
    /// Number of the process.
    pub process: u32,
    /// Peak memory of the process, in bytes; `None` where the system does not say.
    pub peak_memory_bytes: Option<u64>,
    /// CPU time of the process, in seconds; `None` where the system does not say.
    pub cpu_seconds: Option<f64>,
    /// Processor and system of the process, such as `x86_64-linux`.
    #[serde(default)]
    pub machine: String,
}

crate::state!(ProcessRecord { process, peak_memory_bytes, cpu_seconds, machine });

crate::state!(EpochRecord {
    epoch,
    data_version,
    seconds,
    measured,
    workers,
    objective,
    metric,
    position,
    ending,
    note,
    shown,
    updates,
    rounds,
    candidates,
    rejected,
    rolled_back,
    wanted,
    load,
    cost,
    log,
});

/// Checkpoints of a run: their number, their cost, and the size of the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckpointRecord {
    /// Number of checkpoints.
    pub count: u64,
    /// Seconds of all checkpoints, each of the worker that took longest.
    pub seconds: f64,
    /// Bytes of the last checkpoint.
    pub bytes: u64,
}

crate::state!(CheckpointRecord { count, seconds, bytes });

/// End of a run; in JSON its [`name`](Ending::name).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The metric reached its target.
    Target,
    /// The program's own stopping rule held; a target, if there is one, is missed.
    Converged,
    /// A limit came first.
    Limit(Limit),
    /// A request to stop, such as Ctrl-C.
    Interrupted,
    /// The metric or the objective is not finite, the objective worsens at any parallelism, or the program
    /// has reported divergence.
    Diverged,
}

/// Limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The limit of epochs.
    Epochs,
    /// The limit of time.
    Time,
}

crate::state!(
    enum Ending {
        Target,
        Converged,
        Limit(limit),
        Interrupted,
        Diverged,
    }
);
crate::state!(
    enum Limit {
        Epochs,
        Time,
    }
);

impl Ending {
    /// `target`, `converged`, `limit`, `interrupted` or `diverged`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Converged => "converged",
            Self::Limit(_) => "limit",
            Self::Interrupted => "interrupted",
            Self::Diverged => "diverged",
        }
    }

    /// Returns the error of a run with this ending before its first boundary.
    pub(crate) fn before_boundary(self) -> EngineError {
        EngineError::BeforeBoundary { interrupted: self == Self::Interrupted }
    }
}

impl Serialize for Ending {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

// JSON does not name the limit: it is read as the limit of epochs.
impl<'de> Deserialize<'de> for Ending {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let name = String::deserialize(json)?;
        let limit = Self::Limit(Limit::Epochs);
        let all = [Self::Target, Self::Converged, limit, Self::Interrupted, Self::Diverged];
        all.into_iter()
            .find(|ending| ending.name() == name)
            .ok_or_else(|| D::Error::custom(format!("`{name}` is no ending of a run")))
    }
}

/// Counts and measures of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunReport {
    /// End of the run.
    pub ending: Ending,
    /// The metric as it was last measured.
    pub metric: Metric,
    /// The last objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// Epochs completed.
    pub epochs: u64,
    /// Rounds handed out.
    pub rounds: u64,
    /// Tasks in these rounds.
    pub tasks: u64,
    /// Variables named by rounds, each as often as it is named; a task that names none counts its block.
    pub updates: u64,
    /// Candidates proposed.
    pub candidates: u64,
    /// Candidates rejected.
    pub rejected: u64,
    /// Epochs that the guard rolled back.
    pub rollbacks: u64,
    /// Seconds from the start of the first generation to the end of the last.
    pub seconds: f64,
    /// Bytes that crossed between workers; 0 while they share memory.
    pub bytes_on_wire: u64,
    /// Bytes of blocks that changed worker: a part of `bytes_on_wire`.
    pub block_bytes_on_wire: u64,
    /// Shards of the run.
    pub shards: usize,
    /// The most threads that computed at once.
    pub threads: usize,
    /// Workers of the last generation that held no shard.
    pub idle_workers: usize,
    /// The generations.
    pub generations: Vec<GenerationRecord>,
    /// The processes, if there was more than one.
    pub processes: Vec<ProcessRecord>,
    /// Checkpoints that were written.
    #[serde(default)]
    pub checkpoints: CheckpointRecord,
    /// Failures that did not end the run, such as a checkpoint that could not be written; each text once.
    pub warnings: Vec<String>,
}

#[cfg(test)]
mod tests;
