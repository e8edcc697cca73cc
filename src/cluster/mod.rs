//! Runs on several processes: [`Cluster`] is the membership of one process in a run, and `coordinator`
//! decides for all processes. `src/NETWORK.md` shows the life of a generation, and lists the threats that a
//! run is protected against.

mod admin;
pub(crate) mod balance;
pub(crate) mod checkpoints;
pub(crate) mod client;
#[cfg(test)]
mod conversation;
pub(crate) mod coordinator;
mod held_boundary;
mod holder;
pub(crate) mod invitation;
pub(crate) mod net;
pub(crate) mod parent_link;
#[cfg(test)]
mod party_tests;
pub(crate) mod placing;
pub(crate) mod plan;
pub(crate) mod protocol;
mod server;
mod settings;
#[cfg(test)]
pub(crate) mod simulation;
#[cfg(test)]
mod tests;

pub use self::admin::{AdminClient, JoinGrant};
pub(crate) use self::checkpoints::read_proof;
pub(crate) use self::client::{CoordinatorClient, Instruction};
use self::client::{End, LOST};
pub use self::coordinator::known_parties::OnLeave;
pub use self::held_boundary::{HeldBoundary, HeldStatus};
pub use self::holder::{HeldEvent, Holder, HolderAnswers};
pub use self::invitation::Invitation;
use self::net::addresses::Addresses;
pub use self::net::socket::Encryption;
pub use self::net::token::Token;
use self::parent_link::{ParentLink, Started, declines_by};
pub use self::plan::PlacedGeneration;
pub use self::protocol::{MemberStatus, RunStatus};
pub use self::server::{Remote, Server};
pub use self::settings::{CoordinatorSettings, Ended, RunEvent};
use std::io::{self, Write as _};

use crate::base::error::EngineError;

/// Membership of one process in a run on several: see [`Engine::run_on`](crate::Engine::run_on).
pub struct Cluster {
    pub(crate) client: CoordinatorClient,
    index: u32,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} at {}", self.index, self.client.address())
    }
}

impl Cluster {
    /// Returns the membership in the run for which `raddle launch` started this process; `None` if it was
    /// started alone. A loss is an error of [`Engine::run_on`](crate::Engine::run_on), and does not end the
    /// process.
    ///
    /// # Errors
    /// If the coordinator refuses this process, or the connection to it breaks.
    pub fn from_environment() -> Result<Option<Self>, EngineError> {
        Self::started(None)
    }

    /// Returns the membership as [`from_environment`](Self::from_environment) does, for a program whose end
    /// is up to the launcher: `end`, such as `std::process::exit`, is called with status 75 as soon as
    /// another process is lost or the coordinator is gone. That counts as a loss, and the launcher starts
    /// another process. If the connection breaks before this process is a member of the run, the reason is
    /// printed to stderr first. If the run is over before this process has read its data, `end` is called
    /// with status 0.
    ///
    /// # Errors
    /// If the coordinator refuses this process.
    pub fn launched(end: fn(i32) -> !) -> Result<Option<Self>, EngineError> {
        Self::started(Some(end)).inspect_err(|why| {
            if let EngineError::Process(why) = why {
                // If stderr is closed there is nowhere to print.
                let _ = writeln!(io::stderr(), "raddle: {why}");
                end(LOST);
            }
        })
    }

    fn started(end: Option<End>) -> Result<Option<Self>, EngineError> {
        let Some(Started { invitation, index, parent_link }) = Started::from_environment()? else {
            return Ok(None);
        };
        let client =
            CoordinatorClient::open(&invitation, index, parent_link, end, Addresses::from_environment()?)?;
        if let Some(decline) = client.decline() {
            declines_by(decline);
        }
        Ok(Some(Self { client, index }))
    }

    /// Joins a run as process number `index`.
    ///
    /// # Errors
    /// If the coordinator cannot be reached, or refuses this process.
    pub fn join(invitation: &Invitation, index: u32) -> Result<Self, EngineError> {
        let client =
            CoordinatorClient::open(invitation, index, ParentLink::None, None, Addresses::default())?;
        Ok(Self { client, index })
    }

    /// Returns the number of this process in the run, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns a function that asks the coordinator to release this process at the next boundary, while the
    /// run continues; for a handler of signals.
    pub fn leaver(&self) -> impl Fn() + Send + use<> {
        let report = self.client.reporter();
        move || report(&protocol::MemberReport::Leaving)
    }

    /// Returns a function that returns `true` if the current generation ends at the next boundary, as when a
    /// process leaves or joins.
    pub fn is_ending(&self) -> impl Fn() -> bool + Send + use<> {
        let requests = std::sync::Arc::clone(&self.client.requests);
        move || requests.ends_at_boundary()
    }
}
