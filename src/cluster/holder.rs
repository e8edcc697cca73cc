//! [`Holder`]: a client of a held run, for whose answer the run waits at each boundary.

use std::net::Shutdown;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::admin::{AdminClient, MOST};
use super::held_boundary::HeldBoundary;
use super::invitation::{INVITATION, Invitation};
use super::net::socket::Socket;
use super::net::wire::{receive, send};
use super::protocol::{AdminRequest, AdminResponse};
use crate::base::error::EngineError;
use crate::base::sync::lock;

/// Time between two attempts to connect to a launcher that is starting.
const AGAIN: Duration = Duration::from_millis(20);
/// Time within which a launcher notices that the holder before is gone.
const NOTICED: Duration = Duration::from_secs(1);

/// Client that holds a run which `raddle launch --held` started: at each boundary the run waits until its
/// holder lets it continue, with the number of workers that the holder sets.
///
/// One thread may wait for a run's boundaries while another one answers by [`answers`](Self::answers), for
/// many runs.
///
/// A run has one holder at a time. If the holder disconnects, the run waits at its next boundary for another
/// one.
#[derive(Debug)]
pub struct Holder {
    events: Socket,
    answers: HolderAnswers,
    /// The boundary of the last event.
    last: Option<HeldBoundary>,
}

/// Sender of the answers of a [`Holder`] to the boundaries of its run; every copy acts for the same holder.
#[derive(Debug, Clone)]
pub struct HolderAnswers(Arc<Mutex<Socket>>);

/// Event of a held run.
#[derive(Debug, Clone, PartialEq)]
pub enum HeldEvent {
    /// The run is at a boundary, and waits for an answer unless the boundary is its last.
    Boundary(HeldBoundary),
    /// The run has ended: it was done, paused, interrupted, or has failed. Nothing follows.
    Ended,
}

impl Holder {
    /// Connects to the run in a folder as its holder. Waits at most `at_most` for a launcher that is
    /// starting, as long as `is_starting` returns `true`.
    ///
    /// # Errors
    /// If no run can be reached there, it is not held, or it has another holder.
    pub fn of_run(
        folder: &Path,
        at_most: Duration,
        is_starting: impl Fn() -> bool,
    ) -> Result<Self, EngineError> {
        let began = Instant::now();
        loop {
            let waits = is_starting() && began.elapsed() < at_most;
            let connected = Invitation::read(&folder.join(INVITATION))
                .and_then(|invitation| AdminClient::new(invitation).request(&AdminRequest::Hold));
            match connected {
                Ok((socket, AdminResponse::Holds)) => return Ok(Self::new(socket)),
                // The launcher may not have noticed yet that the holder before is gone.
                Ok((_, AdminResponse::Refused(why))) if began.elapsed() >= NOTICED.min(at_most) => {
                    return Err(EngineError::Setting(why));
                }
                Ok((_, AdminResponse::Refused(_))) => {}
                Ok(_) => return Err(EngineError::Worker("the run answers another question".into())),
                Err(why) if !waits => return Err(why),
                Err(_) => {}
            }
            thread::sleep(AGAIN);
        }
    }

    fn new(events: Socket) -> Self {
        let answers = HolderAnswers(Arc::new(Mutex::new(events.clone())));
        Self { events, answers, last: None }
    }

    /// Waits for the run's next event.
    ///
    /// # Errors
    /// If the connection breaks: the launcher is gone.
    pub fn wait(&mut self) -> Result<HeldEvent, EngineError> {
        match receive(&mut self.events, MOST) {
            Ok(AdminResponse::Boundary(boundary)) => {
                self.last = Some(boundary.clone());
                Ok(HeldEvent::Boundary(boundary))
            }
            Ok(AdminResponse::Ended) => Ok(HeldEvent::Ended),
            Ok(_) => Err(EngineError::Worker("the run answers another question".into())),
            Err(why) => Err(launcher_gone(&why)),
        }
    }

    /// Lets the run continue from the boundary of the last event with this number of workers, at least 1. If
    /// the run has another number, a new generation starts, as after `raddle rescale`.
    ///
    /// # Errors
    /// If there has been no boundary, there are no workers, or the launcher is gone.
    pub fn go_on(&mut self, workers: usize) -> Result<(), EngineError> {
        self.answers.go_on(self.last()?, workers)
    }

    /// Ends the run at the boundary of the last event, with its model, a checkpoint and status 130, as Ctrl-C
    /// does. `raddle launch --resume` continues the run.
    ///
    /// # Errors
    /// If there has been no boundary, or the launcher is gone.
    pub fn pause(&mut self) -> Result<(), EngineError> {
        self.answers.pause(self.last()?)
    }

    fn last(&self) -> Result<&HeldBoundary, EngineError> {
        self.last.as_ref().ok_or_else(|| EngineError::Setting("the run has come to no boundary yet".into()))
    }

    /// Returns a sender of answers for another thread.
    pub fn answers(&self) -> HolderAnswers {
        self.answers.clone()
    }
}

impl Drop for Holder {
    /// Gives the run up: it has no holder from here on, even if copies of the answers are left.
    fn drop(&mut self) {
        // It may be closed already.
        let _ = self.events.shutdown(Shutdown::Both);
    }
}

impl HolderAnswers {
    /// Lets the run continue from this boundary, as [`Holder::go_on`] does. Does nothing if the run is at
    /// another boundary.
    ///
    /// # Errors
    /// If there are no workers, or the launcher is gone.
    pub fn go_on(&self, at: &HeldBoundary, workers: usize) -> Result<(), EngineError> {
        let workers = u32::try_from(workers).ok().filter(|&workers| workers > 0).ok_or_else(|| {
            EngineError::Setting(format!("a run needs 1 to {} workers, not {workers}", u32::MAX))
        })?;
        let HeldBoundary { generation, epoch, .. } = *at;
        self.send(&AdminRequest::GoOn { generation, epoch, workers })
    }

    /// Ends the run at this boundary, as [`Holder::pause`] does. Does nothing if the run is at another
    /// boundary.
    ///
    /// # Errors
    /// If the launcher is gone.
    pub fn pause(&self, at: &HeldBoundary) -> Result<(), EngineError> {
        let HeldBoundary { generation, epoch, .. } = *at;
        self.send(&AdminRequest::Pause { generation, epoch })
    }

    fn send(&self, request: &AdminRequest) -> Result<(), EngineError> {
        send(&mut *lock(&self.0), request).map_err(|why| launcher_gone(&why))
    }
}

/// Returns the error that the connection to the launcher has ended.
fn launcher_gone(why: &std::io::Error) -> EngineError {
    EngineError::Process(format!("the launcher of the held run is gone: {why}"))
}
