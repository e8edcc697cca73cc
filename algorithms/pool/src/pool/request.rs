//! [`Request`]: a job as it was submitted.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::Profile;

/// A job, as a user submitted it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the job, unique in the pool.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which the program is started.
    pub folder: PathBuf,
    /// Folder of the run, as the command line has it.
    pub out: Option<PathBuf>,
    /// Time of arrival, in seconds since the pool began.
    pub at: f64,
    /// Value of finishing. Default: 1.
    pub value: Option<f64>,
    /// Seconds after arrival by which the job must finish to have its value.
    pub deadline: Option<f64>,
    /// Minimum number of workers.
    pub least: u32,
    /// Maximum number of workers.
    pub most: u32,
    /// `true` if the job can wait at its boundaries, and so be resized and paused. Others keep the workers
    /// that they start with.
    pub elastic: bool,
    /// Names of the jobs that must succeed before this one starts.
    pub after: Vec<String>,
    /// Maximum number of epochs, if the job has a limit.
    pub epochs: Option<u64>,
    /// Profile of a finished run of the same name.
    pub profile: Option<Profile>,
}

impl Request {
    /// An elastic job on 1 to `most` workers, which arrives at once.
    pub fn new(name: &str, command: &[&str], most: u32) -> Self {
        Self {
            name: name.into(),
            command: command.iter().map(|&word| word.into()).collect(),
            least: 1,
            most,
            elastic: true,
            ..Self::default()
        }
    }
}
