//! Simulator of scheduling policies. Jobs arrive at a cluster, and a policy distributes it among them, tick
//! by tick: a policy of [`raddle_pool`], or one that exists for comparison only ([`policy`]).
//!
//! In a tick, every job first works on its placement; then the policy decides for the jobs that have arrived
//! and not ended. A job whose placement changed holds the new one for the cost of a rescale before it works.
//! The simulator uses no clock and no threads: equal jobs, settings and policies give equal outcomes.
//!
//! ```
//! use raddle_pool::policy::Cluster;
//! use raddle_pool_sim::policy::names::{Settings, policy};
//! use raddle_pool_sim::{Spec, simulate};
//!
//! let workload = Spec::parse("synth:jobs:n=20,seed=1")?.workloads(1.0)?.remove(0);
//! let mut optimus = policy("optimus", &Settings::default()).expect("a policy");
//! let cluster = Cluster::of_slots(4, 4);
//! let outcome = simulate(&cluster, &workload.jobs, &workload.settings, &mut *optimus)?;
//! assert!(outcome.jobs.len() == 20 && outcome.mean() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
mod error;
mod model;
mod outcome;
pub mod policy;
pub mod profile;
pub mod published;
mod run;
pub mod slots;
mod spec;

pub use self::error::SimulateError;
pub use self::model::{Model, Submitted};
pub use self::outcome::{Ended, Outcome};
pub use self::run::{Settings, simulate};
pub use self::spec::{Spec, Workload};
