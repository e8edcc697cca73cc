//! The arithmetic of the Lasso: dot products, sums of columns, Gram matrices, Cholesky factors, losses.
//!
//! **Bits.** Every kernel is written once, over eight-lane vectors ([`lanes::Lanes`]), and compiled three
//! times: AVX-512, AVX2 with fused multiply-add, and portable. The three give the same bits, because lane
//! structure, order and block sizes are constants and every multiplication that is added is fused, in all
//! three alike. [`raddle_base::simd_level`] picks the widest form the processor has at run time. No result
//! depends on threads.
//!
//! **Lanes.** A sum over k terms is kept in eight lanes: term t is added to lane t mod 8, in ascending t; a
//! last incomplete group of eight is padded with zeros. The lanes are added as `((0+4)+(2+6)) +
//! ((1+5)+(3+7))`.

mod blocks;
mod cholesky;
mod dense;
mod elementary;
mod form;
mod gram;
pub mod lanes;
mod logistic;
#[cfg(test)]
mod loss_checks;
mod multinomial;
mod padded;
mod poisson;
mod rows;
mod scan;
mod solve;
mod sparse;
#[cfg(test)]
mod tests;

pub use blocks::{block_add, block_pass};
pub use cholesky::{BLOCK, NotPositive, cholesky, cholesky_of, factor_diagonal, update_rows};
pub use dense::{add_scaled, add_scaled_ahead, add_scaled_columns, dot, pass, sum_squares};
pub use elementary::{GivenRows, LossSums};
pub use gram::{PANEL, gram, gram_lower};
pub use lanes::LANES;
pub use logistic::{logistic, logistic_dual, logistic_entropy, logistic_loss, logistic_slope};
pub use multinomial::{ClassRows, multinomial, multinomial_entropy};
pub use padded::{add_outer, sum_rows};
pub use poisson::{poisson, poisson_dual};
pub use rows::{Batch, RowPiece, gram_by_rows};
pub use scan::{OUTSIDE, scan};
pub use solve::{solve_lower, solve_lower_transposed};
pub use sparse::{SparseColumns, sparse_add, sparse_add_scaled, sparse_dot, sparse_pass, sparse_product};
