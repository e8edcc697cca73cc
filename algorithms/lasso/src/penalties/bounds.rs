//! Bounds of coefficients: `lower_j <= b_j <= upper_j`, with 0 between them.
//!
//! A bound relaxes the dual problem. On a forbidden side, such as below 0 for a coefficient that must not be
//! negative, x_j'theta is not limited. On a side with the bound u, x_j'theta may exceed L, but the dual
//! objective is then reduced by u max(0, x_j'theta - L), which comes from the conjugate of `L |b| on [lower,
//! upper]`. A certificate uses this only where a coefficient is at its bound u; elsewhere it keeps x_j'theta
//! <= L, which costs nothing.

use super::terms::Terms;
use crate::error::LassoError;

/// Coefficients at a bound: the distance of the bound from 0, and |x_j'r| towards the bound.
pub(crate) type ActiveBounds = Vec<(f64, f64)>;

/// Checks that there are bounds for each column, or none at all, each pair in order and around 0.
///
/// # Errors
/// If there are not.
pub(super) fn check(bounds: &[(f64, f64)], columns: usize) -> Result<(), LassoError> {
    if !bounds.is_empty() && bounds.len() != columns {
        return Err(LassoError::ColumnValues { what: "pairs of bounds", columns, values: bounds.len() });
    }
    match bounds.iter().position(|&(lower, upper)| !(lower <= 0.0 && upper >= 0.0)) {
        Some(at) => {
            let (lower, upper) = bounds[at];
            Err(LassoError::Bounds { column: at + 1, lower, upper })
        }
        None => Ok(()),
    }
}

/// Returns the sign by which a column is multiplied so that its coefficient may rise: -1 if it may only fall,
/// 0 if it must stay 0.
pub(super) fn sign(lower: f64, upper: f64) -> f64 {
    match (lower < 0.0, upper > 0.0) {
        (_, true) => 1.0,
        (true, false) => -1.0,
        (false, false) => 0.0,
    }
}

/// Returns the bounds of a coefficient that is multiplied by `unit` to be on the original scale.
pub(super) fn in_units(lower: f64, upper: f64, unit: f64) -> (f64, f64) {
    match unit {
        // The column is left out.
        0.0 => (0.0, f64::INFINITY),
        unit if unit < 0.0 => (0.0, lower / unit),
        unit => (if lower < 0.0 { lower / unit } else { 0.0 }, upper / unit),
    }
}

impl Terms {
    pub(crate) fn is_bounded(&self) -> bool {
        !self.upper.is_empty()
    }

    fn bounds(&self, j: usize) -> (f64, f64) {
        match (self.lower.get(j), self.upper.get(j)) {
            (Some(&lower), Some(&upper)) => (lower, upper),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Clamps a coefficient of column `j` to its bounds.
    pub(crate) fn clamp(&self, j: usize, value: f64) -> f64 {
        let (lower, upper) = self.bounds(j);
        value.clamp(lower, upper)
    }

    /// Returns the share of `change` after which a coefficient that starts at `from` meets a bound; infinite
    /// without a bound on that side.
    pub(crate) fn reach(&self, j: usize, from: f64, change: f64) -> f64 {
        let (lower, upper) = self.bounds(j);
        let bound = if change > 0.0 { upper } else { lower };
        if bound.is_finite() { (bound - from) / change } else { f64::INFINITY }
    }

    /// `true` for a coefficient at a bound other than 0.
    pub(crate) fn is_at_bound(&self, j: usize, value: f64) -> bool {
        let (lower, upper) = self.bounds(j);
        value != 0.0 && (value == lower || value == upper)
    }

    /// Returns x_j'r of a coefficient that is 0, or 0 if the bounds forbid the side to which it points.
    pub(crate) fn seen(&self, j: usize, slope: f64) -> f64 {
        if self.lower.get(j) == Some(&0.0) { slope.max(0.0) } else { slope }
    }

    /// Returns the part of the gradient x_j'r - R b_j that must stay below L. A gradient that pushes its
    /// coefficient against a bound is recorded in `active_bounds` instead.
    pub(crate) fn limiting(&self, j: usize, value: f64, slope: f64, active_bounds: &mut ActiveBounds) -> f64 {
        if self.is_at_bound(j, value) && slope * value > 0.0 {
            active_bounds.push((value.abs(), slope.abs()));
            return 0.0;
        }
        self.seen(j, slope).abs()
    }
}

/// Returns the reduction of the dual objective at k times the residual: the sum of u max(0, k |x_j'r| - L).
pub(crate) fn charge(active_bounds: &[(f64, f64)], scale: f64, penalty: f64) -> f64 {
    active_bounds.iter().map(|&(bound, slope)| bound * (scale * slope - penalty).max(0.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::PenaltyOptions;

    #[test]
    fn a_coefficient_that_may_only_fall_is_turned_round() {
        let infinite = f64::INFINITY;
        let asked = PenaltyOptions {
            factors: vec![2.0, 1.0, 4.0, 1.0],
            bounds: vec![(-3.0, 5.0), (-3.0, 0.0), (0.0, infinite), (0.0, 0.0)],
            ..PenaltyOptions::default()
        };
        let terms = asked.terms(4, |_| 10.0).expect("in range");
        assert_eq!(terms.units(), [0.5, -1.0, 0.25, 0.0]);
        assert_eq!(
            (0..4).map(|j| terms.bounds(j)).collect::<Vec<_>>(),
            [(-0.6, 1.0), (0.0, 0.3), (0.0, infinite), (0.0, infinite)]
        );
        assert_eq!((terms.seen(0, -2.0), terms.seen(1, -2.0), terms.seen(2, 2.0)), (-2.0, 0.0, 2.0));
        let mut active_bounds = Vec::new();
        assert_eq!(terms.limiting(1, 0.3, 7.0, &mut active_bounds), 0.0);
        assert_eq!(terms.limiting(1, 0.3, -7.0, &mut active_bounds), 0.0);
        assert_eq!(terms.limiting(0, -0.6, 7.0, &mut active_bounds), 7.0);
        assert_eq!(active_bounds, [(0.3, 7.0)]);
        assert_eq!(super::charge(&active_bounds, 0.5, 2.0), 0.3 * 1.5);
    }
}
