//! Parts that two of the algorithms need and the engine does not: vectors of fixed lanes, each in AVX-512,
//! AVX2 and portable form with the same bits; numbers in messages; with the feature `cli`, options of reading
//! delimited text and tables; with `testing`, running a program in a folder.
//!
//! The vectors are for kernels of `raddle::vector_kernels!`: a form's methods are called only where its
//! instructions were detected.

#[cfg(feature = "cli")]
mod dialect;
pub mod f32x16;
pub mod f64x8;
mod number;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "cli")]
pub use dialect::DialectArgs;
pub use number::number;
