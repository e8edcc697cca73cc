//! Sparse columns: row numbers and values. Dot products gather; sums of columns go value by value.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Compressed sparse columns, borrowed: column j holds `values[starts[j]..starts[j + 1]]` in the rows
/// `rows[starts[j]..starts[j + 1]]`, ascending.
///
/// `starts` may start above zero: a range of columns is a range of `starts`. A row number outside the vector
/// it is used with contributes nothing; starts outside `rows` or descending make an empty column.
#[derive(Clone, Copy, Debug)]
pub struct SparseColumns<'a> {
    /// Start of each column, and the end of the last.
    pub starts: &'a [usize],
    /// Row numbers, below 2^31.
    pub rows: &'a [u32],
    /// Values, as many as row numbers.
    pub values: &'a [f64],
}

impl<'a> SparseColumns<'a> {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// `true` without columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row numbers and values of column `j`.
    #[inline(always)]
    pub fn column(&self, j: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.starts[j]..self.starts[j + 1];
        (self.rows.get(range.clone()).unwrap_or(&[]), self.values.get(range).unwrap_or(&[]))
    }
}

/// Returns x'r for a sparse column x: in eight lanes, with the t-th stored value in lane t mod 8.
pub fn sparse_dot(rows: &[u32], values: &[f64], r: &[f64]) -> f64 {
    run(Dot { rows, values, r })
}

/// Computes c\[j\] = x_j'r for the first `c.len()` columns; the bits of each element are those of
/// [`sparse_dot`].
pub fn sparse_pass(x: SparseColumns<'_>, r: &[f64], c: &mut [f64]) {
    run(Pass { x, r, c });
}

/// Computes out += a x for a sparse column x: one fused multiply-add per stored value.
pub fn sparse_add_scaled(out: &mut [f64], a: f64, rows: &[u32], values: &[f64]) {
    run(AddScaled { out, a, rows, values });
}

/// Like [`sparse_dot`], inside a kernel of the caller.
#[inline(always)]
pub fn sparse_product<L: Lanes>(rows: &[u32], values: &[f64], r: &[f64]) -> f64 {
    let (rows, last_rows) = rows.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    let mut sum = L::zero();
    for (rows, values) in rows.iter().zip(values) {
        sum = L::load(values).mul_add(L::gather(r, rows), sum);
    }
    if !last_rows.is_empty() {
        sum = L::load_part(last_values).mul_add(L::gather_part(r, last_rows), sum);
    }
    sum.sum()
}

/// Like [`sparse_add_scaled`], inside a kernel of the caller.
#[inline(always)]
pub fn sparse_add(out: &mut [f64], a: f64, rows: &[u32], values: &[f64]) {
    for (&row, &value) in rows.iter().zip(values) {
        if let Some(out) = out.get_mut(row as usize) {
            *out = value.mul_add(a, *out);
        }
    }
}

struct Dot<'a> {
    rows: &'a [u32],
    values: &'a [f64],
    r: &'a [f64],
}

impl Kernel for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        sparse_product::<L>(self.rows, self.values, self.r)
    }
}

struct Pass<'a> {
    x: SparseColumns<'a>,
    r: &'a [f64],
    c: &'a mut [f64],
}

impl Kernel for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let columns = self.x.len();
        for (j, c) in self.c.iter_mut().enumerate().take(columns) {
            let (rows, values) = self.x.column(j);
            *c = sparse_product::<L>(rows, values, self.r);
        }
    }
}

struct AddScaled<'a> {
    out: &'a mut [f64],
    a: f64,
    rows: &'a [u32],
    values: &'a [f64],
}

impl Kernel for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        sparse_add(self.out, self.a, self.rows, self.values);
    }
}
