//! The residual of a smooth loss made orthogonal to the coefficients without a penalty: an intercept, free
//! columns, or both for every class.

use super::classes::Directions;
use super::linear_predictor::{Response, Scores};

impl Scores {
    /// Moves the scores until the residual is orthogonal to the intercept and the free columns. Returns the
    /// movement of the intercept, and of the free columns along their basis; with classes, those of every
    /// class with its intercept.
    pub(crate) fn settle_all(&mut self, response: Response<'_>) -> (f64, Vec<f64>) {
        let rows = response.rows;
        let (has_classes, has_intercept) = (rows.classes > 0, rows.intercept);
        if !has_classes && rows.free.is_none() {
            return (if has_intercept { self.settle(response) } else { 0.0 }, Vec::new());
        }
        let (mut parts, _) = Directions::new(rows).settle(self, response);
        let first = if has_intercept && !has_classes { parts.remove(0) } else { 0.0 };
        (first, parts)
    }
}
