//! Eight lanes of `f64`: the one vector type every kernel is written over.

pub use crate::f64x8::{F64x8 as Lanes, LANES, Portable};
