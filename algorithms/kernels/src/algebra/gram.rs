//! Gram matrices of dense columns: every element is a dot product, and many are computed at once in
//! registers.
//!
//! [`tile`] keeps one eight-lane sum per pair of columns, and each loaded group of eight values is multiplied
//! by several columns of the other side. Panels of rows are short enough that one side stays in the
//! first-level cache and the other in the second.

use raddle_base::fork_join;

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Number of rows that are summed at once; sums of panels are added in order. Part of the definition of every
/// element. 256 rows of twelve left and six right columns fill three quarters of a first-level cache.
pub const PANEL: usize = 256;

/// Number of left columns that stay in the first-level cache.
const NEAR: usize = 12;

/// Number of right columns that stay in the second-level cache while the left ones pass by.
const RESIDENT: usize = 240;

/// Computes out\[i * stride + j\] = a_i'b_j for j <= first + i: the Gram rows of new members `a` with all
/// members `b`, of which the new ones are those from number `first` on. With `first >= b.len()` the whole
/// rectangle is written.
///
/// All columns are as long as `a[0]`. An element is the sum over panels of [`PANEL`] rows, in order, of the
/// lane sum of [`dot`](super::dot); its bits depend on the two columns only, and not on their order. The rows
/// are divided among the threads of [`fork_join`].
pub fn gram(a: &[&[f64]], b: &[&[f64]], first: usize, out: &mut [f64], stride: usize) {
    if fork_join::count() == 1 || a.is_empty() {
        return run(Gram { a, b, first, out, stride });
    }
    let cost = a.len() * b.len() * a[0].len();
    let per = a.len().div_ceil(PARTS * fork_join::count()).next_multiple_of(NEAR);
    let parts = (first..).step_by(per).zip(a.chunks(per)).zip(out.chunks_mut((per * stride).max(1)));
    fork_join::each(cost as u64, parts, |((first, a), out)| {
        let b = &b[..b.len().min(first + a.len())];
        run(Gram { a, b, first, out, stride });
    });
}

/// Computes out\[i * stride + j\] = a_i'a_j for j <= i.
pub fn gram_lower(a: &[&[f64]], out: &mut [f64], stride: usize) {
    gram(a, a, 0, out, stride);
}

/// Number of parts for each thread: later rows are longer.
const PARTS: usize = 4;

struct Gram<'a> {
    a: &'a [&'a [f64]],
    b: &'a [&'a [f64]],
    first: usize,
    out: &'a mut [f64],
    stride: usize,
}

impl Kernel for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        if L::WIDE { blocks::<L, 4, 6>(self) } else { blocks::<L, 2, 3>(self) }
    }
}

#[inline(always)]
fn blocks<'a, L: Lanes, const M: usize, const N: usize>(g: Gram<'a>) {
    let n = g.a.first().map_or(0, |column| column.len());
    let (mut left, mut right) = (Vec::with_capacity(NEAR), Vec::with_capacity(RESIDENT));
    for from in (0..n.max(1)).step_by(PANEL) {
        let rows = from..n.min(from + PANEL);
        let panel = |columns: &[&'a [f64]], out: &mut Vec<&'a [f64]>| {
            out.clear();
            out.extend(columns.iter().map(|column| &column[rows.clone()]));
        };
        for (j0, b) in (0..).step_by(RESIDENT).zip(g.b.chunks(RESIDENT)) {
            panel(b, &mut right);
            for (i0, a) in (0..).step_by(NEAR).zip(g.a.chunks(NEAR)) {
                if j0 >= g.first + i0 + a.len() {
                    continue;
                }
                panel(a, &mut left);
                raddle_base::cancellation_point((a.len() * b.len() * PANEL) as u64);
                for j in (0..b.len()).step_by(N) {
                    for i in (0..a.len()).step_by(M) {
                        let rows = M.min(a.len() - i);
                        if j0 + j >= g.first + i0 + i + rows {
                            continue;
                        }
                        let sums = products::<L, M, N>(neighbours(&left, i), neighbours(&right, j));
                        for (i, sums) in (i0 + i..).zip(&sums[..rows]) {
                            let kept = N.min(b.len() - j).min((g.first + i + 1).saturating_sub(j0 + j));
                            let out = &mut g.out[i * g.stride + j0 + j..][..kept];
                            for (out, &sum) in out.iter_mut().zip(sums) {
                                *out = if from == 0 { sum } else { *out + sum };
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns `M` columns from `first` on; the last column stands for those after it.
#[inline(always)]
fn neighbours<'a, const M: usize>(columns: &[&'a [f64]], first: usize) -> [&'a [f64]; M] {
    std::array::from_fn(|m| columns[(first + m).min(columns.len() - 1)])
}

/// Returns the dot products of `M` columns with `N` columns, all of equal length.
#[inline(always)]
fn products<L: Lanes, const M: usize, const N: usize>(a: [&[f64]; M], b: [&[f64]; N]) -> [[f64; N]; M] {
    let length = a[0].len();
    let (left, right) = (a.map(|a| a[..length].as_chunks()), b.map(|b| b[..length].as_chunks()));
    let mut sums = groups::<L, M, N>(left.map(|(groups, _)| groups), right.map(|(groups, _)| groups));
    if !length.is_multiple_of(LANES) {
        let left: [L; M] = left.map(|(_, rest)| L::load_part(rest));
        for (j, (_, rest)) in right.into_iter().enumerate() {
            let right = L::load_part(rest);
            for i in 0..M {
                sums[i][j] = left[i].mul_add(right, sums[i][j]);
            }
        }
    }
    totals(sums)
}

/// Returns the dot products of `M` columns with `N` columns of the same number of groups.
#[inline(always)]
pub(crate) fn tile<L: Lanes, const M: usize, const N: usize>(
    a: [&[[f64; LANES]]; M],
    b: [&[[f64; LANES]]; N],
) -> [[f64; N]; M] {
    totals(groups::<L, M, N>(a, b))
}

/// Returns the lane sums of [`tile`].
#[inline(always)]
fn groups<L: Lanes, const M: usize, const N: usize>(
    a: [&[[f64; LANES]]; M],
    b: [&[[f64; LANES]]; N],
) -> [[L; N]; M] {
    let groups = a[0].len();
    let left = a.map(|column| &column[..groups]);
    let right = b.map(|column| &column[..groups]);
    let mut sums = [[L::zero(); N]; M];
    for t in 0..groups {
        let left: [L; M] = std::array::from_fn(|i| L::load(&left[i][t]));
        for j in 0..N {
            let right = L::load(&right[j][t]);
            for i in 0..M {
                sums[i][j] = left[i].mul_add(right, sums[i][j]);
            }
        }
    }
    sums
}

/// Adds up the lane sums of a tile, eight at a time.
#[inline(always)]
fn totals<L: Lanes, const M: usize, const N: usize>(sums: [[L; N]; M]) -> [[f64; N]; M] {
    let mut totals = [[0.0; N]; M];
    let mut at = 0;
    while at < M * N {
        let eight = std::array::from_fn(|l| {
            let place = (at + l).min(M * N - 1);
            sums[place / N][place % N]
        });
        for (l, total) in L::sums(eight).into_iter().enumerate() {
            if at + l < M * N {
                totals[(at + l) / N][(at + l) % N] = total;
            }
        }
        at += LANES;
    }
    totals
}
