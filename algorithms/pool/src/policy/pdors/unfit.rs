//! Jobs that cannot be promised an end, each with the cure.

use crate::policy::Room;
use crate::policy::cluster::Cluster;
use crate::policy::job::{Job, Utility};

/// Reason why a job cannot be promised an end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// The minimum number of workers is above the maximum.
    #[error("its minimum of {least} workers is above its maximum of {most}: raise `most` or lower `least`")]
    LeastAboveMost {
        /// Minimum number of workers.
        least: u32,
        /// Maximum number of workers.
        most: u32,
    },
    /// The minimum number of workers does not fit on the empty cluster.
    #[error(
        "its minimum of {workers} workers, with their servers, does not fit on an empty cluster: lower `least` or \
         the demands"
    )]
    TooLarge {
        /// Minimum number of workers.
        workers: u32,
    },
    /// The job has no value, so that it cannot be weighed against others.
    #[error(
        "it has no value: give it a value relative to the other jobs, such as `value = 5` or `--value 5`"
    )]
    NoValue,
    /// The deadline has passed.
    #[error("its deadline passed {late} s ago: give a later one, or none")]
    DeadlinePast {
        /// Seconds since the deadline.
        late: f64,
    },
    /// The length of the job is unknown.
    #[error(
        "its length is unknown, so no end can be promised: finish a similar run under another policy, and give its \
         profile, as `pool profile RUN` prints it"
    )]
    UnknownLength,
}

/// Checks that a job can be promised an end.
///
/// # Errors
/// The reason why it cannot.
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
