//! [`Course`]: the lambdas of a run, one after another.

use std::sync::Arc;

/// The weight of the penalty: lambda, or its ratio to lambda_max.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// The value of lambda.
    Lambda(f64),
    /// lambda_max divided by this ratio, where lambda_max is the smallest lambda without support: max |x_j'r|
    /// / (n a) with a the l1 ratio and r the residual of the fit without coefficients. For the squared loss r
    /// is the response; for the logistic loss without an intercept it is half of it, as 1 and -1.
    Ratio(f64),
}

/// The lambdas of a run: one, or those of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Course {
    One(Penalty),
    /// `points` values from lambda_max to lambda_max / `ratio`, evenly spaced in their logarithm.
    Path {
        points: usize,
        ratio: f64,
    },
    /// Points of a path that starts at `first` instead of lambda_max: a grid that several problems can share.
    Grid {
        first: f64,
        points: usize,
        ratio: f64,
    },
    /// Points of a path at these falling lambdas.
    Given(Arc<[f64]>),
}

/// Rule by which a path moves on from a point that is not certified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeaveRule {
    /// Limit of epochs for each point, plus the epochs that earlier points did not use.
    pub(crate) epochs: Option<u64>,
}

impl LeaveRule {
    /// `true` if the path should move on from the point at a position after this many epochs of the path.
    pub(crate) fn leaves(self, position: usize, epoch: u64) -> bool {
        self.epochs.is_some_and(|each| epoch >= each.saturating_mul(position as u64 + 1))
    }
}

impl Course {
    /// Returns the number of lambdas.
    pub(crate) fn len(&self) -> usize {
        match self {
            Course::One(_) => 1,
            Course::Path { points, .. } | Course::Grid { points, .. } => *points,
            Course::Given(lambdas) => lambdas.len(),
        }
    }

    /// `true` if a path is asked for, even one with a single point.
    pub(crate) fn is_path(&self) -> bool {
        !matches!(self, Course::One(_))
    }

    /// Returns n times the lambda at a position, for n rows and `largest` = n lambda_max.
    pub(crate) fn penalty(&self, position: usize, rows: usize, largest: f64) -> f64 {
        match *self {
            Course::One(Penalty::Lambda(lambda)) => lambda * rows as f64,
            Course::One(Penalty::Ratio(ratio)) => largest / ratio,
            Course::Path { points, ratio } => largest * share(position, points, ratio),
            Course::Grid { first, points, ratio } => first * share(position, points, ratio) * rows as f64,
            Course::Given(ref lambdas) => {
                lambdas.get(position).or(lambdas.last()).map_or(0.0, |lambda| lambda * rows as f64)
            }
        }
    }
}

/// Returns the lambda at a position as a share of the first lambda.
pub(crate) fn share(position: usize, points: usize, ratio: f64) -> f64 {
    let done = position as f64 / (points.max(2) - 1) as f64;
    // libm is compiled in, so that lambdas are the same on every machine.
    libm::exp10(-libm::log10(ratio) * done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_that_were_given_are_gone_through_one_by_one() {
        let course = Course::Given(Arc::from([0.5, 0.25]));
        assert_eq!((course.len(), course.is_path()), (2, true));
        assert_eq!([0, 1, 2].map(|at| course.penalty(at, 4, f64::NAN)), [2.0, 1.0, 1.0]);
    }

    #[test]
    fn epochs_that_points_have_not_taken_are_left_for_the_later_ones() {
        let rule = LeaveRule { epochs: Some(3) };
        let left = |position, epochs: [u64; 4]| epochs.map(|epoch| rule.leaves(position, epoch));
        assert_eq!(left(0, [1, 2, 3, 4]), [false, false, true, true]);
        assert_eq!(left(4, [13, 14, 15, 16]), [false, false, true, true]);
        assert!(!LeaveRule { epochs: None }.leaves(0, u64::MAX));
    }
}
