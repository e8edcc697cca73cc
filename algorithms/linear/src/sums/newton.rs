//! Newton steps and standard errors from summed second derivatives.

use crate::solve::gram::{Factor, Lower};

/// Tries to factor a matrix that rounding made singular, each with more on its diagonal.
const TRIES: i32 = 6;
/// Ratio of a coefficient's variance to that of the column alone from which rounding decides it.
const UNKNOWN: f64 = 1e12;
/// Largest relative error of a variance by the rounding of the sums.
const ROUNDED: f64 = 1e-3;

/// Second derivatives of the losses: the lower triangle, by columns that are divided by their scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curved<'a> {
    pub(super) second: &'a [f64],
    pub(super) scales: &'a [f64],
}

impl Curved<'_> {
    /// Factors the matrix with more on its diagonal: a value by the scaled column.
    fn factored(self, more: impl Fn(usize) -> f64) -> Option<Factor> {
        let mut lower = Lower::zeros(self.scales.len());
        let mut rest = self.second;
        for at in 0..lower.order {
            let (line, next) = rest.split_at(at + 1);
            lower.values[at * lower.stride..][..=at].copy_from_slice(line);
            lower.add_diagonal(at, more(at));
            rest = next;
        }
        lower.factored()
    }

    fn diagonal(self, at: usize) -> f64 {
        self.second[at * (at + 3) / 2]
    }
}

/// Returns the step for this negative gradient, both by scaled columns; `None` if no matrix can be factored.
pub(super) fn newton_step(curved: Curved<'_>, down: &[f64]) -> Option<Vec<f64>> {
    // The penalty |w|^2 / 2.
    let penalty = |at: usize| curved.scales[at].powi(-2);
    let most = (0..down.len()).map(|at| curved.diagonal(at) + penalty(at)).fold(0.0, f64::max);
    let ridge = |attempt: i32| if attempt == 0 { 0.0 } else { most * 100_f64.powi(attempt - 8) };
    let factor = (0..TRIES).find_map(|attempt| curved.factored(|at| penalty(at) + ridge(attempt)))?;
    let mut step = down.to_vec();
    factor.solve(&mut step);
    step.iter().all(|step| step.is_finite()).then_some(step)
}

/// Returns the standard error of each weight, for losses of weight `c`: the roots of the diagonal of the
/// inverse of the second derivatives, of which none is off by more than `rounding`. NaN where columns depend
/// on each other, or are empty, or where rounding decides, such as that of a column with one value far beyond
/// all others.
pub(super) fn standard_errors(curved: Curved<'_>, c: f64, rounding: f64) -> Vec<f64> {
    let width = curved.scales.len();
    let Some(factor) = curved.factored(|_| 0.0) else { return vec![f64::NAN; width] };
    let error = |at: usize| {
        raddle::cancellation_point((width * width) as u64);
        let mut unit = vec![0.0; width];
        unit[at] = 1.0;
        factor.solve(&mut unit);
        let sum: f64 = unit.iter().map(|entry| entry.abs()).sum();
        let is_exact = rounding * sum * sum <= ROUNDED * unit[at];
        let is_known = is_exact && unit[at] * curved.diagonal(at) < UNKNOWN;
        if is_known { (c * unit[at]).sqrt() / curved.scales[at] } else { f64::NAN }
    };
    (0..width).map(error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_rounding_decides_is_unknown() {
        let errors =
            |second: [f64; 3]| standard_errors(Curved { second: &second, scales: &[1.0, 0.5] }, 1.0, 0.0);
        assert_eq!(errors([4.0, 0.0, 16.0]), [0.5, 0.5]);
        assert!(errors([1.0, 1.0, 1.0 + 1e-13]).iter().all(|error| error.is_nan()));
    }
}
