//! The multinomial loss of a response of K classes: log sum_k exp(f_k) - f_y, with a score f_k for each
//! class.
//!
//! Every class has coefficients and an intercept of its own (glmnet's symmetric parameterisation, with an
//! ungrouped penalty): adding equal amounts to all classes changes no probability, and the penalty makes the
//! choice unique.

use std::sync::Arc;

use super::function::{Curvature, EXPLAINED, LossFunction, Measure, ScoredRows, Shape};
use super::linear_predictor::Smooth;
use super::rows::Rows;
use crate::data::problem::Problem;
use crate::error::{LassoError, MOST_CLASSES};
use raddle_kernels::algebra::{ClassRows, LossSums, multinomial, multinomial_entropy};

#[derive(Debug)]
pub(super) struct Multinomial;

impl LossFunction for Multinomial {
    fn title(&self, penalty: &str) -> String {
        format!("Multinomial {}", penalty.to_lowercase())
    }

    /// The number of each row's class, from 0.
    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError> {
        let labels = problem.labels();
        if !(2..=MOST_CLASSES).contains(&labels.len()) {
            return Err(LassoError::Labels { count: labels.len() });
        }
        // Rows of weight 0 may hold another value.
        let number = |value: &f64| {
            labels.binary_search_by(|label| label.total_cmp(&(value + 0.0))).unwrap_or(0) as f64
        };
        Ok(Arc::new(problem.given.iter().map(number).collect()))
    }

    fn classes(&self, problem: &Problem) -> usize {
        problem.labels().len()
    }

    fn shape(&self) -> Shape {
        Shape::Smooth(&Multinomial)
    }

    /// A half, whatever the other classes' scores (Boehning, "Multinomial logistic regression algorithm",
    /// 1992).
    fn curvature(&self) -> Curvature {
        Curvature::AtMost(0.5)
    }

    fn has_classes(&self) -> bool {
        true
    }

    fn scores_each_class(&self) -> bool {
        true
    }

    /// A single score predicts nothing: the classes have a score each.
    fn mean(&self, score: f64) -> f64 {
        score
    }

    fn error_name(&self) -> &'static str {
        "mean multinomial loss"
    }

    fn deviance_name(&self) -> &'static str {
        "mean multinomial deviance"
    }

    fn error(&self, _: f64, _: f64, _: Option<[f64; 2]>) -> f64 {
        f64::NAN
    }

    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure> {
        let ScoredRows { y, scores, labels, .. } = given;
        let row = |at: usize| softmax((0..labels.len()).map(|class| scores[class * y.len() + at]));
        let class = |at: usize| labels.iter().position(|label| *label == y[at]);
        let is_right = |at: usize| f64::from(u8::from(class(at) == Some(row(at).best)));
        let known = given.sum(|at| f64::from(u8::from(class(at).is_some())));
        let loss = given.sum(|at| class(at).map_or(0.0, |class| row(at).losses[class]));
        let share = |of: usize| given.sum(|at| f64::from(u8::from(class(at) == Some(of)))) / known;
        // The deviance of the class shares: n times their entropy.
        let entropy = |share: f64| if share > 0.0 { -share * libm::log(share) } else { 0.0 };
        let constant = known * (0..labels.len()).map(share).map(entropy).sum::<f64>();
        let (mean, explained) = match (known > 0.0, constant > 0.0) {
            (false, _) => {
                (Err("as no row has a class of the model"), Err("as no row has a class of the model"))
            }
            (_, false) => (Ok(loss / known), Err("as all rows have one class")),
            _ => (Ok(loss / known), Ok(1.0 - loss / constant)),
        };
        let right = given.mean(is_right);
        vec![("accuracy", Ok(right)), (self.error_name(), mean), (EXPLAINED, explained)]
    }
}

/// Softmax of a row's scores.
#[derive(Debug, Clone)]
pub(crate) struct Softmax {
    /// The probability of each class.
    pub(crate) parts: Vec<f64>,
    /// Minus the logarithm of each probability.
    pub(crate) losses: Vec<f64>,
    /// The first class of the largest probability.
    pub(crate) best: usize,
}

/// Computes the softmax of a row's scores, of which there must be at least one.
pub(crate) fn softmax(scores: impl Iterator<Item = f64>) -> Softmax {
    let scores: Vec<f64> = scores.collect();
    let best = (0..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
    let most = scores.get(best).copied().unwrap_or(0.0);
    // libm is compiled in, so that the same lambda is chosen on every machine.
    let powers: Vec<f64> = scores.iter().map(|score| libm::exp(score - most)).collect();
    let below: f64 = powers.iter().enumerate().filter(|(at, _)| *at != best).map(|(_, power)| power).sum();
    let log = libm::log1p(below);
    Softmax {
        parts: powers.iter().map(|power| power / (1.0 + below)).collect(),
        losses: scores.iter().map(|score| most - score + log).collect(),
        best,
    }
}

fn rows_of<'a>(rows: &'a Rows, scores: &'a [f64]) -> ClassRows<'a> {
    ClassRows { y: &rows.y, scores, own: rows.weights() }
}

impl Smooth for Multinomial {
    /// Weights hold the probabilities: with q_k = w p_k the second derivative of a row is diag(q) - q q' / w.
    fn evaluate(&self, rows: &Rows, scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LossSums {
        multinomial(rows_of(rows, scores), residual, weights)
    }

    /// The conjugate of the logarithm of a sum of exponentials is minus the entropy.
    fn dual(&self, rows: &Rows, scores: &[f64], scale: f64) -> f64 {
        multinomial_entropy(rows_of(rows, scores), scale)
    }

    fn is_settled(&self, _: &LossSums) -> bool {
        true
    }
}
