//! Many fits share the cores of a machine: [`policy`] decides at every epoch boundary which jobs run on how
//! many workers.
//!
//! Policies use no thread and no clock. The same code decides in a live pool and in the simulator of the
//! repository (`benches/pool-sim`).
//!
//! ```
//! use std::sync::Arc;
//!
//! use raddle_pool::policy::names::PolicySettings;
//! use raddle_pool::policy::{ByWorkers, Cluster, Job, JobId};
//!
//! // Two jobs, of 100 and of 10 epochs; two workers are one and a half times as fast as one.
//! let job = |id, epochs| {
//!     let speed = Arc::new(ByWorkers::new(vec![1.0, 1.5]));
//!     Job { left: Some(epochs), ..Job::new(JobId(id), 2, speed) }
//! };
//! let jobs = [job(0, 100.0), job(1, 10.0)];
//! let mut greedy = PolicySettings::named("greedy").policy()?;
//! let allocation = greedy.decide(0.0, &Cluster::of_slots(1, 3), &jobs);
//! assert_eq!(allocation.placements[&JobId(1)].workers(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod policy;
pub mod pool;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod live;
