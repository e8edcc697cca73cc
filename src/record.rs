//! What a run tells about itself: a record an epoch, a report at the end.

use serde::Serialize;

use crate::program::Certificate;
use crate::schedule::RoundLog;

/// One epoch, as written to `trace.jsonl`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct EpochRecord {
    /// Epochs completed, this one included; 0 is the boundary before the first.
    pub epoch: u64,
    /// Version of the data; 0 until rows are inserted or retracted.
    pub data_version: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Of the epoch's seconds, those that the worker with the most of them spent measuring the model
    /// ([`Program::measures`](crate::Program::measures)).
    pub measured: f64,
    /// Workers in this epoch.
    pub workers: usize,
    /// The objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// The certificate at the boundary that ends the epoch.
    pub certificate: f64,
    /// Variables updated (or blocks met, where rounds name no variables) in this epoch.
    pub updates: u64,
    /// Rounds in this epoch.
    pub rounds: u64,
    /// Candidates proposed in this epoch.
    pub candidates: u64,
    /// Candidates rejected in this epoch.
    pub rejected: u64,
    /// Whether the guard rolled the epoch back.
    pub rolled_back: bool,
    /// Seconds each worker computed.
    pub load: Vec<f64>,
    /// The rounds explained, if the schedule was told to.
    #[serde(skip)]
    pub log: Vec<RoundLog>,
}

/// One timely computation with a fixed set of workers, as listed in the report.
#[derive(Debug, Clone, Serialize)]
pub struct GenerationRecord {
    /// Epochs completed when it began.
    pub epoch: u64,
    /// Its workers.
    pub workers: usize,
    /// Seconds between the last boundary of the generation before and the first work of this one; 0 for the first.
    pub pause: f64,
    /// Shards that changed worker.
    pub shards_moved: usize,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The certificate reached its target, or the program's stopping rule held.
    Reached,
    /// The limit of epochs.
    Epochs,
    /// The time limit.
    Time,
    /// A request to stop, such as Ctrl-C.
    Interrupted,
    /// The program saw that no further epoch would come closer to the target, as where it lies below rounding.
    Stalled,
    /// The objective or certificate is no longer a number, or the objective worsens at any parallelism.
    Diverged,
}

/// What a run counted and measured.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// Why it ended.
    pub ending: Ending,
    /// The last certificate.
    pub certificate: Certificate,
    /// The last objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// Epochs completed.
    pub epochs: u64,
    /// Rounds handed out.
    pub rounds: u64,
    /// Tasks in these rounds.
    pub tasks: u64,
    /// Variables updated, or blocks met where rounds name no variables.
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
    /// Of these, bytes of blocks that changed worker.
    pub block_bytes_on_wire: u64,
    /// Shards of the run.
    pub shards: usize,
    /// The most threads that computed at once.
    pub threads: usize,
    /// Workers of the last generation that held no shard.
    pub idle_workers: usize,
    /// The generations.
    pub generations: Vec<GenerationRecord>,
}
