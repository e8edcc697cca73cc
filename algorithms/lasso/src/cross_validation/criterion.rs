//! [`Criterion`]: the measure of predictions of held-out rows.

use raddle_tabular::folds::area;

use crate::loss::Loss;
use crate::loss::multinomial::softmax;

/// A response, the weights of its rows, and for two classes their values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth<'a> {
    pub(crate) y: &'a [f64],
    pub(crate) weights: &'a [f64],
    pub(crate) classes: Option<[f64; 2]>,
}

/// Criterion by which lambda is chosen. Means are weighted if rows have weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The mean deviance: for the squared loss the mean squared error, for the logistic loss twice the mean
    /// loss, for the Poisson loss the mean Poisson deviance.
    #[default]
    Deviance,
    /// The mean of (y - m)^2, where m is the expected response; for two classes y is 1 for the larger and 0
    /// for the other, and m is the probability of the larger (the Brier score).
    Mse,
    /// The mean of |y - m|.
    Mae,
    /// The area under the ROC curve, for two classes: the share of pairs in which the row of the larger class
    /// has the larger score, with ties counted by half. Larger is better.
    Auc,
    /// The share of rows whose most probable class is the right one. Larger is better.
    Accuracy,
}

impl Criterion {
    /// The names that `--measure` accepts, and the criteria.
    pub const NAMES: [(&str, Criterion); 5] = [
        ("deviance", Criterion::Deviance),
        ("mse", Criterion::Mse),
        ("mae", Criterion::Mae),
        ("auc", Criterion::Auc),
        ("accuracy", Criterion::Accuracy),
    ];

    /// `true` for measures of classes only.
    pub fn needs_classes(self) -> bool {
        matches!(self, Self::Auc | Self::Accuracy)
    }

    /// `true` if a larger value is better.
    pub fn is_larger_better(self) -> bool {
        self.needs_classes()
    }

    /// Name of the measure, for reports.
    pub fn title(self, loss: Loss) -> &'static str {
        match self {
            Self::Deviance => loss.deviance_name(),
            Self::Mse => "mean squared error",
            Self::Mae => "mean absolute error",
            Self::Auc => "area under the ROC curve",
            Self::Accuracy => "accuracy",
        }
    }

    /// Measures the scores of K classes, whose values in the response are `labels`, with a score of each
    /// class for every row: the deviance is twice the mean of -log p_y; squared and absolute errors are
    /// summed over the classes (as in glmnet).
    pub(crate) fn measure_classes(
        self,
        y: &[f64],
        labels: &[f64],
        weights: &[f64],
        scores: &[Vec<f64>],
    ) -> f64 {
        let row = |at: usize| {
            let row = softmax(scores.iter().map(|class| class[at]));
            let own = |class: usize| f64::from(u8::from(labels[class] == y[at]));
            let off = |power: i32| -> f64 {
                (0..labels.len()).map(|class| (own(class) - row.parts[class]).abs().powi(power)).sum()
            };
            match self {
                Self::Mse => off(2),
                Self::Mae => off(1),
                Self::Accuracy => own(row.best),
                Self::Deviance | Self::Auc => {
                    let class = labels.iter().position(|label| *label == y[at]);
                    2.0 * class.map_or(f64::NAN, |class| row.losses[class])
                }
            }
        };
        let total: f64 = weights.iter().sum();
        let counted = (0..y.len()).filter(|&at| weights[at] > 0.0);
        let sum: f64 = counted.map(|at| weights[at] * row(at)).sum();
        sum / if total > 0.0 { total } else { 1.0 }
    }

    /// Measures the scores (`intercept + x'b`) of at least one row. An area is NaN if a class is absent.
    pub(crate) fn measure(self, loss: Loss, truth: Truth<'_>, scores: &[f64]) -> f64 {
        let Truth { y, weights, classes } = truth;
        let is_larger = |y: f64| classes.is_some_and(|[_, larger]| y == larger);
        let number = |y: f64| if classes.is_some() { f64::from(u8::from(is_larger(y))) } else { y };
        let off = |y: f64, score: f64| number(y) - loss.mean(score);
        let row = |y: f64, score: f64| match self {
            Self::Mse => off(y, score) * off(y, score),
            Self::Mae => off(y, score).abs(),
            Self::Accuracy => f64::from(u8::from(is_larger(y) == (score > 0.0))),
            Self::Deviance | Self::Auc => loss.deviance(y, score, classes),
        };
        match self {
            Self::Auc => area(&y.iter().map(|&y| is_larger(y)).collect::<Vec<_>>(), weights, scores),
            _ => {
                // A row of weight 0 may have any response, and any error.
                let rows = y.iter().zip(scores).zip(weights).filter(|(_, weight)| **weight > 0.0);
                let total: f64 = weights.iter().sum();
                let sum: f64 = rows.map(|((&y, &score), weight)| weight * row(y, score)).sum();
                sum / if total > 0.0 { total } else { 1.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_rows() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let truth = Truth { y: &[3.0, 1.0], weights: &[1.0; 2], classes: None };
        near(Criterion::Mse.measure(Loss::Squared, truth, &[1.0, 2.0]), 2.5);
        near(Criterion::Mae.measure(Loss::Squared, truth, &[1.0, 2.0]), 1.5);
        near(Criterion::Deviance.measure(Loss::Squared, truth, &[1.0, 2.0]), 2.5);
        near(Criterion::Mae.measure(Loss::Poisson, truth, &[0.0, 0.0]), 1.0);
        let classes = Truth { y: &[2.0, 5.0, 5.0], weights: &[1.0; 3], classes: Some([2.0, 5.0]) };
        let third = -(2.0f64).ln();
        near(Criterion::Accuracy.measure(Loss::Logistic, classes, &[-1.0, 1.0, third]), 2.0 / 3.0);
        near(Criterion::Mse.measure(Loss::Logistic, classes, &[third; 3]), (1.0 / 9.0 + 8.0 / 9.0) / 3.0);
        let expected = -2.0 * ((2.0f64 / 3.0).ln() + 2.0 * (1.0f64 / 3.0).ln()) / 3.0;
        near(Criterion::Deviance.measure(Loss::Logistic, classes, &[third; 3]), expected);
    }

    #[test]
    fn a_weight_counts_as_rows_do() {
        let (y, scores) = ([1.0, 0.0, 1.0, 0.0], [0.4, 0.1, -0.3, -0.3]);
        let repeated = |values: &[f64; 4]| [values[0], values[0], values[0], values[1], values[3], values[3]];
        let weighted = Truth { y: &y, weights: &[3.0, 1.0, 0.0, 2.0], classes: Some([0.0, 1.0]) };
        let (y, all) = (repeated(&y), repeated(&scores));
        let rows = Truth { y: &y, weights: &[1.0; 6], classes: Some([0.0, 1.0]) };
        for (name, criterion) in Criterion::NAMES {
            let [a, b] = [(weighted, &scores[..]), (rows, &all[..])]
                .map(|(truth, scores)| criterion.measure(Loss::Logistic, truth, scores));
            assert!((a - b).abs() < 1e-15, "{name}: {a} {b}");
        }
    }
}
