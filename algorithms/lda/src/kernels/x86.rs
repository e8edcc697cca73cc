//! Sixteen lanes on x86-64: one 512-bit register, or two of 256 bits.
//!
//! The types are private to the kernels and used only inside functions compiled for their instructions
//! (`vector_kernels!`); every SAFETY line below leans on that.

#![allow(unsafe_code)] // intrinsics; measured: several times the speed of the baseline instruction set

use std::arch::x86_64::*;

use super::lanes::{LANES, Lanes, Line, Sixteen};

/// Stops where `weights` is too short for topics of so many bits.
#[inline(always)]
fn check(bits: u32, weights: &[f32]) {
    assert!(bits < 32 && weights.len() >> bits > 0, "a weight for every topic that {bits} bits can name");
}

/// One 512-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

/// Each lane the one `16 - N` lanes before it, zeros in the first.
#[inline(always)]
fn before<const N: i32>(lanes: __m512) -> __m512 {
    // SAFETY: runs only where avx512f was detected.
    unsafe {
        let zero = _mm512_setzero_si512();
        _mm512_castsi512_ps(_mm512_alignr_epi32::<N>(_mm512_castps_si512(lanes), zero))
    }
}

impl Lanes for Avx512 {
    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_setzero_ps() })
    }

    #[inline(always)]
    fn load(from: &Sixteen) -> Self {
        // SAFETY: avx512f was detected; the sixteen values that are read are aligned to 64 bytes.
        Self(unsafe { _mm512_load_ps(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Sixteen) {
        // SAFETY: avx512f was detected; the sixteen places that are written are aligned to 64 bytes.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn running(self) -> Self {
        // SAFETY: runs only where avx512f was detected.
        unsafe {
            let sums = _mm512_add_ps(self.0, before::<15>(self.0));
            let sums = _mm512_add_ps(sums, before::<14>(sums));
            let sums = _mm512_add_ps(sums, before::<12>(sums));
            Self(_mm512_add_ps(sums, before::<8>(sums)))
        }
    }

    #[inline(always)]
    fn last(self) -> f32 {
        // SAFETY: runs only where avx512f was detected.
        unsafe {
            let last = _mm512_extractf32x4_ps::<3>(self.0);
            _mm_cvtss_f32(_mm_shuffle_ps::<0xff>(last, last))
        }
    }

    #[inline(always)]
    fn at_most(self, bound: f32) -> usize {
        // SAFETY: runs only where avx512f was detected.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, _mm512_set1_ps(bound)).count_ones() as usize }
    }

    #[inline(always)]
    fn weigh(line: &Line, bits: u32, weights: &[f32], without: u32) -> (Self, u32) {
        check(bits, weights);
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes; a topic is below 1 << bits,
        // and that many weights were checked to be there.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let mask = _mm512_set1_epi32((1 << bits) - 1);
            let topics = _mm512_and_si512(entries, mask);
            let counts = _mm512_srl_epi32(entries, _mm_cvtsi32_si128(bits as i32));
            let filled = _mm512_test_epi32_mask(counts, counts);
            let found = _mm512_mask_cmpeq_epi32_mask(filled, topics, _mm512_set1_epi32(without as i32));
            let counts = _mm512_mask_sub_epi32(counts, found, counts, _mm512_set1_epi32(1));
            let gathered = _mm512_i32gather_ps::<4>(topics, weights.as_ptr());
            (Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), gathered)), u32::from(found))
        }
    }

    #[inline(always)]
    fn find(line: &Line, bits: u32, topic: u32) -> u32 {
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let mask = _mm512_set1_epi32((1 << bits) - 1);
            let filled = _mm512_cmpgt_epu32_mask(entries, mask);
            let topics = _mm512_and_si512(entries, mask);
            u32::from(_mm512_mask_cmpeq_epi32_mask(filled, topics, _mm512_set1_epi32(topic as i32)))
        }
    }

    #[inline(always)]
    fn prefetch(line: &Line) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) }
    }
}

/// Two 256-bit registers: lanes 0-7 and 8-15.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256, __m256);

