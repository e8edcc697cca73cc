//! Eight lanes of `f64`: a vector type for kernels, and its portable form.

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

use crate::lanewise::fused64;

/// Number of lanes, the same on every machine, because it is part of the definition of every sum.
pub const LANES: usize = 8;

/// Eight `f64` side by side. All implementations give the same bits for every operation.
pub trait F64x8: Copy {
    /// `true` if eight lanes are one register, so that a large register tile pays.
    const WIDE: bool;
    /// Returns eight zeros.
    fn zero() -> Self;
    /// Returns `value` in every lane.
    fn splat(value: f64) -> Self;
    /// Returns the eight values of `from`.
    fn load(from: &[f64; LANES]) -> Self;
    /// Returns the first eight values of `from`, with zeros after its end.
    fn load_part(from: &[f64]) -> Self;
    /// Returns the eight values of `from`, which are exact in `f64`.
    fn widen(from: &[f32; LANES]) -> Self;
    /// Returns `from[at[l]]` in lane l; 0 if `at[l]` lies outside `from`.
    fn gather(from: &[f64], at: &[u32; LANES]) -> Self;
    /// Like [`F64x8::gather`], for the first eight of `at`, with zeros in the lanes after its end.
    fn gather_part(from: &[f64], at: &[u32]) -> Self;
    /// Writes the eight lanes to `to`.
    fn store(self, to: &mut [f64; LANES]);
    /// Prefetches the line of memory that holds `at`; it may be any line.
    #[inline(always)]
    fn prefetch(_at: &[f64; LANES]) {}
    /// Returns `self * by + plus` in every lane, rounded once.
    fn mul_add(self, by: Self, plus: Self) -> Self;
    /// Returns `((0+4)+(2+6)) + ((1+5)+(3+7))` of the lanes.
    fn sum(self) -> f64;
    /// Returns [`F64x8::sum`] of each of eight vectors, in the order given.
    fn sums(eight: [Self; LANES]) -> [f64; LANES];
}

/// Eight lanes in plain Rust, for any processor.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f64; LANES]);

impl F64x8 for Portable {
    const WIDE: bool = false;

    inlined! {
        fn zero() -> Self { Self([0.0; LANES]) }
        fn splat(value: f64) -> Self { Self([value; LANES]) }
        fn load(from: &[f64; LANES]) -> Self { Self(*from) }
        fn load_part(from: &[f64]) -> Self {
            Self(std::array::from_fn(|lane| from.get(lane).copied().unwrap_or(0.0)))
        }
        fn widen(from: &[f32; LANES]) -> Self { Self(from.map(f64::from)) }
        fn gather(from: &[f64], at: &[u32; LANES]) -> Self {
            Self(at.map(|row| from.get(row as usize).copied().unwrap_or(0.0)))
        }
        fn gather_part(from: &[f64], at: &[u32]) -> Self {
            Self(std::array::from_fn(|lane| {
                at.get(lane).and_then(|&row| from.get(row as usize)).map_or(0.0, |&v| v)
            }))
        }
        fn store(self, to: &mut [f64; LANES]) { *to = self.0; }
        fn mul_add(self, by: Self, plus: Self) -> Self { Self(fused64(&plus.0, &self.0, &by.0)) }
        fn sum(self) -> f64 {
            let l = self.0;
            ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
        }
        fn sums(eight: [Self; LANES]) -> [f64; LANES] { eight.map(Self::sum) }
    }
}
