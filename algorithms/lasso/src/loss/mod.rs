//! Losses, each in a file of its own; and the objective that is minimised.
//!
//! A loss defines which responses it accepts, how they are measured and what a score means
//! ([`LossFunction`]), and whether it is a quadratic, whose Gram matrix is computed once, or
//! [`Smooth`](linear_predictor::Smooth), solved by proximal Newton steps ([`Shape`]).

pub(crate) mod classes;
pub(crate) mod duality_gap;
pub(crate) mod factored;
pub(crate) mod free;
mod function;
pub(crate) mod linear_predictor;
mod logistic;
pub(crate) mod multinomial;
mod poisson;
pub(crate) mod row_state;
pub(crate) mod rows;
mod settle;
mod squared;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

pub use function::Measure;
pub(crate) use function::{Curvature, Shape};
use function::{LossFunction, ScoredRows};

/// The loss that measures the distance between scores and a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// `1/(2n) |y - X b - b_0|^2`.
    #[default]
    Squared,
    /// `1/n sum log(1 + exp(-y_i (x_i'b + b_0)))` for a response of two values, of which the larger counts as
    /// 1 and the smaller as -1.
    Logistic,
    /// `1/n sum (y_i log(y_i / m_i) - (y_i - m_i))` with the means `m_i = exp(x_i'b + b_0)`, for a response
    /// of counts: half the deviance.
    Poisson,
    /// `1/n sum (log sum_k exp(x_i'b_k + b_0k) - (x_i'b_y + b_0y))` for a response of K values, y_i the
    /// number of the i-th: every class has coefficients and an intercept of its own.
    Multinomial,
}

impl Loss {
    /// The names that `--loss` accepts, and the losses.
    pub const NAMES: [(&str, Loss); 4] = [
        ("squared", Loss::Squared),
        ("logistic", Loss::Logistic),
        ("poisson", Loss::Poisson),
        ("multinomial", Loss::Multinomial),
    ];

    /// Returns the functions of a loss, the only place where losses are distinguished.
    pub(crate) fn function(self) -> &'static dyn LossFunction {
        match self {
            Loss::Squared => &squared::Squared,
            Loss::Logistic => &logistic::Logistic,
            Loss::Poisson => &poisson::Poisson,
            Loss::Multinomial => &multinomial::Multinomial,
        }
    }

    /// Returns the loss of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, loss)| loss)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.into_iter().find(|(_, loss)| *loss == self);
        named.map_or("", |(name, _)| name)
    }

    /// Returns the method's name for a penalty of this name: `Lasso` or `Elastic net`.
    pub fn title(self, penalty: &str) -> String {
        self.function().title(penalty)
    }

    /// `true` if each class has a score of its own, as for the multinomial loss.
    pub fn scores_each_class(self) -> bool {
        self.function().scores_each_class()
    }

    /// `true` if the response has classes.
    pub fn has_classes(self) -> bool {
        self.function().has_classes()
    }

    /// Returns the expected response for the score `intercept + x'b`: for the squared loss the score itself,
    /// for the logistic loss the probability of the larger class, for the Poisson loss exp(score).
    pub fn mean(self, score: f64) -> f64 {
        self.function().mean(score)
    }

    /// Name of the measure [`error`](Loss::error), for reports.
    pub fn error_name(self) -> &'static str {
        self.function().error_name()
    }

    /// Returns the error of a held-out row, from its response and score. `classes` are those of the fit.
    pub fn error(self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.function().error(response, score, classes)
    }

    /// Returns the deviance of one row: the [`error`](Loss::error) for the squared and the Poisson loss,
    /// twice the error for the logistic loss.
    pub fn deviance(self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.function().deviance(response, score, classes)
    }

    /// Name of the mean [`deviance`](Loss::deviance).
    pub fn deviance_name(self) -> &'static str {
        self.function().deviance_name()
    }

    /// Measures how well scores predict a response of as many rows: returns names, and values or the reason
    /// why there is none. Means are weighted if there are weights. If classes have a score each, `labels` has
    /// their K values in the response, and scores are listed class by class.
    pub fn measures(
        self,
        response: &[f64],
        scores: &[f64],
        weights: Option<&[f64]>,
        classes: Option<[f64; 2]>,
        labels: &[f64],
    ) -> Vec<Measure> {
        let ones = if weights.is_none() { vec![1.0; response.len()] } else { Vec::new() };
        let weights = weights.unwrap_or(&ones);
        // A row of weight 0 may have any response, and any score.
        let counted: Vec<usize> = (0..response.len()).filter(|&row| weights[row] > 0.0).collect();
        if counted.is_empty() {
            return vec![(self.error_name(), Err("as no row counts"))];
        }
        let of = |values: &[f64]| -> Vec<f64> { counted.iter().map(|&row| values[row]).collect() };
        let scores: Vec<f64> = scores.chunks_exact(response.len()).flat_map(of).collect();
        let (y, weights) = (of(response), of(weights));
        let given = ScoredRows { y: &y, scores: &scores, weights: &weights, classes, labels };
        self.function().measures(given)
    }
}

/// n times `loss + lambda (a |b|_1 + (1 - a)/2 |b|^2)`, a the share of the l1 norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Objective {
    pub(crate) loss: Loss,
    pub(crate) l1_ratio: f64,
    /// `true` if an intercept is part of the fit; for the squared loss centring replaces it.
    pub(crate) intercept: bool,
}

raddle::state!(Objective { loss, l1_ratio, intercept });

impl Objective {
    /// Returns the weights of |b|_1 and of |b|^2 / 2, for n lambda.
    pub(crate) fn weights(self, penalty: f64) -> (f64, f64) {
        (penalty * self.l1_ratio, penalty * (1.0 - self.l1_ratio))
    }

    /// How the loss is solved.
    pub(crate) fn shape(self) -> Shape {
        self.loss.function().shape()
    }
}

/// sign(z) max(|z| - penalty, 0).
pub(crate) fn soft_threshold(z: f64, penalty: f64) -> f64 {
    if z > penalty {
        z - penalty
    } else if z < -penalty {
        z + penalty
    } else {
        0.0
    }
}

impl State for Loss {
    fn save(&self, out: &mut Writer) {
        out.write(&self.name().to_owned());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let name: String = from.read()?;
        Loss::named(&name).ok_or(StateError::new("a loss"))
    }
}
