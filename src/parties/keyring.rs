//! [`Keyring`]: the public keys of a run over parties, with the private key of the end that holds it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hkdf::Hkdf;
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use super::keys::{PrivateKey, PublicKey};

/// Number of the coordinator among the ends of a run.
pub(crate) const COORDINATOR: u32 = u32::MAX;

/// Reason why keys make no keyring.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyringError {
    /// The party is not among those of the run.
    #[error("{0} is no party of the run: its parties are {1}")]
    Unknown(String, String),
    /// The private key does not belong to the public one.
    #[error("the private key is not that of {0}: its public key is {1}")]
    Wrong(String, PublicKey),
    /// Two ends have the same public key.
    #[error("{0} and {1} have the same public key: each makes one of its own with raddle key")]
    Twice(String, String),
    /// A public key with which everybody would have the same secret.
    #[error("the public key of {0} is none that raddle key makes")]
    Weak(String),
}

/// The keys of a run over parties, as one end holds them: a party, or the coordinator. Parties are numbered
/// by name, from 1: the number of a party is that of its process.
#[derive(Debug, Clone)]
pub struct Keyring(Arc<KeyringContent>);

#[derive(Debug)]
struct KeyringContent {
    names: Vec<String>,
    publics: Vec<PublicKey>,
    coordinator: PublicKey,
    me: u32,
    private: PrivateKey,
}

/// Keys of one connection between two ends of a run over parties.
#[derive(Debug, Clone)]
pub(crate) struct LinkKeys {
    /// Secret that only the two ends can compute.
    pub(crate) token: [u8; 32],
    pub(crate) private: PrivateKey,
    pub(crate) theirs: PublicKey,
}

impl Keyring {
    /// Makes the keyring of party `me`, or of the coordinator where that is `None`.
    ///
    /// # Errors
    /// If `me` is no party, `private` is not its key, or two ends have the same key.
    pub fn new(
        coordinator: PublicKey,
        parties: &BTreeMap<String, PublicKey>,
        me: Option<&str>,
        private: PrivateKey,
    ) -> Result<Self, KeyringError> {
        let names: Vec<String> = parties.keys().cloned().collect();
        let publics: Vec<PublicKey> = parties.values().copied().collect();
        let number = match me {
            None => COORDINATOR,
            Some(me) => {
                1 + names
                    .iter()
                    .position(|name| name == me)
                    .ok_or_else(|| KeyringError::Unknown(me.to_owned(), names.join(", ")))?
                    as u32
            }
        };
        let ring = Self(Arc::new(KeyringContent { names, publics, coordinator, me: number, private }));
        ring.check()?;
        Ok(ring)
    }

    fn check(&self) -> Result<(), KeyringError> {
        let KeyringContent { private, me, .. } = &*self.0;
        let mine = private.public();
        if self.public(*me) != Some(mine) {
            return Err(KeyringError::Wrong(self.name(*me), mine));
        }
        let ends: Vec<u32> = (1..=self.parties()).chain([COORDINATOR]).collect();
        for (at, &end) in ends.iter().enumerate() {
            if let Some(&other) = ends[..at].iter().find(|&&other| self.public(other) == self.public(end)) {
                return Err(KeyringError::Twice(self.name(other), self.name(end)));
            }
            self.public(end)
                .and_then(|key| private.agree(key))
                .ok_or_else(|| KeyringError::Weak(self.name(end)))?;
        }
        Ok(())
    }

    /// Returns the number of parties.
    pub fn parties(&self) -> u32 {
        self.0.names.len() as u32
    }

    /// Returns the number of the party that holds the keyring; `None` for the coordinator.
    pub fn number(&self) -> Option<u32> {
        Some(self.0.me).filter(|&me| me != COORDINATOR)
    }

    /// Returns the name of a party, for messages.
    pub fn name(&self, number: u32) -> String {
        self.0
            .names
            .get((number as usize).wrapping_sub(1))
            .cloned()
            .unwrap_or_else(|| "the coordinator".into())
    }

    fn public(&self, number: u32) -> Option<PublicKey> {
        if number == COORDINATOR {
            Some(self.0.coordinator)
        } else {
            self.0.publics.get((number as usize).wrapping_sub(1)).copied()
        }
    }

    /// Returns the secret from which this party and another make their masks; `None` if there is no such
    /// party.
    pub(super) fn pair(&self, other: u32) -> Option<Zeroizing<[u8; 32]>> {
        self.secret(other, b"raddle masks").filter(|_| other != COORDINATOR)
    }

    /// Returns the secret that this end and another share, for a use; `None` if there is no such end.
    fn secret(&self, other: u32, purpose: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let theirs = self.public(other).filter(|_| other != self.0.me)?;
        let shared = self.0.private.agree(theirs)?;
        let mut both = [self.0.private.public().0, theirs.0];
        both.sort_unstable();
        let mut secret = Zeroizing::new([0; 32]);
        let info = [purpose, &both[0], &both[1]];
        // Only a longer output is refused.
        Hkdf::<Sha256>::new(None, &*shared).expand_multi_info(&info, &mut *secret).ok()?;
        Some(secret)
    }

    /// Returns the keys of a connection with another end of the run; `None` if there is no such end.
    pub(crate) fn link(&self, other: u32) -> Option<LinkKeys> {
        let token = *self.secret(other, b"raddle link")?;
        Some(LinkKeys { token, private: self.0.private.clone(), theirs: self.public(other)? })
    }

    /// Returns the keyring as lines of text, for the process that takes part.
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are no socket pairs"))]
    pub(crate) fn text(&self) -> Zeroizing<String> {
        let KeyringContent { names, publics, coordinator, me, private } = &*self.0;
        let mut text = Zeroizing::new(format!("keyring {me} {coordinator} "));
        text.push_str(&private.text());
        text.push('\n');
        for (name, key) in names.iter().zip(publics) {
            *text += &format!("party {name} {key}\n");
        }
        text
    }

    /// Reads the keyring from lines that [`text`](Self::text) has made, among others; `None` if there is
    /// none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let words = |line: &str, name: &str| {
            let words = line.strip_prefix(name)?.split(' ').map(str::to_owned);
            Some(words.collect::<Vec<String>>())
        };
        let own = text.lines().find_map(|line| words(line, "keyring "))?;
        let [me, coordinator, private] = own.as_slice() else { return None };
        let party = |line: Vec<String>| Some((line.first()?.clone(), PublicKey::parse(line.get(1)?)?));
        let parties = text.lines().filter_map(|line| words(line, "party ")).map(party);
        let parties: BTreeMap<String, PublicKey> = parties.collect::<Option<_>>()?;
        let me = me.parse::<u32>().ok().filter(|&me| me != COORDINATOR);
        let me = me.and_then(|me| parties.keys().nth((me as usize).wrapping_sub(1))).cloned();
        Self::new(PublicKey::parse(coordinator)?, &parties, me.as_deref(), PrivateKey::parse(private)?).ok()
    }
}
