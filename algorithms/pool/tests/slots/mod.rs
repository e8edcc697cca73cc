//! The job model in slots: PD-ORS and its baselines.

mod bad_input;
mod baselines;
mod between;
mod checked;
mod medium;
mod optimum;
mod promised;
mod table;
mod tiny;
mod work;

use std::sync::Arc;

use raddle_pool::policy::{Demand, Job, JobId, Placement, Utility};
use raddle_pool::simulate::slots::Rates;

/// A job on slots that asks for one worker of at most `most`, and never waits for a server.
fn job(id: u32, arrival: f64, most: u32, work: f64, utility: Utility) -> Job {
    Job {
        id: JobId(id),
        arrival,
        least: 1,
        most,
        requested: 1,
        demand: Demand::SLOT,
        utility,
        speed: Arc::new(Rates { inside: 1.0, across: 0.5 }),
        done: 0.0,
        left: Some(work),
        epochs: 0,
        epochs_since_resize: 0,
        service: 0.0,
        observed: None,
        placement: Placement::default(),
    }
}
