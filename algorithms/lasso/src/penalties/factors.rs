//! Penalty factors: `f_j |b_j|` in place of `|b_j|`, as in an adaptive Lasso (Zou, "The adaptive lasso and
//! its oracle properties", 2006).

use crate::error::LassoError;

/// Range of factors: beyond it scaled columns would leave the range that can be fitted.
const RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Checks that there is a factor for each column, or none at all, each in its range.
///
/// # Errors
/// If there is not.
pub(super) fn check(factors: &[f64], columns: usize) -> Result<(), LassoError> {
    if !factors.is_empty() && factors.len() != columns {
        return Err(LassoError::ColumnValues { what: "factors", columns, values: factors.len() });
    }
    match factors.iter().position(|factor| *factor != 0.0 && !RANGE.contains(factor)) {
        Some(at) => Err(LassoError::Factor { column: at + 1, value: factors[at] }),
        None => Ok(()),
    }
}

/// Returns the factor from a coefficient of a run to one as prepared; 0 for a free column, which is fitted
/// separately.
pub(super) fn unit(factor: f64) -> f64 {
    if factor == 0.0 { 0.0 } else { 1.0 / factor }
}
