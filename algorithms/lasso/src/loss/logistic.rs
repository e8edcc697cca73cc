//! The logistic loss of a response of two values: log(1 + exp(-y f)), with y = 1 for the larger value and -1
//! for the smaller.

use std::sync::Arc;

use super::function::{Curvature, EXPLAINED, LossFunction, Measure, ScoredRows, Shape};
use super::linear_predictor::Smooth;
use super::rows::Rows;
use crate::data::problem::Problem;
use crate::error::LassoError;
use raddle_kernels::algebra::{LossSums, logistic, logistic_entropy};

/// The intercept is exact when the residual's sum is at most this share of the loss: about rounding.
const EXACT: f64 = 1e-14;

#[derive(Debug)]
pub(super) struct Logistic;

/// Returns 1 for the larger of two classes, -1 for the smaller.
fn sign(value: f64, classes: Option<[f64; 2]>) -> f64 {
    match classes {
        Some([low, _]) if value == low => -1.0,
        _ => 1.0,
    }
}

/// log(1 + exp(-y f)).
fn row(y: f64, score: f64) -> f64 {
    let margin = y * score;
    // libm is compiled in, so that the same lambda is chosen on every machine.
    (-margin).max(0.0) + libm::log1p(libm::exp(-margin.abs()))
}

impl LossFunction for Logistic {
    fn title(&self, penalty: &str) -> String {
        format!("Logistic {}", penalty.to_lowercase())
    }

    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError> {
        let given = &problem.given;
        match problem.classes() {
            // Rows of weight 0 may hold another value.
            Some(classes) => Ok(Arc::new(given.iter().map(|&value| sign(value, Some(classes))).collect())),
            None => {
                let mut values: Vec<f64> = problem.counted(given).collect();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup();
                Err(LassoError::Classes { count: values.len() })
            }
        }
    }

    fn shape(&self) -> Shape {
        Shape::Smooth(&Logistic)
    }

    /// A quarter (Boehning and Lindsay, "Monotonicity of quadratic-approximation algorithms", 1988).
    fn curvature(&self) -> Curvature {
        Curvature::AtMost(0.25)
    }

    fn has_classes(&self) -> bool {
        true
    }

    /// The probability of the larger class: 1 / (1 + exp(-score)), which overflows to its limits.
    fn mean(&self, score: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-score))
    }

    fn error_name(&self) -> &'static str {
        "mean logistic loss"
    }

    fn error(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        row(sign(response, classes), score)
    }

    fn deviance(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        2.0 * row(sign(response, classes), score)
    }

    fn deviance_name(&self) -> &'static str {
        "mean logistic deviance"
    }

    /// The share of rows whose class is right; and, over rows with one of the two classes, the mean logistic
    /// loss and the share of the deviance that is explained.
    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure> {
        let ScoredRows { y, scores, weights, .. } = given;
        let Some(classes) = given.classes else { return Vec::new() };
        let is_right = |row: usize| f64::from(u8::from(classes[usize::from(scores[row] > 0.0)] == y[row]));
        let known: Vec<usize> = (0..y.len()).filter(|&row| classes.contains(&y[row])).collect();
        let sum = |of: &dyn Fn(usize) -> f64| known.iter().map(|&at| weights[at] * of(at)).sum::<f64>();
        let loss = |score: &dyn Fn(usize) -> f64| sum(&|at| row(sign(y[at], Some(classes)), score(at)));
        let (total, error) = (sum(&|_| 1.0), loss(&|at| scores[at]));
        let larger = sum(&|at| f64::from(u8::from(y[at] == classes[1])));
        let unknown = "as no row has a class of the model";
        let explained = match (total > 0.0, larger > 0.0 && larger < total) {
            (false, _) => Err(unknown),
            (_, false) => Err("as all rows have one class"),
            _ => Ok(1.0 - error / loss(&|_| libm::log(larger / (total - larger)))),
        };
        let mean = if total > 0.0 { Ok(error / total) } else { Err(unknown) };
        let right = given.mean(is_right);
        vec![("accuracy", Ok(right)), (self.error_name(), mean), (EXPLAINED, explained)]
    }
}

impl Smooth for Logistic {
    fn evaluate(&self, rows: &Rows, scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LossSums {
        logistic((&rows.y, scores, rows.weights()), residual, weights)
    }

    /// The conjugate of f -> log(1 + exp(-y f)) at -y p is -H(p), with the binary entropy H (Koh, Kim and
    /// Boyd, "An interior-point method for large-scale l1-regularized logistic regression", 2007, section
    /// 2.3).
    fn dual(&self, rows: &Rows, scores: &[f64], scale: f64) -> f64 {
        logistic_entropy((&rows.y, scores, rows.weights()), scale)
    }

    fn is_settled(&self, sums: &LossSums) -> bool {
        sums.residual.abs() <= EXACT * sums.loss
    }
}
