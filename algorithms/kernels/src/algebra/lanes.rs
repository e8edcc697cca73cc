//! Eight lanes of `f64`: the vector type of all kernels here.

pub use crate::f64x8::{F64x8 as Lanes, LANES, Portable};
