//! Tests of policies that plan by slots, and of their baselines.

mod bad_input;
mod baselines;
mod between;

use std::sync::Arc;

use raddle_pool::policy::{ByWorkers, Job, JobId, Utility};

/// A job that requests 1 worker and can use `most`, each of which does one unit of work a second.
fn job(id: u32, arrival: f64, most: u32, work: f64, utility: Utility) -> Job {
    let speed = Arc::new(ByWorkers::up_to(most, f64::from));
    Job { arrival, requested: 1, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
}
