//! [`Handshake`]: the first message of each end of a connection, which keeps its form in every version of the
//! protocol; and [`Refused`], the reason why one did not succeed.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::parties::bytes::random;

/// Time limit of a handshake over the network.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
/// Version of the protocol; it changes with every message that changes. The first message of each end keeps
/// its form, so that versions can recognise each other.
pub(super) const PROTOCOL: u32 = 9;
const MAGIC: [u8; 8] = *b"raddlerd";

/// Role of one end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A process of the run that connects to the coordinator.
    Member,
    /// A process of the run that connects to a peer, for a generation.
    Neighbour,
    /// An admin client.
    AdminClient,
    /// The coordinator.
    Coordinator,
}

crate::state!(
    enum Role {
        Member,
        Neighbour,
        AdminClient,
        Coordinator,
    }
);

/// Numbers of a program's build and of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ids {
    /// Digest of what the program is built from; 0 for the coordinator and for admin clients.
    pub(crate) build: u64,
    pub(crate) run: u64,
}

/// First message of each end of a connection: its role, build, run and number, with a nonce.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Handshake {
    pub(super) magic: [u8; 8],
    pub(super) protocol: u32,
    pub(crate) role: Role,
    pub(crate) build: u64,
    pub(crate) run: u64,
    pub(crate) generation: u64,
    /// Number of the process; `u32::MAX` for the coordinator and for admin clients, but those of parties.
    pub(crate) index: u32,
    /// `true` if this end wants the connection encrypted.
    pub(super) encrypts: bool,
    pub(super) nonce: [u8; 32],
}

crate::state!(Handshake { magic, protocol, role, build, run, generation, index, encrypts, nonce });

impl Handshake {
    /// Makes a handshake with a new nonce.
    pub(crate) fn new(role: Role, Ids { build, run }: Ids, generation: u64, index: u32) -> io::Result<Self> {
        let nonce = random()?;
        let (magic, protocol, encrypts) = (MAGIC, PROTOCOL, false);
        Ok(Self { magic, protocol, role, build, run, generation, index, encrypts, nonce })
    }

    /// Sets `encrypts`: `true` if this end wants the connection encrypted.
    pub(crate) fn encrypting(self, encrypts: bool) -> Self {
        Self { encrypts, ..self }
    }

    pub(super) fn check(&self) -> Result<(), Refused> {
        match (self.magic == MAGIC, self.protocol == PROTOCOL) {
            (true, true) => Ok(()),
            (true, false) => Err(Refused::Version(self.protocol)),
            _ => Err(Refused::Stranger),
        }
    }
}

/// Reason why a handshake did not succeed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The other end does not hold the token, or does not speak the protocol.
    Stranger,
    /// The other end does not have the key that it should have, or has another for this end.
    OtherKeys,
    /// The connection broke, or took too long.
    Broken(io::Error),
    /// A message was damaged on the way, or is none that an end sends.
    Damaged,
    /// The other end speaks this version of the protocol.
    Version(u32),
    /// The other end holds the token, and does not fit the run.
    Unlike(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stranger => f.write_str(
                "whoever answers there does not hold this token: give the token of the run that is there",
            ),
            Self::OtherKeys => f.write_str(
                "the keys of the two ends do not fit: both need the same parties.toml, and each its own key",
            ),
            Self::Broken(why) if is_timeout(why) => {
                write!(f, "it does not answer within {} s", TIMEOUT.as_secs())
            }
            Self::Broken(why) => write!(f, "{why}"),
            Self::Damaged => f.write_str(
                "what it sent did not arrive as it was, or whoever answers there is no run: look at the \
                 address",
            ),
            Self::Version(there) => {
                write!(
                    f,
                    "it speaks version {there} of the protocol, this end {PROTOCOL}: start the same \
                     build everywhere"
                )
            }
            Self::Unlike(why) => f.write_str(why),
        }
    }
}

/// `true` if nothing came in time.
pub(super) fn is_timeout(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

impl From<io::Error> for Refused {
    fn from(why: io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::InvalidData => Self::Damaged,
            _ => Self::Broken(why),
        }
    }
}
