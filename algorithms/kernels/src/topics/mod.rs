//! The arithmetic of the sampler: draws of topics from packed rows.
//!
//! **Bits.** Every kernel is written once, over sixteen lanes (`lanes.rs`), and compiled three times:
//! AVX-512, AVX2 and portable. The three give the same bits, because lanes and order are constants and
//! every product is rounded before it is added, in all three alike. [`raddle_base::simd_level::SimdLevel`]
//! picks the widest form the processor has. No result depends on threads.
//!
//! **Lanes.** A sum over a document's row is kept in sixteen lanes: entry t is added to lane t mod 16, in
//! ascending t. Sums up to each lane are made in four steps, adding the lanes 1, 2, 4 and 8 before.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod cell;
mod chain;
pub mod counts;
mod dense;
pub mod dirichlet;
mod draws;
#[cfg(target_arch = "x86_64")]
mod gather;
mod lanes;
mod lockstep;
mod names;
mod pick;
mod row;
mod sample;
mod sparse;
mod stream;
pub mod theta;
mod vectors;
mod weight_tree;
mod word;

pub use draws::Draws;
pub use sample::{Sample, WIDE_WIDTHS, WIDTHS};
pub use word::TopicParams;

#[cfg(target_arch = "x86_64")]
use crate::f32x16::{Avx2, Avx512};
use lanes::{Lanes, Portable};

raddle_base::vector_kernels!(Lanes: Portable, Avx2, Avx512);
