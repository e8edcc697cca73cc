//! Sixteen lanes of `f32`: the operations that the sampler's kernels need beyond those of [`F32x16`]; and the
//! portable form.

use crate::f32x16::F32x16;
pub(crate) use crate::f32x16::Portable;

use super::pick;
pub(crate) use crate::topics::counts::packing::{CountLine, EntryLine, FloatLine, LANES};

/// Sixteen `f32` in registers. All implementations give the same bits for every operation: products are
/// rounded before they are added.
pub(crate) trait Lanes: F32x16 {
    /// Returns the sixteen values of `from`, rounded to `f32`.
    fn narrow(from: &[f64; LANES]) -> Self;
    /// Returns the sixteen counts.
    fn widen(counts: &CountLine) -> Self;
    /// The number of a lane, copied to every lane.
    type Number: Copy;
    /// Makes such a number; lanes are counted on over several sixteens.
    fn number(number: u32) -> Self::Number;
    /// Puts a value into the lane of this number, if it is among the lanes of sixteen number `sixteen`.
    fn with(self, sixteen: usize, number: Self::Number, value: f32) -> Self;
    /// Makes lane l the sum of lanes 0 to l, in four steps that add to each lane the one 1, 2, 4 and 8 lanes
    /// before it.
    fn running(self) -> Self;
    /// Returns the last lane.
    fn last(self) -> f32;
    /// Returns how many lanes are at most `bound`.
    fn at_most(self, bound: f32) -> usize;
    /// Returns a bit for each of eight sixteens whose value in this lane, below sixteen, is at most `bound`,
    /// with the first in the lowest bit.
    fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32;
    /// The packing of entries, in registers.
    type Split: Copy;
    /// Makes the packing of entries that have their topic in the high `bits` bits, 1 to 31, and their count
    /// below.
    fn split(bits: u32) -> Self::Split;
    /// Returns, for every entry, its count times `weights[topic]`. Panics unless there is a weight for every
    /// topic that the bits can name.
    fn products(line: &EntryLine, split: Self::Split, weights: &[f32]) -> Self;
    /// Returns the weighted counts of a line's entries, where an entry of this topic that is not empty
    /// counts one less, at the weight `without`; and the lanes of such entries.
    fn weigh(line: &EntryLine, split: Self::Split, weights: &[f32], topic: u32, without: f32) -> (Self, u32);
    /// Returns the lanes whose entry is of this topic and not empty.
    fn find(line: &EntryLine, split: Self::Split, topic: u32) -> u32;
    /// Adds 1 or -1 to the count in a lane, below sixteen; all lanes are read and written at once.
    fn change(counts: &mut CountLine, lane: usize, by: i16);
    /// Puts a value into a lane, below sixteen; all lanes are read and written at once.
    fn put(sixteen: &mut FloatLine, lane: usize, value: f32);
    /// Returns the topic at the fraction `unit`, from 0 to below 1, of a dense row's mass: see [`pick`].
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize;
}

/// For each lane, sixteen counts with a one in that lane.
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
    inlined! {
        fn narrow(from: &[f64; LANES]) -> Self { Self(std::array::from_fn(|lane| from[lane] as f32)) }
        fn widen(counts: &CountLine) -> Self { Self(std::array::from_fn(|lane| f32::from(counts.0[lane]))) }
    }

    type Number = u32;

    inlined! {
        fn number(number: u32) -> u32 { number }
        fn with(mut self, sixteen: usize, number: u32, value: f32) -> Self {
            if let Some(old) = self.0.get_mut(number.wrapping_sub((sixteen * LANES) as u32) as usize) {
                *old = value;
            }
            self
        }
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
        fn last(self) -> f32 { self.0[LANES - 1] }
        fn at_most(self, bound: f32) -> usize { self.0.iter().filter(|&&value| value <= bound).count() }
        fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32 {
            eight.iter().rev().fold(0, |bits, sixteen| bits << 1 | u32::from(sixteen.0[lane % LANES] <= bound))
        }
    }

    type Split = u32;

    inlined! {
        fn split(bits: u32) -> u32 { u32::BITS - bits }
        fn products(line: &EntryLine, shift: u32, weights: &[f32]) -> Self {
            let product = |entry: u32| (entry & ((1 << shift) - 1)) as f32 * weights[(entry >> shift) as usize];
            Self(line.0.map(product))
        }
        fn weigh(line: &EntryLine, shift: u32, weights: &[f32], topic: u32, without: f32) -> (Self, u32) {
            let (mut products, found) =
                (Self::products(line, shift, weights), Self::find(line, shift, topic));
            for (lane, (product, &entry)) in products.0.iter_mut().zip(&line.0).enumerate() {
                if found >> lane & 1 == 1 {
                    *product = ((entry & ((1 << shift) - 1)) - 1) as f32 * without;
                }
            }
            (products, found)
        }
        fn find(line: &EntryLine, shift: u32, topic: u32) -> u32 {
            let is = |entry: u32| entry >> shift == topic && entry & ((1 << shift) - 1) > 0;
            line.0.iter().enumerate().fold(0, |found, (lane, &entry)| found | u32::from(is(entry)) << lane)
        }
        fn change(counts: &mut CountLine, lane: usize, by: i16) {
            counts.0[lane % LANES] = counts.0[lane % LANES].wrapping_add_signed(by);
        }
        fn put(sixteen: &mut FloatLine, lane: usize, value: f32) { sixteen.0[lane % LANES] = value; }
    }

    #[inline(always)]
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize {
        pick::portable(&sums.map(|sums| sums.0), unit)
    }
}