/// Each of sixteen lanes the one `STEP` lanes before it, zeros in the first; `STEP` is 1, 2 or 4.
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
    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: runs only where avx2 was detected.
        unsafe { Self(_mm256_setzero_ps(), _mm256_setzero_ps()) }
    }

    #[inline(always)]
    fn load(from: &Sixteen) -> Self {
        let from = from.0.as_ptr();
        // SAFETY: avx2 was detected; sixteen values are read, aligned to 64 bytes.
        unsafe { Self(_mm256_load_ps(from), _mm256_load_ps(from.add(8))) }
    }

    #[inline(always)]
    fn store(self, to: &mut Sixteen) {
        let to = to.0.as_mut_ptr();
        // SAFETY: avx2 was detected; sixteen places are written, aligned to 64 bytes.
        unsafe {
            _mm256_store_ps(to, self.0);
            _mm256_store_ps(to.add(8), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: runs only where avx2 was detected.
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: runs only where avx2 was detected.
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn running(self) -> Self {
        let step = |sums: Self, (low, high)| sums.add(Self(low, high));
        let sums = step(self, shifted::<1>(self.0, self.1));
        let sums = step(sums, shifted::<2>(sums.0, sums.1));
        let sums = step(sums, shifted::<4>(sums.0, sums.1));
        // SAFETY: runs only where avx2 was detected.
        step(sums, (unsafe { _mm256_setzero_ps() }, sums.0))
    }

    #[inline(always)]
    fn last(self) -> f32 {
        // SAFETY: runs only where avx2 was detected.
        unsafe {
            let last = _mm256_extractf128_ps::<1>(self.1);
            _mm_cvtss_f32(_mm_shuffle_ps::<0xff>(last, last))
        }
    }

    #[inline(always)]
    fn at_most(self, bound: f32) -> usize {
        // SAFETY: runs only where avx2 was detected.
        unsafe {
            let bound = _mm256_set1_ps(bound);
            let lanes = |values| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(values, bound)) as u32;
            (lanes(self.0) | lanes(self.1) << 8).count_ones() as usize
        }
    }

    #[inline(always)]
    fn weigh(line: &Line, bits: u32, weights: &[f32], without: u32) -> (Self, u32) {
        check(bits, weights);
        let half = |entries: *const u32| {
            // SAFETY: avx2 was detected; eight entries are read, aligned to 32 bytes; a topic is below 1 << bits, and
            // that many weights were checked to be there.
            unsafe {
                let entries = _mm256_load_si256(entries.cast());
                let topics = _mm256_and_si256(entries, _mm256_set1_epi32((1 << bits) - 1));
                let counts = _mm256_srl_epi32(entries, _mm_cvtsi32_si128(bits as i32));
                let empty = _mm256_cmpeq_epi32(counts, _mm256_setzero_si256());
                let same = _mm256_cmpeq_epi32(topics, _mm256_set1_epi32(without as i32));
                let found = _mm256_andnot_si256(empty, same);
                let counts = _mm256_add_epi32(counts, found);
                let gathered = _mm256_i32gather_ps::<4>(weights.as_ptr(), topics);
                let products = _mm256_mul_ps(_mm256_cvtepi32_ps(counts), gathered);
                (products, _mm256_movemask_ps(_mm256_castsi256_ps(found)) as u32)
            }
        };
        let entries = line.0.as_ptr();
        // SAFETY: the line has sixteen entries.
        let ((low, found), (high, more)) = (half(entries), half(unsafe { entries.add(LANES / 2) }));
        (Self(low, high), found | more << 8)
    }

    #[inline(always)]
    fn find(line: &Line, bits: u32, topic: u32) -> u32 {
        let half = |entries: *const u32| {
            // SAFETY: avx2 was detected; eight entries are read, aligned to 32 bytes.
            unsafe {
                let entries = _mm256_load_si256(entries.cast());
                let topics = _mm256_and_si256(entries, _mm256_set1_epi32((1 << bits) - 1));
                let counts = _mm256_srl_epi32(entries, _mm_cvtsi32_si128(bits as i32));
                let empty = _mm256_cmpeq_epi32(counts, _mm256_setzero_si256());
                let same = _mm256_cmpeq_epi32(topics, _mm256_set1_epi32(topic as i32));
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_andnot_si256(empty, same))) as u32
            }
        };
        let entries = line.0.as_ptr();
        // SAFETY: the line has sixteen entries.
        half(entries) | half(unsafe { entries.add(LANES / 2) }) << 8
    }

    #[inline(always)]
    fn prefetch(line: &Line) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) }
    }
}
