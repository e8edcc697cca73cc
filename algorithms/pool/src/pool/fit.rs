//! [`Fit`]: the state of a job of a pool.

use std::sync::Arc;

use super::event::Boundary;
use super::left::{Slope, left};
use super::request::Request;
use super::speedup::{Speeds, known_share, program};
use crate::policy::{Job, JobId, Placement, Promise, Utility};

/// Number of losses of the process without a new epoch after which a job has failed.
const LOSSES: u32 = 3;

/// Phase of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Phase {
    /// The job has not arrived, or a job that it comes after has not ended.
    #[default]
    Waiting,
    /// The job has arrived and has no process: it has not started, or is paused.
    Queued,
    /// The job runs on `workers` workers, up to its next boundary.
    Running {
        /// Number of its workers.
        workers: u32,
    },
    /// The job waits at a boundary: its process takes memory, but no worker.
    Held,
    /// The job has completed its last epoch, and its process is about to end.
    Ending,
    /// The job was asked to write a checkpoint and end. A job that cannot be paused still has its workers.
    Pausing {
        /// Number of its workers.
        workers: u32,
    },
    /// The process of the job was asked to end.
    Cancelling {
        /// Number of its workers.
        workers: u32,
    },
    /// The job is over.
    Over(End),
}

/// End of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The process ended with status 0, or with 3 at a limit.
    Done {
        /// Exit status.
        status: i32,
    },
    /// The job failed.
    Failed {
        /// Reason of the failure.
        why: String,
    },
    /// A user cancelled the job.
    Cancelled,
    /// The policy refused the job.
    Refused {
        /// Reason of the refusal, with the earliest end that could have been promised.
        why: String,
    },
}

/// State of a job of a pool, with its measurements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fit {
    /// The job as it was submitted.
    pub request: Request,
    /// Phase of the job.
    pub phase: Phase,
    /// Number of the job for policies, in order of arrival.
    pub(super) id: Option<JobId>,
    /// Time of arrival, once the job has arrived and all jobs that it comes after have ended.
    pub arrived: Option<f64>,
    /// Time at which the job first had a worker.
    pub began: Option<f64>,
    /// Time at which the job ended.
    pub ended: Option<f64>,
    /// Time at which the present phase began.
    pub since: f64,
    /// Number of completed epochs.
    pub epoch: u64,
    /// Counted cost of the last epoch.
    pub(super) cost: f64,
    /// Limit of the number of epochs, if there is one.
    limit: Option<u64>,
    /// Number of workers that the next epoch can keep busy, if known.
    wanted: Option<u32>,
    /// Highest number of epochs that was ever completed.
    best: u64,
    /// Losses of the process since `best` last grew.
    losses: u32,
    /// `true` if the job has reported nothing for a long time.
    pub silent: bool,
    /// Service received: workers times seconds.
    pub service: f64,
    /// Workers of the last epoch: the placement of the job while the policy decides on the next.
    pub(super) last: u32,
    /// Epochs since the number of workers changed.
    steady: u64,
    /// Number of workers that the policy grants.
    pub share: u32,
    /// Answer of a policy that makes promises.
    pub promise: Option<Promise>,
    /// Measured speeds.
    pub(super) speeds: Speeds,
    /// Serial share of the work before anything was measured.
    pub(super) serial: f64,
    /// Name of the program.
    pub(super) program: Arc<str>,
    slope: Slope,
}

impl Fit {
    pub(super) fn new(request: Request) -> Self {
        Self {
            limit: request.epochs,
            serial: known_share(&request),
            program: program(&request).into(),
            request,
            ..Self::default()
        }
    }

    /// Name of the job.
    pub fn name(&self) -> &str {
        &self.request.name
    }

    /// Number of workers that the job holds.
    pub fn workers(&self) -> u32 {
        match self.phase {
            Phase::Running { workers } | Phase::Pausing { workers } | Phase::Cancelling { workers } => {
                workers
            }
            Phase::Waiting | Phase::Queued | Phase::Held | Phase::Ending | Phase::Over(_) => 0,
        }
    }

    /// Maximum number of workers that the job can use now.
    pub(super) fn most(&self) -> u32 {
        let Request { least, most, .. } = self.request;
        self.wanted.map_or(most, |wanted| most.min(wanted.max(least).max(1)))
    }

    /// `true` if the job has a process.
    pub fn is_alive(&self) -> bool {
        !matches!(self.phase, Phase::Waiting | Phase::Queued | Phase::Over(_))
    }

    /// `true` if the job has a process whose next event is still to come.
    pub fn is_awaited(&self) -> bool {
        self.is_alive() && self.phase != Phase::Held
    }

    /// `true` if the job is over.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_))
    }

    /// Job completion time: seconds from arrival to end.
    pub fn completion(&self) -> Option<f64> {
        Some(self.ended? - self.arrived?)
    }

    /// Value of the job as a function of the time of its end.
    pub fn utility(&self) -> Utility {
        let Request { value, deadline, at, .. } = self.request;
        Utility::until(value, deadline.map(|deadline| at + deadline))
    }

    /// Measured epochs a second, in ascending order of workers.
    pub fn measured(&self) -> Vec<(u32, f64)> {
        self.speeds.all(self.serial)
    }

    /// Last value of the metric, and its target.
    pub fn certificate(&self) -> Option<(f64, Option<f64>)> {
        self.slope.last()
    }

    /// Time by which the job is to end: as it was promised, else its deadline.
    pub fn by(&self) -> Option<f64> {
        let Request { deadline, at, .. } = self.request;
        match self.promise {
            Some(Promise::By(by)) => Some(by),
            _ => deadline.map(|deadline| at + deadline),
        }
    }

    /// Updates epochs, speeds, cost and metric from a boundary that the job has reached.
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

    /// Counts a loss of the process, and returns `true` if the job has failed by it.
    pub(super) fn is_lost_for_good(&mut self) -> bool {
        self.losses += 1;
        self.losses >= LOSSES
    }

    /// Moves the job to `workers` workers at time `now`.
    pub(super) fn run(&mut self, now: f64, workers: u32) {
        if self.last != workers {
            self.steady = 0;
        }
        self.last = workers;
        self.began.get_or_insert(now);
        (self.phase, self.since) = (Phase::Running { workers }, now);
    }

    /// The job as policies see it; `serial` is the serial share of its work as far as it is not measured.
    pub(super) fn view(&self, id: JobId, is_deciding: bool, serial: f64) -> Job {
        let Request { least, elastic, profile, .. } = &self.request;
        let held = match self.phase {
            Phase::Held if is_deciding => self.last,
            _ => self.workers(),
        };
        // A job that cannot be resized keeps its workers.
        let (least, most) = if *elastic || held == 0 { (*least, self.most()) } else { (held, held) };
        let speed = Arc::new(self.speeds.rates(most, serial, profile.as_ref()));
        Job {
            arrival: self.arrived.unwrap_or(self.request.at),
            least,
            utility: self.utility(),
            done: self.epoch as f64,
            left: left(self.epoch, self.limit, profile.as_ref().map(|profile| profile.epochs), &self.slope),
            course: self.slope.left(),
            program: self.program.clone(),
            epochs: self.epoch,
            epochs_since_resize: self.steady,
            service: self.service,
            placement: Placement::on_one(held),
            ..Job::new(id, most, speed)
        }
    }
}
