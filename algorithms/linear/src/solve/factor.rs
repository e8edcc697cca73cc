//! [`Factor`]: (I + sum r x x')^-1 by a Cholesky factor, of columns or of rows, whichever are fewer.

use raddle_lasso::kernels::{cholesky, solve_lower, solve_lower_transposed};

use crate::data::rows::Rows;

/// Order of the largest matrix that is factored: 512 MiB.
const MOST: usize = 8192;

/// Multiplications of a step on these rows, at most.
pub(crate) fn cost_of_step(rows: &Rows) -> f64 {
    let squares = (0..rows.count()).map(|row| (rows.row(row).0.len() as f64).powi(2)).sum::<f64>();
    let cube = |order: usize| (order as f64).powi(3) / 3.0;
    let by_columns = if rows.width() <= MOST { squares / 2.0 + cube(rows.width()) } else { f64::INFINITY };
    let by_rows = match rows.count() <= MOST {
        true => rows.count() as f64 * rows.stored() as f64 / 2.0 + cube(rows.count()),
        false => f64::INFINITY,
    };
    by_columns.min(by_rows)
}

/// `true` if a matrix of these rows' columns, or of so many of the rows, can be factored.
pub(crate) fn is_possible(rows: &Rows, count: usize) -> bool {
    rows.width().min(count) <= MOST
}

/// A factor of I + X'RX, or of R^-1 + XX' in its place.
pub(crate) struct Factor<'a> {
    rows: &'a Rows,
    /// (row, r) of the rows that count, all above 0; only where the factor is of rows.
    of_rows: Option<Vec<usize>>,
    lower: Vec<f64>,
    order: usize,
    stride: usize,
}

impl<'a> Factor<'a> {
    /// Factor for rows with these r, which are not negative. `None` where rounding leaves none.
    pub(crate) fn new(rows: &'a Rows, r: &[f64]) -> Option<Self> {
        let some: Vec<usize> = (0..r.len()).filter(|&row| r[row] > 0.0).collect();
        let by_rows = some.len() < rows.width();
        let order = if by_rows { some.len() } else { rows.width() };
        let stride = order.next_multiple_of(8).max(8);
        let mut lower = vec![0.0; order * stride];
        if by_rows {
            let mut full = vec![0.0; rows.width()];
            for (i, &row) in some.iter().enumerate() {
                rows.add(row, 1.0, &mut full);
                for (j, &other) in some[..=i].iter().enumerate() {
                    lower[i * stride + j] = rows.dot(other, &full);
                }
                lower[i * stride + i] += 1.0 / r[row];
                rows.row(row).0.iter().for_each(|&column| full[column as usize] = 0.0);
            }
        } else {
            (0..order).for_each(|at| lower[at * stride + at] = 1.0);
            for &row in &some {
                let (columns, values) = rows.row(row);
                for (p, (&i, value)) in columns.iter().zip(values).enumerate() {
                    let (scaled, to) = (r[row] * value, &mut lower[i as usize * stride..][..=i as usize]);
                    for (&j, other) in columns[..=p].iter().zip(values) {
                        to[j as usize] += scaled * other;
                    }
                }
            }
        }
        cholesky(&mut lower, order, stride, 0, &mut Vec::new()).ok()?;
        Some(Self { rows, of_rows: by_rows.then_some(some), lower, order, stride })
    }

    /// (I + X'RX)^-1 g.
    pub(crate) fn solve(&self, g: &[f64]) -> Vec<f64> {
        let mut x = g.to_vec();
        match &self.of_rows {
            None => self.back(&mut x),
            Some(some) => {
                let mut inner: Vec<f64> = some.iter().map(|&row| self.rows.dot(row, g)).collect();
                self.back(&mut inner);
                some.iter().zip(inner).for_each(|(&row, part)| self.rows.add(row, -part, &mut x));
            }
        }
        x
    }

    fn back(&self, x: &mut [f64]) {
        if self.order > 0 {
            solve_lower(&self.lower, self.stride, x);
            solve_lower_transposed(&self.lower, self.stride, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use raddle::random::Stream;
    use raddle_datasets::{Matrix, embedded};

    use super::*;

    /// Of columns where rows are many, of rows where they are few: the solution solves.
    #[test]
    fn solutions_solve_by_columns_and_by_rows() {
        let Matrix::Dense(x) = embedded::diabetes().x else { panic!("all values are stored") };
        for few in [442, 40, 7, 0] {
            let rows = Rows::of(&Matrix::Dense(x.clone()), 1.0);
            let mut draw = Stream::new(&[few as u64]);
            let r: Vec<f64> = (0..442).map(|row| if row < few { draw.unit() } else { 0.0 }).collect();
            let g: Vec<f64> = (0..rows.width()).map(|_| draw.unit() - 0.5).collect();
            let solved = Factor::new(&rows, &r).unwrap().solve(&g);
            let mut back = solved.clone();
            (0..442).for_each(|row| rows.add(row, r[row] * rows.dot(row, &solved), &mut back));
            let worst = (0..g.len()).map(|at| (back[at] - g[at]).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-8, "{few} rows: {worst}");
        }
    }
}
