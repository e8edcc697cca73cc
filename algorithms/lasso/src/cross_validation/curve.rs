//! [`Curve`]: the error on held-out rows, along a path of lambdas.

use raddle_common::folds::{Mean, Means, Rule};

use super::criterion::Criterion;
use crate::loss::Loss;

/// Scores of one l1 ratio's path on the rows of one fold. They can be stored as bytes ([`raddle::State`]).
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScores {
    /// The fold, and the position of the l1 ratio, from 0.
    pub(crate) place: (usize, usize),
    /// Total weight of the held-out rows.
    pub(crate) rows: f64,
    /// The mean measure over the held-out rows, for each lambda.
    pub(crate) means: Vec<f64>,
    /// Number of nonzero coefficients, for each lambda.
    pub(crate) nonzeros: Vec<usize>,
    /// The largest relative duality gap of the path's points.
    pub(crate) worst_gap: f64,
}

raddle::state!(FoldScores { place, rows, means, nonzeros, worst_gap });

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

/// The curve of a cross-validation.
///
/// With K folds that hold out n_k rows, n together, and mean errors e_k, the mean is m = sum n_k e_k / n and
/// its standard error sqrt(sum n_k (e_k - m)^2 / n / (K - 1)). For equal folds that is the deviation of the K
/// errors over sqrt(K), as in Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd
/// edition, 7.10. Folds hold out each row once; with [`Split`](crate::Split)s, a row counts in each split
/// that tests it. Where rows have weights, n_k and n are their sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The loss that was fitted.
    pub loss: Loss,
    /// The measure on held-out rows.
    pub criterion: Criterion,
    /// The share of the l1 norm in the penalty.
    pub l1_ratio: f64,
    /// The points, at least one, by falling lambda.
    pub points: Vec<CurvePoint>,
    means: Means,
}

impl Curve {
    /// A curve from the scores of at least two folds, each with a score for each lambda.
    pub(crate) fn new(
        (loss, criterion, l1_ratio): (Loss, Criterion, f64),
        lambdas: &[f64],
        folds: &[&FoldScores],
    ) -> Self {
        let of: Vec<(f64, &[f64])> = folds.iter().map(|fold| (fold.rows, &fold.means[..])).collect();
        // The largest lambda, which comes first, is the simplest.
        let means = Means::new(&of, criterion.is_larger_better());
        let point = |(at, (&lambda, &Mean { mean, se })): (usize, (&f64, &Mean))| {
            let nonzeros = folds.iter().map(|fold| fold.nonzeros[at]).sum::<usize>() as f64;
            CurvePoint { lambda, mean, se, nonzeros: nonzeros / folds.len() as f64 }
        };
        let points = lambdas.iter().zip(&means.points).enumerate().map(point).collect();
        Self { loss, criterion, l1_ratio, points, means }
    }

    /// Returns the position of the curve with the best mean, of several l1 ratios; among equals the first.
    ///
    /// # Panics
    /// If there is no curve.
    pub fn best(curves: &[Curve]) -> usize {
        assert!(!curves.is_empty(), "a curve for each l1 ratio, and there is one");
        let sign = if curves[0].criterion.is_larger_better() { -1.0 } else { 1.0 };
        let error = |at: usize| sign * curves[at].choose(Rule::Min).mean;
        (0..curves.len()).fold(0, |best, at| if error(at) < error(best) { at } else { best })
    }

    /// Returns the position of the chosen lambda in [`points`](Curve::points).
    pub fn position(&self, rule: Rule) -> usize {
        self.means.position(rule)
    }

    /// Returns the chosen lambda and its error.
    pub fn choose(&self, rule: Rule) -> CurvePoint {
        self.points[self.position(rule)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(rows: usize, means: &[f64]) -> FoldScores {
        let nonzeros = (0..means.len()).collect();
        FoldScores { place: (0, 0), rows: rows as f64, means: means.to_vec(), nonzeros, worst_gap: 0.0 }
    }

    fn curve(criterion: Criterion, lambdas: &[f64], folds: &[FoldScores]) -> Curve {
        Curve::new((Loss::Squared, criterion, 1.0), lambdas, &folds.iter().collect::<Vec<_>>())
    }

    #[test]
    fn mean_and_standard_error_are_those_of_equal_folds() {
        let curve = curve(Criterion::Mse, &[1.0], &[fold(4, &[1.0]), fold(4, &[2.0]), fold(4, &[6.0])]);
        let CurvePoint { mean, se, .. } = curve.points[0];
        // Deviations -2, -1, 3: variance 14 / 2, over 3 folds.
        assert!((mean - 3.0).abs() < 1e-15 && (se - (7.0f64 / 3.0).sqrt()).abs() < 1e-15, "{mean} {se}");
    }

    #[test]
    fn the_mean_is_over_rows() {
        let curve = curve(Criterion::Mse, &[1.0], &[fold(1, &[4.0]), fold(3, &[0.0])]);
        assert_eq!(curve.points[0].mean, 1.0);
    }

    #[test]
    fn the_rules_choose_the_smallest_mean_and_the_largest_lambda_near_it() {
        let lambdas = [8.0, 4.0, 2.0, 1.0, 0.5];
        // Means 9, 5.5, 5, 5, 7 with a standard error of 1 each.
        let folds = [fold(2, &[8.0, 4.5, 4.0, 4.0, 6.0]), fold(2, &[10.0, 6.5, 6.0, 6.0, 8.0])];
        let curve = curve(Criterion::Mse, &lambdas, &folds);
        assert_eq!((curve.choose(Rule::Min).lambda, curve.choose(Rule::OneSe).lambda), (2.0, 4.0));
        assert_eq!(curve.choose(Rule::Min).se, 1.0);
        assert_eq!(curve.points[3].nonzeros, 3.0);
    }

    #[test]
    fn where_larger_is_better_the_largest_mean_is_chosen() {
        let lambdas = [8.0, 4.0, 2.0, 1.0];
        // Means 0.5, 0.72, 0.75, 0.6 with a standard error of 0.05 each.
        let folds = [fold(2, &[0.45, 0.67, 0.7, 0.55]), fold(2, &[0.55, 0.77, 0.8, 0.65])];
        let found = curve(Criterion::Auc, &lambdas, &folds);
        assert_eq!((found.choose(Rule::Min).lambda, found.choose(Rule::OneSe).lambda), (2.0, 4.0));
        let worse = curve(Criterion::Auc, &lambdas, &[fold(2, &[0.1; 4]), fold(2, &[0.2; 4])]);
        assert_eq!(Curve::best(&[worse.clone(), found.clone(), found]), 1);
        assert_eq!(Curve::best(&[worse]), 0);
    }
}
