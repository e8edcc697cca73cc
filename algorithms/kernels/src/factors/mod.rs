//! The arithmetic of matrix factorization: gradient steps, squared errors, scores.
//!
//! **Bits.** Every kernel is written once, over sixteen-lane vectors ([`lanes::Lanes`]), and compiled three
//! times: AVX-512, AVX2 with fused multiply-add, and portable. The three give the same bits, because lane
//! structure and order are constants and every multiplication that is added is fused, in all three alike.
//!
//! **Lanes.** A row of factors is padded with zeros to whole vectors. In a product of two rows value f goes
//! to lane f mod 16, in ascending f; the lanes are added as [`lanes::Lanes::sums`] says.

mod cell;
mod extent;
mod gradients;
mod input;
pub mod lanes;
mod measure;
mod normal;
mod order;
mod pair;
mod rating;
mod ratings;
mod score;
mod sgd;
mod sides;
#[cfg(test)]
mod tests;
mod uniform;

pub use cell::{Cell, Rows, Scale, Steps};
pub use gradients::{LinearSystem, descend};
pub use input::{Moments, all_finite, largest, moments};
pub use measure::squares;
pub use normal::{add_products, solve};
pub use rating::Rating;
pub use ratings::Ratings;
pub use score::{TOGETHER, padded, product, scores};
pub use sgd::sgd;
pub use uniform::uniform;

#[cfg(target_arch = "x86_64")]
use crate::f32x16::{Avx2, Avx512};
pub use lanes::{LANES, Vector};
use lanes::{Lanes, Portable};

raddle_base::vector_kernels!(Lanes: Portable, Avx2, Avx512);
