//! [`AdminClient`]: asks something of a run from outside.

use std::time::Duration;

use super::invitation::Invitation;
use super::net::handshake::{Handshake, PATIENCE, Role};
use super::net::listener::{Retry, connect};
use super::net::wire::{Timed, receive, send};
use super::protocol::{AdminRequest, AdminResponse, RunStatus};
use crate::base::error::EngineError;

/// How long to try again where the run's gate is crowded.
const CROWDED: Duration = Duration::from_secs(10);
/// Longest answer: a status names every process.
const MOST: u64 = 1 << 24;

/// Someone who asks something of a run.
#[derive(Debug, Clone)]
pub struct AdminClient(Invitation);

/// A place in a run for another process.
#[derive(Debug, Clone)]
pub struct JoinGrant {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The number of the process.
    pub index: u32,
    /// Its workers.
    pub workers: u32,
    /// With what it finds the run.
    pub invitation: Invitation,
}

impl AdminClient {
    /// To the run of this invitation.
    pub fn new(invitation: Invitation) -> Self {
        Self(invitation)
    }

    /// How the run stands.
    ///
    /// # Errors
    /// If the run cannot be reached.
    pub fn status(&self) -> Result<RunStatus, EngineError> {
        match self.ask(&AdminRequest::Status)? {
            AdminResponse::Status(status) => Ok(status),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Has the run go on with this number of workers in all, from the next boundary on.
    ///
    /// # Errors
    /// If the run cannot be reached, or refuses.
    pub fn rescale(&self, workers: u32) -> Result<(), EngineError> {
        match self.ask(&AdminRequest::Rescale { workers })? {
            AdminResponse::Accepted => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// A place for another process.
    ///
    /// # Errors
    /// If the run cannot be reached, or refuses.
    pub fn join(&self) -> Result<JoinGrant, EngineError> {
        match self.ask(&AdminRequest::Join)? {
            AdminResponse::JoinGrant { argv, index, workers, run } => {
                let invitation = Invitation { run, ..self.0.clone() };
                Ok(JoinGrant { argv, index, workers, invitation })
            }
            other => Err(self.unexpected(&other)),
        }
    }

    fn ask(&self, request: &AdminRequest) -> Result<AdminResponse, EngineError> {
        let Invitation { coordinator, token, run } = self.0;
        let dead = |why: &dyn std::fmt::Display| {
            EngineError::Setting(format!("no run answers at {coordinator}: {why}"))
        };
        let hello = || Handshake::new(Role::AdminClient, (0, run), 0, u32::MAX);
        let connected = connect(coordinator, token, hello, (Retry::Crowded, CROWDED), || false);
        let (_, socket) = connected.map_err(|why| dead(&why))?;
        let mut timed = Timed::new(&socket, Some(PATIENCE));
        send(&mut timed, request).map_err(|why| dead(&why))?;
        receive(&mut timed, MOST).map_err(|why| dead(&why))
    }

    fn unexpected(&self, answer: &AdminResponse) -> EngineError {
        match answer {
            AdminResponse::Refused(why) => EngineError::Setting(why.clone()),
            _ => EngineError::Worker(format!("the run at {} answers another question", self.0.coordinator)),
        }
    }
}
