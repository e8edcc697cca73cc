//! Magnitudes that can be fitted. Outside them squares overflow or underflow, and no gap can be certified.
//!
//! Fits work with squares and products of norms: y'y, x_j'y, x_j'x_j, and squares of x_j'y. Norms between
//! [`LEAST`] and [`MOST`], and products below [`MOST_PRODUCT`], keep all of these within double precision
//! (2e-308 to 2e308) with a margin for a gap of 1e-12 of the objective.

use crate::error::LassoError;

/// The smallest norm of a column or a response that can be fitted, other than 0.
const LEAST: f64 = 1e-140;

/// The largest norm of a column or a response that can be fitted.
const MOST: f64 = 1e140;

/// The largest product of a column's norm and the response's, which is squared.
const MOST_PRODUCT: f64 = 1e150;

/// A standard deviation below this share of the mean is rounding.
const ROUNDING: f64 = 1e-14;

/// A standard deviation above this share of the mean shows that a column varies; below it, the column's
/// smallest and largest values decide.
const CLEAR: f64 = 1e-9;

/// The smallest and the largest of some values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    least: f64,
    most: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let none = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };
        values.iter().fold(none, |spread, &value| spread.with(value))
    }

    pub(crate) fn with(self, value: f64) -> Self {
        Self { least: self.least.min(value), most: self.most.max(value) }
    }

    /// Returns the largest absolute value; 0 of no values.
    pub(crate) fn largest(self) -> f64 {
        self.most.max(-self.least).max(0.0)
    }

    /// Returns the largest value less the smallest; 0 of no values.
    pub(crate) fn width(self) -> f64 {
        if self.most > self.least { self.most - self.least } else { 0.0 }
    }
}

/// `true` for a column whose standard deviation is below `negligible` or, compared with its mean, rounding.
pub(crate) fn is_constant(mean: f64, deviation: f64, negligible: f64, spread: impl Fn() -> Spread) -> bool {
    if deviation < negligible {
        return true;
    }
    if deviation > CLEAR * mean.abs() && deviation >= LEAST || deviation.is_nan() {
        return false;
    }
    let spread = spread();
    spread.width() == 0.0 || deviation >= LEAST && deviation <= ROUNDING * mean.abs()
}

/// `true` if a column whose norm is `size` sqrt(n) can be fitted, whatever its values.
pub(crate) fn is_safe(size: f64) -> bool {
    (LEAST..=MOST).contains(&size)
}

/// Checks that a column (from 0) whose norm is `size` sqrt(n) can be fitted.
///
/// # Errors
/// If the squares of its values overflow or underflow.
pub(crate) fn check_column(column: usize, size: f64, spread: impl Fn() -> Spread) -> Result<(), LassoError> {
    if is_safe(size) {
        return Ok(());
    }
    match spread().largest() {
        0.0 => Ok(()),
        // A constant column that is centred is zero, however large its values are.
        largest if size == 0.0 && largest >= LEAST => Ok(()),
        largest => Err(LassoError::Column { column: column + 1, largest }),
    }
}

/// Checks that the squared loss can be minimised for a response with this largest value and this norm after
/// centring. `longest` has the norm and the number (from 0) of the longest column.
///
/// # Errors
/// If squares overflow or underflow.
pub(crate) fn check_response(largest: f64, norm: f64, longest: (f64, usize)) -> Result<(), LassoError> {
    // Equal values are zero after centring.
    let fits =
        |norm: f64| norm == 0.0 && (largest == 0.0 || largest >= LEAST) || (LEAST..=MOST).contains(&norm);
    if largest > MOST || !fits(norm) {
        return Err(LassoError::Response { largest });
    }
    if norm * longest.0 > MOST_PRODUCT {
        return Err(LassoError::Product { column: longest.1 + 1, norm: longest.0, largest });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_vary_is_constant() {
        let of = |values: &[f64], negligible: f64| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
            is_constant(mean, (squares / values.len() as f64).sqrt(), negligible, || Spread::of(values))
        };
        for negligible in [0.0, 1e-12] {
            assert!(of(&[0.1; 1000], negligible) && of(&[0.0; 3], negligible));
            assert!(!of(&[1e9, 1e9 + 1.0, 1e9 + 2.0], negligible));
        }
        assert!(of(&[1e9; 1001], 0.0), "rounding of the mean alone");
        assert!(of(&[0.3, 0.1 + 0.2, 0.3], 0.0), "rounding of the values alone");
        assert!(!of(&[1e-13, 2e-13, 4e-13], 0.0) && of(&[1e-13, 2e-13, 4e-13], 1e-12));
        assert!(!of(&[1e-200, 2e-200], 0.0), "too small to be fitted, but not constant");
    }

    #[test]
    fn norms_beyond_what_squares_hold_are_refused() {
        let column = |size, largest| check_column(2, size, || Spread::of(&[largest]));
        assert!(column(1.0, 1.0).is_ok() && column(0.0, 0.0).is_ok() && column(0.0, 5.0).is_ok());
        for (size, largest) in [(0.0, 1e-200), (1e-150, 1e-150), (1e150, 1e150), (f64::NAN, 1e308)] {
            let error = column(size, largest).unwrap_err().to_string();
            assert!(error.starts_with("column 3 has values of up to"), "{error}");
        }
        let longest = (10.0, 4);
        assert!(check_response(3.0, 5.0, longest).is_ok() && check_response(0.0, 0.0, longest).is_ok());
        assert!(check_response(7.0, 0.0, longest).is_ok(), "centred to zeros");
        for size in [1e-162, 1e-300, 1e154, 1e308] {
            let error = check_response(size, size, longest).unwrap_err().to_string();
            assert!(error.contains("scale the response"), "{error}");
        }
        // Without centring, the squares of equal values still overflow.
        let error = check_response(1e200, 0.0, longest).unwrap_err().to_string();
        assert!(error.contains("scale the response"), "{error}");
        let error = check_response(1e100, 1e100, (1e100, 4)).unwrap_err().to_string();
        assert!(error.contains("column 5"), "{error}");
    }
}
