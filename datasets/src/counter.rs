//! Counter-based random numbers: a number is a function of the seed and its address, so numbers can be drawn
//! in any order, on any machine, with the same bits.
//!
//! The uniform number at (stream, a, b) is SplitMix64 of a weighted sum of the seed and the address, shifted
//! to 53 bits. The 64-bit arithmetic wraps around, as every language can do it.

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const STREAM: u64 = 0xBF58_476D_1CE4_E5B9;
const FIRST: u64 = 0x94D0_49BB_1331_11EB;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// One step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[inline]
pub(crate) fn splitmix64(state: u64) -> u64 {
    let z = state.wrapping_add(SEED);
    let z = (z ^ (z >> 30)).wrapping_mul(STREAM);
    let z = (z ^ (z >> 27)).wrapping_mul(FIRST);
    z ^ (z >> 31)
}

/// The random numbers of one seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    seed: u64,
}

/// The random numbers of one (stream, a).
#[derive(Clone, Copy)]
pub(crate) struct Line {
    start: u64,
}

impl Counter {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed: seed.wrapping_mul(SEED) }
    }

    #[inline]
    pub(crate) fn line(self, stream: u64, a: u64) -> Line {
        let start = self.seed.wrapping_add(stream.wrapping_mul(STREAM)).wrapping_add(a.wrapping_mul(FIRST));
        Line { start }
    }
}

impl Line {
    /// Returns a uniform number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub(crate) fn uniform(self, b: u64) -> f64 {
        let bits = splitmix64(self.start.wrapping_add(b.wrapping_mul(SECOND)));
        (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a nearly normal number with mean 0 and variance 1: the sum of twelve uniform numbers, in
    /// order, minus 6.
    #[inline]
    pub(crate) fn normal(self, b: u64) -> f64 {
        (0..12).map(|t| self.uniform(12 * b + t)).fold(0.0, |sum, u| sum + u) - 6.0
    }
}
