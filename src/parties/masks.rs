//! [`Masks`]: streams of words that hide the sums of a party, and cancel in the sum of all parties.
//!
//! Each pair of parties has a secret that nobody else can compute. The party of the lower number adds a stream
//! made from it to its words, the other one subtracts it, both modulo 2^64 (Bonawitz et al., CCS 2017, without
//! its shared secrets: after a loss, the round is done again with other streams). One party's words then are
//! uniform to all who do not know its secrets, and the sum of all is that of the words without masks.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit as _, StreamCipher as _};
use hkdf::Hkdf;
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use super::keyring::Keyring;
use crate::base::sync::lock;

/// Fewest parties whose sums are masked: of two, each learns the other's by subtraction.
const FEWEST: usize = 3;
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
    /// The party that masks is not among those that take part, or a number is no party's.
    #[error("the parties that take part are not those of the keys")]
    Unlike,
    /// A second vector of the same moment: with the same masks, their difference would lie open.
    #[error("masks of {0:?} were used before")]
    Reused(Moment),
}

/// Name of a vector of sums within a session: no two have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Number of the generation, which rises with every attempt.
    pub generation: u64,
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
    /// The secrets of this party's pairs in this session.
    streams: Vec<(Hkdf<Sha256>, Sign)>,
    used: Mutex<BTreeSet<Moment>>,
}

impl fmt::Debug for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masks")
    }
}

impl Masks {
    /// Makes the masks of the party that holds the keyring, among the parties of these numbers. `session` is
    /// the same for all of them and never the same again, such as a digest of a random number of each.
    ///
    /// # Errors
    /// If fewer than three take part, or this party does not.
    pub fn new(keyring: &Keyring, among: &[u32], session: &[u8]) -> Result<Self, MasksError> {
        let among: BTreeSet<u32> = among.iter().copied().collect();
        if among.len() < FEWEST {
            return Err(MasksError::TooFew(among.len()));
        }
        let me = keyring.number().filter(|me| among.contains(me)).ok_or(MasksError::Unlike)?;
        let stream = |&other: &u32| {
            let pair = keyring.secret(other, b"raddle masks")?;
            let sign = if me < other { Sign::Adds } else { Sign::Subtracts };
            Some((Hkdf::new(Some(session), &*pair), sign))
        };
        let streams = among.iter().filter(|&&other| other != me).map(stream).collect::<Option<_>>();
        Ok(Self { streams: streams.ok_or(MasksError::Unlike)?, used: Mutex::default() })
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
fn stream(secret: &Hkdf<Sha256>, Moment { generation, epoch, round }: Moment) -> Option<ChaCha20> {
    let number = |number: Option<u64>| {
        number.map_or([0; 9], |number| {
            let mut bytes = [1; 9];
            bytes[1..].copy_from_slice(&number.to_le_bytes());
            bytes
        })
    };
    let info = [Some(generation), Some(epoch), round].map(number);
    let mut key = Zeroizing::new([0; 32]);
    // Only an output of more than 255 blocks is refused.
    secret.expand(info.as_flattened(), &mut *key).ok()?;
    Some(ChaCha20::new((&*key).into(), &[0; 12].into()))
}
