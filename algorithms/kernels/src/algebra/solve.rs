//! Triangular solves with a Cholesky factor, one right-hand side.

use super::dense::{add, dots};
use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Computes x = L^-1 x for the lower triangle in `l`, with `x.len()` rows that are `stride` apart.
pub fn solve_lower(l: &[f64], stride: usize, x: &mut [f64]) {
    run(Solve::<false> { l, stride, x });
}

/// Computes x = L^-T x for the lower triangle in `l`, with `x.len()` rows that are `stride` apart.
pub fn solve_lower_transposed(l: &[f64], stride: usize, x: &mut [f64]) {
    run(Solve::<true> { l, stride, x });
}

/// Solves as many rows at a time as there are lanes: the elements left of them are read once for all.
struct Solve<'a, const TRANSPOSED: bool> {
    l: &'a [f64],
    stride: usize,
    x: &'a mut [f64],
}

impl<'a, const TRANSPOSED: bool> Solve<'a, TRANSPOSED> {
    /// Returns, for the rows from `start` on, each row up to its diagonal, x left of the rows, and x at the
    /// rows.
    #[inline(always)]
    fn rows(
        &mut self,
        start: usize,
    ) -> (impl Fn(usize) -> &'a [f64] + use<'a, TRANSPOSED>, &mut [f64], &mut [f64]) {
        let (l, stride) = (self.l, self.stride);
        let (left, rest) = self.x.split_at_mut(start);
        let count = LANES.min(rest.len());
        (move |at| &l[(start + at) * stride..][..=start + at], left, &mut rest[..count])
    }
}

impl Kernel for Solve<'_, false> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for start in (0..self.x.len()).step_by(LANES) {
            let (row, solved, here) = self.rows(start);
            let left = |at: usize| &row(at)[..start];
            let sums = match here.len() {
                LANES => L::sums(dots::<L, LANES>(std::array::from_fn(left), solved)),
                few => std::array::from_fn(|at| match at < few {
                    true => dots::<L, 1>([left(at)], solved)[0].sum(),
                    false => 0.0,
                }),
            };
            for (at, sum) in sums.iter().enumerate().take(here.len()) {
                let row = &row(at)[start..];
                let mut value = here[at] - sum;
                for (l, x) in row.iter().zip(&here[..at]) {
                    value = (-l).mul_add(*x, value);
                }
                here[at] = value / row[at];
            }
        }
    }
}

impl Kernel for Solve<'_, true> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for start in (0..self.x.len()).step_by(LANES).rev() {
            let (row, left, here) = self.rows(start);
            for at in (0..here.len()).rev() {
                let row = &row(at)[start..];
                here[at] /= row[at];
                for j in 0..at {
                    here[j] = (-here[at]).mul_add(row[j], here[j]);
                }
            }
            // The last row first, as they were solved.
            let scaled = |at: usize| (-here[at], &row(at)[..start]);
            match here.len() {
                LANES => add::<L, LANES>(left, &std::array::from_fn(|m| scaled(LANES - 1 - m))),
                few => (0..few).rev().for_each(|at| add::<L, 1>(left, &[scaled(at)])),
            }
        }
    }
}
