//! [`Token`]: the secret of a run, by which its processes authenticate each other.

use std::fmt;
use std::io;

use crate::base::digest::hex;
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
