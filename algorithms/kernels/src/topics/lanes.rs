//! Sixteen lanes of `f32`: what every kernel is written over, beyond what [`F32x16`] has; and the portable
//! form.

use crate::f32x16::F32x16;
pub(crate) use crate::f32x16::Portable;

use super::pick;
pub(crate) use crate::topics::counts::packing::{CountLine, EntryLine, FloatLine, LANES};

/// Sixteen `f32` in registers. All implementations give the same bits for every operation: products are
/// rounded before they are added.
pub(crate) trait Lanes: F32x16 {
    /// The sixteen values of `from`, rounded to `f32`.
    fn narrow(from: &[f64; LANES]) -> Self;
    /// The sixteen counts.
    fn widen(counts: &CountLine) -> Self;
    /// A lane's number in every lane.
    type Number: Copy;
    /// This number, of lanes that are counted on over several sixteens.
    fn number(number: u32) -> Self::Number;
    /// This value in the lane of this number, if it is among those of sixteen number `sixteen`.
    fn with(self, sixteen: usize, number: Self::Number, value: f32) -> Self;
    /// Lane l becomes the sum of lanes 0 to l, added in four steps: each lane the one 1, 2, 4 and 8 lanes
    /// before it.
    fn running(self) -> Self;
    /// The last lane.
    fn last(self) -> f32;
    /// How many lanes are at most `bound`.
    fn at_most(self, bound: f32) -> usize;
    /// Those of eight sixteens whose value in this lane, below sixteen, is at most `bound`, the first in the
    /// lowest bit.
    fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32;
    /// How entries are packed, in registers.
    type Split: Copy;
    /// Entries that have their topic in the high `bits` bits, 1 to 31, and their count below.
    fn split(bits: u32) -> Self::Split;
    /// For every entry, its count times `weights[topic]`. Panics unless there is a weight for every topic
    /// that the bits can name.
    fn products(line: &EntryLine, split: Self::Split, weights: &[f32]) -> Self;
    /// Weights of a line's entries, of which one of topic `without` that is not empty counts one less, at
    /// this weight. With the lanes in which that was so.
    fn weigh(line: &EntryLine, split: Self::Split, weights: &[f32], without: (u32, f32)) -> (Self, u32);
    /// The lanes whose entry is of this topic and not empty.
    fn find(line: &EntryLine, split: Self::Split, topic: u32) -> u32;
    /// Adds one to the count in a lane, below sixteen; all are read and written at once.
    fn raise(counts: &mut CountLine, lane: usize);
    /// Takes one from the count in a lane, below sixteen; all are read and written at once.
    fn lower(counts: &mut CountLine, lane: usize);
    /// Puts a value into a lane, below sixteen; all are read and written at once.
    fn put(sixteen: &mut FloatLine, lane: usize, value: f32);
    /// The topic at the part `unit`, from 0 to below 1, of a dense row's mass: see [`pick`].
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize;
}

/// For each lane, a one there.
#[cfg(target_arch = "x86_64")]
pub(super) const ONE: &[CountLine; LANES] = &ONES;

#[cfg(target_arch = "x86_64")]
const ONES: [CountLine; LANES] = {
    let mut ones = [CountLine([0; LANES]); LANES];
    let mut lane = 0;
    while lane < LANES {
        ones[lane].0[lane] = 1;
        lane += 1;
    }
    ones
};

impl Lanes for Portable {
    #[inline(always)]
    fn narrow(from: &[f64; LANES]) -> Self {
        Self(std::array::from_fn(|lane| from[lane] as f32))
    }

    #[inline(always)]
    fn widen(counts: &CountLine) -> Self {
        Self(std::array::from_fn(|lane| f32::from(counts.0[lane])))
    }

    type Number = u32;

    #[inline(always)]
    fn number(number: u32) -> u32 {
        number
    }

    #[inline(always)]
    fn with(mut self, sixteen: usize, number: u32, value: f32) -> Self {
        if let Some(old) = self.0.get_mut(number.wrapping_sub((sixteen * LANES) as u32) as usize) {
            *old = value;
        }
        self
    }

    #[inline(always)]
    fn running(self) -> Self {
        let mut sums = self.0;
        for step in [1, 2, 4, 8] {
            let before = sums;
            for lane in step..LANES {
                sums[lane] = before[lane] + before[lane - step];
            }
        }
        Self(sums)
    }

    #[inline(always)]
    fn last(self) -> f32 {
        self.0[LANES - 1]
    }

    #[inline(always)]
    fn at_most(self, bound: f32) -> usize {
        self.0.iter().filter(|&&value| value <= bound).count()
    }

    #[inline(always)]
    fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32 {
        eight.iter().rev().fold(0, |bits, sixteen| bits << 1 | u32::from(sixteen.0[lane % LANES] <= bound))
    }

    type Split = u32;

    #[inline(always)]
    fn split(bits: u32) -> u32 {
        u32::BITS - bits
    }

    #[inline(always)]
    fn products(line: &EntryLine, shift: u32, weights: &[f32]) -> Self {
        let product = |entry: u32| (entry & ((1 << shift) - 1)) as f32 * weights[(entry >> shift) as usize];
        Self(line.0.map(product))
    }

    #[inline(always)]
    fn weigh(line: &EntryLine, shift: u32, weights: &[f32], without: (u32, f32)) -> (Self, u32) {
        let (mut products, found) =
            (Self::products(line, shift, weights), Self::find(line, shift, without.0));
        for (lane, (product, &entry)) in products.0.iter_mut().zip(&line.0).enumerate() {
            if found >> lane & 1 == 1 {
                *product = ((entry & ((1 << shift) - 1)) - 1) as f32 * without.1;
            }
        }
        (products, found)
    }

    #[inline(always)]
    fn find(line: &EntryLine, shift: u32, topic: u32) -> u32 {
        let is = |entry: u32| entry >> shift == topic && entry & ((1 << shift) - 1) > 0;
        line.0.iter().enumerate().fold(0, |found, (lane, &entry)| found | u32::from(is(entry)) << lane)
    }

    #[inline(always)]
    fn raise(counts: &mut CountLine, lane: usize) {
        counts.0[lane % LANES] += 1;
    }

    #[inline(always)]
    fn lower(counts: &mut CountLine, lane: usize) {
        counts.0[lane % LANES] -= 1;
    }

    #[inline(always)]
    fn put(sixteen: &mut FloatLine, lane: usize, value: f32) {
        sixteen.0[lane % LANES] = value;
    }

    #[inline(always)]
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize {
        pick::portable(&sums.map(|sums| sums.0), unit)
    }
}
