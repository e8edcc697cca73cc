//! [`Curve`]: the measure on held-out rows for each C.

use raddle_common::folds::{Mean, Means, Rule};

use super::measure::Measure;

/// The measures of one fold's fits on its held-out rows. [`raddle::State`] writes them as bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScores {
    /// Number of the fold, from 0.
    pub(crate) fold: usize,
    /// Weighted number of held-out rows.
    pub(crate) rows: f64,
    /// The measure for each C.
    pub(crate) values: Vec<f64>,
    /// For each C, the number of nonzero dual values over all scorers.
    pub(crate) support: Vec<usize>,
    /// Largest relative duality gap of the fits.
    pub(crate) worst_gap: f64,
}

raddle::state!(FoldScores { fold, rows, values, support, worst_gap });

/// A value of C with its measure on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// C, the same in every fold.
    pub c: f64,
    /// Mean over all held-out rows; for the area under the curve and F1, the mean over folds, weighted by
    /// their rows.
    pub mean: f64,
    /// Standard error of the mean, from the differences between folds.
    pub se: f64,
    /// Number of nonzero dual values, averaged over the folds.
    pub support: f64,
}

/// The curve of a cross-validation; [`Means`] has its formulas.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Measure on held-out rows.
    pub measure: Measure,
    /// Points in ascending order of C, at least one: the first has the simplest model.
    pub points: Vec<CurvePoint>,
    means: Means,
}

impl Curve {
    /// Makes the curve from the scores of all folds, at least two, each with a value for each C.
    pub(crate) fn new(measure: Measure, costs: &[f64], folds: &[&FoldScores]) -> Self {
        let of: Vec<(f64, &[f64])> = folds.iter().map(|fold| (fold.rows, &fold.values[..])).collect();
        let means = Means::new(&of, measure.is_larger_better());
        let point = |(at, (&c, &Mean { mean, se })): (usize, (&f64, &Mean))| {
            let support = folds.iter().map(|fold| fold.support[at]).sum::<usize>() as f64;
            CurvePoint { c, mean, se, support: support / folds.len() as f64 }
        };
        let points = costs.iter().zip(&means.points).enumerate().map(point).collect();
        Self { measure, points, means }
    }

    /// Returns the index of the chosen C in [`points`](Self::points).
    pub fn position(&self, rule: Rule) -> usize {
        self.means.position(rule)
    }

    /// Returns the chosen C with its measure.
    pub fn choose(&self, rule: Rule) -> CurvePoint {
        self.points[self.position(rule)]
    }
}
