//! How a run is carried out: none of it changes what is computed, but for when it ends.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::base::slowdown::Slowdown;
use crate::base::stop::Stop;
use crate::checkpoint::{Checkpoints, Due};
use crate::run::prints::Prints;
use crate::run::record::{Ending, Limit};
use crate::run::wishes::Wishes;

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
    /// Where checkpoints go, and which boundaries are due.
    pub(crate) checkpoints: Option<(Due, Arc<Checkpoints>)>,
    pub(crate) stop: Stop,
    /// Workers that are made slower than they are.
    pub(crate) slowdown: Option<Arc<Slowdown>>,
    /// What the coordinator wishes, where several processes carry the run out.
    pub(crate) among: Option<Arc<Wishes>>,
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

    /// How many workers the plan of workers names for exactly this epoch.
    pub(crate) fn planned(&self, epoch: u64) -> Option<usize> {
        self.rescale.iter().find(|&&(at, _)| at == epoch).map(|&(_, workers)| workers)
    }

    /// How many threads carry these workers: no more than have something to do with this number of shards.
    pub(crate) fn threads_for(&self, workers: usize, shards: usize) -> usize {
        let busy = workers.min(shards.max(1));
        // Asking the system takes longer than many a round: not for one worker.
        let cores = || if busy == 1 { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
        self.threads.map_or_else(|| cores().min(busy), |threads| threads.min(busy))
    }

    pub(crate) fn checkpoint_due(&self, epoch: u64) -> bool {
        self.checkpoints.as_ref().is_some_and(|(due, _)| due.at(epoch))
    }

    /// Where a checkpoint of the boundary after this number of epochs may have to be written.
    pub(crate) fn keeps(&self, epoch: u64) -> Option<Arc<Checkpoints>> {
        let (due, checkpoints) = self.checkpoints.as_ref()?;
        let may_be = due.at(epoch) || self.limit_reached(epoch).is_some();
        may_be.then(|| Arc::clone(checkpoints))
    }

    pub(crate) fn cut_after(&self, epoch: u64, workers: usize) -> bool {
        if let Some(wishes) = &self.among {
            let planned = self.planned(epoch).is_some_and(|planned| planned != workers);
            return wishes.cuts() || planned || self.checkpoint_due(epoch);
        }
        self.workers_after(epoch) != workers || self.checkpoint_due(epoch)
    }
}
