//! [`Token`]: the secret of a run, by which its processes authenticate each other.

use std::fmt;
use std::io;

use crate::base::digest::hex;

/// The secret of a run: 32 random bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(pub(crate) [u8; 32]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Returns random bytes from the system.
///
/// # Errors
/// If the system has none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|why| io::Error::other(why.to_string()))?;
    Ok(bytes)
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

pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}
