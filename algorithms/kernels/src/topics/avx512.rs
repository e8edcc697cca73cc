//! Sixteen lanes in one 512-bit register.
//!
//! Methods are inlined (`in_registers!`) into the kernels that run in this form.

#![allow(unsafe_code)] // intrinsics; measured: several times the speed of the baseline instruction set

use std::arch::x86_64::*;

use crate::f32x16::Avx512;

use super::gather::{Split, below, eight};
use super::lanes::{CountLine, EntryLine, FloatLine, LANES, Lanes};
use super::pick;

/// Returns for each lane the value `16 - N` lanes before it, with zeros in the first. Written as an
/// instruction, because a compiler makes two slower ones of it.
#[inline]
#[target_feature(enable = "avx512f")]
fn before<const N: i32>(lanes: __m512) -> __m512 {
    let shifted: __m512;
    // SAFETY: avx512f was detected; registers alone are touched.
    unsafe {
        std::arch::asm!(
            "valignd {shifted}, {lanes}, {zero}, {count}",
            shifted = lateout(zmm_reg) shifted,
            lanes = in(zmm_reg) lanes,
            zero = in(zmm_reg) _mm512_setzero_ps(),
            count = const N,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    shifted
}

in_registers! {
    /// Returns the weights of the topics of a line's entries.
    fn all_of(line: &EntryLine, split: Split, weights: &[f32]) -> __m512 {
        let (low, high) = (eight(line, 0, split, weights), eight(line, 1, split, weights));
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
    }

    /// Returns the numbers of the lanes of a sixteen.
    fn numbers(sixteen: usize) -> __m512i {
        let first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        _mm512_add_epi32(first, _mm512_set1_epi32((sixteen * LANES) as i32))
    }

    /// Returns the lanes whose entry is of this topic and not empty.
    fn found(entries: __m512i, split: Split, topic: u32) -> __mmask16 {
        // The entry less that of the topic with a count of one is below the largest count only if it is of
        // the topic.
        let (least, most) = (((topic << split.shift) + 1) as i32, ((1u32 << split.shift) - 1) as i32);
        let more = _mm512_sub_epi32(entries, _mm512_set1_epi32(least));
        _mm512_cmplt_epu32_mask(more, _mm512_set1_epi32(most))
    }
}

/// Puts a value into one lane. Written as instructions, because a compiler would merge it with the store that
/// follows into a store of that lane, for which the next load of all lanes would have to wait.
#[inline]
#[target_feature(enable = "avx512f")]
fn put(lanes: __m512, lane: usize, value: f32) -> __m512 {
    let mut lanes = lanes;
    // SAFETY: avx512f was detected; registers alone are touched.
    unsafe {
        std::arch::asm!(
            "vbroadcastss {lanes} {{{at}}}, {value}",
            lanes = inout(zmm_reg) lanes,
            at = in(kreg) 1u16 << lane,
            value = in(xmm_reg) value,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    lanes
}

/// Adds to the count in a lane; written as an instruction for the same reason.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn changed(counts: __m256i, lane: usize, by: i16) -> __m256i {
    let mut counts = counts;
    // SAFETY: avx512bw and avx512vl were detected; registers alone are touched.
    unsafe {
        std::arch::asm!(
            "vpaddw {counts} {{{at}}}, {counts}, {by}",
            counts = inout(ymm_reg) counts,
            at = in(kreg) 1u16 << lane,
            by = in(ymm_reg) _mm256_set1_epi16(by),
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    counts
}

impl Lanes for Avx512 {
    in_registers! {
        fn narrow(from: &[f64; LANES]) -> Self {
            let low = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr()));
            let high = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr().add(8)));
            Self(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high))
        }
        fn widen(counts: &CountLine) -> Self {
            let counts = _mm256_load_si256(counts.0.as_ptr().cast());
            Self(_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(counts)))
        }
    }

    type Number = __m512i;

    in_registers! {
        fn number(number: u32) -> __m512i { _mm512_set1_epi32(number as i32) }
        fn with(self, sixteen: usize, number: __m512i, value: f32) -> Self {
            let lane = _mm512_cmpeq_epi32_mask(numbers(sixteen), number);
            Self(_mm512_mask_mov_ps(self.0, lane, _mm512_set1_ps(value)))
        }
        fn running(self) -> Self {
            let sums = _mm512_add_ps(self.0, before::<15>(self.0));
            let sums = _mm512_add_ps(sums, before::<14>(sums));
            let sums = _mm512_add_ps(sums, before::<12>(sums));
            Self(_mm512_add_ps(sums, before::<8>(sums)))
        }
        fn last(self) -> f32 {
            let last = _mm512_extractf32x4_ps::<3>(self.0);
            _mm_cvtss_f32(_mm_shuffle_ps::<0xff>(last, last))
        }
        fn at_most(self, bound: f32) -> usize {
            _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, _mm512_set1_ps(bound)).count_ones() as usize
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
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let counts = _mm512_and_si512(entries, _mm512_set1_epi32((1i32 << split.shift) - 1));
            Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), all_of(line, split, weights)))
        }
        fn weigh(line: &EntryLine, split: Split, weights: &[f32], topic: u32, without: f32) -> (Self, u32) {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let found = found(entries, split, topic);
            let counts = _mm512_and_si512(entries, _mm512_set1_epi32((1i32 << split.shift) - 1));
            let counts = _mm512_mask_sub_epi32(counts, found, counts, _mm512_set1_epi32(1));
            let weights = all_of(line, split, weights);
            let weights = _mm512_mask_mov_ps(weights, found, _mm512_set1_ps(without));
            (Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), weights)), u32::from(found))
        }
        fn find(line: &EntryLine, split: Split, topic: u32) -> u32 {
            u32::from(found(_mm512_load_si512(line.0.as_ptr().cast()), split, topic))
        }
        fn change(counts: &mut CountLine, lane: usize, by: i16) {
            let counts = counts.0.as_mut_ptr().cast();
            _mm256_store_si256(counts, changed(_mm256_load_si256(counts), lane % LANES, by))
        }
        fn put(sixteen: &mut FloatLine, lane: usize, value: f32) {
            let sixteen = sixteen.0.as_mut_ptr();
            _mm512_store_ps(sixteen, put(_mm512_load_ps(sixteen), lane % LANES, value))
        }
    }

    #[inline(always)]
    fn pick<const N: usize>(sums: &[Self; N], unit: f32) -> usize {
        // SAFETY: runs only where avx512f and avx512bw were detected.
        unsafe { pick::avx512(sums, unit) }
    }
}
