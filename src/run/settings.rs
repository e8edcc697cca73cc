//! Settings of a run: none of them changes what is computed, except for when the run ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::slowdown::Slowdown;
use crate::base::stop::Stop;
use crate::checkpoint::{CheckpointWriter, Due};
use crate::run::cancellation::Cancellation;
use crate::run::fingerprints::Fingerprints;
use crate::run::merging::Merging;
use crate::run::record::{Ending, Limit};
use crate::run::requests::BoundaryRequests;

/// Settings that hub and generations need.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) workers: usize,
    pub(crate) threads: Option<usize>,
    pub(crate) serialized: bool,
    /// `true` if tasks that may run at the same time run in reverse order.
    pub(crate) reversed: bool,
    pub(crate) fingerprints: Fingerprints,
    pub(crate) merging: Merging,
    pub(crate) staleness: usize,
    pub(crate) guard: bool,
    pub(crate) epochs: Option<u64>,
    pub(crate) time_limit: Option<f64>,
    /// Steps (epoch, workers): after that epoch, continue with that number of workers.
    pub(crate) rescale: Vec<(u64, usize)>,
    /// Boundaries that are due for a checkpoint, and its writer.
    pub(crate) checkpoints: Option<(Due, Arc<CheckpointWriter>)>,
    pub(crate) stop: Stop,
    /// `true` if not only the observer may ask the run to end.
    pub(crate) may_stop: bool,
    pub(crate) cancellation: Arc<Cancellation>,
    /// Factors that slow workers down.
    pub(crate) slowdown: Option<Arc<Slowdown>>,
    /// The counted cost of each shard, if the run is held: the cost of its epochs is counted from it.
    pub(crate) held: Option<Arc<Vec<u64>>>,
    /// Requests of the run's coordinator.
    pub(crate) requests: Arc<BoundaryRequests>,
    /// Moment when the run started.
    pub(crate) started: Instant,
}

impl Settings {
    /// Returns the settings of a run on one worker.
    pub(crate) fn alone() -> Self {
        Self {
            workers: 1,
            threads: None,
            serialized: false,
            reversed: false,
            fingerprints: Fingerprints::usual(),
            merging: Merging::default(),
            staleness: 0,
            guard: true,
            epochs: None,
            time_limit: None,
            rescale: Vec::new(),
            checkpoints: None,
            stop: Stop::default(),
            may_stop: false,
            cancellation: Arc::default(),
            slowdown: None,
            held: None,
            requests: Arc::default(),
            started: Instant::now(),
        }
    }

    /// Returns the seconds since the run started, without the time in which it was held.
    pub(crate) fn elapsed(&self) -> f64 {
        let elapsed = self.started.elapsed();
        let held = self.held.as_ref().map_or(Duration::ZERO, |_| self.requests.waited());
        elapsed.saturating_sub(held).as_secs_f64()
    }

    pub(crate) fn limit_reached(&self, epoch: u64) -> Option<Ending> {
        if self.stop.is_requested() {
            Some(Ending::Interrupted)
        } else if self.epochs.is_some_and(|limit| epoch >= limit) {
            Some(Ending::Limit(Limit::Epochs))
        } else if self.time_limit.is_some_and(|limit| self.elapsed() >= limit) {
            Some(Ending::Limit(Limit::Time))
        } else {
            None
        }
    }

    pub(crate) fn checkpoint_due(&self, epoch: u64) -> bool {
        self.checkpoints.as_ref().is_some_and(|(due, _)| due.at(epoch))
    }

    /// `true` if a checkpoint of the boundary after this number of epochs may have to be written.
    pub(crate) fn may_checkpoint(&self, epoch: u64) -> bool {
        let is_due = |(due, _): &(Due, _)| due.at(epoch) || self.limit_reached(epoch).is_some();
        self.checkpoints.as_ref().is_some_and(is_due)
    }

    /// `true` if the generation of `workers` workers ends at the boundary after this number of epochs. At the
    /// `first` boundary of a run it ends only if the controller asks for another number of workers.
    pub(crate) fn ends_after(&self, epoch: u64, workers: usize, first: bool) -> bool {
        if first {
            return self.held.is_some() && self.requests.ends_at_boundary();
        }
        let others = |&(at, planned): &(u64, usize)| at == epoch && planned != workers;
        self.requests.ends_at_boundary() || self.rescale.iter().any(others) || self.checkpoint_due(epoch)
    }
}
