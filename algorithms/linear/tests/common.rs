//! Problems, and gaps by definitions that share no code with the library.

use raddle::random::Stream;
use raddle_datasets::{Csc, Matrix, Table, embedded};
use raddle_linear::{Loss, Problem};

pub(crate) const LOSSES: [Loss; 3] = [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic];

/// A matrix by rows, with its response.
pub(crate) struct Data {
    pub(crate) x: Matrix,
    pub(crate) y: Vec<f64>,
    /// Pairs (column, value) of each row.
    pub(crate) rows: Vec<Vec<(usize, f64)>>,
    /// The larger of two classes, or the largest.
    largest: f64,
}

impl Data {
    /// The embedded patients, above the mean or not.
    pub(crate) fn diabetes() -> Self {
        let table = embedded::diabetes();
        let mean = table.y.iter().sum::<f64>() / table.y.len() as f64;
        let y = table.y.iter().map(|y| f64::from(u8::from(*y > mean))).collect();
        Self::of(table.x, y)
    }

    /// Two overlapping clouds, with an empty row and a repeated one.
    pub(crate) fn clouds(rows: usize, columns: usize, seed: u64) -> Self {
        Self::around((0..rows).map(|row| if row % 3 == 0 { 2.0 } else { 1.0 }).collect(), columns, seed)
    }

    /// Clouds of several classes.
    pub(crate) fn classes(count: usize, (rows, columns): (usize, usize), seed: u64) -> Self {
        Self::around((0..rows).map(|row| (row % count) as f64 + 1.0).collect(), columns, seed)
    }

    /// Overlapping clouds, one for each value of the response.
    fn around(y: Vec<f64>, columns: usize, seed: u64) -> Self {
        let (rows, mut draw) = (y.len(), Stream::new(&[seed]));
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in 0..columns {
            // With more than two classes, columns speak for them by turns.
            let shift = |y: f64| if y > 2.0 && column % 2 == 0 { -0.6 } else { (y - 1.5) * 0.4 };
            let mut of: Vec<f64> = y
                .iter()
                .map(|y| if draw.unit() < 0.3 { 0.0 } else { draw.unit() - 0.5 + shift(*y) })
                .collect();
            of[1] = 0.0;
            of[5] = of[2];
            for (row, value) in of.into_iter().enumerate().filter(|(_, value)| *value != 0.0) {
                indices.push(row as u32);
                values.push(value);
            }
            starts.push(indices.len());
        }
        Self::of(Matrix::Sparse(Csc::new_csc((rows, columns), starts, indices, values)), y)
    }

    pub(crate) fn of(x: Matrix, y: Vec<f64>) -> Self {
        let mut rows = vec![Vec::new(); y.len()];
        match &x {
            Matrix::Dense(x) => {
                x.indexed_iter().for_each(|((row, column), value)| rows[row].push((column, *value)))
            }
            Matrix::Sparse(x) => {
                for (column, values) in x.outer_iterator().enumerate() {
                    values.iter().for_each(|(row, value)| rows[row].push((column, *value)));
                }
            }
        }
        let largest = y.iter().copied().fold(f64::MIN, f64::max);
        Self { x, y, rows, largest }
    }

    pub(crate) fn table(table: Table) -> Self {
        Self::of(table.x, table.y)
    }

    /// The rows of a class against all others.
    pub(crate) fn against(&self, class: f64) -> Self {
        let y = self.y.iter().map(|y| f64::from(u8::from(*y == class))).collect();
        Self::of(self.x.clone(), y)
    }

    /// Returns the data of each binary problem: one for two classes, else one per class.
    pub(crate) fn binaries(&self) -> Vec<Self> {
        let mut classes = self.y.clone();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        let of = if classes.len() == 2 { &classes[1..] } else { &classes[..] };
        of.iter().map(|class| self.against(*class)).collect()
    }

    pub(crate) fn problem(&self, bias: f64) -> Problem {
        Problem::new(&self.x, &self.y, bias).unwrap()
    }

    /// 1 for the larger class, -1 for the other.
    pub(crate) fn sign(&self, row: usize) -> f64 {
        if self.y[row] == self.largest { 1.0 } else { -1.0 }
    }

    pub(crate) fn score(&self, row: usize, w: &[f64], intercept: f64) -> f64 {
        self.rows[row].iter().map(|(column, value)| value * w[*column]).sum::<f64>() + intercept
    }

    /// Returns P of coefficients with these weights of rows.
    pub(crate) fn primal(&self, loss: Loss, costs: &[f64], (w, intercept, bias): (&[f64], f64, f64)) -> f64 {
        let own = if bias == 0.0 { 0.0 } else { (intercept / bias).powi(2) };
        let half = 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + own);
        let of = |row: usize| {
            let margin = self.sign(row) * self.score(row, w, intercept);
            costs[row]
                * match loss {
                    Loss::Hinge => (1.0 - margin).max(0.0),
                    Loss::SquaredHinge => (1.0 - margin).max(0.0).powi(2),
                    Loss::Logistic => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
                }
        };
        half + (0..self.y.len()).map(of).sum::<f64>()
    }

    /// Returns D of dual values, whose weights are computed here; minus infinity outside the bounds.
    pub(crate) fn dual(&self, loss: Loss, costs: &[f64], (a, bias, columns): (&[f64], f64, usize)) -> f64 {
        let (mut w, mut own, mut sum) = (vec![0.0; columns], 0.0, 0.0);
        for (row, (&a, &c)) in raddle_common::testing::pairs(a, costs).enumerate() {
            let upper = if loss == Loss::SquaredHinge { f64::INFINITY } else { c };
            if !(0.0..=upper).contains(&a) {
                return f64::NEG_INFINITY;
            }
            self.rows[row].iter().for_each(|(column, value)| w[*column] += a * self.sign(row) * value);
            own += a * self.sign(row) * bias;
            let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
            if c == 0.0 {
                continue; // its loss counts nothing, and its dual value is 0
            }
            sum += match loss {
                Loss::Hinge => a,
                Loss::SquaredHinge => a - a * a / (4.0 * c),
                Loss::Logistic => c * (entropy(a / c) + entropy(1.0 - a / c)),
            };
        }
        sum - 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + own * own)
    }
}

/// Coefficients with every column.
pub(crate) fn all(coefficients: &[(u32, f64)], columns: usize) -> Vec<f64> {
    let mut w = vec![0.0; columns];
    coefficients.iter().for_each(|(column, value)| w[*column as usize] = *value);
    w
}
