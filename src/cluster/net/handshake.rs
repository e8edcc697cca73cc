//! The handshake: both ends of a connection prove that they hold the run's token before anything else is
//! sent. Between parties, the token is a secret that the two ends alone can compute from their keys; the
//! acceptor finds the key of the connector by the number in its first message.
//!
//! ```text
//! connector ── handshake (with a nonce) ──────────────────────────────▶ acceptor  same form in every version
//!           ── ticket = HMAC(token, t, it) ───────────────────────────▶
//!           ◀── handshake (with a nonce), HMAC(token, a, both) ─────────
//!           ─── HMAC(token, c, both), key ─────────────────────────────▶
//!           ◀── admitted, or the reason why not, key, HMAC(token, v, both and these)
//!           ─── admitted ──────────────────────────────────────────────▶
//! ```
//!
//! The proofs are over both handshakes, so that neither can be replayed. The first one, the *ticket*, is over
//! only the connector's handshake: it admits nobody, but a connector that shows it waits in a separate queue
//! from those that do not hold the token. Each handshake says if its end wants the connection encrypted, so
//! that nobody between the ends can disable encryption. The *keys*, messages by which the ends agree on the
//! keys of the connection, are empty if neither end wants it encrypted.
//!
//! Each message but the first is followed by a checksum, and that of the ticket covers the first message,
//! too. So an end that does not hold the token can be distinguished from bytes that were damaged on the way,
//! after which the connector tries again. The acceptor takes the connection only once it knows that its
//! answer has arrived.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::cipher::{Agreement, End};
use super::first_message::{Handshake, Refused};
use super::records::Seal;
use super::secret::Secret;
use super::sum::{SUM, sum};
use super::token::Shared;
use super::wire::{Timed, receive_bytes, send, send_bytes};
use crate::base::state::{State, from_bytes, to_bytes};

/// Longest handshake message in bytes.
const MOST: u64 = 1024;
/// Last version without checksums in its handshake.
const WITHOUT_SUMS: u32 = 6;

/// Number of bytes of a proof.
const PROOF: usize = 32;

type Proof = [u8; PROOF];

/// Keyed hash of handshakes; `by` is the end that proves and what it proves, so that no proof can be sent
/// back.
fn mac(shared: &Shared, by: u8, of: &[&Handshake]) -> Hmac<Sha256> {
    // HMAC takes keys of any length; this one has 32 bytes.
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&shared.token.0).unwrap_or_else(|_| Hmac::new(&Default::default()));
    mac.update(&[by]);
    of.iter().for_each(|handshake| mac.update(&to_bytes(*handshake)));
    mac
}

/// Ends that prove, the ticket, and the verdict.
const CONNECTOR: u8 = 1;
const ACCEPTOR: u8 = 2;
const TICKET: u8 = 3;
const VERDICT: u8 = 4;

/// Answer of the acceptor to a proof: the reason why the connector is refused, if it is, and the acceptor's
/// key.
struct Verdict {
    refused: Option<String>,
    key: Vec<u8>,
}

crate::state!(Verdict { refused, key });

impl Verdict {
    fn mac(&self, shared: &Shared, both: &[&Handshake]) -> Hmac<Sha256> {
        let mut mac = mac(shared, VERDICT, both);
        mac.update(&to_bytes(self));
        mac
    }
}

fn proof(mac: Hmac<Sha256>) -> Proof {
    mac.finalize().into_bytes().into()
}

/// Last message of a handshake.
const ADMITTED: u8 = 1;

/// Returns the bytes that the agreement on keys covers: both handshakes, the connector's first.
fn over(both: [&Handshake; 2]) -> Vec<u8> {
    both.into_iter().flat_map(to_bytes).collect()
}

/// Returns a message followed by a checksum of `before`, the bytes that were sent before it, and of itself.
fn summed(message: &impl State, before: &[u8]) -> Vec<u8> {
    let mut bytes = to_bytes(message);
    bytes.extend(sum(sum(0, before), &bytes).to_le_bytes());
    bytes
}

/// Reads a message that [`summed`] made, and checks its checksum.
fn checked<T: State>(bytes: &[u8], before: &[u8]) -> Result<T, Refused> {
    let (message, found) = bytes.split_last_chunk::<SUM>().ok_or(Refused::Damaged)?;
    if sum(sum(0, before), message).to_le_bytes() != *found {
        return Err(Refused::Damaged);
    }
    from_bytes(message).map_err(|_| Refused::Damaged)
}

fn send_summed(timed: &mut Timed<'_>, message: &impl State, before: &[u8]) -> io::Result<()> {
    send_bytes(timed, &summed(message, before))
}

fn receive_summed<T: State>(timed: &mut Timed<'_>) -> Result<T, Refused> {
    checked(&receive_bytes(timed, MOST)?, &[])
}

/// Reads the acceptor's handshake and proof; an error if the acceptor has another version.
fn answer(bytes: &[u8]) -> Result<(Handshake, Proof), Refused> {
    let (theirs, proof): (Handshake, Proof) = match checked(bytes, &[]) {
        Ok(answer) => answer,
        Err(why) => {
            let without_sum = from_bytes::<(Handshake, Proof)>(bytes).map_err(|_| why)?;
            // One of our own has a sum.
            return Err(without_sum.0.check().err().unwrap_or(Refused::Damaged));
        }
    };
    theirs.check().map(|()| (theirs, proof))
}

