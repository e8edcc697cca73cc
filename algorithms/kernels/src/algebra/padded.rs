//! Sums of rows and outer products on small matrices whose rows are whole groups of lanes, so that no
//! remainder needs treatment.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Number of groups of lanes of a result that are kept in registers while all rows pass by.
const WIDE: usize = 8;
const NARROW: usize = 4;

in_every_form! {
    /// Computes out = sum of a\[i\] times row `rows[i]` of `matrix`, in the order of i, with every product
    /// fused into the sum.
    ///
    /// Rows are `stride` apart. `out` and `stride` are multiples of [`LANES`], and `out` is no longer than a
    /// row; values after the matrix in a row are summed, too.
    pub fn sum_rows(out: &mut [f64], a: &[f64], rows: &[usize], matrix: &[f64], stride: usize) = sum_in;

    /// Adds a\[i\] x to row i of `matrix` for all of `a`, with every product fused; `x` and `stride` are as
    /// in [`sum_rows`].
    pub fn add_outer(matrix: &mut [f64], stride: usize, a: &[f64], x: &[f64]) = outer_in;
}

#[inline(always)]
fn sum_in<L: Lanes>(out: &mut [f64], a: &[f64], rows: &[usize], matrix: &[f64], stride: usize) {
    let (groups, _) = out.as_chunks_mut::<LANES>();
    let mut from = 0;
    if L::WIDE {
        from = tiles::<L, WIDE>(groups, from, a, rows, matrix, stride);
    }
    from = tiles::<L, NARROW>(groups, from, a, rows, matrix, stride);
    tiles::<L, 1>(groups, from, a, rows, matrix, stride);
}

/// Computes tiles of `M` groups from group `from` on; returns the first group left over.
#[inline(always)]
fn tiles<L: Lanes, const M: usize>(
    groups: &mut [[f64; LANES]],
    mut from: usize,
    a: &[f64],
    rows: &[usize],
    matrix: &[f64],
    stride: usize,
) -> usize {
    while from + M <= groups.len() {
        let mut sums = [L::zero(); M];
        for (&a, &row) in a.iter().zip(rows) {
            let at = row * stride + from * LANES;
            let (x, _) = matrix[at..at + M * LANES].as_chunks::<LANES>();
            let a = L::splat(a);
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum = L::load(x).mul_add(a, *sum);
            }
        }
        for (group, sum) in groups[from..from + M].iter_mut().zip(sums) {
            sum.store(group);
        }
        from += M;
    }
    from
}

#[inline(always)]
fn outer_in<L: Lanes>(matrix: &mut [f64], stride: usize, a: &[f64], x: &[f64]) {
    let (x, _) = x.as_chunks::<LANES>();
    for (row, &a) in matrix.chunks_exact_mut(stride.max(LANES)).zip(a) {
        let a = L::splat(a);
        for (group, x) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(x) {
            L::load(x).mul_add(a, L::load(group)).store(group);
        }
    }
}
