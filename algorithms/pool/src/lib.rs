//! Many elastic fits on the cores there are: [`policy`] decides, at every boundary, which jobs run on how many workers.
//!
//! Policies know no thread and no clock. The same objects decide in the simulator ([`simulate`]) and in a pool that runs.
//!
//! ```
//! use raddle_pool::policy::Cluster;
//! use raddle_pool::policy::names::{Settings, policy};
//! use raddle_pool::simulate::{Spec, simulate};
//!
//! let workload = Spec::parse("synth:jobs:n=20,seed=1")?.workloads(1.0)?.remove(0);
//! let mut optimus = policy("optimus", &Settings::default())?;
//! let cluster = Cluster::of_slots(4, 4);
//! let outcome = simulate(&cluster, &workload.jobs, &workload.settings, &mut *optimus, &mut |_| ())?;
//! assert!(outcome.jobs.len() == 20 && outcome.mean() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod policy;
pub mod pool;
pub mod simulate;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod live;
