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

/// Returns a'b over the shorter of the two lengths.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    run(Dot { a, b })
}

/// Returns a'a.
#[inline]
pub fn sum_squares(a: &[f64]) -> f64 {
    dot(a, a)
}

/// Computes c\[j\] = x_j'r for the columns of `x`, n = `r.len()` values each, one column after another.
///
/// Each element's bits are those of [`dot`].
pub fn pass(x: &[f64], r: &[f64], c: &mut [f64]) {
    run(Pass { x, r, c });
}

/// Computes out += a x, element by element over the shorter length, each by one fused multiply-add.
#[inline]
pub fn add_scaled(out: &mut [f64], a: f64, x: &[f64]) {
    run(AddScaled { out, columns: &[(a, x)] });
}

/// Like [`add_scaled`], while prefetching as much of `next`, which is needed afterwards, as is read of `x`.
pub fn add_scaled_ahead(out: &mut [f64], a: f64, x: &[f64], next: &[f64]) {
    run(AddScaledAhead { out, a, x, next });
}

/// Computes out += sum of a x over the pairs (a, x), in order; a column shorter than `out` counts as empty.
///
/// Each element's bits are those of repeated [`add_scaled`].
pub fn add_scaled_columns(out: &mut [f64], columns: &[(f64, &[f64])]) {
    run(AddScaled { out, columns });
}

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl Kernel for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let length = self.a.len().min(self.b.len());
        dots::<L, 1>([&self.a[..length]], &self.b[..length])[0].sum()
    }
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

struct Pass<'a> {
    x: &'a [f64],
    r: &'a [f64],
    c: &'a mut [f64],
}

impl Kernel for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let n = self.r.len();
        if n == 0 {
            return self.c.fill(0.0);
        }
        let (together, rest) = self.c.as_chunks_mut::<TOGETHER>();
        let split = together.len() * TOGETHER * n;
        for (c, x) in together.iter_mut().zip(self.x.chunks_exact(TOGETHER * n)) {
            let columns = std::array::from_fn(|m| &x[m * n..(m + 1) * n]);
            *c = L::sums(dots::<L, TOGETHER>(columns, self.r));
        }
        for (c, x) in rest.iter_mut().zip(self.x[split.min(self.x.len())..].chunks_exact(n)) {
            *c = dots::<L, 1>([x], self.r)[0].sum();
        }
    }
}

struct AddScaled<'a> {
    out: &'a mut [f64],
    columns: &'a [(f64, &'a [f64])],
}

impl Kernel for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (fours, rest) = self.columns.as_chunks::<ADDED>();
        for four in fours {
            add::<L, ADDED>(self.out, four);
        }
        for one in rest {
            add::<L, 1>(self.out, std::array::from_ref(one));
        }
    }
}

struct AddScaledAhead<'a> {
    out: &'a mut [f64],
    a: f64,
    x: &'a [f64],
    next: &'a [f64],
}

impl Kernel for AddScaledAhead<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { out, a, x, next } = self;
        // One stretch at a time, so that prefetches do not pile up.
        let (lines, count) = (next.as_chunks::<LANES>().0, out.len().min(x.len()));
        let stretches = out[..count].chunks_mut(STRETCH * LANES).zip(x.chunks(STRETCH * LANES));
        for ((out, x), ahead) in stretches.zip(lines.chunks(STRETCH).chain(std::iter::repeat(&[][..]))) {
            ahead.iter().for_each(L::prefetch);
            add::<L, 1>(out, &[(a, x)]);
        }
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
