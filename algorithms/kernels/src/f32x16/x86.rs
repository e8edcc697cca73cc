//! Sixteen lanes in the registers of x86-64: two of AVX2, or one of AVX-512.

#![allow(unsafe_code)] // vector instructions

use std::arch::x86_64::*;

use super::{F32x16, LANES};

/// Two registers: lanes 0 to 7 and 8 to 15.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(pub __m256, pub __m256);

/// One register.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(pub __m512);

/// Returns, in each group of four lanes, `(0 + 2) + (1 + 3)` of each of four vectors, one after another.
#[inline(always)]
unsafe fn grouped256(a: __m256, b: __m256, c: __m256, d: __m256) -> __m256 {
    // SAFETY: as above.
    unsafe {
        // a0+a2, b0+b2, a1+a3, b1+b3 of each group.
        let ab = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let cd = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        let low = _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd);
        let high = _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd);
        _mm256_add_ps(low, high)
    }
}

/// Returns the grouped sums of one vector, four times.
#[inline(always)]
unsafe fn grouped_one(a: __m256) -> __m256 {
    // SAFETY: as above.
    unsafe {
        let pairs = _mm256_add_ps(a, _mm256_permute_ps::<0b01_00_11_10>(a));
        _mm256_add_ps(pairs, _mm256_permute_ps::<0b10_11_00_01>(pairs))
    }
}

impl F32x16 for Avx2 {
    in_registers! {
        fn zero() -> Self { Self(_mm256_setzero_ps(), _mm256_setzero_ps()) }
        fn splat(value: f32) -> Self { Self(_mm256_set1_ps(value), _mm256_set1_ps(value)) }
        fn load(from: &[f32; LANES]) -> Self {
            Self(_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8)))
        }
        fn store(self, to: &mut [f32; LANES]) {
            _mm256_storeu_ps(to.as_mut_ptr(), self.0);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), self.1);
        }
        fn add(self, other: Self) -> Self {
            Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1))
        }
        fn mul(self, by: Self) -> Self { Self(_mm256_mul_ps(self.0, by.0), _mm256_mul_ps(self.1, by.1)) }
        fn mul_add(self, by: Self, plus: Self) -> Self {
            Self(_mm256_fmadd_ps(self.0, by.0, plus.0), _mm256_fmadd_ps(self.1, by.1, plus.1))
        }
        fn positive(self) -> Self {
            // The second operand replaces a NaN lane.
            let zero = _mm256_setzero_ps();
            Self(_mm256_max_ps(self.0, zero), _mm256_max_ps(self.1, zero))
        }
        fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
            let (low, high) = (grouped256(a.0, b.0, c.0, d.0), grouped256(a.1, b.1, c.1, d.1));
            // Groups 0 + 2 and 1 + 3.
            let halves = _mm256_add_ps(low, high);
            let sums = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
        fn sum(self) -> f32 {
            let halves = _mm256_add_ps(grouped_one(self.0), grouped_one(self.1));
            _mm_cvtss_f32(_mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves)))
        }
    }

    #[inline(always)]
    fn prefetch<T>(at: *const T) {
        // SAFETY: a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

impl F32x16 for Avx512 {
    const HAS_32_REGISTERS: bool = true;

    in_registers! {
        fn zero() -> Self { Self(_mm512_setzero_ps()) }
        fn splat(value: f32) -> Self { Self(_mm512_set1_ps(value)) }
        fn load(from: &[f32; LANES]) -> Self { Self(_mm512_loadu_ps(from.as_ptr())) }
        fn store(self, to: &mut [f32; LANES]) { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
        fn add(self, other: Self) -> Self { Self(_mm512_add_ps(self.0, other.0)) }
        fn mul(self, by: Self) -> Self { Self(_mm512_mul_ps(self.0, by.0)) }
        fn mul_add(self, by: Self, plus: Self) -> Self { Self(_mm512_fmadd_ps(self.0, by.0, plus.0)) }
        fn positive(self) -> Self {
            // The second operand replaces a NaN lane.
            Self(_mm512_max_ps(self.0, _mm512_setzero_ps()))
        }
        fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
            let (a, b, c, d) = (a.0, b.0, c.0, d.0);
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let low = _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd);
            let high = _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd);
            let groups = _mm512_add_ps(low, high);
            let upper = _mm512_extractf32x8_ps::<1>(groups);
            let halves = _mm256_add_ps(_mm512_castps512_ps256(groups), upper);
            let sums = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
        fn sum(self) -> f32 {
            let pairs = _mm512_add_ps(self.0, _mm512_permute_ps::<0b01_00_11_10>(self.0));
            let groups = _mm512_add_ps(pairs, _mm512_permute_ps::<0b10_11_00_01>(pairs));
            let halves = _mm256_add_ps(_mm512_castps512_ps256(groups), _mm512_extractf32x8_ps::<1>(groups));
            _mm_cvtss_f32(_mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves)))
        }
        fn sums_of_two([a, b]: [Self; 2]) -> [f32; 2] {
            // a0+a2, b0+b2, a1+a3, b1+b3 of each group; then the group's sums of a and of b, twice.
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a.0, b.0), _mm512_unpackhi_ps(a.0, b.0));
            let groups = _mm512_add_ps(ab, _mm512_permute_ps::<0b01_00_11_10>(ab));
            let halves = _mm256_add_ps(_mm512_castps512_ps256(groups), _mm512_extractf32x8_ps::<1>(groups));
            let sums = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
            [_mm_cvtss_f32(sums), _mm_cvtss_f32(_mm_movehdup_ps(sums))]
        }
    }

    #[inline(always)]
    fn prefetch<T>(at: *const T) {
        // SAFETY: a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}
