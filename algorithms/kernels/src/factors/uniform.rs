//! Numbers determined by a name: the initial factors of rows.

use raddle_base::random::splitmix64;

use super::lanes::{LANES, Lanes};
use super::{Kernel, run};

in_every_form! {
    /// Fills `to` with numbers uniform in low..low + span, determined by `name`, two from each hash.
    pub fn uniform(name: u64, low: f32, span: f32, to: &mut [f32]) = uniform_in;
}

/// Whole groups of hashes first: their number is fixed, so that the compiler vectorises them.
#[inline(always)]
fn uniform_in<L: Lanes>(name: u64, low: f32, span: f32, to: &mut [f32]) {
    const PAIRS: usize = LANES / 2;
    let value = |half: u64| low + span * (half as u32 as f32 * (1.0 / (1 << 24) as f32));
    let (groups, rest) = to.as_chunks_mut::<LANES>();
    let done = (groups.len() * PAIRS) as u64;
    for (group, first) in groups.iter_mut().zip((0..).step_by(PAIRS)) {
        let bits: [u64; PAIRS] = std::array::from_fn(|pair| splitmix64(name ^ (first + pair as u64)));
        for pair in 0..PAIRS {
            group[2 * pair] = value(bits[pair] >> 40);
            group[2 * pair + 1] = value(bits[pair] >> 16 & 0xff_ffff);
        }
    }
    for (pair, number) in rest.chunks_mut(2).zip(done..) {
        let bits = splitmix64(name ^ number);
        for (to, half) in pair.iter_mut().zip([bits >> 40, bits >> 16 & 0xff_ffff]) {
            *to = value(half);
        }
    }
}
