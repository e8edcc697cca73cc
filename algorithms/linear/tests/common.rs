//! Problems, and gaps by definitions that share no code with the library.

use raddle::random::Stream;
use raddle_datasets::{Csc, Matrix, Table, embedded};
use raddle_linear::{Bias, Loss, Problem};

pub(crate) const LOSSES: [Loss; 3] = [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic];

/// Losses with an intercept without penalty.
pub(crate) const FREE: [Loss; 3] = [Loss::SquaredHinge, Loss::Logistic, Loss::Multinomial];

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

    pub(crate) fn problem(&self, bias: impl Into<Bias>) -> Problem {
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
    pub(crate) fn primal(&self, loss: Loss, costs: &[f64], (w, intercept, bias): (&[f64], f64, Bias)) -> f64 {
        let own = own_weight(intercept, bias).powi(2);
        let half = 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + own);
        let of = |row: usize| {
            let margin = self.sign(row) * self.score(row, w, intercept);
            costs[row]
                * match loss {
                    Loss::Hinge => (1.0 - margin).max(0.0),
                    Loss::SquaredHinge => (1.0 - margin).max(0.0).powi(2),
                    Loss::Logistic | Loss::Multinomial => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
                }
        };
        half + (0..self.y.len()).map(of).sum::<f64>()
    }

    /// Returns P and D of all classes together, of coefficients and dual values for each class; D is minus
    /// infinity outside the bounds.
    pub(crate) fn together(
        &self,
        costs: &[f64],
        (w, intercepts): (&[Vec<f64>], &[f64]),
        (a, bias): (&[Vec<f64>], Bias),
    ) -> (f64, f64) {
        let mut classes = self.y.clone();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        let owns = intercepts.iter().map(|of| 0.5 * own_weight(*of, bias).powi(2)).sum::<f64>();
        let (mut primal, mut dual) = (w.iter().map(|w| half_square(w)).sum::<f64>() + owns, 0.0);
        let mut sums = vec![vec![0.0; w[0].len() + 1]; w.len()];
        for (row, c) in costs.iter().enumerate() {
            let own = classes.iter().position(|class| *class == self.y[row]).unwrap();
            let scores: Vec<f64> =
                raddle_common::testing::pairs(w, intercepts).map(|(w, b)| self.score(row, w, *b)).collect();
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            primal += c * (most - scores[own] + scores.iter().map(|s| (s - most).exp()).sum::<f64>().ln());
            let others: f64 = (0..w.len()).filter(|class| *class != own).map(|class| a[class][row]).sum();
            if !(0.0..=*c).contains(&a[own][row]) || (others - a[own][row]).abs() > 1e-12 * c {
                return (primal, f64::NEG_INFINITY);
            }
            for (class, sums) in sums.iter_mut().enumerate() {
                let (of, signed) = match (a[class][row], class == own) {
                    (a, true) => (c - a, a),
                    (a, false) => (a, -a),
                };
                dual -= if of > 0.0 { of * (of / c).ln() } else { 0.0 };
                self.rows[row].iter().for_each(|(column, value)| sums[*column] += signed * value);
                *sums.last_mut().unwrap() += signed * bias.value();
            }
        }
        for sums in &sums {
            let (own, columns) = sums.split_last().unwrap();
            dual -= half_square(columns) + if bias == Bias::Free { 0.0 } else { 0.5 * own * own };
            if bias == Bias::Free && own.abs() > 1e-11 * costs.iter().sum::<f64>() {
                return (primal, f64::NEG_INFINITY);
            }
        }
        (primal, dual)
    }

    /// Returns D of dual values, whose weights are computed here; minus infinity outside the bounds.
    pub(crate) fn dual(&self, loss: Loss, costs: &[f64], (a, bias, columns): (&[f64], Bias, usize)) -> f64 {
        let (mut w, mut own, mut sum) = (vec![0.0; columns], 0.0, 0.0);
        let all: f64 = a.iter().sum();
        for (row, (&a, &c)) in raddle_common::testing::pairs(a, costs).enumerate() {
            let upper = if loss == Loss::SquaredHinge { f64::INFINITY } else { c };
            if !(0.0..=upper).contains(&a) {
                return f64::NEG_INFINITY;
            }
            self.rows[row].iter().for_each(|(column, value)| w[*column] += a * self.sign(row) * value);
            own += a * self.sign(row) * bias.value();
            let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
            if c == 0.0 {
                continue; // its loss counts nothing, and its dual value is 0
            }
            sum += match loss {
                Loss::Hinge => a,
                Loss::SquaredHinge => a - a * a / (4.0 * c),
                Loss::Logistic | Loss::Multinomial => c * (entropy(a / c) + entropy(1.0 - a / c)),
            };
        }
        if bias == Bias::Free {
            return if own.abs() <= 1e-11 * all { sum - half_square(&w) } else { f64::NEG_INFINITY };
        }
        sum - half_square(&w) - 0.5 * own * own
    }
}

/// The weight of the constant column that is penalised.
fn own_weight(intercept: f64, bias: Bias) -> f64 {
    match bias {
        Bias::Penalized(value) if value != 0.0 => intercept / value,
        _ => 0.0,
    }
}

fn half_square(w: &[f64]) -> f64 {
    0.5 * w.iter().map(|w| w * w).sum::<f64>()
}

/// Coefficients with every column.
pub(crate) fn all(coefficients: &[(u32, f64)], columns: usize) -> Vec<f64> {
    let mut w = vec![0.0; columns];
    coefficients.iter().for_each(|(column, value)| w[*column as usize] = *value);
    w
}
