//! Sixteen lanes on x86-64: one 512-bit register, or two of 256 bits.
//!
//! The types are private to the kernels and used only inside functions compiled for their instructions
//! (`vector_kernels!`); every SAFETY line below leans on that.

#![allow(unsafe_code)] // intrinsics; measured: several times the speed of the baseline instruction set

use std::arch::x86_64::*;

use super::lanes::{Counts, LANES, Lanes, Line, Sixteen};

/// Stops where there is no weight for a topic that the bits can name.
#[inline(always)]
fn check(names: usize, weights: &[f32]) {
    assert!(weights.len() >= names, "a weight for every topic");
}

/// How entries are packed: how far the topic is from the right end, the bits of the count, and how many topics there can
/// be.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    shift: u32,
    names: usize,
}

impl Split {
    fn new(bits: u32) -> Self {
        Self { shift: u32::BITS - bits, names: 1 << bits }
    }
}

/// The weights of the topics of eight entries, of the first half of a line or the second.
///
/// By loads one by one. On processors that gather under the mitigation of data sampling these take half the time of a
/// gather, and what comes after need not wait for all that came before. They are spelt out, because a compiler makes them
/// by inserting into vectors, for which there is one port.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn eight(line: &Line, half: usize, split: Split, weights: &[f32]) -> __m256 {
    check(split.names, weights);
    let entries = &line.0[half * 8..][..8];
    let gathered: __m256;
    // SAFETY: avx2 and bmi2 were detected. Eight entries are read in pairs; a topic is what is left of 32 bits after
    // `split.shift`, so below `split.names`, and so many weights were checked to be there.
    unsafe {
        std::arch::asm!(
            "mov {one}, [{entries}]",
            "mov {two}, [{entries} + 8]",
            "shrx {next}, {one}, {high}",
            "shrx {one:e}, {one:e}, {low:e}",
            "vmovss {a:x}, [{weights} + 4*{one}]",
            "vbroadcastss {b:x}, [{weights} + 4*{next}]",
            "shrx {next}, {two}, {high}",
            "shrx {two:e}, {two:e}, {low:e}",
            "vbroadcastss {c:x}, [{weights} + 4*{two}]",
            "vbroadcastss {d:x}, [{weights} + 4*{next}]",
            "mov {one}, [{entries} + 16]",
            "mov {two}, [{entries} + 24]",
            "vblendps {a:x}, {a:x}, {b:x}, 2",
            "vblendps {c:x}, {c:x}, {d:x}, 8",
            "vblendps {a:x}, {a:x}, {c:x}, 12",
            "shrx {next}, {one}, {high}",
            "shrx {one:e}, {one:e}, {low:e}",
            "vbroadcastss {b:y}, [{weights} + 4*{one}]",
            "vbroadcastss {c:y}, [{weights} + 4*{next}]",
            "shrx {next}, {two}, {high}",
            "shrx {two:e}, {two:e}, {low:e}",
            "vbroadcastss {d:y}, [{weights} + 4*{two}]",
            "vbroadcastss {e:y}, [{weights} + 4*{next}]",
            "vblendps {b:y}, {b:y}, {c:y}, 0x20",
            "vblendps {d:y}, {d:y}, {e:y}, 0x80",
            "vblendps {b:y}, {b:y}, {d:y}, 0xc0",
            "vblendps {a:y}, {b:y}, {a:y}, 0x0f",
            entries = in(reg) entries.as_ptr(),
            weights = in(reg) weights.as_ptr(),
            low = in(reg) u64::from(split.shift),
            high = in(reg) u64::from(split.shift) + 32,
            one = out(reg) _,
            two = out(reg) _,
            next = out(reg) _,
            a = out(ymm_reg) gathered,
            b = out(ymm_reg) _,
            c = out(ymm_reg) _,
            d = out(ymm_reg) _,
            e = out(ymm_reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    gathered
}

/// One 512-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

/// Each lane the one `16 - N` lanes before it, zeros in the first. Spelt out, because a compiler makes two slower
/// instructions of it.
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

/// The weights of the topics of a line's entries.
#[inline(always)]
fn all_of(line: &Line, split: Split, weights: &[f32]) -> __m512 {
    // SAFETY: avx512f, avx512dq and bmi2 were detected.
    unsafe {
        let (low, high) = (eight(line, 0, split, weights), eight(line, 1, split, weights));
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
    }
}

/// Numbers of lanes.
#[inline(always)]
fn numbers() -> __m512i {
    // SAFETY: runs only where avx512f was detected.
    unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// The lane of this number, if there is one.
#[inline(always)]
fn lane_of(lane: u32) -> __mmask16 {
    // SAFETY: runs only where avx512f was detected.
    unsafe { _mm512_cmpeq_epi32_mask(numbers(), _mm512_set1_epi32(lane as i32)) }
}

/// The lanes whose entry is of this topic and not empty.
#[inline(always)]
fn found(entries: __m512i, split: Split, topic: u32) -> __mmask16 {
    // The entry less that of the topic with a count of one: below the largest count only if it is of the topic.
    let (least, most) = (((topic << split.shift) + 1) as i32, ((1u32 << split.shift) - 1) as i32);
    // SAFETY: runs only where avx512f was detected.
    unsafe {
        let more = _mm512_sub_epi32(entries, _mm512_set1_epi32(least));
        _mm512_cmplt_epu32_mask(more, _mm512_set1_epi32(most))
    }
}

impl Lanes for Avx512 {
    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_setzero_ps() })
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: avx512f was detected; sixteen values are read.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn narrow(from: &[f64; LANES]) -> Self {
        // SAFETY: avx512f and avx512dq were detected; sixteen values are read.
        unsafe {
            let low = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr()));
            let high = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr().add(8)));
            Self(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high))
        }
    }

    #[inline(always)]
    fn widen(counts: &Counts) -> Self {
        // SAFETY: avx512f was detected; the sixteen counts that are read are aligned to 32 bytes.
        unsafe {
            let counts = _mm256_load_si256(counts.0.as_ptr().cast());
            Self(_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(counts)))
        }
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
    fn less_one(self, lane: u32) -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_mask_sub_ps(self.0, lane_of(lane), self.0, _mm512_set1_ps(1.0)) })
    }

    #[inline(always)]
    fn with(self, lane: u32, value: f32) -> Self {
        // SAFETY: runs only where avx512f was detected.
        Self(unsafe { _mm512_mask_mov_ps(self.0, lane_of(lane), _mm512_set1_ps(value)) })
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

    type Split = Split;

    #[inline(always)]
    fn split(bits: u32) -> Split {
        Split::new(bits)
    }

    #[inline(always)]
    fn products(line: &Line, split: Split, weights: &[f32]) -> Self {
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let counts = _mm512_and_si512(entries, _mm512_set1_epi32((1i32 << split.shift) - 1));
            Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), all_of(line, split, weights)))
        }
    }

    #[inline(always)]
    fn weigh(line: &Line, split: Split, weights: &[f32], without: (u32, f32)) -> (Self, u32) {
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes.
        unsafe {
            let entries = _mm512_load_si512(line.0.as_ptr().cast());
            let found = found(entries, split, without.0);
            let counts = _mm512_and_si512(entries, _mm512_set1_epi32((1i32 << split.shift) - 1));
            let counts = _mm512_mask_sub_epi32(counts, found, counts, _mm512_set1_epi32(1));
            let weights = all_of(line, split, weights);
            let weights = _mm512_mask_mov_ps(weights, found, _mm512_set1_ps(without.1));
            (Self(_mm512_mul_ps(_mm512_cvtepi32_ps(counts), weights)), u32::from(found))
        }
    }

    #[inline(always)]
    fn find(line: &Line, split: Split, topic: u32) -> u32 {
        // SAFETY: avx512f was detected; the line has sixteen entries, aligned to 64 bytes.
        u32::from(found(unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }, split, topic))
    }

    #[inline(always)]
    fn prefetch<T>(memory: &T) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(memory).cast()) }
    }
}

