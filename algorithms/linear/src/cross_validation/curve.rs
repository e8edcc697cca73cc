//! [`CurvePoint`]: the measure on held-out rows at a C.

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

impl raddle_tabular::folds::CurvePoint for CurvePoint {
    const SETTING: &'static str = "C";
    const SETTINGS: &'static str = "values of C";
    const SIZE: &'static str = "support";

    fn new([c, mean, se, support]: [f64; 4]) -> Self {
        Self { c, mean, se, support }
    }

    fn values(&self) -> [f64; 4] {
        [self.c, self.mean, self.se, self.support]
    }
}

/// The curve of a cross-validation, in ascending order of C: the first point has the simplest model.
pub type Curve = raddle_tabular::folds::Curve<CurvePoint>;

/// The measures of one fold's fits on its held-out rows; the place is the number of the fold, from 0.
/// [`raddle::State`] writes them as bytes.
pub type FoldScores = raddle_tabular::folds::FoldScores<usize>;
