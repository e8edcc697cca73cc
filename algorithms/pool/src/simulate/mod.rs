//! The simulator: jobs of a model arrive at a cluster, and a policy shares it out, tick by tick.
//!
//! In a tick every job first works on what it holds, then the policy decides for those that have arrived and not ended, and whose
//! placement changed holds the new one for the cost of a rescale before it works. Nothing here reads a clock or starts a thread:
//! equal jobs, settings and policies give equal outcomes.

mod error;
mod model;
mod outcome;
pub mod profile;
pub mod published;
mod run;
pub mod slots;
mod spec;

pub use self::error::SimulateError;
pub use self::model::{ByWorkers, Model, Submitted};
pub use self::outcome::{Change, Decision, Ended, Outcome};
pub use self::run::{Settings, simulate};
pub use self::spec::{Spec, Workload};
