//! Cholesky factorisation A = L L' in place, on the lower triangle of a row-major matrix, by blocks.
//!
//! Left-looking, in blocks of [`BLOCK`] columns. For block J, columns j0..j1:
//!
//! 1. [`factor_diagonal`]: the diagonal block less the products of its rows' earlier columns, then its factor
//!    L_JJ, and the inverse of that factor;
//! 2. [`update_rows`]: for the rows below, the same subtraction, then multiplication by the transposed
//!    inverse.
//!
//! Step 2 treats every row separately: any split of the rows below gives the same bits. So the rows of a
//! block go through step 2 for all blocks before them, then through step 1, on whichever thread is free. The
//! sums are [`tile`] sums, along contiguous rows. A row that is appended below a finished factor becomes L^-1
//! times that row in step 2 for all J: the same step solves for many right-hand sides.

use raddle_base::fork_join::{self, EarlierParts};

use super::form::{Kernel, run};
use super::gram::tile;
use super::lanes::{LANES, Lanes};

/// Number of columns in a block; part of the definition of every element. Three vectors: the work inside a
/// block stays in registers, and even a factor of order 60 is mostly products of rows.
pub const BLOCK: usize = 24;

const GROUPS: usize = BLOCK / LANES;

/// A diagonal block, its factor, or the inverse of that: row-major.
type Square = [[f64; BLOCK]; BLOCK];

/// Error of a matrix that is not positive definite in floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotPositive {
    /// The row whose pivot failed.
    pub row: usize,
    /// The pivot: zero, negative or NaN.
    pub pivot: f64,
}

/// Factors the symmetric matrix of `order` rows, `stride` apart, whose lower triangle is in `a`.
///
/// The first `done` rows may hold the finished factor of the same leading block (0 if not); `done` is rounded
/// down to whole blocks. `inverses` receives, block by block, [`BLOCK`]^2 values: the transposed inverses of
/// the diagonal blocks; those of the finished blocks must be there. Only the lower triangle is read and
/// written.
///
/// # Errors
/// [`NotPositive`] names the pivot that failed; the rows from its block on are then partly overwritten.
pub fn cholesky(
    a: &mut [f64],
    order: usize,
    stride: usize,
    done: usize,
    inverses: &mut Vec<f64>,
) -> Result<(), NotPositive> {
    cholesky_of(a, order, stride, done, inverses, |_, _| ())
}

/// Like [`cholesky`], for a matrix whose rows `fill` writes: for each row after the finished blocks it gets
/// the row's number and its elements up to the diagonal.
///
/// Each thread of [`fork_join`] has the rows of a block, and uses earlier blocks as they are finished.
///
/// # Errors
/// The errors of [`cholesky`].
pub fn cholesky_of(
    a: &mut [f64],
    order: usize,
    stride: usize,
    done: usize,
    inverses: &mut Vec<f64>,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<(), NotPositive> {
    let (blocks, done) = (order.div_ceil(BLOCK), done.min(order) / BLOCK);
    inverses.resize(blocks * BLOCK * BLOCK, 0.0);
    let rows = a.chunks_mut((BLOCK * stride).max(1)).zip(inverses.chunks_exact_mut(BLOCK * BLOCK));
    let cost = (order.pow(3) - (done * BLOCK).pow(3)) / 3;
    let factored = fork_join::chain(
        cost as u64,
        rows.enumerate().collect(),
        |(block, (rows, inverse)), earlier: &EarlierParts<'_, Factored<'_>>| {
            let (j0, width) = (block * BLOCK, BLOCK.min(order - block * BLOCK));
            if block >= done {
                raddle_base::cancellation_point((width * j0 * j0 / 2) as u64);
                for i in 0..width {
                    fill(j0 + i, &mut rows[i * stride..][..=j0 + i]);
                }
                for (before, factored) in (0..).step_by(BLOCK).zip(earlier.each()) {
                    let (pivots, inverse) = (*factored)?;
                    update_rows(rows, width, stride, pivots, before, BLOCK, inverse);
                }
                factor_diagonal(rows, j0, width, stride, inverse)?;
            }
            Ok((&*rows, &*inverse))
        },
    );
    factored.into_iter().try_for_each(|block: Factored<'_>| block.map(|_| ()))
}

/// The rows of a block and the transposed inverse of its diagonal block.
type Factored<'a> = Result<(&'a [f64], &'a [f64]), NotPositive>;

in_every_form! {
    /// Step 1 of a block: `rows` starts with the block's first row, at row and column `j0`; it has `width`
    /// rows.
    ///
    /// # Errors
    /// [`NotPositive`] if the diagonal block has no factor.
    pub fn factor_diagonal(
        rows: &mut [f64],
        j0: usize,
        width: usize,
        stride: usize,
        inverse: &mut [f64],
    ) -> Result<(), NotPositive> = diagonal_in;

    /// Step 2 of a block: `rows` are `count` rows below the block, which starts with the rows `pivots`.
    ///
    /// Columns `j0 .. j0 + width` of each row x become (x - x\[..j0\] L\[..j0\]') L_JJ^-T.
    pub fn update_rows(
        rows: &mut [f64],
        count: usize,
        stride: usize,
        pivots: &[f64],
        j0: usize,
        width: usize,
        inverse: &[f64],
    ) = rows_in;
}

#[inline(always)]
fn diagonal_in<L: Lanes>(
    rows: &mut [f64],
    j0: usize,
    width: usize,
    stride: usize,
    inverse: &mut [f64],
) -> Result<(), NotPositive> {
    // The block as an upper triangle, padded to full width by the identity.
    let mut upper: Square = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(i == j)));
    for i0 in (0..width).step_by(4) {
        let products = products::<L>(rows, i0, width, stride, rows, j0, width.min(i0 + 4));
        for i in i0..width.min(i0 + 4) {
            for j in 0..=i {
                upper[j][i] = rows[i * stride + j0 + j] - products[i - i0][j];
            }
        }
    }
    factor::<L>(&mut upper).map_err(|(i, pivot)| NotPositive { row: j0 + i, pivot })?;
    for i in 0..width {
        for j in 0..=i {
            rows[i * stride + j0 + j] = upper[j][i];
        }
    }
    let inverse_transposed = invert::<L>(&upper);
    for (out, row) in inverse.chunks_exact_mut(BLOCK).zip(&inverse_transposed) {
        out.copy_from_slice(row);
    }
    Ok(())
}

