//! [`Fit`]: a job of a pool, with what was learned of it.

use std::sync::Arc;

use super::event::Boundary;
use super::left::{Slope, left};
use super::request::Request;
use super::speeds::Speeds;
use crate::policy::{Job, JobId, Placement, Promise, Utility};

/// Number of losses without a new epoch after which a job has failed.
const LOSSES: u32 = 3;

/// Phase of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// It has not arrived, or others end before it begins.
    Waiting,
    /// It has arrived and no process: it has not begun, or is paused.
    Queued,
    /// It runs on so many workers, up to its next boundary.
    Running {
        /// Number of its workers.
        workers: u32,
    },
    /// It waits at a boundary: its process holds memory but no worker.
    Held,
    /// It has completed its last epoch, and ends by itself.
    Ending,
    /// It was told to write a checkpoint and end. One that cannot be paused still has its workers.
    Pausing {
        /// Number of its workers.
        workers: u32,
    },
    /// Its process was told to end.
    Cancelling {
        /// Number of its workers.
        workers: u32,
    },
    /// It is over.
    Over(End),
}

/// End of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Its process ended with 0, or with 3 at a limit.
    Done {
        /// Exit status.
        status: i32,
    },
    /// It failed.
    Failed {
        /// Reason in words.
        why: String,
    },
    /// Somebody wanted it no longer.
    Cancelled,
    /// The policy promised nothing.
    Refused {
        /// Reason in words, with the earliest time that could have been promised.
        why: String,
    },
}

/// A job of a pool, with what was learned of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The job as it was submitted.
    pub request: Request,
    /// Its phase.
    pub phase: Phase,
    /// Number by which policies know it, in order of arrival.
    pub(super) id: Option<JobId>,
    /// Time of its arrival, once it is there and all that it comes after have ended.
    pub arrived: Option<f64>,
    /// Time at which it first had a worker.
    pub began: Option<f64>,
    /// Time of its end.
    pub ended: Option<f64>,
    /// Time at which its present phase began.
    pub since: f64,
    /// Epochs completed.
    pub epoch: u64,
    /// Counted cost of its last epoch.
    pub(super) cost: f64,
    /// Limit of the number of epochs, where there is one.
    limit: Option<u64>,
    /// Number of workers that its next epoch can keep busy, where that is known.
    wanted: Option<u32>,
    /// Most epochs that it had ever completed.
    best: u64,
    /// Losses of its process since then.
    losses: u32,
    /// `true` if it has not answered for long.
    pub silent: bool,
    /// Workers times seconds that it has received.
    pub service: f64,
    /// Workers of its last epoch; they are its placement while the policy decides what follows.
    pub(super) last: u32,
    /// Epochs on as many workers as these.
    steady: u64,
    /// Number of workers that the policy gives it.
    pub share: u32,
    /// Answer of a policy that promises.
    pub promise: Option<Promise>,
    /// Its speeds.
    pub speeds: Speeds,
    slope: Slope,
}

impl Fit {
    pub(super) fn new(request: Request) -> Self {
        Self {
            limit: request.epochs,
            wanted: None,
            cost: 0.0,
            request,
            phase: Phase::Waiting,
            id: None,
            arrived: None,
            began: None,
            ended: None,
            since: 0.0,
            epoch: 0,
            best: 0,
            losses: 0,
            silent: false,
            service: 0.0,
            last: 0,
            steady: 0,
            share: 0,
            promise: None,
            speeds: Speeds::default(),
            slope: Slope::default(),
        }
    }

    /// Name of the job.
    pub fn name(&self) -> &str {
        &self.request.name
    }

    /// Number of workers that it holds.
    pub fn workers(&self) -> u32 {
        match self.phase {
            Phase::Running { workers } | Phase::Pausing { workers } | Phase::Cancelling { workers } => {
                workers
            }
            Phase::Waiting | Phase::Queued | Phase::Held | Phase::Ending | Phase::Over(_) => 0,
        }
    }

    /// Most workers that it can use now.
    pub(super) fn most(&self) -> u32 {
        let Request { least, most, .. } = self.request;
        self.wanted.map_or(most, |wanted| most.min(wanted.max(least).max(1)))
    }

    /// `true` if it has a process.
    pub fn is_alive(&self) -> bool {
        !matches!(self.phase, Phase::Waiting | Phase::Queued | Phase::Over(_))
    }

    /// `true` if it has a process that is to tell something.
    pub fn is_awaited(&self) -> bool {
        self.is_alive() && self.phase != Phase::Held
    }

    /// `true` if nothing follows for it.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_))
    }

    /// Seconds from its arrival to its end.
    pub fn completion(&self) -> Option<f64> {
        Some(self.ended? - self.arrived?)
    }

    /// Value of its end at a time.
    pub fn utility(&self) -> Utility {
        let Request { value, deadline, at, .. } = self.request;
        Utility::until(value, deadline.map(|deadline| at + deadline))
    }

    /// Takes in a boundary at which it has come to.
    pub(super) fn learn(&mut self, boundary: &Boundary, workers: u32) {
        let Boundary { epoch, cost, seconds, metric, target, epochs, wanted, .. } = boundary;
        if *epoch > self.epoch {
            let epochs = epoch - self.epoch;
            self.speeds.learn(workers, seconds / epochs as f64);
            self.steady += epochs;
        }
        if *epoch > self.best {
            (self.best, self.losses) = (*epoch, 0);
        }
        if *cost > 0.0 {
            self.cost = *cost;
        }
        self.epoch = *epoch;
        self.limit = epochs.or(self.limit);
        self.wanted = *wanted;
        self.silent = false;
        self.slope.learn(*epoch, *metric, *target);
    }

    /// Counts a loss of its process; `true` if it was one too many.
    pub(super) fn is_lost_for_good(&mut self) -> bool {
        self.losses += 1;
        self.losses >= LOSSES
    }

    /// Puts it on so many workers.
    pub(super) fn run(&mut self, now: f64, workers: u32) {
        if self.last != workers {
            self.steady = 0;
        }
        self.last = workers;
        self.began.get_or_insert(now);
        (self.phase, self.since) = (Phase::Running { workers }, now);
    }

    /// The job as a policy may know it.
    pub(super) fn view(&self, id: JobId, is_deciding: bool) -> Job {
        let Request { least, elastic, profile, .. } = &self.request;
        let held = match self.phase {
            Phase::Held if is_deciding => self.last,
            _ => self.workers(),
        };
        // One that cannot be resized goes on as it is.
        let (least, most) = if *elastic || held == 0 { (*least, self.most()) } else { (held, held) };
        let speed = Arc::new(self.speeds.rates(most, profile.as_ref()));
        Job {
            arrival: self.arrived.unwrap_or(self.request.at),
            least,
            utility: self.utility(),
            done: self.epoch as f64,
            left: left(self.epoch, self.limit, profile.as_ref().map(|profile| profile.epochs), &self.slope),
            epochs: self.epoch,
            epochs_since_resize: self.steady,
            service: self.service,
            placement: Placement::on_one(held),
            ..Job::new(id, most, speed)
        }
    }
}
