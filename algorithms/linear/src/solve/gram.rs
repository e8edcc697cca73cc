//! Cholesky factors of I + S Z Z' S, where Z are the rows with their signs: by rows, or by columns if these
//! are fewer.

use raddle::cancellation_point;
use raddle_kernels::algebra::{BLOCK, cholesky, solve_lower, solve_lower_transposed};

use crate::data::binary::Binary;
use crate::data::rows::Rows;
use crate::loss::Loss;

/// Limit on the order of a factored matrix, which takes 512 MiB.
const MOST: usize = 8192;
/// Expected number of steps of Newton's method; then of an interior point method.
const NEWTON: f64 = 12.0;
const INTERIOR: f64 = 25.0;
/// Products by lists of columns are preferred if they take at most this fraction of the multiplications.
const LISTS: f64 = 0.5;
/// Position of a row that is no member.
const OUTSIDE: u32 = u32::MAX;

/// Side of the factored matrix: products of rows, or of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Rows,
    Columns,
}

/// Work of a direct solver in multiplications.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectCost {
    /// Work that is done once, as its result is kept.
    pub(crate) once: f64,
    /// Work of each step.
    pub(crate) each: f64,
}

impl DirectCost {
    /// Returns the work of the steps that a fit is expected to take.
    pub(crate) fn expected(self, loss: Loss) -> f64 {
        self.once + if loss == Loss::Hinge { INTERIOR } else { NEWTON } * self.each
    }
}

/// Returns the multiplications to factor a matrix: they run eight or sixteen at a time, those of sparse
/// values one by one.
pub(crate) fn factoring(order: usize) -> f64 {
    (order as f64).powi(3) / 3.0 / 8.0
}

/// Returns the side of the cheaper matrix for this number of rows with weight, with its cost; `None` if it
/// would be too large.
pub(crate) fn cheaper_side(binary: &Binary<'_>, rows: usize) -> Option<(Side, DirectCost)> {
    let (width, count, n) = (binary.rows.width(), binary.count(), rows as f64);
    let squares = binary.rows.squared_lengths() / count as f64;
    let by_columns = DirectCost { once: 0.0, each: n * squares / 2.0 + factoring(width) };
    let once = pairs(binary.rows).0 * (n / count as f64).powi(2);
    let by_rows = DirectCost { once, each: factoring(rows) };
    let one = |side, order, cost| (order <= MOST).then_some((side, cost));
    let both = [one(Side::Columns, width, by_columns), one(Side::Rows, rows, by_rows)];
    let cost = |of: &(Side, DirectCost)| of.1.expected(binary.loss);
    both.into_iter().flatten().min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// Returns the multiplications for the products of all pairs of rows, and `true` if they are computed by
/// lists of the rows of each column.
fn pairs(rows: &Rows) -> (f64, bool) {
    let [by_lists, by_dots] = [rows.squared_counts(), rows.count() as f64 * rows.stored() as f64];
    // Lists touch values here and there, dots read them in a row.
    let is_by_lists = by_lists < LISTS * by_dots;
    (if is_by_lists { by_lists } else { by_dots } / 2.0, is_by_lists)
}

/// Products of rows with their signs, Z Z'. They do not depend on the rows' weights, so they are kept from
/// step to step, and rows that enter are appended.
#[derive(Debug, Default)]
pub(crate) struct RowProducts {
    /// Position of each row among the members; `OUTSIDE` for others.
    position: Vec<u32>,
    members: Vec<usize>,
    /// The members' values in each column, with their positions and signs.
    lists: Vec<Vec<(u32, f64)>>,
    /// Line i has the products of member i with members 0 to i.
    lines: Vec<Vec<f64>>,
}

impl RowProducts {
    /// Appends the rows that are not yet members; returns the multiplications.
    pub(crate) fn grow(&mut self, binary: &Binary<'_>, rows: &[usize]) -> f64 {
        self.position.resize(binary.count(), OUTSIDE);
        self.lists.resize(binary.rows.width(), Vec::new());
        let (mut work, is_by_lists, mut full) = (0, pairs(binary.rows).1, vec![0.0; binary.rows.width()]);
        for &row in rows {
            if self.position[row] != OUTSIDE {
                continue;
            }
            let at = self.members.len();
            self.position[row] = at as u32;
            self.members.push(row);
            let mut line = vec![0.0; at + 1];
            let (columns, values) = binary.rows.row(row);
            let before = work;
            if is_by_lists {
                for (&column, value) in columns.iter().zip(values) {
                    let (list, own) = (&mut self.lists[column as usize], binary.signs[row] * value);
                    list.push((at as u32, own));
                    list.iter().for_each(|&(other, value)| line[other as usize] += own * value);
                    work += list.len() as u64;
                }
            } else {
                binary.rows.add(row, binary.signs[row], &mut full);
                for (product, &other) in line.iter_mut().zip(&self.members) {
                    *product = binary.margin(other, &full);
                    work += columns.len() as u64;
                }
                columns.iter().for_each(|&column| full[column as usize] = 0.0);
            }
            cancellation_point(work - before);
            self.lines.push(line);
        }
        work as f64
    }

    /// Returns the products of these members, as a matrix, without a free intercept.
    pub(crate) fn of(&self, binary: &Binary<'_>, rows: &[usize]) -> Lower {
        let mut gram = Lower::zeros(rows.len());
        for (i, &row) in rows.iter().enumerate() {
            let at = self.position[row] as usize;
            for (product, &other) in gram.values[i * gram.stride..].iter_mut().zip(&rows[..=i]) {
                let (of, other) = (other, self.position[other] as usize);
                *product = self.lines[at.max(other)][at.min(other)];
                if binary.bias.is_free() {
                    *product -= binary.signs[row] * binary.signs[of];
                }
            }
        }
        gram
    }
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

    /// Adds r x x' of a row.
    pub(crate) fn add_row(&mut self, rows: &Rows, row: usize, r: f64) {
        let (columns, values) = rows.row(row);
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
    pub(crate) fn factored(self) -> Option<Factor> {
        self.factored_after(&Factor::default(), 0)
    }

    /// Does the same with the first rows of the factor of a matrix that has the same `done` first rows, in
    /// whole blocks: no bit depends on it.
    pub(crate) fn factored_after(mut self, before: &Factor, done: usize) -> Option<Factor> {
        let done = done / BLOCK * BLOCK;
        let lines = self.values.chunks_mut(self.stride).zip(before.lower.values.chunks(before.lower.stride));
        for (row, (to, from)) in lines.enumerate().take(done) {
            to[..=row].copy_from_slice(&from[..=row]);
        }
        let mut inverses = before.inverses.clone();
        cholesky(&mut self.values, self.order, self.stride, done, &mut inverses).ok()?;
        Some(Factor { lower: self, inverses })
    }
}

impl Default for Lower {
    fn default() -> Self {
        Self::zeros(0)
    }
}

/// A Cholesky factor.
#[derive(Default)]
pub(crate) struct Factor {
    lower: Lower,
    /// Transposed inverses of the blocks on its diagonal.
    inverses: Vec<f64>,
}

impl Factor {
    /// Replaces the right side x by the solution.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        if self.lower.order > 0 {
            solve_lower(&self.lower.values, self.lower.stride, x);
            solve_lower_transposed(&self.lower.values, self.lower.stride, x);
        }
    }
}
