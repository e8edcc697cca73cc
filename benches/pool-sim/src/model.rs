//! [`Model`]: a simulated job.

use std::fmt::Debug;

use raddle_pool::policy::{Job, Placement};

/// A simulated job, which works on its placement.
pub trait Model: Debug {
    /// The job as policies see it. The simulator fills in number, arrival, service, placement and
    /// `epochs_since_resize`.
    fn view(&self) -> Job;

    /// Works for `seconds` on a placement. Returns the seconds after which the job ended, if it did.
    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64>;

    /// Work done, which grows whenever the job makes progress.
    fn done(&self) -> f64;

    /// Sets, before any work, whether the batch size grows with the workers or stays as submitted.
    fn scale_batch(&mut self, _scales: bool) {}

    /// Seconds for which the job holds a new placement without working; `rescale` is the setting of the
    /// simulation.
    fn cost(&self, _from: &Placement, _to: &Placement, rescale: f64) -> f64 {
        rescale
    }

    /// Copy of the job in its present state.
    fn copied(&self) -> Box<dyn Model>;
}

/// A job with the time of its arrival.
#[derive(Debug)]
pub struct Submitted {
    /// Name of the job.
    pub name: String,
    /// Time of its arrival, in seconds since the simulation began.
    pub arrival: f64,
    /// The job, before it has started.
    pub model: Box<dyn Model>,
}
