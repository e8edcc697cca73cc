//! [`Secret`]: what one end of a run's connections proves to hold: the token of the run, which all have, or,
//! where the run has parties, a key of its own.

use std::io;
use std::net::IpAddr;

use super::socket::Encryption;
use super::token::{Shared, Token};
use crate::parties::{COORDINATOR, Keyring};

/// The token of a run, or the keys of its parties, and the connections that its processes encrypt.
#[derive(Debug, Clone)]
pub(crate) struct Secret {
    pub(crate) token: Token,
    /// Connections that are encrypted, of those that prove the token: those of parties always are.
    pub(crate) encryption: Encryption,
    pub(crate) keyring: Option<Keyring>,
}

impl From<Token> for Secret {
    fn from(token: Token) -> Self {
        Self { token, encryption: Encryption::default(), keyring: None }
    }
}

impl Secret {
    /// Returns what this end shares with the end of this number. With nobody of the run's it shares a token
    /// that nobody has. Those who run the coordinator connect to it by the token, as `raddle status` does.
    pub(crate) fn towards(&self, other: u32) -> io::Result<Shared> {
        let Some(keyring) = &self.keyring else { return Ok(self.token.into()) };
        match keyring.link(other) {
            Some(keys) => Ok(Shared { token: Token(keys.token), keys: Some(keys) }),
            None if other == COORDINATOR && keyring.number().is_none() => Ok(self.token.into()),
            None => Token::new().map(Shared::from),
        }
    }

    /// `true` if this end wants a connection with this other end encrypted.
    pub(crate) fn encrypts(&self, other_end: IpAddr) -> bool {
        self.keyring.is_some() || self.encryption.wants(other_end)
    }

    /// Returns the number by which this end asks for things that are no process's.
    pub(crate) fn number(&self) -> u32 {
        self.keyring.as_ref().and_then(Keyring::number).unwrap_or(COORDINATOR)
    }
}
