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
    /// Values, as many as row numbers. If there are fewer, all columns have the same ones, as far as they are
    /// long: so all-ones columns take a third of the memory to read.
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
        let rows = self.rows.get(range.clone()).unwrap_or(&[]);
        let range = if self.values.len() < self.rows.len() { 0..rows.len() } else { range };
        (rows, self.values.get(range).unwrap_or(&[]))
    }
}

in_every_form! {
    /// Returns x'r for a sparse column x: in eight lanes, with the t-th stored value in lane t mod 8.
    pub fn sparse_dot(rows: &[u32], values: &[f64], r: &[f64]) -> f64 = sparse_product;

    /// Computes c\[j\] = x_j'r for the first `c.len()` columns; the bits of each element are those of
    /// [`sparse_dot`].
    pub fn sparse_pass(x: SparseColumns<'_>, r: &[f64], c: &mut [f64]) = pass;

    /// Computes out += a x for a sparse column x: one fused multiply-add per stored value.
    pub fn sparse_add_scaled(out: &mut [f64], a: f64, rows: &[u32], values: &[f64]) = add_scaled;
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

#[inline(always)]
fn pass<L: Lanes>(x: SparseColumns<'_>, r: &[f64], c: &mut [f64]) {
    let columns = x.len();
    for (j, c) in c.iter_mut().enumerate().take(columns) {
        let (rows, values) = x.column(j);
        *c = sparse_product::<L>(rows, values, r);
    }
}

#[inline(always)]
fn add_scaled<L: Lanes>(out: &mut [f64], a: f64, rows: &[u32], values: &[f64]) {
    sparse_add(out, a, rows, values);
}
