//! Sixteen lanes of `f32`: a vector type for kernels, and its portable form.

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

use crate::lanewise::{add32, fused32, mul32};

/// Number of lanes, the same on every machine, because it is part of the definition of every sum.
pub const LANES: usize = 16;

/// Sixteen `f32` side by side. All implementations give the same bits for every operation.
pub trait F32x16: Copy {
    /// `true` if sixteen vectors and what is added to them fit into registers.
    const HAS_32_REGISTERS: bool = false;
    /// Returns sixteen zeros.
    fn zero() -> Self;
    /// Returns `value` in every lane.
    fn splat(value: f32) -> Self;
    /// Returns the sixteen values of `from`.
    fn load(from: &[f32; LANES]) -> Self;
    /// Writes the sixteen lanes to `to`.
    fn store(self, to: &mut [f32; LANES]);
    /// Returns `self + other` in every lane.
    fn add(self, other: Self) -> Self;
    /// Returns `self * by` in every lane.
    fn mul(self, by: Self) -> Self;
    /// Returns `self * by + plus` in every lane, rounded once.
    fn mul_add(self, by: Self, plus: Self) -> Self;
    /// Returns the larger of each lane and 0.
    fn positive(self) -> Self;
    /// Returns the sums of the lanes of four vectors. With `g_i = (4i + 0 + 4i+2) + (4i+1 + 4i+3)` over the
    /// lanes of the i-th group of four, a sum is `(g_0 + g_2) + (g_1 + g_3)`.
    fn sums(four: [Self; 4]) -> [f32; 4];
    /// Returns the sum of the lanes, in the order of [`F32x16::sums`].
    fn sum(self) -> f32;
    /// Returns the sums of two vectors.
    #[inline(always)]
    fn sums_of_two([a, b]: [Self; 2]) -> [f32; 2] {
        [a.sum(), b.sum()]
    }
    /// Prefetches the memory at `at`, which is never read, so that any address is valid.
    fn prefetch<T>(at: *const T);
}

/// Sixteen lanes in plain Rust, for any processor.
#[derive(Clone, Copy, Debug)]
pub struct Portable(pub [f32; LANES]);

impl F32x16 for Portable {
    inlined! {
        fn zero() -> Self { Self([0.0; LANES]) }
        fn splat(value: f32) -> Self { Self([value; LANES]) }
        fn load(from: &[f32; LANES]) -> Self { Self(*from) }
        fn store(self, to: &mut [f32; LANES]) { *to = self.0; }
        fn add(self, other: Self) -> Self { Self(add32(&self.0, &other.0)) }
        fn mul(self, by: Self) -> Self { Self(mul32(&self.0, &by.0)) }
        fn mul_add(self, by: Self, plus: Self) -> Self { Self(fused32(&plus.0, &self.0, &by.0)) }
        fn positive(self) -> Self { Self(self.0.map(|value| if value > 0.0 { value } else { 0.0 })) }
        fn sums(four: [Self; 4]) -> [f32; 4] { four.map(Self::sum) }
        fn sum(self) -> f32 {
            let l = self.0;
            let group = |i: usize| (l[4 * i] + l[4 * i + 2]) + (l[4 * i + 1] + l[4 * i + 3]);
            (group(0) + group(2)) + (group(1) + group(3))
        }
    }

    #[inline(always)]
    fn prefetch<T>(_: *const T) {}
}
