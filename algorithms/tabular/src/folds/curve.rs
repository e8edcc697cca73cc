//! [`Curve`]: a measure of held-out rows over the settings of a model.

use raddle_common::{Mean, Means, Rule};

/// A setting with its measure on held-out rows: a point of a [`Curve`].
pub trait CurvePoint: Copy {
    /// Name of the setting.
    const SETTING: &'static str;
    /// Name of several settings.
    const SETTINGS: &'static str;
    /// Name of the size of a model.
    const SIZE: &'static str;
    /// Name of what distinguishes several curves, as a column and in words.
    const SERIES: [&'static str; 2] = ["series", "series"];

    /// Makes a point from setting, mean, standard error of the mean, and mean size over the folds.
    fn new(values: [f64; 4]) -> Self;

    /// Returns the values that the point was made from.
    fn values(&self) -> [f64; 4];
}

/// The measures of one fold's models on its held-out rows, one for each setting. They can be stored as bytes
/// ([`raddle::State`]).
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScores<Place> {
    /// Number of the fold from 0, and of the curve if there are several.
    pub place: Place,
    /// Total weight of the held-out rows.
    pub rows: f64,
    /// The measure, for each setting.
    pub means: Vec<f64>,
    /// Size of the model, for each setting.
    pub sizes: Vec<usize>,
    /// Largest relative duality gap of the models.
    pub worst_gap: f64,
}

raddle::state!(FoldScores<Place> { place, rows, means, sizes, worst_gap });

impl<Place> FoldScores<Place> {
    /// `true` if these are of held-out rows of this weight, and of so many settings.
    pub fn fits(&self, rows: f64, settings: usize) -> bool {
        self.rows == rows && self.means.len() == settings && self.sizes.len() == settings
    }

    /// Returns the largest relative duality gap of some folds.
    pub fn worst_gap(all: &[Option<Self>]) -> f64 {
        all.iter().flatten().map(|scores| scores.worst_gap).fold(0.0, f64::max)
    }
}

/// The curve of a cross-validation; [`Means`] has its formulas.
///
/// Folds hold out each row once; with splits, a row counts in each split that tests it. Where rows have
/// weights, these are counted in place of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<P> {
    /// Name of the measure on held-out rows.
    pub measure: &'static str,
    /// A setting that all points share and other curves do not, such as an l1 ratio.
    pub series: Option<f64>,
    /// Points from the simplest model on, at least one.
    pub points: Vec<P>,
    /// The measure on the rows of each fold, at each point.
    pub folds: Vec<Vec<f64>>,
    means: Means,
}

impl<P: CurvePoint> Curve<P> {
    /// Makes the curve of a measure, given by its name and whether a larger value is better, from the scores
    /// of all folds.
    pub fn new<Place>(
        (measure, is_larger_better): (&'static str, bool),
        series: Option<f64>,
        settings: &[f64],
        folds: &[&FoldScores<Place>],
    ) -> Self {
        let of: Vec<(f64, &[f64])> = folds.iter().map(|fold| (fold.rows, &fold.means[..])).collect();
        let means = Means::new(&of, is_larger_better);
        let point = |(at, (&setting, &Mean { mean, se })): (usize, (&f64, &Mean))| {
            let size = folds.iter().map(|fold| fold.sizes[at]).sum::<usize>() as f64;
            P::new([setting, mean, se, size / folds.len() as f64])
        };
        let points = settings.iter().zip(&means.points).enumerate().map(point).collect();
        let folds = folds.iter().map(|fold| fold.means.clone()).collect();
        Self { measure, series, points, folds, means }
    }

    /// Returns the position of the curve with the best mean, of several; among equals the first.
    ///
    /// # Panics
    /// If there is no curve.
    pub fn best(curves: &[Self]) -> usize {
        assert!(!curves.is_empty(), "at least one curve");
        let error = |at: usize| curves[at].means.error(Rule::Min);
        (0..curves.len()).fold(0, |best, at| if error(at) < error(best) { at } else { best })
    }

    /// Returns the position of the chosen setting in [`points`](Self::points).
    pub fn position(&self, rule: Rule) -> usize {
        self.means.position(rule)
    }

    /// Returns the chosen setting with its measure.
    pub fn choose(&self, rule: Rule) -> P {
        self.points[self.position(rule)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Point([f64; 4]);

    impl CurvePoint for Point {
        const SETTING: &'static str = "lambda";
        const SETTINGS: &'static str = "lambdas";
        const SIZE: &'static str = "nonzeros";

        fn new(values: [f64; 4]) -> Self {
            Self(values)
        }

        fn values(&self) -> [f64; 4] {
            self.0
        }
    }

    fn fold(rows: usize, means: &[f64]) -> FoldScores<usize> {
        let sizes = (0..means.len()).collect();
        FoldScores { place: 0, rows: rows as f64, means: means.to_vec(), sizes, worst_gap: 0.0 }
    }

    fn curve(is_larger_better: bool, lambdas: &[f64], folds: &[FoldScores<usize>]) -> Curve<Point> {
        Curve::new(("mean", is_larger_better), None, lambdas, &folds.iter().collect::<Vec<_>>())
    }

    #[test]
    fn mean_and_standard_error_are_those_of_equal_folds() {
        let curve = curve(false, &[1.0], &[fold(4, &[1.0]), fold(4, &[2.0]), fold(4, &[6.0])]);
        let [_, mean, se, _] = curve.points[0].0;
        // Deviations -2, -1, 3: variance 14 / 2, over 3 folds.
        assert!((mean - 3.0).abs() < 1e-15 && (se - (7.0f64 / 3.0).sqrt()).abs() < 1e-15, "{mean} {se}");
    }

    #[test]
    fn the_mean_is_over_rows() {
        let curve = curve(false, &[1.0], &[fold(1, &[4.0]), fold(3, &[0.0])]);
        assert_eq!(curve.points[0].0[1], 1.0);
    }

    #[test]
    fn the_rules_choose_the_smallest_mean_and_the_largest_lambda_near_it() {
        let lambdas = [8.0, 4.0, 2.0, 1.0, 0.5];
        // Means 9, 5.5, 5, 5, 7 with a standard error of 1 each.
        let folds = [fold(2, &[8.0, 4.5, 4.0, 4.0, 6.0]), fold(2, &[10.0, 6.5, 6.0, 6.0, 8.0])];
        let curve = curve(false, &lambdas, &folds);
        assert_eq!((curve.choose(Rule::Min).0[0], curve.choose(Rule::OneSe).0[0]), (2.0, 4.0));
        assert_eq!(curve.choose(Rule::Min).0[2], 1.0);
        assert_eq!(curve.points[3].0[3], 3.0);
    }

    #[test]
    fn where_larger_is_better_the_largest_mean_is_chosen() {
        let lambdas = [8.0, 4.0, 2.0, 1.0];
        // Means 0.5, 0.72, 0.75, 0.6 with a standard error of 0.05 each.
        let folds = [fold(2, &[0.45, 0.67, 0.7, 0.55]), fold(2, &[0.55, 0.77, 0.8, 0.65])];
        let found = curve(true, &lambdas, &folds);
        assert_eq!((found.choose(Rule::Min).0[0], found.choose(Rule::OneSe).0[0]), (2.0, 4.0));
        let worse = curve(true, &lambdas, &[fold(2, &[0.1; 4]), fold(2, &[0.2; 4])]);
        assert_eq!(Curve::best(&[worse.clone(), found.clone(), found]), 1);
        assert_eq!(Curve::best(&[worse]), 0);
    }
}
