//! Randomness that belongs to shards and schedules, never to threads.
//!
//! A stream is named by a list of keys, such as (seed, epoch, shard): equal names give equal numbers, on any
//! worker, after any rescale or resume. So no generator's position is ever part of a snapshot.

use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Computes one step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
#[inline]
pub fn splitmix64(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A generator whose stream is fixed by the keys alone: Xoshiro256++, seeded by hashing them.
///
/// ```
/// use raddle::random::Stream;
/// let (mut first, mut again) = (Stream::new(&[42, 3, 7]), Stream::new(&[42, 3, 7]));
/// assert_eq!(first.below(1000), again.below(1000));
/// ```
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Makes the stream of these keys.
    pub fn new(keys: &[u64]) -> Self {
        let hash = keys.iter().fold(keys.len() as u64, |hash, &key| splitmix64(hash ^ splitmix64(key)));
        Self(Xoshiro256PlusPlus::seed_from_u64(hash))
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number in `0..bound`; 0 if `bound` is 0. The bias is below `bound` / 2^64.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Returns a uniform number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Puts `items` in a uniformly random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The distributions of the `rand` crates draw from a stream as from any generator.
impl TryRng for Stream {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_every_key_and_by_their_number() {
        let mut firsts = [&[1u64, 2][..], &[2, 1], &[1], &[1, 2, 0], &[1, 3]]
            .map(|keys| Stream::new(keys).bits())
            .to_vec();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }

    #[test]
    fn a_stream_never_changes_between_versions() {
        // Frozen: models are replayed from seeds, so these numbers are part of the file formats.
        let mut stream = Stream::new(&[1, 2, 3]);
        let drawn = [stream.bits(), stream.bits(), stream.bits()];
        assert_eq!(drawn, FROZEN);
    }
    const FROZEN: [u64; 3] = [9796737452336538355, 1298671556487949909, 4016395368170539172];
}
