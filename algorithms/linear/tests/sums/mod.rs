//! Fits by exact sums: their bytes, their rounds, their standard errors, and what is refused.

mod bad_input;
mod command_line;
mod parties;
mod rounds;
mod same_bytes;
mod standard_errors;

use raddle::random::Stream;
use raddle_datasets::{Csc, Matrix};
use raddle_linear::{Fit, Linear, Loss, Problem};

const SMOOTH: [Loss; 2] = [Loss::SquaredHinge, Loss::Logistic];

/// Dense rows of two classes.
#[derive(Clone)]
struct Given {
    rows: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Vec<f64>,
}

impl Given {
    /// Overlapping clouds whose columns depend on each other and differ in size by powers of ten; some rows
    /// are equal.
    fn clouds(count: usize, columns: usize, seed: u64) -> Self {
        let mut draw = Stream::new(&[seed, columns as u64]);
        let mut given = Self { rows: Vec::new(), y: Vec::new(), weights: Vec::new() };
        for number in 0..count {
            let y = f64::from(u8::from(draw.unit() < 0.4));
            let common = draw.unit() + 0.2 * y;
            let value = |column: usize| {
                let size = 10_f64.powi(column as i32 % 5 - 2);
                size * (common + draw.unit() + if column.is_multiple_of(3) { 0.3 * y } else { 0.0 })
            };
            let row: Vec<f64> = (0..columns).map(value).collect();
            let is_copy = number % 7 == 3;
            let (row, y) =
                if is_copy { (given.rows[number / 2].clone(), given.y[number / 2]) } else { (row, y) };
            given.rows.push(row);
            given.y.push(y);
            given.weights.push([1.0, 0.3, 0.0, 2.5][(number * number + number / 3) % 4]);
        }
        given
    }

    /// A copy of the rows in an order that is drawn.
    fn shuffled(&self, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..self.y.len()).collect();
        Stream::new(&[seed, 3]).shuffle(&mut order);
        let of = |values: &[f64]| order.iter().map(|&row| values[row]).collect();
        let rows = order.iter().map(|&row| self.rows[row].clone()).collect();
        Self { rows, y: of(&self.y), weights: of(&self.weights) }
    }

    fn matrix(&self) -> Matrix {
        let columns = self.rows[0].len();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in 0..columns {
            for (row, of) in self.rows.iter().enumerate().filter(|(_, of)| of[column] != 0.0) {
                indices.push(row as u32);
                values.push(of[column]);
            }
            starts.push(indices.len());
        }
        Matrix::Sparse(Csc::new_csc((self.rows.len(), columns), starts, indices, values))
    }

    fn problem(&self) -> Problem {
        Problem::new(&self.matrix(), &self.y, 1.0).unwrap()
    }
}

/// All that must be the same: the bits of the coefficients, the objective, the gap and the standard errors.
fn bits(fit: &Fit) -> (String, Vec<u64>) {
    let scorer = &fit.scorers[0];
    let mut bits = vec![scorer.objective.to_bits(), scorer.gap.to_bits(), scorer.intercept.to_bits()];
    if let Some(errors) = &fit.errors {
        bits.extend(errors.columns.iter().chain(&errors.intercept).map(|error| error.to_bits()));
    }
    (fit.digest(), bits)
}

fn linear(loss: Loss, c: f64) -> Linear {
    Linear::params().loss(loss).c(c).tolerance(1e-6)
}
