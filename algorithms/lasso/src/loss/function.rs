//! [`LossFunction`]: all that is to be known of a loss, and how it is solved ([`Shape`]).

use std::fmt::Debug;
use std::sync::Arc;

use super::linear_predictor::Smooth;
use crate::data::problem::Problem;
use crate::error::LassoError;

/// Name of the share of the deviance that is explained.
pub(super) const EXPLAINED: &str = "deviance explained";

/// A measure of predictions: its name, and its value or why there is none.
pub type Measure = (&'static str, Result<f64, &'static str>);

/// Facts of a loss, but for its [`Shape`].
pub(crate) trait LossFunction: Debug + Send + Sync {
    /// The method's name, where its penalty is called so.
    fn title(&self, penalty: &str) -> String;

    /// The response as the loss sees it: n values.
    ///
    /// # Errors
    /// If the response does not suit the loss.
    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError>;

    /// The intercept of a fit to that response, of columns as prepared, before any is fitted.
    fn intercept(&self, _: &Problem) -> f64 {
        0.0
    }

    /// How it is solved.
    fn shape(&self) -> Shape;

    /// How far a coordinate may be moved at once.
    fn curvature(&self) -> Curvature;

    /// `true` if each class has a score of its own.
    fn scores_each_class(&self) -> bool {
        false
    }

    /// K, where each class has a score of its own.
    fn classes(&self, _: &Problem) -> usize {
        0
    }

    /// `true` if the loss tells classes apart.
    fn has_classes(&self) -> bool {
        false
    }

    /// Expected response at this score.
    fn mean(&self, score: f64) -> f64;

    /// Name of what `error` measures.
    fn error_name(&self) -> &'static str;

    /// The error of one row that was held out.
    fn error(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64;

    /// Twice how much likelier the response itself is than its score, as a logarithm.
    fn deviance(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.error(response, score, classes)
    }

    /// Name of the mean deviance.
    fn deviance_name(&self) -> &'static str {
        self.error_name()
    }

    /// Measures of how well scores foretell a response. The last is the share of the deviance from a constant
    /// mean that they explain, which is R2 for the squared loss.
    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure>;
}

/// Rows whose scores are measured: all count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredRows<'a> {
    pub(crate) y: &'a [f64],
    /// One a row, or K, class by class.
    pub(crate) scores: &'a [f64],
    pub(crate) weights: &'a [f64],
    /// The values of two classes, or of K that have a score each.
    pub(crate) classes: Option<[f64; 2]>,
    pub(crate) labels: &'a [f64],
}

impl ScoredRows<'_> {
    /// The weighted mean of what rows have.
    pub(crate) fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.sum(of) / self.weights.iter().sum::<f64>()
    }

    pub(crate) fn sum(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum()
    }
}

/// How a loss is solved on the working set, and what rows keep.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Its second derivative is 1 everywhere: the residual is linear in the coefficients, and the Gram is
    /// made once.
    Quadratic,
    /// Its second derivative changes with the scores.
    Smooth(&'static dyn Smooth),
}

impl Shape {
    pub(crate) fn is_quadratic(self) -> bool {
        matches!(self, Self::Quadratic)
    }
}

/// The second derivative of one row's loss by its score.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Curvature {
    /// It is at most this: a step that reckons with it never overshoots.
    AtMost(f64),
    /// This, from the response and the residual, and while a score moves by at most 1 it grows at most
    /// e-fold: the third derivative is no larger than the second (Bach, "Self-concordant analysis for
    /// logistic regression", 2010).
    Local(fn(f64, f64) -> f64),
}
