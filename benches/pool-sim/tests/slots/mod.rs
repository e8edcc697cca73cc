//! The job model in slots: PD-ORS and its baselines.

mod bad_input;
mod checked;
mod medium;
mod optimum;
mod promised;
mod table;
mod tiny;
mod work;

use std::sync::Arc;

use raddle_pool::policy::{Job, JobId, Utility};
use raddle_pool_sim::slots::Rates;

/// A job on slots that asks for one worker of at most `most`, and never waits for a server.
fn job(id: u32, arrival: f64, most: u32, work: f64, utility: Utility) -> Job {
    let speed = Arc::new(Rates { inside: 1.0, across: 0.5 });
    Job { arrival, requested: 1, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
}
