//! [`Course`]: the lambdas that a run goes through, one after the other.

/// Which lambda.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// lambda itself.
    Lambda(f64),
    /// lambda_max divided by this ratio, where lambda_max is the smallest lambda without support: max |x_j'r|
    /// / (n a) with a the l1 ratio and r the residual of the fit without coefficients. For the squared loss r
    /// is the response; for the logistic loss without an intercept it is half of it, as 1 and -1.
    Ratio(f64),
}

/// The lambdas of a run: one, or a path from lambda_max down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Course {
    One(Penalty),
    /// `points` values from lambda_max to lambda_max / `ratio`, evenly spaced in their logarithm.
    Path {
        points: usize,
        ratio: f64,
    },
    /// Points of a path from `first` instead of lambda_max: a grid that several problems can share.
    Grid {
        first: f64,
        points: usize,
        ratio: f64,
    },
}

impl Course {
    /// How many lambdas there are.
    pub(crate) fn len(self) -> usize {
        match self {
            Course::One(_) => 1,
            Course::Path { points, .. } | Course::Grid { points, .. } => points,
        }
    }

    /// True if the points of a path are asked for, even if there is only one.
    pub(crate) fn is_path(self) -> bool {
        !matches!(self, Course::One(_))
    }

    /// n times the lambda at a position, for n rows and `largest` = n lambda_max.
    pub(crate) fn penalty(self, position: usize, rows: usize, largest: f64) -> f64 {
        match self {
            Course::One(Penalty::Lambda(lambda)) => lambda * rows as f64,
            Course::One(Penalty::Ratio(ratio)) => largest / ratio,
            Course::Path { points, ratio } => largest * share(position, points, ratio),
            Course::Grid { first, points, ratio } => first * share(position, points, ratio) * rows as f64,
        }
    }
}

/// The part of the first lambda that is left at a position.
pub(crate) fn share(position: usize, points: usize, ratio: f64) -> f64 {
    let done = position as f64 / (points.max(2) - 1) as f64;
    // Compiled in: the same lambdas on every machine.
    libm::exp10(-libm::log10(ratio) * done)
}
