//! Sums and products of the portable forms, lane by lane. On ARM they are those of its registers, which the
//! compiler finds for some kernels only.

#![cfg_attr(target_arch = "aarch64", allow(unsafe_code, reason = "vector instructions"))]

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;

#[cfg(target_arch = "aarch64")]
macro_rules! lanewise {
    ($($name:ident($($of:ident),*): $lanes:ty, $register:ty, $instruction:ident, $plain:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name($($of: &$lanes),*) -> $lanes {
            // SAFETY: four registers have the bytes of the lanes, and every processor has the instruction.
            unsafe {
                $(let $of = std::mem::transmute::<$lanes, [$register; 4]>(*$of);)*
                std::mem::transmute::<[$register; 4], $lanes>([
                    $instruction($($of[0]),*),
                    $instruction($($of[1]),*),
                    $instruction($($of[2]),*),
                    $instruction($($of[3]),*),
                ])
            }
        }
    )*};
}

#[cfg(not(target_arch = "aarch64"))]
macro_rules! lanewise {
    ($($name:ident($($of:ident),*): $lanes:ty, $register:ty, $instruction:ident, $plain:expr;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name($($of: &$lanes),*) -> $lanes {
            std::array::from_fn(|lane| {
                $(let $of = $of[lane];)*
                $plain
            })
        }
    )*};
}

lanewise! {
    fused64(plus, of, by): [f64; 8], float64x2_t, vfmaq_f64, of.mul_add(by, plus);
    fused32(plus, of, by): [f32; 16], float32x4_t, vfmaq_f32, of.mul_add(by, plus);
    add32(one, other): [f32; 16], float32x4_t, vaddq_f32, one + other;
    mul32(of, by): [f32; 16], float32x4_t, vmulq_f32, of * by;
}
