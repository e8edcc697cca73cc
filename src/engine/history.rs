//! [`History`]: records and counts of a run over its generations.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::parts::PreparationSeconds;
use super::{Outcome, Parts, Warner};
use crate::base::state::{Reader, StateError, Writer};
use crate::engine::transfer::ProcessStats;
use crate::program::Program;
use crate::program::verdict::Metric;
use crate::run::fingerprints::BoundaryFingerprint;
use crate::run::hub::{HubState, Progress};
use crate::run::local_state::{GenerationResult, WholeState};
use crate::run::placement;
use crate::run::record::{
    CheckpointRecord, Ending, EpochRecord, GenerationMember, GenerationRecord, ProcessRecord, RunReport,
};
use crate::run::traffic::Traffic;

/// How a run ended, and what its last evaluation said.
pub(crate) struct RunEnd {
    pub(crate) ending: Ending,
    pub(crate) metric: Metric,
    pub(crate) objective: Option<f64>,
}

/// Records and counts of a run over its generations, held by the first process.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) trace: Vec<EpochRecord>,
    pub(crate) fingerprints: Vec<BoundaryFingerprint>,
    generations: Vec<GenerationRecord>,
    threads: usize,
    placement: Arc<Vec<u32>>,
    traffic: Traffic,
    pub(super) last_boundary: Option<Instant>,
    warnings: Vec<String>,
    checkpoints: CheckpointRecord,
    pub(super) preparation: PreparationSeconds,
    /// Seconds in which the run was held at its boundaries.
    pub(super) held: f64,
    /// The next generation: the number of its processes, and the bytes handed over before it starts.
    pub(super) next: (usize, u64),
    /// Last statistics of each process.
    pub(super) processes: BTreeMap<u32, ProcessRecord>,
}

impl History {
    /// Writes the history, for the next first process.
    pub(super) fn save(&self, out: &mut Writer) {
        out.write(&self.trace);
        out.write(&self.generations);
        out.write(&(self.threads, (*self.placement).clone()));
        out.write(&self.traffic);
        out.write(&self.warnings);
        out.write(&self.checkpoints);
        out.write(&self.processes);
    }

    /// Reads the history of the first process before.
    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.trace = from.read()?;
        self.generations = from.read()?;
        let (threads, placement): (usize, Vec<u32>) = from.read()?;
        (self.threads, self.placement) = (threads, Arc::new(placement));
        self.traffic = from.read()?;
        self.warnings = from.read()?;
        self.checkpoints = from.read()?;
        self.processes = from.read()?;
        Ok(())
    }

    /// Adds the bytes that another process sent and received in the last generation.
    pub(super) fn count(&mut self, of: &ProcessStats) {
        // What the first process sent was counted when its generation ended.
        let was_first =
            |last: &GenerationRecord| last.members.first().is_some_and(|one| one.process == of.process);
        if self.generations.last().is_some_and(was_first) {
            return;
        }
        self.traffic += of.traffic;
        if let Some(last) = self.generations.last_mut() {
            last.bytes_moved += of.moved;
            last.note(of.process, of.traffic, of.moved);
        }
    }

    /// Records a warning, and passes it to `warner` the first time.
    pub(super) fn warn(&mut self, text: String, warner: Option<&mut Warner>) {
        if !self.warnings.contains(&text) {
            if let Some(warn) = warner {
                warn(&text);
            }
            self.warnings.push(text);
        }
    }

    /// Counts a checkpoint that the coordinator has committed: its cost and its bytes.
    pub(super) fn count_checkpoint(&mut self, cost: Duration, bytes: u64) {
        let CheckpointRecord { count, seconds, bytes: last } = &mut self.checkpoints;
        (*count, *seconds, *last) = (*count + 1, *seconds + cost.as_secs_f64(), bytes);
    }

    /// Adds a generation that has ended, with its workers and threads.
    pub(crate) fn add<P: Program>(
        &mut self,
        epoch: u64,
        workers: usize,
        threads: usize,
        placement: Arc<Vec<u32>>,
        members: Vec<GenerationMember>,
        returned: &GenerationResult<P>,
    ) {
        let pause = self.last_boundary.zip(returned.began);
        let pause =
            pause.map_or(0.0, |(before, began)| began.saturating_duration_since(before).as_secs_f64());
        let shards_moved = placement::moves(&self.placement, &placement);
        let (processes, bytes_moved) = (self.next.0.max(1), std::mem::take(&mut self.next.1));
        let first = members.first().map(|first| first.process);
        let mut record =
            GenerationRecord { epoch, workers, processes, pause, shards_moved, bytes_moved, members };
        first.iter().for_each(|&first| record.note(first, returned.ended.traffic, bytes_moved));
        self.generations.push(record);
        self.threads = self.threads.max(threads);
        self.placement = placement;
        self.traffic += returned.ended.traffic;
        self.last_boundary = returned.ended.at;
    }

    /// Makes the outcome of the run: its parts, and its report.
    pub(crate) fn outcome<P: Program>(
        self,
        program: Arc<P>,
        RunEnd { ending, metric, objective }: RunEnd,
        state: WholeState<P>,
        hub: HubState<P>,
        seconds: f64,
    ) -> Outcome<P> {
        let workers = self.generations.last().map_or(0, |generation| generation.workers);
        let counts = hub.schedule.counts();
        let Progress { epoch, totals, .. } = hub.progress;
        let report = RunReport {
            ending,
            metric,
            objective,
            epochs: epoch,
            rounds: totals.rounds,
            tasks: totals.tasks,
            updates: totals.updates,
            candidates: counts.candidates,
            rejected: counts.rejected,
            rollbacks: totals.rollbacks,
            seconds,
            bytes_on_wire: self.traffic.bytes,
            block_bytes_on_wire: self.traffic.block_bytes,
            shards: state.shards.len(),
            threads: self.threads,
            idle_workers: idle(&self.placement, workers),
            generations: self.generations,
            processes: self.processes.into_values().collect(),
            checkpoints: self.checkpoints,
            warnings: self.warnings,
        };
        let parts =
            Parts { shards: state.shards, blocks: state.blocks, pinned: hub.pinned, replica: state.replica };
        let Self { trace, fingerprints, preparation, held, .. } = self;
        Outcome { parts, report, trace, program, fingerprints, preparation, held }
    }
}

/// Returns the number of workers that hold no shard.
fn idle(placement: &[u32], workers: usize) -> usize {
    let mut busy = placement.to_vec();
    busy.sort_unstable();
    busy.dedup();
    workers - busy.len().min(workers)
}
