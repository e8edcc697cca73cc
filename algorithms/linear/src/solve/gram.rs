//! Cholesky factors of I + S Z Z' S, where Z are the rows with their signs: by rows, or by columns if these
//! are fewer.

use raddle::cancellation_point;
use raddle_kernels::algebra::{cholesky, solve_lower, solve_lower_transposed};

use crate::data::binary::Binary;

/// Limit on the order of a factored matrix, which takes 512 MiB.
const MOST: usize = 8192;

/// Side of the factored matrix: products of rows, or of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Rows,
    Columns,
}

/// Returns the side of the cheaper matrix for this number of rows with weight, with the multiplications to
/// build and factor it; `None` if it would be too large.
pub(crate) fn cheaper_side(binary: &Binary<'_>, rows: usize) -> Option<(Side, f64)> {
    let (width, count) = (binary.rows.width(), binary.count());
    let mean = binary.rows.stored() as f64 / count as f64;
    // Multiplications of a factorization run eight or sixteen at a time, those of sparse values one by one.
    let cube = |order: usize| (order as f64).powi(3) / 3.0 / 8.0;
    let (n, squares) = (rows as f64, binary.rows.squared_lengths() / count as f64);
    let by_columns = n * squares / 2.0 + cube(width);
    let by_rows = n * n * mean / 2.0 + cube(rows);
    let one = |side, order, cost| (order <= MOST).then_some((side, cost));
    let both = [one(Side::Columns, width, by_columns), one(Side::Rows, rows, by_rows)];
    both.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The lower triangle of a symmetric matrix, or of its factor.
pub(crate) struct Lower {
    pub(crate) values: Vec<f64>,
    pub(crate) order: usize,
    pub(crate) stride: usize,
}

impl Lower {
    pub(crate) fn zeros(order: usize) -> Self {
        let stride = order.next_multiple_of(8).max(8);
        Self { values: vec![0.0; order * stride], order, stride }
    }

    /// Computes Z Z' of these rows.
    pub(crate) fn of_rows(binary: &Binary<'_>, rows: &[usize]) -> Self {
        let mut gram = Self::zeros(rows.len());
        let mut full = vec![0.0; binary.rows.width()];
        for (i, &row) in rows.iter().enumerate() {
            binary.rows.add(row, binary.signs[row], &mut full);
            cancellation_point((i * binary.rows.row(row).0.len()) as u64);
            for (j, &other) in rows[..=i].iter().enumerate() {
                gram.values[i * gram.stride + j] = binary.margin(other, &full);
            }
            binary.rows.row(row).0.iter().for_each(|&column| full[column as usize] = 0.0);
        }
        gram
    }

    /// Adds r x x' of a row.
    pub(crate) fn add_row(&mut self, binary: &Binary<'_>, row: usize, r: f64) {
        let (columns, values) = binary.rows.row(row);
        cancellation_point((columns.len() * columns.len() / 2) as u64);
        for (p, (&i, value)) in columns.iter().zip(values).enumerate() {
            let (scaled, to) = (r * value, &mut self.values[i as usize * self.stride..][..=i as usize]);
            for (&j, other) in columns[..=p].iter().zip(values) {
                to[j as usize] += scaled * other;
            }
        }
    }

    /// Copies the lower triangle.
    pub(crate) fn copied(&self) -> Self {
        let mut copy = Self::zeros(self.order);
        for (row, (to, from)) in
            copy.values.chunks_mut(self.stride).zip(self.values.chunks(self.stride)).enumerate()
        {
            to[..=row].copy_from_slice(&from[..=row]);
        }
        copy
    }

    /// Adds a value to an element of the diagonal.
    pub(crate) fn add_diagonal(&mut self, at: usize, value: f64) {
        self.values[at * self.stride + at] += value;
    }

    /// Factors the matrix in place; `None` if rounding makes it singular.
    pub(crate) fn factored(mut self) -> Option<Factor> {
        cholesky(&mut self.values, self.order, self.stride, 0, &mut Vec::new()).ok()?;
        Some(Factor(self))
    }
}

/// A Cholesky factor.
pub(crate) struct Factor(Lower);

impl Factor {
    /// Replaces the right side x by the solution.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        if self.0.order > 0 {
            solve_lower(&self.0.values, self.0.stride, x);
            solve_lower_transposed(&self.0.values, self.0.stride, x);
        }
    }
}
