//! A face of F: the set of b with fixed nonzero coefficients and signs, ordered by the rows of the Newton
//! steps' factor.

use super::factor::Factor;
use super::local::Local;
use super::symmetric::Symmetric;
use raddle_kernels::algebra::sum_squares;

/// Coefficients, gradient and a direction of a factor's members, by its rows.
pub(super) struct Face {
    pub(super) members: Vec<usize>,
    pub(super) b: Vec<f64>,
    pub(super) g: Vec<f64>,
    /// The rate at which F falls as each coefficient grows: g - L s, with s the sign; 0 where b is 0.
    slopes: Vec<f64>,
    /// The Newton direction.
    pub(super) d: Vec<f64>,
}

impl Face {
    pub(super) fn new(local: &Local, factor: &Factor) -> Self {
        let members = factor.members().iter().map(|&i| i as usize).collect();
        let (b, g) = (by_place(factor, &local.b), by_place(factor, &local.g));
        Self { members, b, g, slopes: Vec::new(), d: Vec::new() }
    }

    /// Finds the Newton direction d from b; returns d'Gd.
    pub(super) fn direct(&mut self, penalty: f64, factor: &Factor) -> f64 {
        let slope = |(g, &b): (&f64, &f64)| if b == 0.0 { 0.0 } else { g - penalty * b.signum() };
        self.slopes.clear();
        self.slopes.extend(self.g.iter().zip(&self.b).map(slope));
        let mut z = self.slopes.clone();
        factor.forward(&mut z);
        sum_squares(&factor.solve(&z, &mut self.d))
    }

    /// Returns the rows whose coefficients would change sign at b + d.
    pub(super) fn wrong(&self) -> Vec<usize> {
        let changes = |at: &usize| self.b[*at] != 0.0 && (self.b[*at] + self.d[*at]) * self.b[*at] <= 0.0;
        (0..self.b.len()).filter(changes).collect()
    }

    /// Returns the value that d'Gd would have for orthogonal columns.
    pub(super) fn apart(&self, gram: &Symmetric) -> f64 {
        self.members.iter().zip(&self.d).map(|(&i, d)| gram.row(i)[i] * d * d).sum()
    }

    /// Moves b by `length` times d, and updates g. Returns the rows whose coefficients vanish there.
    pub(super) fn walk(&mut self, length: f64) -> Vec<usize> {
        let mut vanished = Vec::new();
        for (at, (b, d)) in self.b.iter_mut().zip(&self.d).enumerate().filter(|(_, (b, _))| **b != 0.0) {
            let end = *b + length * d;
            // The line search stops where a coefficient vanishes, up to rounding.
            *b = if end.abs() <= 1e-14 * b.abs() { 0.0 } else { end };
            if *b == 0.0 {
                vanished.push(at);
            }
        }
        self.g.iter_mut().zip(&self.slopes).for_each(|(g, slope)| *g -= length * slope);
        vanished
    }
}

/// Reorders values of members by the rows of a factor.
pub(super) fn by_place(factor: &Factor, values: &[f64]) -> Vec<f64> {
    factor.members().iter().map(|&i| values[i as usize]).collect()
}
