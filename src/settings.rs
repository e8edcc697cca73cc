//! How a run is carried out: none of it changes what is computed, but for when it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::prints::Prints;
use crate::record::{Ending, Limit};

/// What hub and generations need to know of a run.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) workers: usize,
    pub(crate) threads: Option<usize>,
    pub(crate) serialized: bool,
    /// Whether tasks that may run at the same time run in reverse order.
    pub(crate) reversed: bool,
    pub(crate) prints: Prints,
    pub(crate) staleness: usize,
    pub(crate) guard: bool,
    pub(crate) epochs: Option<u64>,
    pub(crate) time_limit: Option<f64>,
    /// (epoch, workers): after that epoch, continue with that number of workers.
    pub(crate) rescale: Vec<(u64, usize)>,
    pub(crate) checkpoint_every: Option<u64>,
    pub(crate) stop: Stop,
    /// When the run began.
    pub(crate) started: Instant,
}

impl Settings {
    /// Seconds since the run began.
    pub(crate) fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
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

    /// How many workers run the epoch after `epoch` completed ones.
    pub(crate) fn workers_after(&self, epoch: u64) -> usize {
        let due = self.rescale.iter().filter(|&&(at, _)| at <= epoch).max_by_key(|&&(at, _)| at);
        due.map_or(self.workers, |&(_, workers)| workers)
    }

    /// How many threads carry these workers: no more than have something to do with this number of shards.
    pub(crate) fn threads_for(&self, workers: usize, shards: usize) -> usize {
        let busy = workers.min(shards.max(1));
        // Asking the system takes longer than many a round: not for one worker.
        let cores = || if busy == 1 { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
        self.threads.map_or_else(|| cores().min(busy), |threads| threads.min(busy))
    }

    pub(crate) fn checkpoint_due(&self, epoch: u64) -> bool {
        self.checkpoint_every.is_some_and(|every| epoch > 0 && epoch.is_multiple_of(every))
    }

    /// Whether a checkpoint of the boundary after this number of epochs may be written.
    pub(crate) fn keeps(&self, epoch: u64) -> bool {
        self.checkpoint_every.is_some() && (self.checkpoint_due(epoch) || self.limit_reached(epoch).is_some())
    }

    pub(crate) fn cut_after(&self, epoch: u64, workers: usize) -> bool {
        self.workers_after(epoch) != workers || self.checkpoint_due(epoch)
    }
}

/// Asks a run to end after the epoch under way; clones ask the same run.
///
/// ```
/// let stop = raddle::Stop::default();
/// let handler = stop.clone();
/// handler.request(); // say, from a Ctrl-C handler
/// assert!(stop.is_requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Asked>);

/// What somebody asked for.
#[derive(Debug, Default)]
struct Asked {
    stop: AtomicBool,
    now: AtomicBool,
}

impl Stop {
    /// Asks.
    pub fn request(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Asks the run to end between two rounds of the epoch under way. The model is then that of a part of an epoch, and
    /// no checkpoint is written there. A plan that is known for the whole epoch, whose changes become visible at the
    /// boundary, ends with its epoch all the same.
    pub fn request_now(&self) {
        self.0.now.store(true, Ordering::Relaxed);
        self.request();
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Whether somebody asked for an end between two rounds.
    pub(crate) fn is_requested_now(&self) -> bool {
        self.0.now.load(Ordering::Relaxed)
    }
}
