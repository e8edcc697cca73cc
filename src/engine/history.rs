//! [`History`]: what is gathered over the generations of a run.

use std::sync::Arc;
use std::time::Instant;

use super::{Outcome, Parts, Warner};
use crate::error::EngineError;
use crate::generation::{Held, Returned};
use crate::hub::{HubState, Progress};
use crate::placement;
use crate::prints::BoundaryPrint;
use crate::program::Program;
use crate::record::{Ending, EpochRecord, GenerationRecord, RunReport};
use crate::verdict::Metric;

/// What is gathered over the generations.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) trace: Vec<EpochRecord>,
    pub(crate) prints: Vec<BoundaryPrint>,
    generations: Vec<GenerationRecord>,
    threads: usize,
    placement: Arc<Vec<u32>>,
    bytes: u64,
    block_bytes: u64,
    last_boundary: Option<Instant>,
    warnings: Vec<String>,
}

impl History {
    /// Notes a warning, and tells it the first time.
    fn warn(&mut self, text: String, warner: Option<&mut Warner>) {
        if !self.warnings.contains(&text) {
            if let Some(warn) = warner {
                warn(&text);
            }
            self.warnings.push(text);
        }
    }

    /// A checkpoint that could not be written is a warning: the run is worth more than it.
    pub(super) fn warn_of_checkpoint(
        &mut self,
        written: Result<(), EngineError>,
        warner: Option<&mut Warner>,
    ) -> Result<(), EngineError> {
        match written {
            Err(why @ EngineError::Checkpoint { .. }) => {
                self.warn(why.to_string(), warner);
                Ok(())
            }
            written => written,
        }
    }

    pub(crate) fn add<P: Program>(
        &mut self,
        epoch: u64,
        (workers, threads): (usize, usize),
        placement: Arc<Vec<u32>>,
        returned: &Returned<P>,
    ) {
        let pause = self.last_boundary.zip(returned.began);
        let pause =
            pause.map_or(0.0, |(before, began)| began.saturating_duration_since(before).as_secs_f64());
        let shards_moved = placement::moves(&self.placement, &placement);
        self.generations.push(GenerationRecord { epoch, workers, pause, shards_moved });
        self.threads = self.threads.max(threads);
        self.placement = placement;
        self.bytes += returned.ended.bytes;
        self.block_bytes += returned.ended.block_bytes;
        self.last_boundary = returned.ended.at;
    }

    pub(crate) fn outcome<P: Program>(
        self,
        program: Arc<P>,
        (ending, metric, objective): (Ending, Metric, Option<f64>),
        held: Held<P>,
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
            bytes_on_wire: self.bytes,
            block_bytes_on_wire: self.block_bytes,
            shards: held.shards.len(),
            threads: self.threads,
            idle_workers: idle(&self.placement, workers),
            generations: self.generations,
            warnings: self.warnings,
        };
        let parts =
            Parts { shards: held.shards, blocks: held.blocks, pinned: hub.pinned, replica: held.replica };
        Outcome { parts, report, trace: self.trace, program, prints: self.prints }
    }
}

/// Workers that hold no shard.
fn idle(placement: &[u32], workers: usize) -> usize {
    let mut busy = placement.to_vec();
    busy.sort_unstable();
    busy.dedup();
    workers - busy.len().min(workers)
}
