//! [`Masks`]: streams of words that hide the sums of a party, and cancel in the sum of all parties.
//!
//! Each pair of parties has a secret that nobody else can compute. The party of the lower number adds a
//! stream made from it to its words, the other one subtracts it, both modulo 2^64 (Bonawitz et al., CCS 2017,
//! without its shared secrets: after a loss, rounds are done again with other streams). One party's words are
//! then uniform to all who do not know its secrets, and the sum of all is that of the words without masks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit as _, StreamCipher as _};
use hkdf::Hkdf;
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use super::FEWEST;
use super::keyring::Keyring;
use crate::base::sync::lock;

/// Bytes of a stream that are made at once.
const CHUNK: usize = 1 << 12;

/// Reason why sums are not masked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MasksError {
    /// Two parties, or one.
    #[error(
        "{0} parties take part, and masks take three: of two, each learns the other's sums by subtraction"
    )]
    TooFew(usize),
    /// The coordinator, or a number of nobody: no party's.
    #[error("the parties that take part are not those of the keys")]
    Unlike,
    /// A second vector of the same moment: with the same masks, their difference would lie open.
    #[error("masks of {0:?} were used before")]
    Reused(Moment),
}

/// Name of a vector of sums within a generation: no two have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Number of epochs completed before.
    pub epoch: u64,
    /// Number of the round in its epoch; `None` for the boundary at its end.
    pub round: Option<u64>,
}

/// How a party hides its words in the stream of a pair.
#[derive(Clone, Copy)]
enum Sign {
    Adds,
    Subtracts,
}

/// Masks of one party's sums among those that take part.
pub struct Masks {
    /// The secrets of this party's pairs, for this generation alone.
    streams: Vec<(Hkdf<Sha256>, Sign)>,
    used: Mutex<BTreeSet<Moment>>,
}

impl fmt::Debug for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masks")
    }
}

impl Masks {
    /// Makes the masks of the party that holds the keyring, in a generation with these other parties. Each
    /// comes with bytes that are new and the same at both, those that bind their connection: the masks of a
    /// generation are those of no other.
    ///
    /// # Errors
    /// If fewer than three parties take part, or one of them has no key.
    pub fn new(keyring: &Keyring, others: &BTreeMap<u32, [u8; 32]>) -> Result<Self, MasksError> {
        if others.len() + 1 < FEWEST as usize {
            return Err(MasksError::TooFew(others.len() + 1));
        }
        let me = keyring.number().ok_or(MasksError::Unlike)?;
        let stream = |(&other, binding): (&u32, &[u8; 32])| {
            let pair = keyring.pair(other).ok_or(MasksError::Unlike)?;
            let sign = if me < other { Sign::Adds } else { Sign::Subtracts };
            Ok((Hkdf::new(Some(binding), &*pair), sign))
        };
        Ok(Self { streams: others.iter().map(stream).collect::<Result<_, _>>()?, used: Mutex::default() })
    }

    /// Adds the masks of a moment to the words.
    ///
    /// # Errors
    /// If words of this moment were masked before.
    pub fn add_to(&self, at: Moment, words: &mut [i64]) -> Result<(), MasksError> {
        if !lock(&self.used).insert(at) {
            return Err(MasksError::Reused(at));
        }
        for (secret, sign) in &self.streams {
            let mut stream = stream(secret, at).ok_or(MasksError::Unlike)?;
            let mut bytes = Zeroizing::new([0; CHUNK]);
            for words in words.chunks_mut(CHUNK / 8) {
                bytes.fill(0);
                stream.apply_keystream(&mut bytes[..8 * words.len()]);
                let masks = bytes.as_chunks().0.iter().map(|mask| i64::from_le_bytes(*mask));
                let words = words.iter_mut().zip(masks);
                match sign {
                    Sign::Adds => words.for_each(|(word, mask)| *word = word.wrapping_add(mask)),
                    Sign::Subtracts => words.for_each(|(word, mask)| *word = word.wrapping_sub(mask)),
                }
            }
        }
        Ok(())
    }
}

/// Returns the stream of a pair at a moment: ChaCha20 under a key that is used for nothing else.
fn stream(secret: &Hkdf<Sha256>, Moment { epoch, round }: Moment) -> Option<ChaCha20> {
    let number = |number: Option<u64>| {
        number.map_or([0; 9], |number| {
            let mut bytes = [1; 9];
            bytes[1..].copy_from_slice(&number.to_le_bytes());
            bytes
        })
    };
    let info = [Some(epoch), round].map(number);
    let mut key = Zeroizing::new([0; 32]);
    // Only an output of more than 255 blocks is refused.
    secret.expand(info.as_flattened(), &mut *key).ok()?;
    Some(ChaCha20::new((&*key).into(), &[0; 12].into()))
}
