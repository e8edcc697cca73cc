//! Jobs that cannot be promised anything, each with what to do.

use crate::policy::Room;
use crate::policy::cluster::Cluster;
use crate::policy::job::{Job, Utility};

/// Reason for which a job cannot be promised an end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// More workers at least than at most.
    #[error("it needs {least} workers at least, and {most} at most: raise `most` or lower `least`")]
    LeastAboveMost {
        /// Least number of workers.
        least: u32,
        /// Most workers.
        most: u32,
    },
    /// No node, or not all together, can hold its least number of workers.
    #[error(
        "{workers} of its workers, with the servers that they need, fit nowhere, on an empty cluster neither: lower `least` or \
         their demands"
    )]
    TooLarge {
        /// Least number of workers.
        workers: u32,
    },
    /// No value: nothing to weigh it by.
    #[error(
        "it has no value: say what its end is worth beside that of the others, such as `value = 5` or `--value 5`"
    )]
    NoValue,
    /// A deadline before now.
    #[error("its deadline passed {late} s ago: give a later one, or none")]
    DeadlinePast {
        /// Seconds since the deadline.
        late: f64,
    },
    /// Nobody knows how long it takes.
    #[error(
        "nobody knows how long it takes, so no end can be promised: finish one like it under another policy, and give \
         what `pool profile RUN` says of that run"
    )]
    UnknownLength,
}

/// Looks for a reason for which no end can be promised to a job.
///
/// # Errors
/// The reason.
pub fn promisable(now: f64, cluster: &Cluster, job: &Job) -> Result<(), Unfit> {
    let least = job.least.max(1);
    if least > job.most {
        return Err(Unfit::LeastAboveMost { least: job.least, most: job.most });
    }
    let (value, by) = match job.utility {
        Utility::Constant(value) | Utility::Sigmoid { value, .. } => (value, None),
        Utility::Deadline { value, by } => (value, Some(by)),
    };
    if !(value > 0.0 && value.is_finite()) {
        return Err(Unfit::NoValue);
    }
    if let Some(by) = by.filter(|&by| by.is_nan() || by <= now) {
        return Err(Unfit::DeadlinePast { late: now - by });
    }
    let across = cluster.nodes.len().min(2) as u32;
    let known = |workers| job.speed.rate(workers, 1) > 0.0 || job.speed.rate(workers, across) > 0.0;
    if !job.left.is_some_and(f64::is_finite) || !(least..=job.most).any(known) {
        return Err(Unfit::UnknownLength);
    }
    if Room::of(cluster).pack(&job.demand, least).is_none() {
        return Err(Unfit::TooLarge { workers: least });
    }
    Ok(())
}
