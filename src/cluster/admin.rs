//! [`AdminClient`]: a client of a run: asks for its status, and requests to rescale or to join it.

use std::io::ErrorKind;
use std::time::Duration;

use super::invitation::Invitation;
use super::net::first_message::{Handshake, Ids, Role, TIMEOUT};
use super::net::listener::{Retry, connect};
use super::net::socket::{Encryption, Socket};
use super::net::wire::{Timed, receive, send};
use super::protocol::{AdminRequest, AdminResponse, RunStatus};
use crate::base::error::EngineError;
use crate::parties::COORDINATOR;

/// Time for which a request is retried while the queue of the run's listener is full.
const CROWDED: Duration = Duration::from_secs(10);
/// Size limit of a response, in bytes: a status names every process.
pub(super) const MOST: u64 = 1 << 24;

/// Client of a run, outside the run's processes: asks for its status, and changes its workers.
#[derive(Debug, Clone)]
pub struct AdminClient(Invitation, Encryption);

/// Grant to join a run, for one process.
#[derive(Debug, Clone)]
pub struct JoinGrant {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The number of the process in the run.
    pub index: u32,
    /// Number of its workers.
    pub workers: u32,
    /// Address and token of the run.
    pub invitation: Invitation,
    /// `true` if the process makes the run's folder: the first process of a launcher without processes of its
    /// own.
    pub begins: bool,
}

impl AdminClient {
    /// Makes a client of the run of this invitation; it connects once for each request.
    pub fn new(invitation: Invitation) -> Self {
        Self(invitation, Encryption::default())
    }

    /// Sets which connections of the client are encrypted.
    pub fn encryption(self, encryption: Encryption) -> Self {
        Self(self.0, encryption)
    }

    /// Returns the status of the run: generation, epoch, metric, members.
    ///
    /// # Errors
    /// If the run cannot be reached.
    pub fn status(&self) -> Result<RunStatus, EngineError> {
        match self.ask(&AdminRequest::Status)? {
            AdminResponse::Status(status) => Ok(status),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Sets the number of workers of the whole run, at least 1, from the next boundary on.
    ///
    /// # Errors
    /// If the run cannot be reached, or refuses.
    pub fn rescale(&self, workers: u32) -> Result<(), EngineError> {
        match self.ask(&AdminRequest::Rescale { workers })? {
            AdminResponse::Accepted => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Returns the command line of the run's processes, for a party to see before it joins.
    ///
    /// # Errors
    /// If the run cannot be reached, or refuses.
    pub fn offer(&self) -> Result<Vec<String>, EngineError> {
        match self.ask(&AdminRequest::Offer)? {
            AdminResponse::Offer { argv } => Ok(argv),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Asks for one more process to join the run, with this number of workers, at least 1, or with that of
    /// the run's other processes. `rank` is the number of the process among those that join; the process gets
    /// the matching number in the run, if that is free.
    ///
    /// # Errors
    /// If the run cannot be reached, or refuses.
    pub fn join(&self, workers: Option<u32>, rank: Option<u32>) -> Result<JoinGrant, EngineError> {
        match self.ask(&AdminRequest::Join { workers, rank })? {
            AdminResponse::JoinGrant { argv, index, workers, run, begins } => {
                let invitation = Invitation { run, ..self.0.clone() };
                Ok(JoinGrant { argv, index, workers, invitation, begins })
            }
            other => Err(self.unexpected(&other)),
        }
    }

    /// Reports to the run that a process which joined with this grant has ended: with its exit status and a
    /// description such as `was killed by signal 9`; `crashed` if it was killed or panicked.
    ///
    /// # Errors
    /// If the run cannot be reached.
    pub fn exited(&self, of: &JoinGrant, code: i32, crashed: bool, how: &str) -> Result<(), EngineError> {
        let (run, process, how) = (of.invitation.run, of.index, how.to_owned());
        match self.ask(&AdminRequest::Exited { run, process, code, crashed, how })? {
            AdminResponse::Accepted => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    fn ask(&self, request: &AdminRequest) -> Result<AdminResponse, EngineError> {
        self.request(request).map(|(_, answer)| answer)
    }

    /// Sends a request on a new connection, and a second time if the answer is damaged; returns the
    /// connection and the response.
    pub(super) fn request(&self, request: &AdminRequest) -> Result<(Socket, AdminResponse), EngineError> {
        let mut answered = self.request_once(request)?;
        // A second holder is refused. A grant that no process uses lapses.
        if answered.is_none() && !matches!(request, AdminRequest::Hold) {
            answered = self.request_once(request)?;
        }
        answered.ok_or_else(|| {
            let at = self.0.coordinator;
            EngineError::Setting(format!("the answer of the run at {at} did not arrive as it was sent"))
        })
    }

    /// Sends a request once; `None` if the request or its answer was damaged on the way.
    fn request_once(&self, request: &AdminRequest) -> Result<Option<(Socket, AdminResponse)>, EngineError> {
        let Self(Invitation { coordinator, run, .. }, encryption) = *self;
        let dead = |why: &dyn std::fmt::Display| {
            EngineError::Setting(format!("no run answers at {coordinator}: {why}"))
        };
        let secret = self.0.secret(encryption);
        let me = secret.number();
        let handshake = || Handshake::new(Role::AdminClient, Ids { build: 0, run }, 0, me);
        let lasts = (Retry::Crowded, CROWDED);
        let connected = connect(coordinator, &secret, COORDINATOR, handshake, lasts, || false);
        let (_, socket) = connected.map_err(|why| dead(&why))?;
        let mut timed = Timed::behind(&socket, TIMEOUT);
        send(&mut timed, request).map_err(|why| dead(&why))?;
        let answer = match receive(&mut timed, MOST) {
            Ok(answer) => answer,
            Err(why) if matches!(why.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                return Ok(None);
            }
            Err(why) => return Err(dead(&why)),
        };
        drop(timed);
        Ok(Some((socket, answer)))
    }

    fn unexpected(&self, answer: &AdminResponse) -> EngineError {
        match answer {
            AdminResponse::Refused(why) => EngineError::Setting(why.clone()),
            _ => EngineError::Worker(format!("the run at {} answers another question", self.0.coordinator)),
        }
    }
}
