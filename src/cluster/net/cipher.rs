//! [`Keys`]: the keys of one encrypted connection, and the agreement of both ends on them.
//!
//! Both ends agree on the keys by the Noise protocol (Perrin, "The Noise Protocol Framework", revision 34,
//! 2018): pattern `NNpsk0`, with the run's token as the pre-shared key, or, between parties, pattern `IK`,
//! with the keys of both. Each end adds an ephemeral key, so that a token or key which leaks later does not
//! decrypt connections that were recorded before.

use std::fmt;
use std::io;

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::token::Shared;
use crate::parties::PublicKey;

const BY_TOKEN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
const BY_KEYS: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";
/// Most bytes of each of the two messages that agree on keys: two public keys and two tags.
const MESSAGE: usize = 96;

/// Keys of a connection, for both directions, and bytes that bind what is derived from the connection to it:
/// both ends have the same, and no other connection has them.
pub(crate) struct Keys {
    state: StatelessTransportState,
    pub(crate) binding: [u8; 32],
}

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

/// Agreement on keys at one end, and the key that the other end has to have.
pub(crate) struct Agreement(HandshakeState, Option<PublicKey>);

impl Agreement {
    /// Starts the agreement at one end. `over` holds the bytes that both ends have sent before: if they
    /// differ, the agreement fails.
    pub(crate) fn new(shared: &Shared, over: &[u8], end: End) -> io::Result<Self> {
        let pattern = if shared.keys.is_some() { BY_KEYS } else { BY_TOKEN };
        let builder = Builder::new(pattern.parse().map_err(failed)?).prologue(over).map_err(failed)?;
        let builder = match (&shared.keys, end) {
            (None, _) => builder.psk(0, &shared.token.0),
            (Some(keys), End::Acceptor) => builder.local_private_key(keys.private.bytes()),
            (Some(keys), End::Connector) => builder
                .local_private_key(keys.private.bytes())
                .and_then(|builder| builder.remote_public_key(keys.theirs.bytes())),
        };
        let state = builder.and_then(|builder| match end {
            End::Connector => builder.build_initiator(),
            End::Acceptor => builder.build_responder(),
        });
        let theirs = shared.keys.as_ref().map(|keys| keys.theirs);
        state.map(|state| Self(state, theirs)).map_err(failed)
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
        self.0.read_message(message, &mut [0; MESSAGE]).map_err(|_| corrupt_record())?;
        // The acceptor is told the key of the connector by this message.
        match self.1.is_none_or(|theirs| self.0.get_remote_static() == Some(&theirs.bytes()[..])) {
            true => Ok(()),
            false => Err(failed("another key")),
        }
    }

    /// Returns the keys, after one message of each end.
    pub(crate) fn keys(self) -> io::Result<Keys> {
        let binding = self.0.get_handshake_hash().try_into().map_err(failed)?;
        let state = self.0.into_stateless_transport_mode().map_err(failed)?;
        Ok(Keys { state, binding })
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
        self.state.write_message(number, content, into).map(drop).map_err(failed)
    }

    /// Decrypts content of this number.
    pub(crate) fn open(&self, number: u64, sealed: &[u8], into: &mut [u8]) -> io::Result<()> {
        self.state.read_message(number, sealed, into).map(drop).map_err(|_| corrupt_record())
    }
}
