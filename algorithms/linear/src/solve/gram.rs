//! Cholesky factors of I + S Z Z' S, Z the rows with their signs: by rows, or by columns where these are
//! fewer.

use raddle::cancellation_point;
use raddle_kernels::algebra::{cholesky, solve_lower, solve_lower_transposed};

use crate::data::binary::Binary;

/// Order of the largest matrix that is factored: 512 MiB.
const MOST: usize = 8192;

/// Side of the matrix that is factored: the fewer of rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Rows,
    Columns,
}

/// Side of the cheaper matrix for so many rows that count, and the multiplications of building and factoring
/// it; none if it would be too large.
pub(crate) fn cheaper_side(binary: &Binary<'_>, rows: usize) -> Option<(Side, f64)> {
    let (width, count) = (binary.rows.width(), binary.count());
    let mean = binary.rows.stored() as f64 / count as f64;
    // A factor's multiplications run eight or sixteen at a time, those of stored values one by one.
    let cube = |order: usize| (order as f64).powi(3) / 3.0 / 8.0;
    let (n, squares) = (rows as f64, binary.rows.squared_lengths() / count as f64);
    let by_columns = n * squares / 2.0 + cube(width);
    let by_rows = n * n * mean / 2.0 + cube(rows);
    let one = |side, order, cost| (order <= MOST).then_some((side, cost));
    let both = [one(Side::Columns, width, by_columns), one(Side::Rows, rows, by_rows)];
    both.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Lower triangle of a symmetric matrix, and its factor once it has one.
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

    /// Z Z' of these rows.
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

    /// A copy of the lower triangle.
    pub(crate) fn copied(&self) -> Self {
        let mut copy = Self::zeros(self.order);
        for (row, (to, from)) in
            copy.values.chunks_mut(self.stride).zip(self.values.chunks(self.stride)).enumerate()
        {
            to[..=row].copy_from_slice(&from[..=row]);
        }
        copy
    }

    /// Adds to the diagonal.
    pub(crate) fn add_diagonal(&mut self, at: usize, value: f64) {
        self.values[at * self.stride + at] += value;
    }

    /// The factor in place of the matrix; none where rounding leaves none.
    pub(crate) fn factored(mut self) -> Option<Factor> {
        cholesky(&mut self.values, self.order, self.stride, 0, &mut Vec::new()).ok()?;
        Some(Factor(self))
    }
}

/// Cholesky factor.
pub(crate) struct Factor(Lower);

impl Factor {
    /// Replaces x by the solution of the system with this right side.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        if self.0.order > 0 {
            solve_lower(&self.0.values, self.0.stride, x);
            solve_lower_transposed(&self.0.values, self.0.stride, x);
        }
    }
}
