//! Runs on several processes: [`Cluster`] is a process's place in one, `coordinator` the place where all are decided on.
//! `src/NETWORK.md` draws a generation's life, and says what is protected and what is not.

mod admin;
pub(crate) mod balance;
pub(crate) mod checkpoints;
mod client;
pub(crate) mod coordinator;
mod invitation;
pub(crate) mod net;
mod order;
mod parent_link;
pub(crate) mod plan;
pub(crate) mod protocol;
mod server;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use self::admin::{AdminClient, JoinGrant};
pub(crate) use self::checkpoints::{PROOF, read_proof};
use self::client::End;
pub(crate) use self::client::{CoordinatorClient, Instruction, LOST};
#[cfg(feature = "cli")]
pub(crate) use self::invitation::INDEX;
pub use self::invitation::Invitation;
pub(crate) use self::invitation::{AGAIN, FILE, WORKERS, write_private};
#[cfg(feature = "cli")]
pub(crate) use self::net::addresses::Address;
pub(crate) use self::net::addresses::Addresses;
pub(crate) use self::net::handshake::random;
pub use self::order::{CoordinatorSettings, Ended, Heard};
#[cfg(feature = "cli")]
pub(crate) use self::parent_link::tie;
use self::parent_link::{ParentLink, Started};
pub use self::protocol::{MemberStatus, RunStatus};
pub use self::server::{Remote, Server};
use std::io::{self, Write as _};
use std::sync::Mutex;

use crate::base::error::EngineError;
use crate::base::sync::lock;

/// Says to the run's launcher why this process does not join.
static EXCUSE: Mutex<Option<DeclineReason>> = Mutex::new(None);

/// Receiver of the reason for which a process does not join.
type DeclineReason = Box<dyn Fn(String) + Send>;

/// Tells the launcher, where this process came to join its run and has not done so, why it ends.
#[cfg(feature = "cli")]
pub(crate) fn excuse(why: &str) {
    if let Some(say) = lock(&EXCUSE).take() {
        say(why.to_owned());
    }
}

/// A process's place in a run of several: see [`Engine::run_on`](crate::Engine::run_on).
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
    /// Run that this process was started for by `raddle launch`; `None` if it was started alone. Losses are errors of
    /// [`Engine::run_on`](crate::Engine::run_on): nothing ends the process.
    ///
    /// # Errors
    /// If the coordinator does not let this process in, or the connection to it breaks.
    pub fn from_environment() -> Result<Option<Self>, EngineError> {
        Self::started(None)
    }

    /// Run that this process was started for, as [`from_environment`](Self::from_environment) gives it, of a program whose
    /// processes end as the launcher has it: `end`, such as `std::process::exit`, is called with status 75 as soon as another
    /// process is lost or the coordinator is gone, which is a loss: the launcher starts another one. Where the connection
    /// breaks before the process has its place, it says why on stderr first. A run that is over before this process has read
    /// its data ends it with status 0.
    ///
    /// # Errors
    /// If the coordinator does not let this process in.
    pub fn launched(end: fn(i32) -> !) -> Result<Option<Self>, EngineError> {
        Self::started(Some(end)).inspect_err(|why| {
            if let EngineError::Process(why) = why {
                // Nobody is left to tell if stderr is closed.
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
        if let Some(excuse) = client.excuse() {
            *lock(&EXCUSE) = Some(Box::new(excuse));
        }
        Ok(Some(Self { client, index }))
    }

    /// Takes place number `index` in a run.
    ///
    /// # Errors
    /// If the coordinator cannot be found, or does not let this process in.
    pub fn join(invitation: &Invitation, index: u32) -> Result<Self, EngineError> {
        let client =
            CoordinatorClient::open(invitation, index, ParentLink::None, None, Addresses::default())?;
        Ok(Self { client, index })
    }

    /// The number of this process in the run, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// What asks to let this process leave at the next boundary; the run goes on without it. For a handler of signals.
    pub fn leaver(&self) -> impl Fn() + Send + use<> {
        let say = self.client.reporter();
        move || say(&protocol::MemberReport::Leaving)
    }

    /// Function that tells if the generation under way ends at the next boundary, as where a process leaves or joins.
    pub fn parting(&self) -> impl Fn() -> bool + Send + use<> {
        let requests = std::sync::Arc::clone(&self.client.requests);
        move || requests.ends_at_boundary()
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
