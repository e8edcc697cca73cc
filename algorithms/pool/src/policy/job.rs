//! [`Job`]: a job, as policies see it.

use std::fmt::Debug;
use std::sync::Arc;

use super::cluster::{Demand, Placement};

/// Number of a job, in order of submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u32);

/// Speed of a job as a function of its workers: measured, predicted or known.
pub trait Speed: Debug + Send + Sync {
    /// Work a second of `workers` workers that, with their servers, are on `nodes` nodes; 0 if the job cannot
    /// run so.
    fn rate(&self, workers: u32, nodes: u32) -> f64;
}

/// Value of a job as a function of the time of its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Utility {
    /// Value that does not depend on the time.
    Constant(f64),
    /// `value` up to the deadline `by`, and 0 after it.
    Deadline {
        /// Value of the job.
        value: f64,
        /// Deadline, in seconds since the pool began.
        by: f64,
    },
    /// `value / (1 + exp(steepness (t - middle)))`, t seconds after the arrival (PD-ORS, section 7).
    Sigmoid {
        /// Approximate value of an immediate end; theta_1.
        value: f64,
        /// Steepness of the decline, a second; theta_2.
        steepness: f64,
        /// Seconds after arrival at which half of the value is left; theta_3.
        middle: f64,
    },
}

impl Utility {
    /// `value`, or 1 if there is none, up to a deadline if there is one.
    pub fn until(value: Option<f64>, deadline: Option<f64>) -> Self {
        let value = value.unwrap_or(1.0);
        deadline.map_or(Self::Constant(value), |by| Self::Deadline { value, by })
    }

    /// Value of a job that arrived at `arrival` and ends at `end`, both in seconds since the pool began.
    pub fn at(&self, arrival: f64, end: f64) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Deadline { value, by } if end <= by => value,
            Self::Deadline { .. } => 0.0,
            Self::Sigmoid { value, steepness, middle } => {
                value / (1.0 + libm::exp(steepness * (end - arrival - middle)))
            }
        }
    }
}

/// A job, as policies see it. Times are in seconds since the pool began; work is in units of the job's own.
#[derive(Debug, Clone)]
pub struct Job {
    /// Number of the job.
    pub id: JobId,
    /// Time of its arrival.
    pub arrival: f64,
    /// Minimum number of workers.
    pub least: u32,
    /// Maximum number of workers that the job can use.
    pub most: u32,
    /// Number of workers that the job requested. Policies without elasticity grant all of them or none.
    pub requested: u32,
    /// Demand of its workers and servers.
    pub demand: Demand,
    /// Value of the job as a function of the time of its end.
    pub utility: Utility,
    /// Speed as a function of the workers, as far as it is known.
    pub speed: Arc<dyn Speed>,
    /// Work done.
    pub done: f64,
    /// Work left, if known: from an oracle, a limit of epochs, or a profile.
    pub left: Option<f64>,
    /// Work left by the course of the job's metric, if that tells.
    pub course: Option<f64>,
    /// Program that the job runs: jobs of one program and size are alike.
    pub program: Arc<str>,
    /// Number of epochs completed.
    pub epochs: u64,
    /// Number of epochs completed since the number of workers last changed.
    pub epochs_since_resize: u64,
    /// Service received: workers times seconds.
    pub service: f64,
    /// Placement that the job holds now.
    pub placement: Placement,
}

impl Job {
    /// A job on 1 to `most` workers, which arrives at time 0, requests all `most` and has done nothing yet.
    /// The work left is unknown.
    pub fn new(id: JobId, most: u32, speed: Arc<dyn Speed>) -> Self {
        Self {
            id,
            arrival: 0.0,
            least: 1,
            most,
            requested: most,
            demand: Demand::SLOT,
            utility: Utility::Constant(1.0),
            speed,
            done: 0.0,
            left: None,
            course: None,
            program: Arc::from(""),
            epochs: 0,
            epochs_since_resize: 0,
            service: 0.0,
            placement: Placement::default(),
        }
    }

    /// Work left; if unknown, as much as is done, so that the job counts as half done.
    pub fn remaining(&self) -> f64 {
        self.left.unwrap_or(self.done)
    }
}
