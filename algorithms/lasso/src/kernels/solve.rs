//! Triangular solves with a Cholesky factor, one right-hand side.

use super::dense::{add_scaled, dot};

/// x = L^-1 x for the lower triangle in `l`, `x.len()` rows `stride` apart.
pub fn solve_lower(l: &[f64], stride: usize, x: &mut [f64]) {
    for i in 0..x.len() {
        let row = &l[i * stride..][..=i];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
}

/// x = L^-T x for the lower triangle in `l`, `x.len()` rows `stride` apart.
pub fn solve_lower_transposed(l: &[f64], stride: usize, x: &mut [f64]) {
    for i in (0..x.len()).rev() {
        let row = &l[i * stride..][..=i];
        x[i] /= row[i];
        let solved = x[i];
        add_scaled(&mut x[..i], -solved, &row[..i]);
    }
}
