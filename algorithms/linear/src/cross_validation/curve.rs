//! [`Curve`]: a measure of rows that were held out, for each C.

use raddle_common::folds::{Mean, Means, Rule};

use super::measure::Measure;

/// Scores of the fits of one fold on the rows that it holds out. Its bytes ([`raddle::State`]) can be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScores {
    /// The fold, from 0.
    pub(crate) fold: usize,
    /// Rows held out, weighted.
    pub(crate) rows: f64,
    /// The measure over them, for each C.
    pub(crate) values: Vec<f64>,
    /// Rows with a dual value that is not zero, for each C, over all scorers.
    pub(crate) support: Vec<usize>,
    /// The largest relative duality gap of the fits.
    pub(crate) worst_gap: f64,
}

raddle::state!(FoldScores { fold, rows, values, support, worst_gap });

/// A C with its measure on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// C, the same in every fold.
    pub c: f64,
    /// Mean over all rows held out; for the area under the curve and F1 that of the folds, by their rows.
    pub mean: f64,
    /// Standard error of that mean, from how the folds differ.
    pub se: f64,
    /// Rows with a dual value that is not zero, on average over the folds.
    pub support: f64,
}

/// The curve of a cross-validation; [`Means`] has its formulas.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Measure of the rows held out.
    pub measure: Measure,
    /// At least one point, C rising: the first is the simplest.
    pub points: Vec<CurvePoint>,
    means: Means,
}

impl Curve {
    /// From the scores of all folds, two at least, each with a value for each C.
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

    /// Position of the chosen C in [`points`](Self::points).
    pub fn position(&self, rule: Rule) -> usize {
        self.means.position(rule)
    }

    /// The chosen C with its measure.
    pub fn choose(&self, rule: Rule) -> CurvePoint {
        self.points[self.position(rule)]
    }
}
