//! Sixteen lanes on x86-64: one 512-bit register, or two of 256 bits.
//!
//! The types are private to the kernels and used only inside functions compiled for their instructions
//! (`vector_kernels!`); every SAFETY line below leans on that.

#![allow(unsafe_code)] // intrinsics; measured: several times the speed of the baseline instruction set

use std::arch::x86_64::*;

use super::lanes::{AtWord, LANES, Lanes, Line, Portable, Sixteen, Tables};

/// Stops where there is no weight for a topic that the bits can name.
#[inline(always)]
fn check(names: usize, weights: &[f32]) {
    assert!(weights.len() >= names, "a weight for every topic");
}

/// How entries are packed, in 512-bit registers.
#[derive(Clone, Copy)]
pub(crate) struct Split512 {
    names: usize,
    mask: __m512i,
    shift: __m128i,
}

/// The same in 256-bit registers.
#[derive(Clone, Copy)]
pub(crate) struct Split256 {
    names: usize,
    mask: __m256i,
    shift: __m128i,
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

/// At most sixteen topics and counts in the first lanes, which the mask names; topics are made indices into tables of
/// `length`, a power of two.
#[inline(always)]
fn entries(topics: &[u16], counts: &[u32], length: usize) -> (u16, __m512i, __m512i) {
    assert!(topics.len() <= LANES && counts.len() == topics.len() && length.is_power_of_two());
    let mask = if topics.len() < LANES { (1u16 << topics.len()) - 1 } else { u16::MAX };
    // SAFETY: avx512f, avx512bw and avx512vl were detected; lanes behind the last entry are masked and not read.
    unsafe {
        let topics = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, topics.as_ptr().cast()));
        let counts = _mm512_maskz_loadu_epi32(mask, counts.as_ptr().cast());
        (mask, _mm512_and_si512(topics, _mm512_set1_epi32(length as i32 - 1)), counts)
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

    type Split = Split512;

    #[inline(always)]
    fn split(bits: u32) -> Split512 {
        // SAFETY: runs only where avx512f was detected.
        unsafe {
            let mask = _mm512_set1_epi32((1 << bits) - 1);
            Split512 { names: 1 << bits, mask, shift: _mm_cvtsi32_si128(bits as i32) }
        }
    }

    #[inline(always)]
    fn weigh(line: &Line, split: Split512, weights: &[f32], without: u32) -> (Self, u32) {
        let Split512 { names, mask, shift } = split;
        check(names, weights);
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes; a topic is below `names`, and
        // that many weights were checked to be there.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let topics = _mm512_and_si512(entries, mask);
            let counts = _mm512_srl_epi32(entries, shift);
            let filled = _mm512_cmpgt_epu32_mask(entries, mask);
            let found = _mm512_mask_cmpeq_epi32_mask(filled, topics, _mm512_set1_epi32(without as i32));
            let counts = _mm512_mask_sub_epi32(counts, found, counts, _mm512_set1_epi32(1));
            let gathered = _mm512_i32gather_ps::<4>(topics, weights.as_ptr());
            (Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), gathered)), u32::from(found))
        }
    }

    #[inline(always)]
    fn find(line: &Line, split: Split512, topic: u32) -> u32 {
        let mask = split.mask;
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let filled = _mm512_cmpgt_epu32_mask(entries, mask);
            let topics = _mm512_and_si512(entries, mask);
            u32::from(_mm512_mask_cmpeq_epi32_mask(filled, topics, _mm512_set1_epi32(topic as i32)))
        }
    }

    #[inline(always)]
    fn spread(
        topics: &[u16],
        counts: &[u32],
        place: u32,
        beta: f32,
        tables: Tables<'_>,
        at: AtWord<'_>,
    ) -> Self {
        let (Tables { inverses, slopes }, AtWord { weights, places }) = (tables, at);
        let length = inverses.len();
        assert!(slopes.len() == length && weights.len() == length && places.len() == length);
        let (mask, topics, counts) = entries(topics, counts, length);
        // SAFETY: avx512f was detected; indices are below the length that all four tables have.
        unsafe {
            let counts = _mm512_cvtepi32_ps(counts);
            let inverse = _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), mask, topics, inverses.as_ptr());
            let slope = _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), mask, topics, slopes.as_ptr());
            let weight = _mm512_mul_ps(_mm512_add_ps(counts, _mm512_set1_ps(beta)), inverse);
            _mm512_mask_i32scatter_ps::<4>(weights.as_mut_ptr(), mask, topics, weight);
            let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(place as i32));
            _mm512_mask_i32scatter_epi32::<4>(places.as_mut_ptr().cast(), mask, topics, numbers);
            Self(_mm512_mul_ps(counts, slope))
        }
    }

    #[inline(always)]
    fn clear(topics: &[u16], counts: &[u32], beta: f32, tables: Tables<'_>, weights: &mut [f32]) -> bool {
        let (inverses, length) = (tables.inverses, tables.inverses.len());
        assert!(weights.len() == length);
        let (mask, topics, counts) = entries(topics, counts, length);
        // SAFETY: avx512f was detected; indices are below the length that both tables have.
        unsafe {
            let inverse = _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), mask, topics, inverses.as_ptr());
            let weight = _mm512_mul_ps(_mm512_set1_ps(beta), inverse);
            _mm512_mask_i32scatter_ps::<4>(weights.as_mut_ptr(), mask, topics, weight);
            _mm512_mask_testn_epi32_mask(mask, counts, counts) != 0
        }
    }

    #[inline(always)]
    fn slope(topics: &[u16], counts: &[u32], slopes: &[f32]) -> Self {
        let (mask, topics, counts) = entries(topics, counts, slopes.len());
        // SAFETY: avx512f was detected; indices are below the length of the table.
        unsafe {
            let slope = _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), mask, topics, slopes.as_ptr());
            Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), slope))
        }
    }

    #[inline(always)]
    fn prefetch(line: &Line) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) }
    }
}

