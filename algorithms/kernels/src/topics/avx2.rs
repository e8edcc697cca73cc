//! Sixteen lanes in two 256-bit registers.
//!
//! Methods are inlined (`in_registers!`) into the kernels that run in this form.

#![allow(unsafe_code)] // intrinsics; measured: several times the speed of the baseline instruction set

use std::arch::x86_64::*;

use crate::f32x16::{Avx2, F32x16};

use super::gather::{Split, below, eight};
use super::lanes::{CountLine, EntryLine, FloatLine, LANES, Lanes, ONE};
use super::pick;

in_registers! {
    /// Returns the entries of a line, eight by eight.
    fn halves(line: &EntryLine) -> (__m256i, __m256i) {
        let entries = line.0.as_ptr();
        (_mm256_load_si256(entries.cast()), _mm256_load_si256(entries.add(LANES / 2).cast()))
    }

    /// Returns the counts of eight entries, and -1 for each entry of `topic` that is not empty.
    fn taken(entries: __m256i, split: Split, topic: u32) -> (__m256i, __m256i) {
        let counts = _mm256_and_si256(entries, _mm256_set1_epi32((1i32 << split.shift) - 1));
        let topics = _mm256_andnot_si256(_mm256_set1_epi32((1i32 << split.shift) - 1), entries);
        let empty = _mm256_cmpeq_epi32(counts, _mm256_setzero_si256());
        let same = _mm256_cmpeq_epi32(topics, _mm256_set1_epi32((topic << split.shift) as i32));
        (counts, _mm256_andnot_si256(empty, same))
    }

    /// Returns a bit for every lane that is -1.
    fn lanes(of: __m256i) -> u32 { _mm256_movemask_ps(_mm256_castsi256_ps(of)) as u32 }
}

/// Returns for each of sixteen lanes the value `STEP` lanes before it, with zeros in the first; `STEP` is 1,
/// 2 or 4.
#[inline(always)]
fn shifted<const STEP: i32>(low: __m256, high: __m256) -> (__m256, __m256) {
    // SAFETY: runs only where avx2 was detected.
    unsafe {
        // The 128 bits before each 128 bits: alignr works within those.
        let before_low = _mm256_permute2f128_ps::<0x08>(low, low);
        let before_high = _mm256_permute2f128_ps::<0x21>(low, high);
        let shift = |lanes: __m256, before: __m256| {
            let (lanes, before) = (_mm256_castps_si256(lanes), _mm256_castps_si256(before));
            _mm256_castsi256_ps(match STEP {
                1 => _mm256_alignr_epi8::<12>(lanes, before),
                2 => _mm256_alignr_epi8::<8>(lanes, before),
                _ => before,
            })
        };
        (shift(low, before_low), shift(high, before_high))
    }
}

