//! Triangular solves with a Cholesky factor, one right-hand side.

use super::dense::{add, dots};
use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// x = L^-1 x for the lower triangle in `l`, `x.len()` rows `stride` apart.
pub fn solve_lower(l: &[f64], stride: usize, x: &mut [f64]) {
    run(SolveLower { l, stride, x });
}

/// x = L^-T x for the lower triangle in `l`, `x.len()` rows `stride` apart.
pub fn solve_lower_transposed(l: &[f64], stride: usize, x: &mut [f64]) {
    run(SolveLowerTransposed { l, stride, x });
}

/// As many rows as there are lanes at a time: what lies left of them is read once for all of them.
struct SolveLower<'a> {
    l: &'a [f64],
    stride: usize,
    x: &'a mut [f64],
}

impl Kernel for SolveLower<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { l, stride, x } = self;
        for start in (0..x.len()).step_by(LANES) {
            let (solved, rest) = x.split_at_mut(start);
            let count = LANES.min(rest.len());
            let here = &mut rest[..count];
            let row = |at: usize| &l[(start + at) * stride..][..=start + at];
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

struct SolveLowerTransposed<'a> {
    l: &'a [f64],
    stride: usize,
    x: &'a mut [f64],
}

impl Kernel for SolveLowerTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { l, stride, x } = self;
        for start in (0..x.len()).step_by(LANES).rev() {
            let (left, rest) = x.split_at_mut(start);
            let count = LANES.min(rest.len());
            let here = &mut rest[..count];
            let row = |at: usize| &l[(start + at) * stride..][..=start + at];
            for at in (0..here.len()).rev() {
                let row = &row(at)[start..];
                here[at] /= row[at];
                for j in 0..at {
                    here[j] = (-here[at]).mul_add(row[j], here[j]);
                }
            }
            // The last row first, as they were solved.
            match here.len() {
                LANES => {
                    let last = LANES - 1;
                    add::<L, LANES>(
                        left,
                        &std::array::from_fn(|m| (-here[last - m], &row(last - m)[..start])),
                    );
                }
                few => (0..few).rev().for_each(|at| add::<L, 1>(left, &[(-here[at], &row(at)[..start])])),
            }
        }
    }
}
