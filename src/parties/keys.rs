//! [`PrivateKey`] and [`PublicKey`]: the key pair of a party, on Curve25519 (RFC 7748).

use std::fmt;
use std::io;

use curve25519_dalek::MontgomeryPoint;
use zeroize::Zeroizing;

use super::bytes::{random, unhex};
use crate::base::digest::hex;

/// The public key of a party or of the coordinator. Its text is 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(pub(super) [u8; 32]);

impl PublicKey {
    /// Parses 64 hexadecimal digits; `None` if the text is no key.
    pub fn parse(text: &str) -> Option<Self> {
        unhex(text).map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The private key of a party or of the coordinator. It is wiped from memory when dropped.
#[derive(Clone)]
pub struct PrivateKey(Zeroizing<[u8; 32]>);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}

impl PrivateKey {
    /// Makes a key of random bytes.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn new() -> io::Result<Self> {
        random().map(|bytes| Self(Zeroizing::new(bytes)))
    }

    /// Parses 64 hexadecimal digits; `None` if the text is no key.
    pub fn parse(text: &str) -> Option<Self> {
        unhex(text).map(|bytes| Self(Zeroizing::new(bytes)))
    }

    /// Returns the key as 64 hexadecimal digits, for a file that its owner alone can read.
    pub fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(hex(&*self.0))
    }

    /// Returns the public key that belongs to this one.
    pub fn public(&self) -> PublicKey {
        PublicKey(MontgomeryPoint::mul_base_clamped(*self.0).to_bytes())
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the secret that the holders of the two private keys share (X25519); `None` for a public key of
    /// low order, with which every private key gives the same one.
    pub(super) fn agree(&self, with: PublicKey) -> Option<Zeroizing<[u8; 32]>> {
        let shared = Zeroizing::new(MontgomeryPoint(with.0).mul_clamped(*self.0).to_bytes());
        (*shared != [0; 32]).then_some(shared)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    /// Section 6.1 of RFC 7748.
    #[test]
    fn two_ends_agree_on_the_secret_of_the_standard() {
        let [one, other] = [
            "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
            "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        ]
        .map(|text| PrivateKey::parse(text).unwrap());
        let public = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";
        assert_eq!(one.public().to_string(), public);
        let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
        assert_eq!(hex(&*one.agree(other.public()).unwrap()), shared);
        assert_eq!(hex(&*other.agree(one.public()).unwrap()), shared);
    }

    #[test]
    fn a_public_key_of_low_order_gives_no_secret() {
        let key = PrivateKey::new().unwrap();
        assert!(key.agree(PublicKey([0; 32])).is_none());
        let mut one = [0; 32];
        one[0] = 1;
        assert!(key.agree(PublicKey(one)).is_none());
        assert_eq!(PublicKey::parse(&key.public().to_string()), Some(key.public()));
    }
}
