//! Errors of a simulation.

use std::path::PathBuf;

use raddle_datasets::ReadError;
use raddle_pool::policy::ProfileError;

/// Advice if the published tables are missing.
pub(crate) const NO_TABLES: &str =
    "no such file: set RADDLE_DATA to the folder that holds cluster/ with the published tables";

/// Reason why jobs cannot be simulated. The message names the file and the line, or the parameter, and the
/// cure.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file of profiles cannot be used.
    #[error(transparent)]
    Profiles(#[from] ProfileError),
    /// A line is not valid.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The fault and the cure.
        message: String,
    },
    /// A file cannot be used.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The fault and the cure.
        message: String,
    },
    /// A specification of jobs is not valid.
    #[error("{spec}: {message}")]
    Spec {
        /// The specification as it was given.
        spec: String,
        /// The fault and the cure.
        message: String,
    },
    /// A setting is out of range.
    #[error("{name} {value}: {message}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The value.
        value: f64,
        /// The fault and the cure.
        message: &'static str,
    },
    /// An allocation exceeds the cluster, or names an unknown job.
    #[error("policy {policy} at {now} s: {message}")]
    Allocation {
        /// Name of the policy.
        policy: &'static str,
        /// Time of the decision.
        now: f64,
        /// The fault.
        message: String,
    },
    /// The jobs that are left never end: none has made progress for a whole day, and none is to arrive.
    #[error(
        "policy {policy}: no job made progress since {since} s, and {jobs} are left: choose more nodes or slots, or another policy"
    )]
    Stalled {
        /// Name of the policy.
        policy: &'static str,
        /// Time of the last progress, in seconds.
        since: f64,
        /// Number of jobs that have not ended.
        jobs: usize,
    },
}
