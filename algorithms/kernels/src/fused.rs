//! Products that are fused with sums, for Windows: the C library of mingw-w64 rounds some of them twice. The
//! linker takes these in place of its own wherever `mul_add` is no instruction of the processor.

#![allow(unsafe_code, reason = "the names are those that the compiler calls, with the types of C")]

/// Returns x y + z, rounded once.
#[unsafe(no_mangle)]
extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
    libm::fma(x, y, z)
}

/// Returns x y + z in single precision, rounded once.
#[unsafe(no_mangle)]
extern "C" fn fmaf(x: f32, y: f32, z: f32) -> f32 {
    libm::fmaf(x, y, z)
}