/// The entries of a line, eight by eight.
#[inline(always)]
fn halves(line: &Line) -> (__m256i, __m256i) {
    let entries = line.0.as_ptr();
    // SAFETY: avx2 was detected; sixteen entries are read, aligned to 64 bytes.
    unsafe { (_mm256_load_si256(entries.cast()), _mm256_load_si256(entries.add(LANES / 2).cast())) }
}

/// Counts of eight entries, and -1 where the entry is of `topic` and not empty.
#[inline(always)]
fn taken(entries: __m256i, split: Split, topic: u32) -> (__m256i, __m256i) {
    // SAFETY: runs only where avx2 was detected.
    unsafe {
        let counts = _mm256_and_si256(entries, _mm256_set1_epi32((1i32 << split.shift) - 1));
        let topics = _mm256_andnot_si256(_mm256_set1_epi32((1i32 << split.shift) - 1), entries);
        let empty = _mm256_cmpeq_epi32(counts, _mm256_setzero_si256());
        let same = _mm256_cmpeq_epi32(topics, _mm256_set1_epi32((topic << split.shift) as i32));
        (counts, _mm256_andnot_si256(empty, same))
    }
}

/// -1 in the lane of this number among lanes 0-7 and 8-15, if there is one.
#[inline(always)]
fn lane_in_halves(lane: u32) -> (__m256i, __m256i) {
    // SAFETY: runs only where avx2 was detected.
    unsafe {
        let (lane, numbers) = (_mm256_set1_epi32(lane as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let high = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
        (_mm256_cmpeq_epi32(numbers, lane), _mm256_cmpeq_epi32(high, lane))
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
    fn load(from: &[f32; LANES]) -> Self {
        let from = from.as_ptr();
        // SAFETY: avx2 was detected; sixteen values are read.
        unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }

    #[inline(always)]
    fn narrow(from: &[f64; LANES]) -> Self {
        let from = from.as_ptr();
        // SAFETY: avx2 was detected; sixteen values are read.
        unsafe {
            let four = |at: usize| _mm256_cvtpd_ps(_mm256_loadu_pd(from.add(at)));
            Self(_mm256_set_m128(four(4), four(0)), _mm256_set_m128(four(12), four(8)))
        }
    }

    #[inline(always)]
    fn widen(counts: &Counts) -> Self {
        let counts = counts.0.as_ptr().cast::<__m128i>();
        // SAFETY: avx2 was detected; the sixteen counts that are read are aligned to 32 bytes.
        unsafe {
            let low = _mm256_cvtepu16_epi32(_mm_load_si128(counts));
            let high = _mm256_cvtepu16_epi32(_mm_load_si128(counts.add(1)));
            Self(_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high))
        }
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
    fn less_one(self, lane: u32) -> Self {
        let (low, high) = lane_in_halves(lane);
        // SAFETY: runs only where avx2 was detected.
        unsafe {
            let one = |lanes: __m256i| _mm256_and_ps(_mm256_castsi256_ps(lanes), _mm256_set1_ps(1.0));
            Self(_mm256_sub_ps(self.0, one(low)), _mm256_sub_ps(self.1, one(high)))
        }
    }

    #[inline(always)]
    fn with(self, lane: u32, value: f32) -> Self {
        let (low, high) = lane_in_halves(lane);
        // SAFETY: runs only where avx2 was detected.
        unsafe {
            let value = _mm256_set1_ps(value);
            let low = _mm256_blendv_ps(self.0, value, _mm256_castsi256_ps(low));
            Self(low, _mm256_blendv_ps(self.1, value, _mm256_castsi256_ps(high)))
        }
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

    type Split = Split;

    #[inline(always)]
    fn split(bits: u32) -> Split {
        Split::new(bits)
    }

    #[inline(always)]
    fn products(line: &Line, split: Split, weights: &[f32]) -> Self {
        let ((low, high), mask) = (halves(line), (1i32 << split.shift) - 1);
        // SAFETY: runs only where avx2 and bmi2 were detected.
        unsafe {
            let count = |entries| _mm256_cvtepi32_ps(_mm256_and_si256(entries, _mm256_set1_epi32(mask)));
            let first = _mm256_mul_ps(count(low), eight(line, 0, split, weights));
            Self(first, _mm256_mul_ps(count(high), eight(line, 1, split, weights)))
        }
    }

    #[inline(always)]
    fn weigh(line: &Line, split: Split, weights: &[f32], without: (u32, f32)) -> (Self, u32) {
        let (low, high) = halves(line);
        let ((counts, found), (more_counts, more)) =
            (taken(low, split, without.0), taken(high, split, without.0));
        // SAFETY: runs only where avx2 and bmi2 were detected.
        unsafe {
            let product = |counts, found, weights| {
                let counts = _mm256_cvtepi32_ps(_mm256_add_epi32(counts, found));
                let without = _mm256_set1_ps(without.1);
                _mm256_mul_ps(counts, _mm256_blendv_ps(weights, without, _mm256_castsi256_ps(found)))
            };
            let first = product(counts, found, eight(line, 0, split, weights));
            let second = product(more_counts, more, eight(line, 1, split, weights));
            (Self(first, second), lanes(found) | lanes(more) << 8)
        }
    }

    #[inline(always)]
    fn find(line: &Line, split: Split, topic: u32) -> u32 {
        let (low, high) = halves(line);
        lanes(taken(low, split, topic).1) | lanes(taken(high, split, topic).1) << 8
    }

    #[inline(always)]
    fn prefetch<T>(memory: &T) {
        // SAFETY: a prefetch reads nothing that the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(memory).cast()) }
    }
}
