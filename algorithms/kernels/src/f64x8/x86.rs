//! Eight lanes on x86-64: one 512-bit register, or two of 256 bits.
//!
//! Methods are inlined (`in_registers!`) into the kernels that run in the type's form.

#![allow(unsafe_code)] // intrinsics; measured: GEMM 8 times the speed of the baseline instruction set

use std::arch::x86_64::*;

use super::{F64x8, LANES};

/// One 512-bit register.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512d);

impl F64x8 for Avx512 {
    const WIDE: bool = true;

    in_registers! {
        fn zero() -> Self { Self(_mm512_setzero_pd()) }
        fn splat(value: f64) -> Self { Self(_mm512_set1_pd(value)) }
        fn load(from: &[f64; LANES]) -> Self { Self(_mm512_loadu_pd(from.as_ptr())) }
        fn load_part(from: &[f64]) -> Self {
            let mask = if from.len() < LANES { (1u8 << from.len()) - 1 } else { u8::MAX };
            // Lanes after the end of `from` are masked and not read.
            Self(_mm512_maskz_loadu_pd(mask, from.as_ptr()))
        }
        fn widen(from: &[f32; LANES]) -> Self { Self(_mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr()))) }
        fn gather(from: &[f64], at: &[u32; LANES]) -> Self {
            // Offsets are signed 32 bits: of a longer vector only the values within their range are read.
            let length = from.len().min(i32::MAX as usize) as i32;
            // A lane is read only where its unsigned index is below the length.
            let at = _mm256_loadu_si256(at.as_ptr().cast());
            let inside = _mm256_cmplt_epu32_mask(at, _mm256_set1_epi32(length));
            Self(_mm512_mask_i32gather_pd::<8>(_mm512_setzero_pd(), inside, at, from.as_ptr()))
        }
        fn gather_part(from: &[f64], at: &[u32]) -> Self {
            let length = from.len().min(i32::MAX as usize) as i32;
            let mask = if at.len() < LANES { (1u8 << at.len()) - 1 } else { u8::MAX };
            let at = _mm256_maskz_loadu_epi32(mask, at.as_ptr().cast());
            let inside = _mm256_mask_cmplt_epu32_mask(mask, at, _mm256_set1_epi32(length));
            Self(_mm512_mask_i32gather_pd::<8>(_mm512_setzero_pd(), inside, at, from.as_ptr()))
        }
        fn store(self, to: &mut [f64; LANES]) { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
        fn prefetch(at: &[f64; LANES]) { _mm_prefetch::<_MM_HINT_T0>(at.as_ptr().cast()) }
        fn mul_add(self, by: Self, plus: Self) -> Self { Self(_mm512_fmadd_pd(self.0, by.0, plus.0)) }
        fn sum(self) -> f64 {
            sum4(_mm256_add_pd(_mm512_castpd512_pd256(self.0), _mm512_extractf64x4_pd::<1>(self.0)))
        }
        fn sums(v: [Self; LANES]) -> [f64; LANES] {
            let mut out = [0.0; LANES];
            let halves = |a: Self, b: Self| {
                let low = _mm512_shuffle_f64x2::<0x44>(a.0, b.0);
                _mm512_add_pd(low, _mm512_shuffle_f64x2::<0xee>(a.0, b.0))
            };
            let quarters = |a: __m512d, b: __m512d| {
                let even = _mm512_shuffle_f64x2::<0x88>(a, b);
                _mm512_add_pd(even, _mm512_shuffle_f64x2::<0xdd>(a, b))
            };
            // `unpack` interleaves its arguments, so the even vectors go left, the odd ones right.
            let even = quarters(halves(v[0], v[2]), halves(v[4], v[6]));
            let odd = quarters(halves(v[1], v[3]), halves(v[5], v[7]));
            let all = _mm512_add_pd(_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd));
            _mm512_storeu_pd(out.as_mut_ptr(), all);
            out
        }
    }
}

/// Two 256-bit registers: lanes 0-3 and 4-7.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(__m256d, __m256d);

impl F64x8 for Avx2 {
    const WIDE: bool = false;

    in_registers! {
        fn zero() -> Self { Self(_mm256_setzero_pd(), _mm256_setzero_pd()) }
        fn splat(value: f64) -> Self { Self(_mm256_set1_pd(value), _mm256_set1_pd(value)) }
        fn load(from: &[f64; LANES]) -> Self {
            Self(_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4)))
        }
        fn load_part(from: &[f64]) -> Self {
            let masks = MASKS[LANES - from.len().min(LANES)..][..LANES].as_ptr();
            let (low, high) = (_mm256_loadu_si256(masks.cast()), _mm256_loadu_si256(masks.add(4).cast()));
            let behind = from.as_ptr().wrapping_add(4);
            Self(_mm256_maskload_pd(from.as_ptr(), low), _mm256_maskload_pd(behind, high))
        }
        fn widen(from: &[f32; LANES]) -> Self {
            let from = from.as_ptr();
            Self(_mm256_cvtps_pd(_mm_loadu_ps(from)), _mm256_cvtps_pd(_mm_loadu_ps(from.add(4))))
        }
        fn gather(from: &[f64], at: &[u32; LANES]) -> Self {
            // Eight plain loads: the gather instruction of AVX2 is no faster, and bounds need no masks here.
            // Neither a closure, which would be compiled without the form's instructions, nor an array in
            // memory, which is not read back before its last value is written.
            let [a, b, c, d, e, f, g, h] = *at;
            Self(
                _mm256_setr_pd(one(from, a), one(from, b), one(from, c), one(from, d)),
                _mm256_setr_pd(one(from, e), one(from, f), one(from, g), one(from, h)),
            )
        }
    }

    #[inline(always)]
    fn gather_part(from: &[f64], at: &[u32]) -> Self {
        let mut all = [u32::MAX; LANES];
        for (place, &row) in all.iter_mut().zip(at) {
            *place = row;
        }
        Self::gather(&from[..from.len().min(u32::MAX as usize)], &all)
    }

    in_registers! {
        fn store(self, to: &mut [f64; LANES]) {
            _mm256_storeu_pd(to.as_mut_ptr(), self.0);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), self.1);
        }
        fn prefetch(at: &[f64; LANES]) { _mm_prefetch::<_MM_HINT_T0>(at.as_ptr().cast()) }
        fn mul_add(self, by: Self, plus: Self) -> Self {
            Self(_mm256_fmadd_pd(self.0, by.0, plus.0), _mm256_fmadd_pd(self.1, by.1, plus.1))
        }
        fn sum(self) -> f64 { sum4(_mm256_add_pd(self.0, self.1)) }
    }

    #[inline(always)]
    fn sums(eight: [Self; LANES]) -> [f64; LANES] {
        let [a, b, c, d, e, f, g, h] = eight;
        [a.sum(), b.sum(), c.sum(), d.sum(), e.sum(), f.sum(), g.sum(), h.sum()]
    }
}

/// Masks of the first lanes: those of `count` values start at `LANES - count`.
const MASKS: [i64; 2 * LANES] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Returns an element, or 0 outside.
#[inline(always)]
fn one(from: &[f64], at: u32) -> f64 {
    if (at as usize) < from.len() { from[at as usize] } else { 0.0 }
}

/// Returns `(0+2) + (1+3)` of four lanes.
///
/// # Safety
/// avx2 must have been detected.
#[inline(always)]
unsafe fn sum4(four: __m256d) -> f64 {
    // SAFETY: the caller vouches for avx2.
    unsafe {
        let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }
}
