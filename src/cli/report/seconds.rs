//! [`Seconds`]: the time of each part of a run.

use serde::Serialize;

/// A part of a run whose seconds are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// Reading the data.
    Read,
    /// Work that a judge does before it calls a peer: centre, scale, split.
    Prepare,
    /// Everything else up to the model: layouts, shards, threads, epochs.
    Fit,
    /// Evaluation that peers' clocks leave out.
    Certify,
    /// Writing the model.
    Write,
}

impl Timed {
    /// Word that is shown while it goes on.
    pub fn label(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Prepare => "preparing",
            Self::Fit => "fitting",
            Self::Certify => "certifying",
            Self::Write => "writing",
        }
    }
}

/// Seconds of each part of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Seconds {
    /// Reading the data.
    pub read: f64,
    /// Work that a judge does before it calls a peer; among several processes, waiting for those that still
    /// read, too.
    pub prepare: f64,
    /// Everything else up to the model.
    pub fit: f64,
    /// Evaluation that peers' clocks leave out.
    pub certify: f64,
    /// Writing the model.
    pub write: f64,
}

impl Seconds {
    /// Adds to a part.
    pub fn add(&mut self, part: Timed, seconds: f64) {
        let sum = match part {
            Timed::Read => &mut self.read,
            Timed::Prepare => &mut self.prepare,
            Timed::Fit => &mut self.fit,
            Timed::Certify => &mut self.certify,
            Timed::Write => &mut self.write,
        };
        *sum += seconds;
    }
}