/// Connector's side of the handshake, within a time limit if there is one; returns the other end's handshake,
/// and the seal of the connection: the keys of a cipher if one of the ends wants it.
pub(crate) fn initiate(
    socket: &TcpStream,
    shared: &Shared,
    mine: &Handshake,
    limit: Option<Duration>,
) -> Result<(Handshake, Seal), Refused> {
    let mut timed = Timed::new(socket, limit);
    let stranger = || if shared.keys.is_some() { Refused::OtherKeys } else { Refused::Stranger };
    send(&mut timed, mine)?;
    send_summed(&mut timed, &proof(mac(shared, TICKET, &[mine])), &to_bytes(mine))?;
    let (theirs, proved) = answer(&receive_bytes(&mut timed, MOST)?)?;
    let both = [mine, &theirs];
    mac(shared, ACCEPTOR, &both).verify_slice(&proved).map_err(|_| stranger())?;
    let mut agreement = agreement(shared, both, End::Connector)?;
    let key = agreement.as_mut().map_or(Ok(Vec::new()), Agreement::message)?;
    send_summed(&mut timed, &(proof(mac(shared, CONNECTOR, &both)), key), &[])?;
    let (verdict, proved): (Verdict, Proof) = receive_summed(&mut timed)?;
    verdict.mac(shared, &both).verify_slice(&proved).map_err(|_| stranger())?;
    if let Some(why) = verdict.refused {
        return Err(Refused::Unlike(why.replace(char::is_control, " ")));
    }
    let seal = match agreement {
        None => Seal::Sums,
        Some(mut agreement) => {
            agreement.take(&verdict.key)?;
            Seal::Keys(agreement.keys()?)
        }
    };
    send_summed(&mut timed, &ADMITTED, &[])?;
    Ok((theirs, seal))
}

/// Starts the agreement on keys, if an end wants the connection encrypted.
fn agreement(shared: &Shared, both: [&Handshake; 2], end: End) -> io::Result<Option<Agreement>> {
    let encrypts = both.iter().any(|handshake| handshake.encrypts);
    encrypts.then(|| Agreement::new(shared, &over(both), end)).transpose()
}

/// Acceptor's side of the handshake. `on_ticket` is called with the connector's handshake, and `true` if its
/// ticket is valid; `admit` decides which holders of the token fit. A connector of another protocol, or
/// without the token, gets an answer too, so that it can report the reason.
pub(crate) fn respond(
    socket: &TcpStream,
    secret: &Secret,
    mine: &Handshake,
    limit: Option<Duration>,
    on_ticket: impl FnOnce(&Handshake, bool),
    admit: impl FnOnce(&Handshake) -> Result<(), String>,
) -> Result<(Handshake, Seal), Refused> {
    let mut timed = Timed::new(socket, limit);
    let first = receive_bytes(&mut timed, MOST)?;
    let theirs: Handshake = from_bytes(&first).map_err(|_| Refused::Damaged)?;
    let shared = secret.towards(theirs.index)?;
    let both = [&theirs, mine];
    let answer = (mine.clone(), proof(mac(&shared, ACCEPTOR, &both)));
    match theirs.check() {
        Err(Refused::Version(there)) => return Err(another_version(&mut timed, there, &first, &answer)),
        checked => checked?,
    }
    let ticket: Proof = checked(&receive_bytes(&mut timed, MOST)?, &first)?;
    let holds = mac(&shared, TICKET, &[&theirs]).verify_slice(&ticket).is_ok();
    on_ticket(&theirs, holds);
    send_summed(&mut timed, &answer, &[])?;
    if !holds {
        return Err(Refused::Stranger);
    }
    let (proved, key): (Proof, Vec<u8>) = receive_summed(&mut timed)?;
    mac(&shared, CONNECTOR, &both).verify_slice(&proved).map_err(|_| Refused::Stranger)?;
    let mut verdict = Verdict { refused: admit(&theirs).err(), key: Vec::new() };
    let mut seal = Seal::Sums;
    if let Some(mut agreement) =
        agreement(&shared, both, End::Acceptor)?.filter(|_| verdict.refused.is_none())
    {
        agreement.take(&key)?;
        verdict.key = agreement.message()?;
        seal = Seal::Keys(agreement.keys()?);
    }
    let proved = proof(verdict.mac(&shared, &both));
    let verdict = (verdict, proved);
    send_summed(&mut timed, &verdict, &[])?;
    if let Some(why) = verdict.0.refused {
        return Err(Refused::Unlike(why));
    }
    match receive_summed(&mut timed)? {
        ADMITTED => Ok((theirs, seal)),
        _ => Err(Refused::Damaged),
    }
}

/// Answers a connector of another version in a form that it can read. The error names the version, unless
/// that was damaged on the way.
fn another_version(timed: &mut Timed<'_>, there: u32, first: &[u8], answer: &(Handshake, Proof)) -> Refused {
    let ticket = match receive_bytes(timed, MOST) {
        Ok(ticket) => ticket,
        Err(why) => return why.into(),
    };
    let answer = match checked::<Proof>(&ticket, first) {
        Ok(_) => summed(answer, &[]),
        Err(_) if ticket.len() == PROOF && there <= WITHOUT_SUMS => to_bytes(answer),
        Err(why) => return why,
    };
    // It may be gone.
    let _ = send_bytes(timed, &answer);
    Refused::Version(there)
}

#[cfg(test)]
mod tests;
