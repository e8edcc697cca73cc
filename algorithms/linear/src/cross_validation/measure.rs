//! [`Measure`]: the quality of predictions on held-out rows.

use libm::{exp, log};
use raddle_tabular::folds::area;

use crate::loss::Loss;
use crate::model::Fit;

/// The true classes of rows, as indices of `classes` classes, and the weight of each row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth<'a> {
    pub(crate) labels: &'a [u32],
    pub(crate) weights: &'a [f64],
    pub(crate) classes: usize,
}

/// The measure by which C is chosen; rows count by their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Fraction of the rows with the right class.
    #[default]
    Accuracy,
    /// Mean over the classes of the fraction of their rows with the right class.
    BalancedAccuracy,
    /// 2 t / (2 t + f), where t counts a class's rows with the right class, and f the rows wrongly assigned
    /// to it or taken from it. For two classes that of the larger, for more the mean over all.
    F1,
    /// Area under the ROC curve, for two classes: the fraction of pairs of a row of the larger class and one
    /// of the smaller in which the former has the larger score; ties count as half.
    Auc,
    /// Mean of -log p, where p is the probability of the right class; for the losses with probabilities.
    /// Smaller is better.
    LogLoss,
}

impl Measure {
    /// The names that `--measure` accepts, with their measures.
    pub const NAMES: [(&str, Measure); 5] = [
        ("accuracy", Measure::Accuracy),
        ("balanced-accuracy", Measure::BalancedAccuracy),
        ("f1", Measure::F1),
        ("auc", Measure::Auc),
        ("log-loss", Measure::LogLoss),
    ];

    /// Returns the name of the measure for reports.
    pub fn title(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced accuracy",
            Self::F1 => "F1",
            Self::Auc => "area under the ROC curve",
            Self::LogLoss => "log-loss",
        }
    }

    /// Returns `true` if a larger value is better.
    pub fn is_larger_better(self) -> bool {
        self != Self::LogLoss
    }

    /// Measures scores: for each scorer, a number for each row.
    pub(crate) fn of(self, truth: Truth<'_>, scores: &[Vec<f64>], loss: Loss) -> f64 {
        let Truth { labels, weights, classes } = truth;
        match self {
            Self::Auc => {
                let is_larger: Vec<bool> = labels.iter().map(|label| *label == 1).collect();
                scores.first().map_or(f64::NAN, |scores| area(&is_larger, weights, scores))
            }
            Self::LogLoss => {
                let of = |row: usize| lost(labels[row] as usize, scores.iter().map(|of| of[row]), loss);
                let rows = (0..labels.len()).filter(|&row| weights[row] > 0.0);
                rows.map(|row| weights[row] * of(row)).sum::<f64>() / weights.iter().sum::<f64>()
            }
            _ => {
                let mut counts = vec![vec![0.0; classes]; classes];
                for (row, label) in labels.iter().enumerate() {
                    let of: Vec<f64> = scores.iter().map(|of| of[row]).collect();
                    counts[*label as usize][Fit::class(&of)] += weights[row];
                }
                self.of_counts(&counts)
            }
        }
    }

    /// Measures a confusion matrix: weights of rows by true class and assigned class.
    fn of_counts(self, counts: &[Vec<f64>]) -> f64 {
        let classes = counts.len();
        let sum = |class: usize| counts[class].iter().sum::<f64>();
        let given = |class: usize| counts.iter().map(|of| of[class]).sum::<f64>();
        let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let f1 = |class: usize| share(2.0 * counts[class][class], sum(class) + given(class));
        match self {
            Self::BalancedAccuracy => {
                let there = (0..classes).filter(|&class| sum(class) > 0.0);
                mean(there.map(|class| counts[class][class] / sum(class)).collect())
            }
            Self::F1 if classes == 2 => f1(1),
            Self::F1 => mean((0..classes).map(f1).collect()),
            _ => share((0..classes).map(|at| counts[at][at]).sum(), (0..classes).map(sum).sum()),
        }
    }
}