/// The entries of a line, eight by eight.
#[inline(always)]
fn halves(line: &Line) -> (__m256i, __m256i) {
    let entries = line.0.as_ptr();
    // SAFETY: avx2 was detected; sixteen entries are read, aligned to 64 bytes.
    unsafe { (_mm256_load_si256(entries.cast()), _mm256_load_si256(entries.add(LANES / 2).cast())) }
}

/// Topics and counts of eight entries, and -1 where the entry is of `topic` and not empty.
#[inline(always)]
fn taken(entries: __m256i, split: Split256, topic: u32) -> (__m256i, __m256i, __m256i) {
    // SAFETY: runs only where avx2 was detected.
    unsafe {
        let topics = _mm256_and_si256(entries, split.mask);
        let counts = _mm256_srl_epi32(entries, split.shift);
        let empty = _mm256_cmpeq_epi32(counts, _mm256_setzero_si256());
        let same = _mm256_cmpeq_epi32(topics, _mm256_set1_epi32(topic as i32));
        (topics, counts, _mm256_andnot_si256(empty, same))
    }
}

/// A bit for every lane that is -1.
#[inline(always)]
fn lanes(of: __m256i) -> u32 {
    // SAFETY: runs only where avx2 was detected.
    unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(of)) as u32 }
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

    type Split = Split256;

    #[inline(always)]
    fn split(bits: u32) -> Split256 {
        // SAFETY: runs only where avx2 was detected.
        unsafe {
            let mask = _mm256_set1_epi32((1 << bits) - 1);
            Split256 { names: 1 << bits, mask, shift: _mm_cvtsi32_si128(bits as i32) }
        }
    }

    #[inline(always)]
    fn weigh(line: &Line, split: Split256, weights: &[f32], without: u32) -> (Self, u32) {
        check(split.names, weights);
        let (low, high) = halves(line);
        let ((topics, counts, found), (more_topics, more_counts, more)) =
            (taken(low, split, without), taken(high, split, without));
        // SAFETY: avx2 was detected; a topic is below `names`, and that many weights were checked to be there.
        unsafe {
            let gathered = _mm256_i32gather_ps::<4>(weights.as_ptr(), topics);
            let more_gathered = _mm256_i32gather_ps::<4>(weights.as_ptr(), more_topics);
            let counts = _mm256_cvtepi32_ps(_mm256_add_epi32(counts, found));
            let more_counts = _mm256_cvtepi32_ps(_mm256_add_epi32(more_counts, more));
            let products = Self(_mm256_mul_ps(counts, gathered), _mm256_mul_ps(more_counts, more_gathered));
            (products, lanes(found) | lanes(more) << 8)
        }
    }

    #[inline(always)]
    fn find(line: &Line, split: Split256, topic: u32) -> u32 {
        let (low, high) = halves(line);
        lanes(taken(low, split, topic).2) | lanes(taken(high, split, topic).2) << 8
    }

    // AVX2 has no scatters, and its gathers are no faster than loads one by one.

    #[inline(always)]
    fn spread(
        topics: &[u16],
        counts: &[u32],
        place: u32,
        beta: f32,
        tables: Tables<'_>,
        at: AtWord<'_>,
    ) -> Self {
        Self::load(&Portable::spread(topics, counts, place, beta, tables, at).sixteen())
    }

    #[inline(always)]
    fn clear(topics: &[u16], counts: &[u32], beta: f32, tables: Tables<'_>, weights: &mut [f32]) -> bool {
        Portable::clear(topics, counts, beta, tables, weights)
    }

    #[inline(always)]
    fn slope(topics: &[u16], counts: &[u32], slopes: &[f32]) -> Self {
        Self::load(&Portable::slope(topics, counts, slopes).sixteen())
    }

    #[inline(always)]
    fn prefetch(line: &Line) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) }
    }
}
