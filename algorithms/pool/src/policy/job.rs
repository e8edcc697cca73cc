//! A job as a policy may know it.

use std::fmt::Debug;
use std::sync::Arc;

use super::cluster::{Cluster, Demand, Placement};

/// Number of a job, in order of submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u32);

/// Speed of a job by its workers: measured, learned or known.
pub trait Speed: Debug + Send + Sync {
    /// Work a second of `workers` workers that, with their servers, are on `nodes` nodes; 0 where the job cannot run so.
    fn rate(&self, workers: u32, nodes: u32) -> f64;
}

/// Value of a job by the time of its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Utility {
    /// A value that holds at any time.
    Constant(f64),
    /// `value` up to the deadline, in seconds since the pool began, and nothing after it.
    Deadline {
        /// Value of the job.
        value: f64,
        /// Latest end.
        by: f64,
    },
    /// `value / (1 + exp(steepness (t - middle)))`, t seconds after the arrival (PD-ORS, section 7).
    Sigmoid {
        /// Value of an end at once, nearly; theta_1.
        value: f64,
        /// Impatience a second; theta_2.
        steepness: f64,
        /// Age at which half of the value is left, in seconds; theta_3.
        middle: f64,
    },
}

impl Utility {
    /// A value, 1 where none is given, up to a deadline if there is one.
    pub fn until(value: Option<f64>, deadline: Option<f64>) -> Self {
        let value = value.unwrap_or(1.0);
        deadline.map_or(Self::Constant(value), |by| Self::Deadline { value, by })
    }

    /// Value of an end at `end` of a job that arrived at `arrival`, both in seconds since the pool began.
    pub fn at(&self, arrival: f64, end: f64) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Deadline { value, by } => {
                if end <= by {
                    value
                } else {
                    0.0
                }
            }
            Self::Sigmoid { value, steepness, middle } => {
                value / (1.0 + libm::exp(steepness * (end - arrival - middle)))
            }
        }
    }
}

/// A job as a policy may know it. Times are seconds since the pool began; work is in units of the job's own.
#[derive(Debug, Clone)]
pub struct Job {
    /// Number of the job.
    pub id: JobId,
    /// Time of its arrival.
    pub arrival: f64,
    /// Least number of workers.
    pub least: u32,
    /// Most workers that the job can use.
    pub most: u32,
    /// Number of workers that it asked for: policies that know no elasticity give it this or nothing.
    pub requested: u32,
    /// Demand of its workers and servers.
    pub demand: Demand,
    /// Value of the job by the time of its end.
    pub utility: Utility,
    /// Speed by its workers, as far as it is known.
    pub speed: Arc<dyn Speed>,
    /// Work done.
    pub done: f64,
    /// Work that is left, where it is known: by an oracle, by a limit of epochs, or by a profile.
    pub left: Option<f64>,
    /// Number of epochs completed.
    pub epochs: u64,
    /// Number of epochs completed since its number of workers changed last.
    pub epochs_since_resize: u64,
    /// Workers times seconds that it has received.
    pub service: f64,
    /// Placement that it holds now.
    pub placement: Placement,
    /// Observations of its learning, where it tells.
    pub observed: Option<Observed>,
}

/// Observations of a job's learning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observed {
    /// Samples of an epoch.
    pub epoch_size: f64,
    /// Loss after the first epoch.
    pub first_loss: f64,
    /// Loss now.
    pub loss: f64,
    /// Accuracy now, from 0 to 1.
    pub accuracy: f64,
}

impl Job {
    /// A job of one worker at least that has done nothing, arrives at once and asks for all the workers that it can use; nobody
    /// knows how long it takes.
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
            epochs: 0,
            epochs_since_resize: 0,
            service: 0.0,
            placement: Placement::default(),
            observed: None,
        }
    }

    /// Work that is left; where that is not known a job counts as half done.
    pub fn remaining(&self) -> f64 {
        self.left.unwrap_or(self.done)
    }

    /// Work a second of `workers` workers on as few nodes as a cluster has room for them.
    pub fn packed_rate(&self, cluster: &Cluster, workers: u32) -> f64 {
        self.speed.rate(workers, cluster.nodes_for(workers))
    }
}
