//! [`Binary`]: a problem of two classes, with the weight of each row's loss.

use super::bias::Bias;
use super::rows::Rows;
use crate::loss::Loss;
use raddle_kernels::algebra::{logistic, logistic_loss};
use raddle_kernels::sweeps::{Coordinate, add_rows};

/// Smallest initial dual value of the logistic loss: a fraction of its upper bound, and an absolute limit. At
/// 0 the entropy has no finite slope.
const FIRST: (f64, f64) = (1e-3, 1e-8);

/// A binary problem: P(w) = |w|^2 / 2 + sum c phi(y x'w).
pub(crate) struct Binary<'a> {
    pub(crate) rows: &'a Rows,
    /// 1 for rows of the class, -1 for the others.
    pub(crate) signs: Vec<f64>,
    /// Weight c of each row's loss.
    pub(crate) costs: Vec<f64>,
    pub(crate) loss: Loss,
    pub(crate) bias: Bias,
    /// Number of rows of the matrix at each place.
    pub(crate) copies: &'a [u32],
}

impl Binary<'_> {
    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.signs.len()
    }

    /// Returns the penalised ones of weights.
    pub(crate) fn penalized<'w>(&self, w: &'w [f64]) -> &'w [f64] {
        &w[..w.len() - usize::from(self.bias.is_free() && !w.is_empty())]
    }

    /// Returns the margin y x'w of a row.
    pub(crate) fn margin(&self, row: usize, w: &[f64]) -> f64 {
        self.signs[row] * self.rows.dot(row, w)
    }

    /// Returns the margins of all rows.
    pub(crate) fn margins(&self, w: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.count()];
        self.rows.products(w, &mut margins);
        margins.iter_mut().zip(&self.signs).for_each(|(m, sign)| *m *= sign);
        margins
    }

    /// Returns w = sum a y x, added row by row.
    pub(crate) fn weights_of(&self, a: &[f64]) -> Vec<f64> {
        let factors: Vec<f64> = a.iter().zip(&self.signs).map(|(a, sign)| a * sign).collect();
        let mut w = vec![0.0; self.rows.width()];
        add_rows(self.rows.view(), &factors, &mut w);
        w
    }

    /// Returns the coordinate of a row in the dual of a hinge loss; `None` for a row with weight 0.
    pub(crate) fn coordinate(&self, row: usize) -> Option<Coordinate> {
        let c = self.costs[row];
        let own = if self.loss == Loss::SquaredHinge { 0.5 / c } else { 0.0 };
        let (sign, upper) = (self.signs[row], self.upper(row));
        let curvature = self.rows.square(row) + own;
        (c > 0.0).then_some(Coordinate { row: row as u32, sign, own, curvature, upper })
    }

    /// Returns minus the first derivative of each row's loss at these margins, and the second derivative.
    pub(crate) fn slopes(&self, margins: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let of = |(m, c): (&f64, &f64)| {
            let (down, second) = self.loss.slopes(*m);
            (c * down, c * second)
        };
        if self.loss == Loss::Logistic {
            let (mut down, mut second) = (vec![0.0; margins.len()], vec![0.0; margins.len()]);
            let ones = vec![1.0; margins.len()];
            logistic((&ones, margins, Some(&self.costs)), &mut down, &mut second);
            return (down, second);
        }
        margins.iter().zip(&self.costs).map(of).unzip()
    }

    /// Returns the sum of the losses at these margins.
    pub(crate) fn lost(&self, margins: &[f64]) -> f64 {
        if self.loss == Loss::Logistic {
            return logistic_loss((&vec![1.0; margins.len()], margins, Some(&self.costs)));
        }
        let of = |(m, c): (&f64, &f64)| if *c > 0.0 { c * self.loss.value(*m) } else { 0.0 };
        margins.iter().zip(&self.costs).map(of).sum()
    }

    /// Returns the nearest dual value of a row from which a fit may start.
    pub(crate) fn inside(&self, row: usize, value: f64) -> f64 {
        let upper = self.upper(row);
        let inside = if self.loss == Loss::Logistic { (FIRST.0 * upper).min(FIRST.1) } else { 0.0 };
        value.clamp(inside, upper - inside)
    }

    /// Returns the upper bound of a row's dual value.
    pub(crate) fn upper(&self, row: usize) -> f64 {
        self.loss.upper(self.costs[row])
    }
}
