//! The handshake: both ends of a connection prove that they hold the run's token before anything else is said.
//!
//! ```text
//! connector ── hello (with a nonce), HMAC(token, t, it) ──▶ acceptor
//!           ◀─ hello (with a nonce), HMAC(token, a, both) ──
//!           ── HMAC(token, c, both) ─────────────────────▶
//!           ◀─ welcome, or why not ────────────────────────
//! ```
//!
//! The proofs are over both hellos, so that neither can be used a second time. The first one, the *ticket*, is over one hello
//! alone: it lets nobody in, but whoever shows it waits apart from those who hold no token.

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::wire::{Timed, receive, receive_bytes, send};

/// How long a handshake over the network may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// No hello is longer.
const MOST: u64 = 1024;
/// What is spoken; changes with every message that changes.
const PROTOCOL: u32 = 4;
const MAGIC: [u8; 8] = *b"raddlerd";

/// What whoever connects is to whom it connects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A process of the run, to the coordinator.
    Member,
    /// A process of the run, to another one, for a generation.
    Neighbour,
    /// Someone who asks something of the run.
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

/// The secret of a run: 32 random bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) [u8; 32]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Random bytes of the system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|why| io::Error::other(why.to_string()))?;
    Ok(bytes)
}

/// What both ends say of themselves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Handshake {
    magic: [u8; 8],
    protocol: u32,
    pub(crate) role: Role,
    /// A fingerprint of the program's executable; 0 for those that run none.
    pub(crate) build: u64,
    pub(crate) run: u64,
    pub(crate) generation: u64,
    /// Which process it is.
    pub(crate) index: u32,
    nonce: [u8; 32],
}

crate::state!(Handshake { magic, protocol, role, build, run, generation, index, nonce });

impl Handshake {
    /// A hello that was never said before.
    pub(crate) fn new(role: Role, (build, run): (u64, u64), generation: u64, index: u32) -> io::Result<Self> {
        let nonce = random()?;
        Ok(Self { magic: MAGIC, protocol: PROTOCOL, role, build, run, generation, index, nonce })
    }

    fn check(&self) -> Result<(), Refused> {
        match (self.magic == MAGIC, self.protocol == PROTOCOL) {
            (true, true) => Ok(()),
            (true, false) => {
                let there = self.protocol;
                Err(Refused::Unlike(format!(
                    "it speaks version {there} of the protocol, this end {PROTOCOL}"
                )))
            }
            _ => Err(Refused::Stranger),
        }
    }
}

/// Why a handshake did not succeed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Whoever is there does not hold the token, or does not speak the protocol.
    Stranger,
    /// The connection broke, or took too long.
    Broken(io::Error),
    /// The other end is what it says, and does not fit.
    Unlike(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stranger => f.write_str(
                "whoever answers there does not hold this token: give the token of the run that is there",
            ),
            Self::Broken(why) => write!(f, "{why}"),
            Self::Unlike(why) => f.write_str(why),
        }
    }
}

impl From<io::Error> for Refused {
    fn from(why: io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::InvalidData => Self::Stranger,
            _ => Self::Broken(why),
        }
    }
}

type Proof = [u8; 32];

fn mac(token: Token, by: u8, hellos: &[&Handshake]) -> Hmac<Sha256> {
    // HMAC takes keys of any length; this one has 32 bytes.
    let mut mac = Hmac::<Sha256>::new_from_slice(&token.0).unwrap_or_else(|_| Hmac::new(&Default::default()));
    mac.update(&[by]);
    hellos.iter().for_each(|hello| mac.update(&crate::base::state::to_bytes(*hello)));
    mac
}

const CONNECTOR: u8 = 1;
const ACCEPTOR: u8 = 2;
const TICKET: u8 = 3;

/// Says hello to whoever is at the other end, within a time if there is a limit; gives what it says of itself.
pub(crate) fn greet(
    socket: &TcpStream,
    token: Token,
    mine: &Handshake,
    limit: Option<Duration>,
) -> Result<Handshake, Refused> {
    let mut timed = Timed::new(socket, limit);
    let ticket: Proof = mac(token, TICKET, &[mine]).finalize().into_bytes().into();
    send(&mut timed, mine)?;
    send(&mut timed, &ticket)?;
    let (theirs, proof): (Handshake, Proof) = receive(&mut timed, MOST)?;
    theirs.check()?;
    let hellos = [mine, &theirs];
    mac(token, ACCEPTOR, &hellos).verify_slice(&proof).map_err(|_| Refused::Stranger)?;
    let proof: Proof = mac(token, CONNECTOR, &hellos).finalize().into_bytes().into();
    send(&mut timed, &proof)?;
    match receive::<Option<String>>(&mut timed, MOST)? {
        None => Ok(theirs),
        Some(why) => Err(Refused::Unlike(why)),
    }
}

/// Answers a hello. `hear` is told of it, and whether it came with a ticket; `admit` decides, of whoever holds the token,
/// who fits. One of another protocol, or without the token, is answered too, so that it can say what is wrong.
pub(crate) fn answer(
    socket: &TcpStream,
    token: Token,
    mine: &Handshake,
    limit: Option<Duration>,
    hear: impl FnOnce(&Handshake, bool),
    admit: impl FnOnce(&Handshake) -> Result<(), String>,
) -> Result<Handshake, Refused> {
    let mut timed = Timed::new(socket, limit);
    let theirs: Handshake = receive(&mut timed, MOST)?;
    let hellos = [&theirs, mine];
    let proof: Proof = mac(token, ACCEPTOR, &hellos).finalize().into_bytes().into();
    let answer = (mine.clone(), proof);
    if let Err(why) = theirs.check() {
        if matches!(why, Refused::Unlike(_)) {
            send(&mut timed, &answer)?;
            // What is closed before all of it is read may take the answer with it.
            let _ = receive_bytes(&mut timed, MOST);
        }
        return Err(why);
    }
    let ticket: Proof = receive(&mut timed, MOST)?;
    let holds = mac(token, TICKET, &[&theirs]).verify_slice(&ticket).is_ok();
    hear(&theirs, holds);
    send(&mut timed, &answer)?;
    if !holds {
        return Err(Refused::Stranger);
    }
    let proof: Proof = receive(&mut timed, MOST)?;
    mac(token, CONNECTOR, &hellos).verify_slice(&proof).map_err(|_| Refused::Stranger)?;
    let refused = admit(&theirs).err();
    send(&mut timed, &refused)?;
    match refused {
        None => Ok(theirs),
        Some(why) => Err(Refused::Unlike(why)),
    }
}
