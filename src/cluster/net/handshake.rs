//! The handshake: both ends of a connection prove that they hold the run's token before anything else is
//! sent.
//!
//! ```text
//! connector ── handshake (with a nonce), ticket = HMAC(token, t, it) ──▶ acceptor
//!           ◀── handshake (with a nonce), HMAC(token, a, both) ─────────
//!           ─── HMAC(token, c, both) ───────────────────────────────────▶
//!           ◀── admitted, or the reason why not ────────────────────────
//!           ─── the connector's message of the agreement on keys ──────▶     where an end wants a cipher
//!           ◀── the acceptor's ─────────────────────────────────────────
//! ```
//!
//! The proofs are over both handshakes, so that neither can be replayed. The first one, the *ticket*, is over
//! the connector's handshake alone: it admits nobody, but a connector that shows it waits in a queue apart
//! from those that do not hold the token. Each handshake says if its end wants the connection under a
//! [`Cipher`], and so nobody between them can talk the other one out of it.

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::cipher::{Agreement, Cipher};
use super::token::{Token, random};
use super::wire::{Timed, receive, receive_bytes, send};

/// Time limit of a handshake over the network.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// Longest handshake message in bytes.
const MOST: u64 = 1024;
/// Version of the protocol; it changes with every message that changes.
const PROTOCOL: u32 = 6;
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

/// First message of each end of a connection: its role, build, run and number, with a nonce.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Handshake {
    magic: [u8; 8],
    protocol: u32,
    pub(crate) role: Role,
    /// Fingerprint of the program's executable; 0 for the coordinator and for admin clients.
    pub(crate) build: u64,
    pub(crate) run: u64,
    pub(crate) generation: u64,
    /// Number of the process; `u32::MAX` for the coordinator and for admin clients.
    pub(crate) index: u32,
    /// `true` if this end wants the connection under a cipher.
    encrypts: bool,
    nonce: [u8; 32],
}

crate::state!(Handshake { magic, protocol, role, build, run, generation, index, encrypts, nonce });

impl Handshake {
    /// A handshake with a new nonce.
    pub(crate) fn new(role: Role, (build, run): (u64, u64), generation: u64, index: u32) -> io::Result<Self> {
        let nonce = random()?;
        let (magic, protocol, encrypts) = (MAGIC, PROTOCOL, false);
        Ok(Self { magic, protocol, role, build, run, generation, index, encrypts, nonce })
    }

    /// The same, of an end that wants the connection under a cipher if `encrypts`.
    pub(crate) fn encrypting(self, encrypts: bool) -> Self {
        Self { encrypts, ..self }
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

/// Reason why a handshake did not succeed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The other end does not hold the token, or does not speak the protocol.
    Stranger,
    /// The connection broke, or took too long.
    Broken(io::Error),
    /// The other end holds the token, and does not fit the run.
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

/// Keyed hash of handshakes; `by` is the end that proves, so that no proof can be sent back.
fn mac(token: Token, by: u8, of: &[&Handshake]) -> Hmac<Sha256> {
    // HMAC takes keys of any length; this one has 32 bytes.
    let mut mac = Hmac::<Sha256>::new_from_slice(&token.0).unwrap_or_else(|_| Hmac::new(&Default::default()));
    mac.update(&[by]);
    of.iter().for_each(|handshake| mac.update(&crate::base::state::to_bytes(*handshake)));
    mac
}

/// Ends that prove, and the ticket.
const CONNECTOR: u8 = 1;
const ACCEPTOR: u8 = 2;
const TICKET: u8 = 3;

/// What the agreement on keys is over: both handshakes, the connector's first.
fn over(both: [&Handshake; 2]) -> Vec<u8> {
    both.into_iter().flat_map(crate::base::state::to_bytes).collect()
}

/// Connector's side of the handshake, within a time limit if there is one; returns the other end's handshake, and the
/// cipher of the connection if one of the ends wants it.
pub(crate) fn initiate(
    socket: &TcpStream,
    token: Token,
    mine: &Handshake,
    limit: Option<Duration>,
) -> Result<(Handshake, Option<Cipher>), Refused> {
    let mut timed = Timed::new(socket, limit);
    let ticket: Proof = mac(token, TICKET, &[mine]).finalize().into_bytes().into();
    send(&mut timed, mine)?;
    send(&mut timed, &ticket)?;
    let (theirs, proof): (Handshake, Proof) = receive(&mut timed, MOST)?;
    theirs.check()?;
    let both = [mine, &theirs];
    mac(token, ACCEPTOR, &both).verify_slice(&proof).map_err(|_| Refused::Stranger)?;
    let proof: Proof = mac(token, CONNECTOR, &both).finalize().into_bytes().into();
    send(&mut timed, &proof)?;
    if let Some(why) = receive::<Option<String>>(&mut timed, MOST)? {
        return Err(Refused::Unlike(why));
    }
    if !(mine.encrypts || theirs.encrypts) {
        return Ok((theirs, None));
    }
    let mut agreement = Agreement::new(token, &over(both), true)?;
    send(&mut timed, &agreement.message()?)?;
    agreement.take(&receive::<Vec<u8>>(&mut timed, MOST)?)?;
    Ok((theirs, Some(agreement.cipher()?)))
}

/// Acceptor's side of the handshake. `on_ticket` is called with the connector's handshake, and `true` if its
/// ticket is valid; `admit` decides which holders of the token fit. A connector of another protocol, or
/// without the token, gets an answer too, so that it can report the reason.
pub(crate) fn respond(
    socket: &TcpStream,
    token: Token,
    mine: &Handshake,
    limit: Option<Duration>,
    on_ticket: impl FnOnce(&Handshake, bool),
    admit: impl FnOnce(&Handshake) -> Result<(), String>,
) -> Result<(Handshake, Option<Cipher>), Refused> {
    let mut timed = Timed::new(socket, limit);
    let theirs: Handshake = receive(&mut timed, MOST)?;
    let both = [&theirs, mine];
    let proof: Proof = mac(token, ACCEPTOR, &both).finalize().into_bytes().into();
    let answer = (mine.clone(), proof);
    if let Err(why) = theirs.check() {
        if matches!(why, Refused::Unlike(_)) {
            send(&mut timed, &answer)?;
            // Closing a socket with unread bytes may discard the answer.
            let _ = receive_bytes(&mut timed, MOST);
        }
        return Err(why);
    }
    let ticket: Proof = receive(&mut timed, MOST)?;
    let holds = mac(token, TICKET, &[&theirs]).verify_slice(&ticket).is_ok();
    on_ticket(&theirs, holds);
    send(&mut timed, &answer)?;
    if !holds {
        return Err(Refused::Stranger);
    }
    let proof: Proof = receive(&mut timed, MOST)?;
    mac(token, CONNECTOR, &both).verify_slice(&proof).map_err(|_| Refused::Stranger)?;
    let refused = admit(&theirs).err();
    send(&mut timed, &refused)?;
    if let Some(why) = refused {
        return Err(Refused::Unlike(why));
    }
    if !(mine.encrypts || theirs.encrypts) {
        return Ok((theirs, None));
    }
    let mut agreement = Agreement::new(token, &over(both), false)?;
    agreement.take(&receive::<Vec<u8>>(&mut timed, MOST)?)?;
    send(&mut timed, &agreement.message()?)?;
    Ok((theirs, Some(agreement.cipher()?)))
}
