//! The arithmetic of raddle's algorithms, in a crate of its own, so that time-critical code is optimised
//! whatever the settings of the crate that calls it.
//!
//! The vectors are for kernels of `raddle_base::vector_kernels!`: a form's methods are called only where its
//! instructions were detected. The other modules serve `raddle-lasso`, `raddle-linear`, `raddle-mf` and
//! `raddle-lda`, and change with them.

#[doc(hidden)] // for raddle's algorithms
pub mod algebra;
pub mod f32x16;
pub mod f64x8;
#[doc(hidden)] // for raddle's algorithms
pub mod factors;
#[doc(hidden)] // for raddle's algorithms
pub mod sweeps;
#[doc(hidden)] // for raddle's algorithms
pub mod topics;