impl Lanes for Avx2 {
    in_registers! {
        fn narrow(from: &[f64; LANES]) -> Self {
            let from = from.as_ptr();
            let four = |at: usize| _mm256_cvtpd_ps(_mm256_loadu_pd(from.add(at)));
            Self(_mm256_set_m128(four(4), four(0)), _mm256_set_m128(four(12), four(8)))
        }
        fn widen(counts: &CountLine) -> Self {
            let counts = counts.0.as_ptr().cast::<__m128i>();
            let low = _mm256_cvtepu16_epi32(_mm_load_si128(counts));
            let high = _mm256_cvtepu16_epi32(_mm_load_si128(counts.add(1)));
            Self(_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high))
        }
    }

    type Number = __m256i;

    in_registers! {
        fn number(number: u32) -> __m256i { _mm256_set1_epi32(number as i32) }
        fn with(self, sixteen: usize, number: __m256i, value: f32) -> Self {
            let (value, first) = (_mm256_set1_ps(value), (sixteen * LANES) as i32);
            let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let half = |lanes, first| {
                let at = _mm256_cmpeq_epi32(_mm256_add_epi32(numbers, _mm256_set1_epi32(first)), number);
                _mm256_blendv_ps(lanes, value, _mm256_castsi256_ps(at))
            };
            Self(half(self.0, first), half(self.1, first + 8))
        }
        fn running(self) -> Self {
            let step = |sums: Self, (low, high)| sums.add(Self(low, high));
            let sums = step(self, shifted::<1>(self.0, self.1));
            let sums = step(sums, shifted::<2>(sums.0, sums.1));
            let sums = step(sums, shifted::<4>(sums.0, sums.1));
            step(sums, (_mm256_setzero_ps(), sums.0))
        }
        fn last(self) -> f32 {
            let last = _mm256_extractf128_ps::<1>(self.1);
            _mm_cvtss_f32(_mm_shuffle_ps::<0xff>(last, last))
        }
        fn at_most(self, bound: f32) -> usize {
            let bound = _mm256_set1_ps(bound);
            let lanes = |values| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(values, bound)) as u32;
            (lanes(self.0) | lanes(self.1) << 8).count_ones() as usize
        }
        fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32 { below(eight, lane, bound) }
    }

    type Split = Split;

    #[inline(always)]
    fn split(bits: u32) -> Split {
        Split::new(bits)
    }

    in_registers! {
        fn products(line: &EntryLine, split: Split, weights: &[f32]) -> Self {
            let ((low, high), mask) = (halves(line), (1i32 << split.shift) - 1);
            let count = |entries| _mm256_cvtepi32_ps(_mm256_and_si256(entries, _mm256_set1_epi32(mask)));
            let first = _mm256_mul_ps(count(low), eight(line, 0, split, weights));
            Self(first, _mm256_mul_ps(count(high), eight(line, 1, split, weights)))
        }
        fn weigh(line: &EntryLine, split: Split, weights: &[f32], topic: u32, without: f32) -> (Self, u32) {
            let (low, high) = halves(line);
            let ((counts, found), (more_counts, more)) =
                (taken(low, split, topic), taken(high, split, topic));
            let product = |counts, found, weights| {
                let counts = _mm256_cvtepi32_ps(_mm256_add_epi32(counts, found));
                let without = _mm256_set1_ps(without);
                _mm256_mul_ps(counts, _mm256_blendv_ps(weights, without, _mm256_castsi256_ps(found)))
            };
            let first = product(counts, found, eight(line, 0, split, weights));
            let second = product(more_counts, more, eight(line, 1, split, weights));
            (Self(first, second), lanes(found) | lanes(more) << 8)
        }
    }

    #[inline(always)]
    fn find(line: &EntryLine, split: Split, topic: u32) -> u32 {
        let (low, high) = halves(line);
        lanes(taken(low, split, topic).1) | lanes(taken(high, split, topic).1) << 8
    }

    in_registers! {
        fn change(counts: &mut CountLine, lane: usize, by: i16) {
            let (counts, one) = (counts.0.as_mut_ptr().cast(), ONE[lane % LANES].0.as_ptr().cast());
            let (before, one) = (_mm256_load_si256(counts), _mm256_load_si256(one));
            let more = if by > 0 { _mm256_add_epi16(before, one) } else { _mm256_sub_epi16(before, one) };
            _mm256_store_si256(counts, more)
        }
        fn put(sixteen: &mut FloatLine, lane: usize, value: f32) {
            let lane = lane % LANES;
            let half = &mut sixteen.0.as_chunks_mut::<8>().0[lane / 8];
            let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let at = _mm256_cmpeq_epi32(numbers, _mm256_set1_epi32((lane % 8) as i32));
            let old = _mm256_load_ps(half.as_ptr());
            let new = _mm256_blendv_ps(old, _mm256_set1_ps(value), _mm256_castsi256_ps(at));
            _mm256_store_ps(half.as_mut_ptr(), new);
        }
    }

    #[inline(always)]
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize {
        // SAFETY: runs only where avx2 was detected.
        unsafe { pick::avx2(sums, unit) }
    }
}