/// Returns -log p of a class; with several scorers of one class against the rest, their probabilities are
/// normalised to the sum 1.
fn lost(class: usize, scores: impl Iterator<Item = f64>, loss: Loss) -> f64 {
    let scores: Vec<f64> = scores.collect();
    if let [score] = scores[..] {
        return Loss::Logistic.value(if class == 1 { score } else { -score });
    }
    let is_together = loss == Loss::Multinomial;
    let of = |score: &f64| if is_together { *score } else { -Loss::Logistic.value(*score) };
    let logs: Vec<f64> = scores.iter().map(of).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + log(logs.iter().map(|of| exp(of - most)).sum()) - logs[class]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
    }

    #[test]
    fn measures_of_two_classes_are_those_of_counted_rows() {
        // Right are 2 of 3 rows of the smaller class and 1 of 2 of the larger.
        let scores = [vec![-1.0, -2.0, 0.5, 3.0, -0.25]];
        let truth = Truth { labels: &[0, 0, 0, 1, 1], weights: &[1.0; 5], classes: 2 };
        near(Measure::Accuracy.of(truth, &scores, Loss::Logistic), 3.0 / 5.0);
        near(Measure::BalancedAccuracy.of(truth, &scores, Loss::Logistic), (2.0 / 3.0 + 1.0 / 2.0) / 2.0);
        near(Measure::F1.of(truth, &scores, Loss::Logistic), 2.0 / (2.0 + 1.0 + 1.0));
        near(Measure::Auc.of(truth, &scores, Loss::Logistic), 5.0 / 6.0);
        let p = |score: f64| 1.0 / (1.0 + (-score).exp());
        let lost = -((1.0 - p(-1.0)).ln()
            + (1.0 - p(-2.0)).ln()
            + (1.0 - p(0.5)).ln()
            + p(3.0).ln()
            + p(-0.25).ln());
        near(Measure::LogLoss.of(truth, &scores, Loss::Logistic), lost / 5.0);
    }

    #[test]
    fn measures_of_several_classes_are_those_of_counted_rows() {
        // Rows of the classes 0, 0, 1, 2, 2 are assigned to the classes 0, 1, 1, 2, 0.
        let scores =
            [vec![2.0, 0.0, -1.0, 0.0, 4.0], vec![1.0, 0.5, 3.0, -2.0, 0.0], vec![0.0, 0.25, 0.0, 1.0, 3.0]];
        let truth = Truth { labels: &[0, 0, 1, 2, 2], weights: &[1.0; 5], classes: 3 };
        near(Measure::Accuracy.of(truth, &scores, Loss::Logistic), 3.0 / 5.0);
        near(Measure::BalancedAccuracy.of(truth, &scores, Loss::Logistic), (0.5 + 1.0 + 0.5) / 3.0);
        near(Measure::F1.of(truth, &scores, Loss::Logistic), (2.0 / 4.0 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0);
        let p = |row: usize, class: usize| {
            let each = scores.each_ref().map(|of| 1.0 / (1.0 + (-of[row]).exp()));
            each[class] / each.iter().sum::<f64>()
        };
        let lost: f64 =
            truth.labels.iter().enumerate().map(|(row, label)| -p(row, *label as usize).ln()).sum();
        near(Measure::LogLoss.of(truth, &scores, Loss::Logistic), lost / 5.0);
    }

    #[test]
    fn a_weight_counts_as_rows_do() {
        let (labels, scores) = ([1, 0, 1, 0], [0.4, 0.1, -0.3, -0.3]);
        let repeated =
            |values: &[f64; 4]| [values[0], values[0], values[0], values[1], values[3], values[3]].to_vec();
        let weighted = Truth { labels: &labels, weights: &[3.0, 1.0, 0.0, 2.0], classes: 2 };
        let rows = Truth { labels: &[1, 1, 1, 0, 0, 0], weights: &[1.0; 6], classes: 2 };
        for (name, measure) in Measure::NAMES {
            let (a, b) = (
                measure.of(weighted, &[scores.to_vec()], Loss::Logistic),
                measure.of(rows, &[repeated(&scores)], Loss::Logistic),
            );
            assert!((a - b).abs() < 1e-14, "{name}: {a} {b}");
        }
    }
}
