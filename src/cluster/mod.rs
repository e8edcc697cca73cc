//! Runs on several processes: [`Cluster`] is a process's place in one, `coordinator` the place where all are decided on.
//! `src/NETWORK.md` draws a generation's life, and says what is protected and what is not.

pub(crate) mod balance;
pub(crate) mod coordinator;
mod gate;
pub(crate) mod handover;
pub(crate) mod hello;
mod invitation;
mod line;
mod order;
pub(crate) mod plan;
pub(crate) mod protocol;
mod reach;
mod server;
#[cfg(test)]
mod tests;
pub(crate) mod vault;
mod visitor;
mod wire;

pub(crate) use self::hello::random;
pub use self::invitation::Invitation;
pub(crate) use self::invitation::{AGAIN, FILE, INDEX, WORKERS, write_private};
pub(crate) use self::line::{LOST, Line, Next};
pub use self::order::{CoordinatorSettings, Ended, Heard};
pub use self::protocol::{MemberStatus, RunStatus};
#[cfg(feature = "cli")]
pub(crate) use self::reach::Address;
pub(crate) use self::reach::Reach;
pub use self::server::{Remote, Server};
pub(crate) use self::vault::{PROOF, read_proof};
pub use self::visitor::{Place, Visitor};
use crate::error::EngineError;

/// A process's place in a run of several: see [`Engine::run_on`](crate::Engine::run_on).
pub struct Cluster {
    pub(crate) line: Line,
    index: u32,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} at {}", self.index, self.line.address())
    }
}

impl Cluster {
    /// The run that this process was started for by `raddle launch`; `None` if it was started alone.
    ///
    /// # Errors
    /// If the coordinator cannot be found, or does not let this process in.
    pub fn from_environment() -> Result<Option<Self>, EngineError> {
        let Some((invitation, index)) = Invitation::from_environment()? else { return Ok(None) };
        let line = Line::open(&invitation, index, true, Reach::from_environment()?)?;
        Ok(Some(Self { line, index }))
    }

    /// Takes place number `index` in a run.
    ///
    /// # Errors
    /// If the coordinator cannot be found, or does not let this process in.
    pub fn join(invitation: &Invitation, index: u32) -> Result<Self, EngineError> {
        let line = Line::open(invitation, index, false, Reach::default())?;
        Ok(Self { line, index })
    }

    /// The number of this process in the run, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// What asks to let this process leave at the next boundary; the run goes on without it. For a handler of signals.
    pub fn leaver(&self) -> impl Fn() + Send + use<> {
        let say = self.line.reporter();
        move || say(&protocol::Report::Leaving)
    }

    /// Whether this process takes the place of a lost one, or of one that the loss of another has ended.
    pub(crate) fn is_again() -> bool {
        std::env::var_os(AGAIN).is_some()
    }

    /// The workers of each process that the launcher asked for, if one has started this process.
    pub(crate) fn workers() -> Option<usize> {
        std::env::var_os(FILE)?;
        std::env::var(WORKERS).ok()?.parse().ok()
    }
}
