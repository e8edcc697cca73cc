//! Reasons for which jobs cannot be simulated.

use std::path::PathBuf;

use raddle_datasets::ReadError;
use raddle_pool::policy::ProfileError;

/// Advice where the published tables are not there.
pub(crate) const NO_TABLES: &str =
    "no such file: set RADDLE_DATA to the folder that holds cluster/ with the published tables";

/// Reason for which jobs cannot be simulated. The text names the file and the line or the parameter, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file of profiles that cannot be used.
    #[error(transparent)]
    Profiles(#[from] ProfileError),
    /// A line that is not as it should be.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The fault, and what to do.
        message: String,
    },
    /// A file that as a whole cannot be used.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The fault, and what to do.
        message: String,
    },
    /// A specification of jobs that cannot be followed.
    #[error("{spec}: {message}")]
    Spec {
        /// The specification as it was given.
        spec: String,
        /// The fault, and what to do.
        message: String,
    },
    /// A setting out of its range.
    #[error("{name} {value}: {message}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The value.
        value: f64,
        /// The fault, and what to do.
        message: &'static str,
    },
    /// An allocation of a policy that exceeds the cluster, or names a job that there is not.
    #[error("policy {policy} at {now} s: {message}")]
    Allocation {
        /// Name of the policy.
        policy: &'static str,
        /// Time of the decision.
        now: f64,
        /// The fault.
        message: String,
    },
    /// Jobs that never end: nobody got on for a whole day, and nobody is to arrive.
    #[error(
        "policy {policy}: no job got on since {since} s, and {jobs} are left: give them more nodes or slots, or another policy"
    )]
    Stalled {
        /// Name of the policy.
        policy: &'static str,
        /// Time of the last work.
        since: f64,
        /// Number of jobs that have not ended.
        jobs: usize,
    },
}