/// Returns the products of the first `j0` columns of four rows from `i0` with those of the first `wanted`
/// pivot rows.
#[inline(always)]
fn products<L: Lanes>(
    rows: &[f64],
    i0: usize,
    count: usize,
    stride: usize,
    pivots: &[f64],
    j0: usize,
    wanted: usize,
) -> [[f64; BLOCK]; 4] {
    if L::WIDE {
        tiles::<L, 4, 6>(rows, i0, count, stride, pivots, j0, wanted)
    } else {
        tiles::<L, 2, 3>(rows, i0, count, stride, pivots, j0, wanted)
    }
}

#[inline(always)]
fn tiles<L: Lanes, const M: usize, const N: usize>(
    rows: &[f64],
    i0: usize,
    count: usize,
    stride: usize,
    pivots: &[f64],
    j0: usize,
    wanted: usize,
) -> [[f64; BLOCK]; 4] {
    let mut products = [[0.0; BLOCK]; 4];
    if j0 == 0 {
        return products;
    }
    for i in (0..4.min(count - i0)).step_by(M) {
        let left = std::array::from_fn(|m| rows[(i0 + i + m).min(count - 1) * stride..][..j0].as_chunks().0);
        for j in (0..wanted).step_by(N) {
            let right =
                std::array::from_fn(|n| pivots[(j + n).min(wanted - 1) * stride..][..j0].as_chunks().0);
            for (row, sums) in tile::<L, M, N>(left, right).iter().enumerate() {
                products[i + row][j..j + N].copy_from_slice(sums);
            }
        }
    }
    products
}

/// Factors the block as U'U, in place on its upper triangle, right-looking; returns row and pivot on failure.
#[inline(always)]
fn factor<L: Lanes>(upper: &mut Square) -> Result<(), (usize, f64)> {
    for j in 0..BLOCK {
        let pivot = upper[j][j];
        // Written so that a NaN pivot fails, too.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err((j, pivot));
        }
        let root = pivot.sqrt();
        let row = upper[j].map(|value| value / root);
        upper[j] = row;
        upper[j][j] = root;
        for i in j + 1..BLOCK {
            add_row::<L>(&mut upper[i], -row[i], &row);
        }
    }
    Ok(())
}

/// Returns U^-1 = L^-T for an upper triangle U = L'.
#[inline(always)]
fn invert<L: Lanes>(upper: &Square) -> Square {
    let mut inverse: Square = [[0.0; BLOCK]; BLOCK];
    for i in (0..BLOCK).rev() {
        let mut row = [0.0; BLOCK];
        row[i] = 1.0;
        for t in i + 1..BLOCK {
            let below = inverse[t];
            add_row::<L>(&mut row, -upper[i][t], &below);
        }
        inverse[i] = row.map(|value| value / upper[i][i]);
    }
    inverse
}

#[inline(always)]
fn add_row<L: Lanes>(out: &mut [f64; BLOCK], scale: f64, row: &[f64; BLOCK]) {
    let scale = L::splat(scale);
    for (out, row) in out.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
        L::load(row).mul_add(scale, L::load(out)).store(out);
    }
}

#[inline(always)]
fn rows_in<L: Lanes>(
    rows: &mut [f64],
    count: usize,
    stride: usize,
    pivots: &[f64],
    j0: usize,
    width: usize,
    inverse: &[f64],
) {
    let (inverse, _) = inverse.as_chunks::<BLOCK>();
    for i0 in (0..count).step_by(4) {
        let products = products::<L>(rows, i0, count, stride, pivots, j0, width);
        let mut x = [[0.0; BLOCK]; 4];
        for i in 0..4.min(count - i0) {
            let row = &rows[(i0 + i) * stride + j0..][..width];
            for (x, (value, product)) in x[i].iter_mut().zip(row.iter().zip(&products[i])) {
                *x = value - product;
            }
        }
        let solved = times_upper::<L>(&x, inverse);
        for i in 0..4.min(count - i0) {
            rows[(i0 + i) * stride + j0..][..width].copy_from_slice(&solved[i][..width]);
        }
    }
}

/// Multiplies four rows by an upper triangle, by ascending rows of the triangle.
#[inline(always)]
fn times_upper<L: Lanes>(x: &[[f64; BLOCK]; 4], upper: &[[f64; BLOCK]]) -> [[f64; BLOCK]; 4] {
    let mut sums = [[L::zero(); GROUPS]; 4];
    for (t, row) in upper.iter().enumerate() {
        let row = row.as_chunks().0;
        for i in 0..4 {
            let scale = L::splat(x[i][t]);
            for (sum, row) in sums[i].iter_mut().zip(row) {
                *sum = L::load(row).mul_add(scale, *sum);
            }
        }
    }
    let mut out = [[0.0; BLOCK]; 4];
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, sum) in out.as_chunks_mut().0.iter_mut().zip(sums) {
            sum.store(out);
        }
    }
    out
}
