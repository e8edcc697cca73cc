//! [`Event`]: the input of a pool; [`Action`]: its output.

use serde::{Deserialize, Serialize};

use super::request::Request;

/// Event with the time at which it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the pool began.
    pub at: f64,
    /// Kind of the event.
    pub what: EventKind,
}

/// Kind of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// New jobs, which the policy decides on together.
    Submitted(Vec<Request>),
    /// The time at which the pool asked to be woken.
    Time,
    /// A job has completed an epoch. It waits for an answer, unless the epoch was its last.
    Boundary(Boundary),
    /// The process of a job ended.
    Ended {
        /// Name of the job.
        job: String,
        /// Exit status.
        status: i32,
        /// Counted cost since the last boundary.
        cost: f64,
        /// Last lines of the log, if the job failed; else empty.
        said: String,
    },
    /// The process of a job is gone without an exit status: it was killed, or it could not be reached.
    Lost {
        /// Name of the job.
        job: String,
    },
    /// A job has reported nothing for a long time. Its workers still count as taken.
    Silent {
        /// Name of the job.
        job: String,
    },
    /// A user cancelled a job.
    Cancelled {
        /// Name of the job.
        job: String,
    },
    /// The pool is to stop, with every job paused.
    Interrupted,
    /// The pool was opened again: no process from before is alive.
    Reopened,
}

/// An epoch boundary that a job has reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// Name of the job.
    pub job: String,
    /// Epochs completed.
    pub epoch: u64,
    /// Counted cost of the epoch that ends here; 0 at the first boundary that a process reports.
    pub cost: f64,
    /// Seconds that the epoch took; 0 if unknown.
    pub seconds: f64,
    /// Workers that the epoch ran on.
    pub workers: u32,
    /// Value of the metric, if it is finite.
    pub metric: Option<f64>,
    /// Value of the metric at which the job is done.
    pub target: Option<f64>,
    /// Limit of the number of epochs, if there is one.
    pub epochs: Option<u64>,
    /// Number of workers that the next epoch can keep busy, if known.
    pub wanted: Option<u32>,
    /// `true` at the last boundary: the job ends here and does not wait.
    pub is_last: bool,
}

/// Action on a job, which is given by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Ends the process of a job, whatever its state: its result is no longer needed.
    Cancel {
        /// Name of the job.
        job: String,
    },
    /// Makes a waiting job write a checkpoint and end.
    Pause {
        /// Name of the job.
        job: String,
    },
    /// Lets a waiting job continue to its next boundary.
    GoOn {
        /// Name of the job.
        job: String,
        /// Number of its workers.
        workers: u32,
    },
    /// Starts the process of a job, from its last checkpoint if there is one.
    Start {
        /// Name of the job.
        job: String,
        /// Number of its workers.
        workers: u32,
    },
}

impl EventKind {
    /// Name of the job that the event is about.
    pub fn job(&self) -> Option<&str> {
        match self {
            Self::Boundary(boundary) => Some(&boundary.job),
            Self::Ended { job, .. } | Self::Lost { job } | Self::Silent { job } | Self::Cancelled { job } => {
                Some(job)
            }
            Self::Submitted(_) | Self::Time | Self::Interrupted | Self::Reopened => None,
        }
    }
}
