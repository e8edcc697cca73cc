//! [`LossFunction`]: the definition of a loss, and how it is solved ([`Shape`]).

use std::fmt::Debug;
use std::sync::Arc;

use super::linear_predictor::Smooth;
use crate::data::problem::Problem;
use crate::error::LassoError;

/// Name of the share of the deviance that is explained.
pub(super) const EXPLAINED: &str = "deviance explained";

/// A measure of predictions: its name, and its value or the reason why there is none.
pub type Measure = (&'static str, Result<f64, &'static str>);

/// Properties of a loss other than its [`Shape`].
pub(crate) trait LossFunction: Debug + Send + Sync {
    /// Returns the method's name for a penalty of this name.
    fn title(&self, penalty: &str) -> String;

    /// Returns the response in the form that the loss uses: n values.
    ///
    /// # Errors
    /// If the response does not suit the loss.
    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError>;

    /// Returns the intercept of a fit to that response, for columns as prepared, before any is fitted.
    fn intercept(&self, _: &Problem) -> f64 {
        0.0
    }

    /// Returns how the loss is solved.
    fn shape(&self) -> Shape;

    /// Returns a bound on the second derivative, which limits the step of a coordinate.
    fn curvature(&self) -> Curvature;

    /// `true` if each class has a score of its own.
    fn scores_each_class(&self) -> bool {
        false
    }

    /// Returns K if each class has a score of its own.
    fn classes(&self, _: &Problem) -> usize {
        0
    }

    /// `true` if the response has classes.
    fn has_classes(&self) -> bool {
        false
    }

    /// Returns the expected response at this score.
    fn mean(&self, score: f64) -> f64;

    /// Name of what `error` measures.
    fn error_name(&self) -> &'static str;

    /// Returns the error of a held-out row.
    fn error(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64;

    /// Returns twice the log-likelihood ratio of the response itself to its score.
    fn deviance(&self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.error(response, score, classes)
    }

    /// Name of the mean deviance.
    fn deviance_name(&self) -> &'static str {
        self.error_name()
    }

    /// Measures how well scores predict a response. The last measure is the share of the deviance from a
    /// constant mean that the scores explain, which is R2 for the squared loss.
    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure>;
}

/// Rows whose scores are measured; all of them count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredRows<'a> {
    pub(crate) y: &'a [f64],
    /// Scores, one per row, or K per row listed class by class.
    pub(crate) scores: &'a [f64],
    pub(crate) weights: &'a [f64],
    /// The values of two classes, or of K classes with a score each.
    pub(crate) classes: Option<[f64; 2]>,
    pub(crate) labels: &'a [f64],
}

impl ScoredRows<'_> {
    /// Returns the weighted mean of `of` over the rows.
    pub(crate) fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.sum(of) / self.weights.iter().sum::<f64>()
    }

    pub(crate) fn sum(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum()
    }
}

/// How a loss is solved on the working set, and which values rows store.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// A loss whose second derivative is 1 everywhere: the residual is linear in the coefficients, and the
    /// Gram is computed once.
    Quadratic,
    /// A loss whose second derivative changes with the scores.
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
    /// A constant bound on the second derivative: a step that uses it never overshoots.
    AtMost(f64),
    /// A function of the response and the residual. While a score moves by at most 1 the second derivative
    /// grows at most e-fold, as the third derivative is no larger than the second (Bach, "Self-concordant
    /// analysis for logistic regression", 2010).
    Local(fn(f64, f64) -> f64),
}
