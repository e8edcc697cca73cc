//! [`Event`]: what a pool is told; [`Action`]: what it has done.

use serde::{Deserialize, Serialize};

use super::request::Request;

/// Something that happened, at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the pool began.
    pub at: f64,
    /// The happening.
    pub what: What,
}

/// Kind of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// New jobs, which are decided on together.
    Submitted(Vec<Request>),
    /// A time that the pool asked to be woken at.
    Time,
    /// A job completed an epoch, and waits unless it was the last.
    Boundary(Boundary),
    /// The process of a job ended.
    Ended {
        /// Name of the job.
        job: String,
        /// Exit status.
        status: i32,
        /// Counted cost of what it did since its last boundary.
        cost: f64,
        /// Its last lines, where it failed.
        said: String,
    },
    /// The process of a job is gone and has left no exit status: it was killed, or could not be reached.
    Lost {
        /// Name of the job.
        job: String,
    },
    /// A job has not answered for long. Its workers count as taken.
    Silent {
        /// Name of the job.
        job: String,
    },
    /// Somebody wants a job no longer.
    Cancelled {
        /// Name of the job.
        job: String,
    },
    /// The pool is to stop: every job is paused.
    Interrupted,
    /// The pool was opened again; no process of earlier is alive.
    Reopened,
}

/// A boundary that a job has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// Name of the job.
    pub job: String,
    /// Epochs completed.
    pub epoch: u64,
    /// Counted cost of the epoch that ends here; 0 at the boundary that a process shows first.
    pub cost: f64,
    /// Seconds that the epoch took, 0 where it is not known.
    pub seconds: f64,
    /// Workers that it ran on.
    pub workers: u32,
    /// The metric, where it is a number.
    pub metric: Option<f64>,
    /// Its value at which the job is done.
    pub target: Option<f64>,
    /// Limit of the number of epochs, where there is one.
    pub epochs: Option<u64>,
    /// Number of workers that the next epoch can keep busy, where that is known.
    pub wanted: Option<u32>,
    /// `true` if the job ends here: it does not wait.
    pub is_last: bool,
}

/// Something that a driver tells, which is an event once it has a time.
pub type Happening = What;

/// Something to be done to a job, by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Ends the process of a job, whatever it does; nothing of it is needed any longer.
    Cancel {
        /// Name of the job.
        job: String,
    },
    /// Lets a job that waits write a checkpoint and end.
    Pause {
        /// Name of the job.
        job: String,
    },
    /// Lets a job that waits go on, up to its next boundary.
    GoOn {
        /// Name of the job.
        job: String,
        /// Number of its workers.
        workers: u32,
    },
    /// Starts the process of a job: anew, or from its last checkpoint where it has one.
    Start {
        /// Name of the job.
        job: String,
        /// Number of its workers.
        workers: u32,
    },
}

impl What {
    /// Name of the job that tells it, or is meant.
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
