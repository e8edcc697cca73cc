//! [`Replica`]: what every worker knows.

use std::sync::Arc;

use raddle::state::StateError;

use super::messages::{Entering, Move};
use crate::loss::Objective;
use crate::loss::row_state::RowState;

/// Violators that a shard names at the first boundary: more than the first working set looks at.
pub(crate) const FIRST_CAP: usize = 512;

/// What every worker knows: where the rows stand, and the run.
#[derive(Debug, Clone)]
pub struct Replica {
    pub(crate) rows: RowState,
    /// n times the lambda being solved; NaN before the first boundary.
    pub(crate) penalty: f64,
    /// Columns with |x_j'r| above this may enter the working set.
    pub(crate) floor: f64,
    /// How many violators a shard names.
    pub(crate) cap: usize,
    pub(crate) entering: Option<Arc<Entering>>,
}

raddle::state!(Replica { rows, penalty, floor, cap, entering });

impl Replica {
    /// Before the first boundary: lambda is not known.
    pub(crate) fn new(rows: RowState, working_set: bool) -> Self {
        // Whatever lambda turns out to be, the largest come first and the solver keeps those above it.
        let floor = if working_set { 0.0 } else { f64::NAN };
        Self { rows, penalty: f64::NAN, floor, cap: FIRST_CAP, entering: None }
    }

    /// Whether it was read from a checkpoint with this number of rows.
    ///
    /// # Errors
    /// If it was not.
    pub(crate) fn check(&self, objective: Objective, rows: usize) -> Result<(), StateError> {
        let scores = if objective.shape().is_quadratic() { 0 } else { rows };
        let RowState { residual, scores: own, .. } = &self.rows;
        let fits = residual.len() == rows && own.len() == scores && self.entering.is_none();
        if fits { Ok(()) } else { Err(StateError::new("a residual of this problem")) }
    }

    /// Makes coordinate updates visible, for the response y.
    pub(crate) fn apply(&mut self, moves: &[Move], y: &[f64], objective: Objective) {
        let moves = moves.iter().filter(|change| change.delta != 0.0);
        self.rows.move_by(moves.map(|change| (change.delta, change.column.view())), y, objective);
    }
}
