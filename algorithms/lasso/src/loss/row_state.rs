//! [`RowState`]: residuals and scores of the rows, and their updates when coefficients change.

use super::linear_predictor::{Response, Scores};
use super::rows::Rows;
use super::{Objective, Shape};
use crate::data::design::{View, add_columns};

/// Residuals, scores and intercept of the rows at some coefficients.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowState {
    /// Minus the derivative of each row's loss by its score, times its weight; y - X b for the squared loss
    /// without weights.
    pub(crate) residual: Vec<f64>,
    /// Sum of the residual's entries.
    pub(crate) sum: f64,
    /// X b and the intercept; empty for a quadratic, whose residual determines them.
    pub(crate) scores: Vec<f64>,
    /// The intercept for columns as prepared.
    pub(crate) intercept: f64,
    /// The coefficients of free columns, along their basis.
    pub(crate) free: Vec<f64>,
}

raddle::state!(RowState { residual, sum, scores, intercept, free });

impl RowState {
    pub(crate) fn new(residual: Vec<f64>, scores: Vec<f64>, intercept: f64, free: Vec<f64>) -> Self {
        let sum = residual.iter().sum();
        Self { residual, sum, scores, intercept, free }
    }

    /// Computes the rows at these coefficients. `intercept` is the value before any fit.
    pub(crate) fn at<'a>(
        coefficients: impl Iterator<Item = (f64, View<'a>)>,
        rows: &Rows,
        objective: Objective,
        intercept: f64,
    ) -> Self {
        match objective.shape() {
            Shape::Quadratic => {
                let mut residual = rows.y.to_vec();
                let minus = coefficients.map(|(value, view)| (-value, view));
                let shift = add_columns(minus, &mut residual);
                residual.iter_mut().for_each(|entry| *entry -= shift);
                let free = rows.freed(&mut residual);
                rows.weigh(&mut residual);
                Self::new(residual, Vec::new(), intercept, free)
            }
            Shape::Smooth(loss) => {
                let mut values = rows.start();
                let shift = add_columns(coefficients, &mut values);
                values.iter_mut().for_each(|entry| *entry -= shift);
                let response = Response { rows, loss };
                let mut scores = Scores::new(response, values);
                let (settled, free) = scores.settle_all(response);
                Self::new(scores.residual, scores.values, settled, free)
            }
        }
    }

    /// Changes coefficients by these amounts.
    pub(crate) fn move_by<'a>(
        &mut self,
        moves: impl Iterator<Item = (f64, View<'a>)>,
        rows: &Rows,
        objective: Objective,
    ) {
        match objective.shape() {
            Shape::Quadratic if rows.weights.is_some() || rows.free.is_some() => {
                let mut moved = vec![0.0; rows.len()];
                let shift = add_columns(moves, &mut moved);
                moved.iter_mut().for_each(|value| *value -= shift);
                if let Some(free) = &rows.free {
                    let parts = free.take_out(rows, &mut moved);
                    self.free.iter_mut().zip(parts).for_each(|(total, part)| *total -= part);
                }
                rows.weigh(&mut moved);
                self.residual.iter_mut().zip(&moved).for_each(|(value, moved)| *value -= moved);
                self.sum = self.residual.iter().sum();
            }
            Shape::Quadratic => {
                let shift = add_columns(moves.map(|(delta, view)| (-delta, view)), &mut self.residual);
                if shift != 0.0 {
                    self.residual.iter_mut().for_each(|value| *value -= shift);
                    self.sum = self.residual.iter().sum();
                }
            }
            Shape::Smooth(loss) => {
                let mut scores = std::mem::take(&mut self.scores);
                let shift = add_columns(moves, &mut scores);
                if shift != 0.0 {
                    scores.iter_mut().for_each(|value| *value -= shift);
                }
                // The intercept is made exact after every round, as only then is the residual a dual point.
                let response = Response { rows, loss };
                let mut scores = Scores::new(response, scores);
                let (settled, free) = scores.settle_all(response);
                self.intercept += settled;
                self.free.iter_mut().zip(free).for_each(|(total, part)| *total += part);
                self.sum = scores.sums.residual;
                (self.scores, self.residual) = (scores.values, scores.residual);
            }
        }
    }
}
