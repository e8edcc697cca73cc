//! Normal equations of one row: their matrix, its Cholesky factor, and their solution.
//!
//! With features x_i (rows of the other side), weights w_i and targets t_i, the equations are `(S + sum w_i
//! x_i x_i' + r I) x = sum t_i x_i`. The matrix is stored as a full square, row-major, `width` values per
//! row; every element is one sum in the order of the i, so that tiles change no bit.

use super::lanes::{LANES, Lanes, Vector};
use super::{Kernel, run};

/// Number of rows in a register tile.
const TILE: usize = 4;

in_every_form! {
    /// Adds `sum w_i x_i x_i'` to the chunks of the upper triangle of `matrix`, and `sum t_i x_i` to
    /// `right`.
    ///
    /// `features` are n rows of `chunks` vectors, `weights` and `targets` n values.
    ///
    /// # Panics
    /// If the lengths do not fit each other.
    pub fn add_products(
        features: &[Vector],
        chunks: usize,
        weights: &[f32],
        targets: &[f32],
        matrix: &mut [Vector],
        right: &mut [Vector],
    ) = products_in;

    /// Solves the equations whose upper triangle is in `matrix`, overwriting it, with `right` overwritten by
    /// the solution. Returns false, and solves nothing, if the matrix is not positive definite in floating
    /// point.
    ///
    /// # Panics
    /// If the lengths do not fit each other.
    pub fn solve(matrix: &mut [Vector], right: &mut [Vector], chunks: usize) -> bool = solve_in;
}

#[inline(always)]
fn products_in<L: Lanes>(
    features: &[Vector],
    chunks: usize,
    weights: &[f32],
    targets: &[f32],
    matrix: &mut [Vector],
    right: &mut [Vector],
) {
    assert!(
        features.len() == weights.len() * chunks && targets.len() == weights.len(),
        "a row for each weight"
    );
    assert!(matrix.len() == chunks * chunks * LANES && right.len() == chunks, "a square and a row");
    for (row, target) in features.chunks_exact(chunks).zip(targets) {
        let target = L::splat(*target);
        for (sum, x) in right.iter_mut().zip(row) {
            L::load(&x.0).mul_add(target, L::load(&sum.0)).store(&mut sum.0);
        }
    }
    for top in (0..chunks * LANES).step_by(TILE) {
        // Chunks left of the tile's own are below the diagonal.
        let mut from = top / LANES;
        while from < chunks {
            match chunks - from {
                1 => tile::<L, 1>(features, chunks, weights, matrix, top, from),
                2 => tile::<L, 2>(features, chunks, weights, matrix, top, from),
                3 => tile::<L, 3>(features, chunks, weights, matrix, top, from),
                _ => tile::<L, 4>(features, chunks, weights, matrix, top, from),
            }
            from += 4;
        }
    }
}

/// Computes four rows by `N` chunks of the matrix.
#[inline(always)]
fn tile<L: Lanes, const N: usize>(
    features: &[Vector],
    chunks: usize,
    weights: &[f32],
    matrix: &mut [Vector],
    top: usize,
    from: usize,
) {
    let mut sums = [[L::zero(); N]; TILE];
    for i in 0..TILE {
        for n in 0..N {
            sums[i][n] = L::load(&matrix[(top + i) * chunks + from + n].0);
        }
    }
    for (row, weight) in features.chunks_exact(chunks).zip(weights) {
        let mut x = [L::zero(); N];
        for n in 0..N {
            x[n] = L::load(&row[from + n].0);
        }
        let left = &row[top / LANES].0;
        for i in 0..TILE {
            let scale = L::splat(weight * left[top % LANES + i]);
            for n in 0..N {
                sums[i][n] = x[n].mul_add(scale, sums[i][n]);
            }
        }
    }
    for i in 0..TILE {
        for n in 0..N {
            sums[i][n].store(&mut matrix[(top + i) * chunks + from + n].0);
        }
    }
}

/// Factors A = U'U by outer products of the rows of U, then solves U'z = b and U x = z.
#[inline(always)]
fn solve_in<L: Lanes>(matrix: &mut [Vector], right: &mut [Vector], chunks: usize) -> bool {
    assert!(matrix.len() == chunks * chunks * LANES && right.len() == chunks, "a square and a row");
    let width = chunks * LANES;
    for j in 0..width {
        let pivot = matrix[j * chunks + j / LANES].0[j % LANES];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let (done, below) = matrix.split_at_mut((j + 1) * chunks);
        let row = &mut done[j * chunks..];
        let scale = L::splat(1.0 / pivot.sqrt());
        for value in &mut row[j / LANES..] {
            L::load(&value.0).mul(scale).store(&mut value.0);
        }
        for i in j + 1..width {
            let factor = L::splat(-row[i / LANES].0[i % LANES]);
            let target = &mut below[(i - j - 1) * chunks..(i - j) * chunks];
            for chunk in i / LANES..chunks {
                let value = L::load(&row[chunk].0).mul_add(factor, L::load(&target[chunk].0));
                value.store(&mut target[chunk].0);
            }
        }
    }
    for j in 0..width {
        let row = &matrix[j * chunks..(j + 1) * chunks];
        let z = right[j / LANES].0[j % LANES] / row[j / LANES].0[j % LANES];
        // Values left of the diagonal in its chunk do not belong to U, so this chunk is updated value by
        // value.
        for lane in j % LANES + 1..LANES {
            let value = &mut right[j / LANES].0[lane];
            *value = row[j / LANES].0[lane].mul_add(-z, *value);
        }
        right[j / LANES].0[j % LANES] = z;
        let scale = L::splat(-z);
        for chunk in j / LANES + 1..chunks {
            let value = L::load(&row[chunk].0).mul_add(scale, L::load(&right[chunk].0));
            value.store(&mut right[chunk].0);
        }
    }
    for j in (0..width).rev() {
        let row = &matrix[j * chunks..(j + 1) * chunks];
        let mut sum = L::zero();
        for chunk in j / LANES + 1..chunks {
            sum = L::load(&row[chunk].0).mul_add(L::load(&right[chunk].0), sum);
        }
        let mut known = sum.sum();
        for lane in j % LANES + 1..LANES {
            known = row[j / LANES].0[lane].mul_add(right[j / LANES].0[lane], known);
        }
        let value = &mut right[j / LANES].0[j % LANES];
        *value = (*value - known) / row[j / LANES].0[j % LANES];
    }
    true
}
