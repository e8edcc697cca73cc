//! Losses: how far a fit is from a response, each in a file of its own; and the whole of what is minimised.
//!
//! A loss says what a response must be, what it measures and what a score stands for ([`LossFunction`]), and
//! whether it is a quadratic, whose Gram matrix is made once, or [`Smooth`](linear_predictor::Smooth), solved
//! by proximal Newton steps ([`Shape`]).

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

/// How far a fit is from a response.
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
    /// The names that `--loss` accepts, with what they choose.
    pub const NAMES: [(&str, Loss); 4] = [
        ("squared", Loss::Squared),
        ("logistic", Loss::Logistic),
        ("poisson", Loss::Poisson),
        ("multinomial", Loss::Multinomial),
    ];

    /// Functions of a loss: the one place that tells losses apart.
    pub(crate) fn function(self) -> &'static dyn LossFunction {
        match self {
            Loss::Squared => &squared::Squared,
            Loss::Logistic => &logistic::Logistic,
            Loss::Poisson => &poisson::Poisson,
            Loss::Multinomial => &multinomial::Multinomial,
        }
    }

    /// The loss of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, loss)| loss)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.into_iter().find(|(_, loss)| *loss == self);
        named.map_or("", |(name, _)| name)
    }

    /// The method's name, where its penalty is called so: `Lasso` or `Elastic net`.
    pub fn title(self, penalty: &str) -> String {
        self.function().title(penalty)
    }

    /// Each class has a score of its own, as for the multinomial loss.
    pub fn scores_each_class(self) -> bool {
        self.function().scores_each_class()
    }

    /// The loss tells classes apart.
    pub fn has_classes(self) -> bool {
        self.function().has_classes()
    }

    /// Expected response for the score `intercept + x'b`: for the squared loss the score itself, for the
    /// logistic one the probability of the larger class, for the Poisson loss exp(score).
    pub fn mean(self, score: f64) -> f64 {
        self.function().mean(score)
    }

    /// Name of the measure [`error`](Loss::error), for reports.
    pub fn error_name(self) -> &'static str {
        self.function().error_name()
    }

    /// The error of one row that was held out, from its response and score. `classes` are those of the fit.
    pub fn error(self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.function().error(response, score, classes)
    }

    /// The deviance of one row: the [`error`](Loss::error) for the squared and the Poisson loss, twice it for
    /// the logistic loss.
    pub fn deviance(self, response: f64, score: f64, classes: Option<[f64; 2]>) -> f64 {
        self.function().deviance(response, score, classes)
    }

    /// Name of the mean [`deviance`](Loss::deviance).
    pub fn deviance_name(self) -> &'static str {
        self.function().deviance_name()
    }

    /// How well scores foretell a response of as many rows: names, and values or why there is none. Means are
    /// over rows as they are weighted, if they are. Of classes that have a score each, `labels` has their K
    /// values in the response, and scores stand class by class.
    pub fn measures(
        self,
        response: &[f64],
        scores: &[f64],
        weights: Option<&[f64]>,
        (classes, labels): (Option<[f64; 2]>, &[f64]),
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
    /// An intercept is part of the fit; for the squared loss centring has taken care of it.
    pub(crate) intercept: bool,
}

raddle::state!(Objective { loss, l1_ratio, intercept });

impl Objective {
    /// The weights of |b|_1 and of |b|^2 / 2, for n lambda.
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
