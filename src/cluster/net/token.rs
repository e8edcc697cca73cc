//! [`Token`]: the secret of a run, by which its processes authenticate each other; [`Shared`]: what two ends
//! of a connection share.

use std::fmt;
use std::io;

use crate::base::digest::hex;
use crate::parties::LinkKeys;
use crate::parties::bytes::{random, unhex};

/// The secret of a run: 32 random bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(pub(crate) [u8; 32]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Makes a token of 32 random bytes.
    pub(crate) fn new() -> io::Result<Self> {
        random().map(Self)
    }

    /// Returns the token as 64 hexadecimal digits.
    #[doc(hidden)]
    pub fn text(&self) -> String {
        hex(&self.0)
    }

    /// Parses a token of 64 hexadecimal digits; `None` if the text is no token.
    #[doc(hidden)]
    pub fn parse(text: &str) -> Option<Self> {
        unhex(text).map(Self)
    }
}

/// Token that two ends share: that of the run, or, between parties, one of their own, with the keys of both.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) token: Token,
    pub(crate) keys: Option<LinkKeys>,
}

impl From<Token> for Shared {
    fn from(token: Token) -> Self {
        Self { token, keys: None }
    }
}
