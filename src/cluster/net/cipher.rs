//! [`Cipher`]: the keys of one connection, and the records under them.
//!
//! Both ends agree on the keys by the Noise protocol (Perrin, "The Noise Protocol Framework", revision 34, 2018), pattern
//! `NNpsk0`, with the run's token as the key that both hold. Each end adds a key of the moment, so that a token which is
//! lost later opens no connection that was recorded before.
//!
//! ```text
//! head: length (2 bytes, little-endian), encrypted, with a tag of 16 bytes
//! body: so many bytes, encrypted, with a tag of 16 bytes                        for each record
//! ```
//!
//! The nonces of a record are twice its number in its direction, and one more: a record that is changed, repeated, left
//! out or out of order is refused, and everything behind it. A length has a tag of its own, so that one which is changed
//! does not let the reader wait for bytes that never come.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::ops::Range;
use std::sync::Mutex;

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::token::Token;
use crate::base::sync::lock;

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
/// Bytes of each of the two messages that agree on keys: a public key and a tag.
const MESSAGE: usize = 48;
const TAG: usize = 16;
/// Bytes of a length.
const LENGTH: usize = 2;
/// Bytes of a record's head.
const HEAD: usize = LENGTH + TAG;
/// Most bytes of content in a record: those of a message of the protocol, less the tag.
const CONTENT: usize = 65_535 - TAG;

/// Keys and position of a connection, in both directions.
pub(crate) struct Cipher {
    keys: StatelessTransportState,
    sent: Mutex<Sent>,
    received: Mutex<Received>,
}

/// Nonce of the next message to send, and room for records.
#[derive(Default)]
struct Sent {
    nonce: u64,
    out: Vec<u8>,
}

/// Nonce of the next message to receive, bytes that have arrived, and content that has not been read.
#[derive(Default)]
struct Received {
    nonce: u64,
    bytes: Vec<u8>,
    there: Range<usize>,
    /// Length of the content whose head has been read.
    length: Option<usize>,
    content: Vec<u8>,
    unread: Range<usize>,
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher")
    }
}

/// Error: a record is not the one that the other end sent next.
fn is_wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what it sent did not arrive as it was")
}

/// Agreement on keys at one end.
pub(crate) struct Agreement(HandshakeState);

impl Agreement {
    /// Begins at the connecting end, or at the accepting one. `over` is what both ends have said before: where it
    /// differs there is no agreement.
    pub(crate) fn new(token: Token, over: &[u8], connects: bool) -> io::Result<Self> {
        let pattern = PATTERN.parse().map_err(failed)?;
        let builder = Builder::new(pattern).psk(0, &token.0).and_then(|builder| builder.prologue(over));
        let builder = builder.map_err(failed)?;
        let state = if connects { builder.build_initiator() } else { builder.build_responder() };
        state.map(Self).map_err(failed)
    }

    /// The message of this end.
    pub(crate) fn message(&mut self) -> io::Result<Vec<u8>> {
        let mut message = vec![0; MESSAGE];
        let length = self.0.write_message(&[], &mut message).map_err(failed)?;
        message.truncate(length);
        Ok(message)
    }

    /// Takes the message of the other end in.
    pub(crate) fn take(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.read_message(message, &mut [0; MESSAGE]).map(drop).map_err(|_| is_wrong())
    }

    /// The keys, behind one message of each end.
    pub(crate) fn cipher(self) -> io::Result<Cipher> {
        let keys = self.0.into_stateless_transport_mode().map_err(failed)?;
        Ok(Cipher { keys, sent: Mutex::default(), received: Mutex::default() })
    }
}

fn failed(why: impl fmt::Debug) -> io::Error {
    io::Error::other(format!("no keys for the connection: {why:?}"))
}

impl Cipher {
    /// Sends bytes as records, in one write.
    pub(crate) fn write_all(&self, mut to: &TcpStream, bytes: &[u8]) -> io::Result<()> {
        let mut sent = lock(&self.sent);
        let Sent { nonce, out } = &mut *sent;
        out.resize(bytes.len() + bytes.len().div_ceil(CONTENT) * (HEAD + TAG), 0);
        let mut rest = &mut out[..];
        for content in bytes.chunks(CONTENT) {
            let (head, behind) = rest.split_at_mut(HEAD);
            let (body, behind) = behind.split_at_mut(content.len() + TAG);
            let length = (content.len() as u16).to_le_bytes();
            self.keys.write_message(*nonce, &length, head).map_err(failed)?;
            self.keys.write_message(*nonce + 1, content, body).map_err(failed)?;
            *nonce += 2;
            rest = behind;
        }
        to.write_all(out)
    }

    /// Reads content that has arrived, and waits where there is none; 0 where the connection ends between two records.
    pub(crate) fn read(&self, mut from: &TcpStream, to: &mut [u8]) -> io::Result<usize> {
        let mut received = lock(&self.received);
        while received.unread.is_empty() && !to.is_empty() {
            if self.open(&mut received)? {
                continue;
            }
            let Received { bytes, there, length, .. } = &mut *received;
            bytes.copy_within(there.clone(), 0);
            *there = 0..there.len();
            bytes.resize(2 * (HEAD + CONTENT + TAG), 0);
            match from.read(&mut bytes[there.end..])? {
                0 if there.end == 0 && length.is_none() => return Ok(0),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => there.end += count,
            }
        }
        let Received { content, unread, .. } = &mut *received;
        let count = to.len().min(unread.len());
        to[..count].copy_from_slice(&content[unread.start..unread.start + count]);
        unread.start += count;
        Ok(count)
    }

    /// Opens the next head or body, if it has arrived whole.
    fn open(&self, received: &mut Received) -> io::Result<bool> {
        let Received { nonce, bytes, there, length, content, unread } = received;
        let wanted = length.map_or(HEAD, |length| length + TAG);
        let Some(message) = bytes[there.clone()].get(..wanted) else { return Ok(false) };
        content.resize(CONTENT + TAG, 0);
        let found = self.keys.read_message(*nonce, message, content).map_err(|_| is_wrong())?;
        (*nonce, there.start) = (*nonce + 1, there.start + wanted);
        *length = match length.take() {
            None => Some(usize::from(u16::from_le_bytes([content[0], content[1]]))),
            Some(_) => {
                *unread = 0..found;
                None
            }
        };
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
