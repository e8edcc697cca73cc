//! Tests of the job model of PD-ORS and of policies by slots.

mod checked;
mod medium;
mod optimum;
mod promised;
mod tiny;
mod work;

use std::sync::Arc;

use raddle_pool::policy::{Job, JobId, Utility};
use raddle_pool_sim::slots::Rates;

/// A job that requests 1 worker, can use `most`, and has no parameter servers.
fn job(id: u32, arrival: f64, most: u32, work: f64, utility: Utility) -> Job {
    let speed = Arc::new(Rates { inside: 1.0, across: 0.5 });
    Job { arrival, requested: 1, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
}
