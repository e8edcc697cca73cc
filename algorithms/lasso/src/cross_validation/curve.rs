//! [`CurvePoint`]: the error on held-out rows at a lambda.

/// A lambda and its error on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// lambda, the same in every fold.
    pub lambda: f64,
    /// The mean over all held-out rows; for the area under the curve the mean of the folds' areas, weighted
    /// by their rows.
    pub mean: f64,
    /// The standard error of the mean, from the differences between folds; NaN for a single split.
    pub se: f64,
    /// Number of nonzero coefficients, averaged over the folds.
    pub nonzeros: f64,
}

impl raddle_tabular::folds::CurvePoint for CurvePoint {
    const SETTING: &'static str = "lambda";
    const SETTINGS: &'static str = "lambdas";
    const SIZE: &'static str = "nonzeros";
    const SERIES: [&'static str; 2] = ["l1_ratio", "l1 ratio"];

    fn new([lambda, mean, se, nonzeros]: [f64; 4]) -> Self {
        Self { lambda, mean, se, nonzeros }
    }

    fn values(&self) -> [f64; 4] {
        [self.lambda, self.mean, self.se, self.nonzeros]
    }
}

/// The curve of the lambdas of an l1 ratio, which is its [`series`](raddle_tabular::folds::Curve::series), by
/// falling lambda.
///
/// With K folds that hold out n_k rows, n together, and mean errors e_k, the mean is m = sum n_k e_k / n and
/// its standard error sqrt(sum n_k (e_k - m)^2 / n / (K - 1)). For equal folds that is the deviation of the K
/// errors over sqrt(K), as in Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd
/// edition, 7.10. Folds hold out each row once; with [`Split`](crate::Split)s, a row counts in each split
/// that tests it. Where rows have weights, n_k and n are their sums.
pub type Curve = raddle_tabular::folds::Curve<CurvePoint>;

/// Scores of one l1 ratio's path on the rows of one fold: their place is the fold, and the position of the l1
/// ratio, from 0. They can be stored as bytes ([`raddle::State`]).
pub type FoldScores = raddle_tabular::folds::FoldScores<(usize, usize)>;
