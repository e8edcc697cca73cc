//! Policies on jobs in slots: those that promise, and their baselines.

mod bad_input;
mod baselines;
mod between;

use std::sync::Arc;

use raddle_pool::policy::{ByWorkers, Job, JobId, Utility};

/// A job that asks for one worker of at most `most`, which do one unit of work a second each.
fn job(id: u32, arrival: f64, most: u32, work: f64, utility: Utility) -> Job {
    let speed = Arc::new(ByWorkers::up_to(most, f64::from));
    Job { arrival, requested: 1, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
}
