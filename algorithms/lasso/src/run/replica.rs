//! [`Replica`]: what every worker knows.

use std::sync::Arc;

use raddle::state::StateError;

use super::messages::{Entering, Move};
use super::start::Start;
use crate::data::design::add_columns;
use crate::loss::linear_predictor::Scores;
use crate::loss::{Loss, Objective};

/// Violators that a shard names at the first boundary: more than the first working set looks at.
pub(crate) const FIRST_CAP: usize = 512;

/// What every worker knows: the residual, and where the run stands.
#[derive(Debug, Clone)]
pub struct Replica {
    /// Minus the derivative of each row's loss by its score; y - X b for the squared loss.
    pub(crate) residual: Vec<f64>,
    /// Sum of the residual's entries.
    pub(crate) sum: f64,
    /// X b and the intercept, for the logistic loss; empty for the squared one.
    pub(crate) scores: Vec<f64>,
    /// The intercept for columns as prepared.
    pub(crate) intercept: f64,
    /// n times the lambda being solved; NaN before the first boundary.
    pub(crate) penalty: f64,
    /// Columns with |x_j'r| above this may enter the working set.
    pub(crate) floor: f64,
    /// How many violators a shard names.
    pub(crate) cap: usize,
    pub(crate) entering: Option<Arc<Entering>>,
}

raddle::state!(Replica { residual, sum, scores, intercept, penalty, floor, cap, entering });

impl Replica {
    /// Before the first boundary: lambda is not known.
    pub(crate) fn new(start: Start, working_set: bool) -> Self {
        // Whatever lambda turns out to be, the largest come first and the solver keeps those above it.
        let floor = if working_set { 0.0 } else { f64::NAN };
        let Start { residual, scores, intercept, .. } = start;
        let sum = residual.iter().sum();
        Self { residual, sum, scores, intercept, penalty: f64::NAN, floor, cap: FIRST_CAP, entering: None }
    }

    /// Whether it was read from a checkpoint of so many rows.
    ///
    /// # Errors
    /// If it was not.
    pub(crate) fn check(&self, loss: Loss, rows: usize) -> Result<(), StateError> {
        let scores = if loss == Loss::Logistic { rows } else { 0 };
        let fits = self.residual.len() == rows && self.scores.len() == scores && self.entering.is_none();
        if fits { Ok(()) } else { Err(StateError::new("a residual of this problem")) }
    }

    /// Makes coordinate updates visible, for the response y.
    pub(crate) fn apply(&mut self, moves: &[Move], y: &[f64], objective: Objective) {
        let moves = moves.iter().filter(|change| change.delta != 0.0);
        let by = |sign: f64| moves.map(move |change| (sign * change.delta, change.column.view()));
        match objective.loss {
            Loss::Squared => {
                let shift = add_columns(by(-1.0), &mut self.residual);
                if shift != 0.0 {
                    self.residual.iter_mut().for_each(|value| *value -= shift);
                    self.sum = self.residual.iter().sum();
                }
            }
            Loss::Logistic => {
                let mut scores = std::mem::take(&mut self.scores);
                let shift = add_columns(by(1.0), &mut scores);
                if shift != 0.0 {
                    scores.iter_mut().for_each(|value| *value -= shift);
                }
                // The intercept is made exact after every round: only then is the residual a dual point.
                let mut scores = Scores::new(y, scores);
                if objective.intercept {
                    self.intercept += scores.settle(y);
                }
                self.sum = scores.sums.residual;
                (self.scores, self.residual) = (scores.values, scores.residual);
            }
        }
    }
}
