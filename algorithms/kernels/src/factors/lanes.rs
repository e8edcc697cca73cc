//! Sixteen lanes of `f32`: the vector type of all kernels here.

pub use crate::f32x16::{F32x16 as Lanes, LANES, Portable};

/// Sixteen `f32` in memory, at an address that is a multiple of 64, so that no vector of a row crosses a
/// cache line.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Vector(pub [f32; LANES]);
