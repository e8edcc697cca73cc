//! Penalty factors: `f_j |b_j|` in place of `|b_j|`, as of an adaptive Lasso (Zou, "The adaptive lasso and
//! its oracle properties", 2006).

use crate::error::LassoError;

/// Factors beyond these would leave the range of what columns may be.
const RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Check that there is a factor for each column, or none at all, each in its range.
///
/// # Errors
/// If not.
pub(super) fn check(factors: &[f64], columns: usize) -> Result<(), LassoError> {
    if !factors.is_empty() && factors.len() != columns {
        return Err(LassoError::ColumnValues { what: "factors", columns, values: factors.len() });
    }
    match factors.iter().position(|factor| *factor != 0.0 && !RANGE.contains(factor)) {
        Some(at) => Err(LassoError::Factor { column: at + 1, value: factors[at] }),
        None => Ok(()),
    }
}

/// Factor from a coefficient of a run to one as prepared; 0 for a column that is fitted beside the others.
pub(super) fn unit(factor: f64) -> f64 {
    if factor == 0.0 { 0.0 } else { 1.0 / factor }
}
