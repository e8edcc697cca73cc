//! [`Model`]: a job that is simulated.

use std::fmt::Debug;

use raddle_pool::policy::{Job, Placement};

/// A job that is simulated: what it does with what it holds.
pub trait Model: Debug {
    /// The job as a policy may know it. Its number, arrival, service, placement and `epochs_since_resize` are for the simulator
    /// to fill in.
    fn view(&self) -> Job;

    /// Works for `seconds` on this placement; the seconds after which the job ended, if it did.
    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64>;

    /// Work done: it grows whenever the job gets on.
    fn done(&self) -> f64 {
        self.view().done
    }

    /// Is told, before it works, that its batch grows with its workers, or stays as submitted.
    fn scale_batch(&mut self, _scales: bool) {}

    /// Seconds for which the job holds a new placement and does nothing; `rescale` are those that the simulation was given.
    fn cost(&self, _from: &Placement, _to: &Placement, rescale: f64) -> f64 {
        rescale
    }

    /// A copy in its present state.
    fn copied(&self) -> Box<dyn Model>;
}

/// A job with the time of its arrival.
#[derive(Debug)]
pub struct Submitted {
    /// Name of the job.
    pub name: String,
    /// Time of its arrival, in seconds since the simulation began.
    pub arrival: f64,
    /// The job, which has not begun.
    pub model: Box<dyn Model>,
}
