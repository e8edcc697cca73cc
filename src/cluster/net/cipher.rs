//! [`Keys`]: the keys of one encrypted connection, and the agreement of both ends on them.
//!
//! Both ends agree on the keys by the Noise protocol (Perrin, "The Noise Protocol Framework", revision 34,
//! 2018), pattern `NNpsk0`, with the run's token as the pre-shared key. Each end adds an ephemeral key, so
//! that a token which leaks later does not decrypt connections that were recorded before.

use std::fmt;
use std::io;

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::token::Token;

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
/// Bytes of each of the two messages that agree on keys: a public key and a tag.
const MESSAGE: usize = 48;

/// Keys of a connection, for both directions.
pub(crate) struct Keys(StatelessTransportState);

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys")
    }
}

/// Returns the error that the bytes which arrived are not the next ones that the other end sent.
pub(crate) fn corrupt_record() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what it sent did not arrive as it was")
}

/// One end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Connector,
    Acceptor,
}

/// Agreement on keys at one end.
pub(crate) struct Agreement(HandshakeState);

impl Agreement {
    /// Starts the agreement at one end. `over` holds the bytes that both ends have sent before: if they
    /// differ, the agreement fails.
    pub(crate) fn new(token: Token, over: &[u8], end: End) -> io::Result<Self> {
        let pattern = PATTERN.parse().map_err(failed)?;
        let builder = Builder::new(pattern).psk(0, &token.0).and_then(|builder| builder.prologue(over));
        let builder = builder.map_err(failed)?;
        let state = match end {
            End::Connector => builder.build_initiator(),
            End::Acceptor => builder.build_responder(),
        };
        state.map(Self).map_err(failed)
    }

    /// Returns the message of this end.
    pub(crate) fn message(&mut self) -> io::Result<Vec<u8>> {
        let mut message = vec![0; MESSAGE];
        let length = self.0.write_message(&[], &mut message).map_err(failed)?;
        message.truncate(length);
        Ok(message)
    }

    /// Reads the message of the other end.
    pub(crate) fn take(&mut self, message: &[u8]) -> io::Result<()> {
        self.0.read_message(message, &mut [0; MESSAGE]).map(drop).map_err(|_| corrupt_record())
    }

    /// Returns the keys, after one message of each end.
    pub(crate) fn keys(self) -> io::Result<Keys> {
        self.0.into_stateless_transport_mode().map(Keys).map_err(failed)
    }
}

fn failed(why: impl fmt::Debug) -> io::Error {
    io::Error::other(format!("no keys for the connection: {why:?}"))
}

impl Keys {
    /// Number of bytes of a tag.
    pub(crate) const TAG: usize = 16;

    /// Encrypts content into bytes that are longer by a tag; `number` is used for no other content in this
    /// direction.
    pub(crate) fn close(&self, number: u64, content: &[u8], into: &mut [u8]) -> io::Result<()> {
        self.0.write_message(number, content, into).map(drop).map_err(failed)
    }

    /// Decrypts content of this number.
    pub(crate) fn open(&self, number: u64, sealed: &[u8], into: &mut [u8]) -> io::Result<()> {
        self.0.read_message(number, sealed, into).map(drop).map_err(|_| corrupt_record())
    }
}
