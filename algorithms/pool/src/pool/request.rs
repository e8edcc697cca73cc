//! [`Request`]: a job as it was submitted.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::Profile;

/// A job as it was submitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the job, unlike that of every other.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which it is started.
    pub folder: PathBuf,
    /// The folder of its run, as its line names it.
    pub out: Option<PathBuf>,
    /// Time at which it arrives, in seconds since the pool began.
    pub at: f64,
    /// Value of its end. Default: 1.
    pub value: Option<f64>,
    /// Seconds from its arrival up to which it has its value.
    pub deadline: Option<f64>,
    /// Least number of workers.
    pub least: u32,
    /// Most workers.
    pub most: u32,
    /// `true` if it can be held, and so resized and paused; others keep the workers that they begin with.
    pub elastic: bool,
    /// Names of jobs that end before it begins.
    pub after: Vec<String>,
    /// Most epochs, where it has a limit.
    pub epochs: Option<u64>,
    /// The profile of a finished run like it.
    pub profile: Option<Profile>,
}

impl Request {
    /// An elastic job of one worker at least, and this many at most, which arrives at once.
    pub fn new(name: &str, command: &[&str], most: u32) -> Self {
        Self {
            name: name.into(),
            command: command.iter().map(|&word| word.into()).collect(),
            folder: PathBuf::new(),
            out: None,
            at: 0.0,
            value: None,
            deadline: None,
            least: 1,
            most,
            elastic: true,
            after: Vec::new(),
            epochs: None,
            profile: None,
        }
    }
}
