//! Dense columns: dot products, sums of columns, and the pass c = X'r.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Number of columns that go through a pass side by side: each group of eight values of r is loaded once for
/// all.
const TOGETHER: usize = 8;

/// Number of columns that are added side by side: each value of the sum is loaded and stored once for all.
const ADDED: usize = 4;

/// Number of groups of lanes that are prefetched at once.
const STRETCH: usize = 8;

in_every_form! {
    /// Returns a'b over the shorter of the two lengths.
    #[inline]
    pub fn dot(a: &[f64], b: &[f64]) -> f64 = dot_in;

    /// Computes c\[j\] = x_j'r for the columns of `x`, n = `r.len()` values each, one column after another.
    ///
    /// Each element's bits are those of [`dot`].
    pub fn pass(x: &[f64], r: &[f64], c: &mut [f64]) = pass_in;

    /// Computes out += a x, element by element over the shorter length, each by one fused multiply-add.
    #[inline]
    pub fn add_scaled(out: &mut [f64], a: f64, x: &[f64]) = add_one;

    /// Like [`add_scaled`], while prefetching as much of `next`, which is needed afterwards, as is read of
    /// `x`.
    pub fn add_scaled_ahead(out: &mut [f64], a: f64, x: &[f64], next: &[f64]) = add_ahead;

    /// Computes out += sum of a x over the pairs (a, x), in order; a column shorter than `out` counts as
    /// empty.
    ///
    /// Each element's bits are those of repeated [`add_scaled`].
    pub fn add_scaled_columns(out: &mut [f64], columns: &[(f64, &[f64])]) = add_columns;
}

/// Returns a'a.
#[inline]
pub fn sum_squares(a: &[f64]) -> f64 {
    dot(a, a)
}

#[inline(always)]
fn dot_in<L: Lanes>(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    dots::<L, 1>([&a[..length]], &b[..length])[0].sum()
}

/// Returns the lane sums of `M` dot products with `r`; every column is as long as `r`.
#[inline(always)]
pub(super) fn dots<L: Lanes, const M: usize>(columns: [&[f64]; M], r: &[f64]) -> [L; M] {
    let (groups, rest) = r.as_chunks::<LANES>();
    let whole: [&[[f64; LANES]]; M] = std::array::from_fn(|m| &columns[m].as_chunks().0[..groups.len()]);
    let mut sums = [L::zero(); M];
    for (t, group) in groups.iter().enumerate() {
        let group = L::load(group);
        for m in 0..M {
            sums[m] = L::load(&whole[m][t]).mul_add(group, sums[m]);
        }
    }
    if !rest.is_empty() {
        let group = L::load_part(rest);
        for m in 0..M {
            sums[m] = L::load_part(&columns[m][r.len() - rest.len()..]).mul_add(group, sums[m]);
        }
    }
    sums
}

#[inline(always)]
fn pass_in<L: Lanes>(x: &[f64], r: &[f64], c: &mut [f64]) {
    let n = r.len();
    if n == 0 {
        return c.fill(0.0);
    }
    let (together, rest) = c.as_chunks_mut::<TOGETHER>();
    let split = together.len() * TOGETHER * n;
    for (c, x) in together.iter_mut().zip(x.chunks_exact(TOGETHER * n)) {
        let columns = std::array::from_fn(|m| &x[m * n..(m + 1) * n]);
        *c = L::sums(dots::<L, TOGETHER>(columns, r));
    }
    for (c, x) in rest.iter_mut().zip(x[split.min(x.len())..].chunks_exact(n)) {
        *c = dots::<L, 1>([x], r)[0].sum();
    }
}

#[inline(always)]
fn add_one<L: Lanes>(out: &mut [f64], a: f64, x: &[f64]) {
    add::<L, 1>(out, &[(a, x)]);
}

#[inline(always)]
fn add_columns<L: Lanes>(out: &mut [f64], columns: &[(f64, &[f64])]) {
    let (fours, rest) = columns.as_chunks::<ADDED>();
    for four in fours {
        add::<L, ADDED>(out, four);
    }
    for one in rest {
        add::<L, 1>(out, std::array::from_ref(one));
    }
}

#[inline(always)]
fn add_ahead<L: Lanes>(out: &mut [f64], a: f64, x: &[f64], next: &[f64]) {
    // One stretch at a time, so that prefetches do not pile up.
    let (lines, count) = (next.as_chunks::<LANES>().0, out.len().min(x.len()));
    let stretches = out[..count].chunks_mut(STRETCH * LANES).zip(x.chunks(STRETCH * LANES));
    for ((out, x), ahead) in stretches.zip(lines.chunks(STRETCH).chain(std::iter::repeat(&[][..]))) {
        ahead.iter().for_each(L::prefetch);
        add::<L, 1>(out, &[(a, x)]);
    }
}

#[inline(always)]
pub(super) fn add<L: Lanes, const M: usize>(out: &mut [f64], columns: &[(f64, &[f64]); M]) {
    let length = columns.iter().fold(out.len(), |length, column| length.min(column.1.len()));
    let out = &mut out[..length];
    let (groups, rest) = out.as_chunks_mut::<LANES>();
    let count = groups.len();
    let scales: [L; M] = std::array::from_fn(|m| L::splat(columns[m].0));
    let whole: [&[[f64; LANES]]; M] = std::array::from_fn(|m| &columns[m].1.as_chunks().0[..count]);
    for (t, group) in groups.iter_mut().enumerate() {
        let mut sum = L::load(group);
        for m in 0..M {
            sum = L::load(&whole[m][t]).mul_add(scales[m], sum);
        }
        sum.store(group);
    }
    for (t, value) in rest.iter_mut().enumerate() {
        for (scale, column) in columns {
            *value = column[count * LANES + t].mul_add(*scale, *value);
        }
    }
}
