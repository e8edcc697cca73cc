//! [`Replica`]: what every worker knows.

use raddle::state::StateError;

use super::messages::{Move, Stage};
use crate::loss::Objective;
use crate::loss::row_state::RowState;
use crate::loss::rows::Rows;

/// Violators that a shard names at the first boundary: more than the first working set looks at.
pub(crate) const FIRST_MAX_VIOLATORS: usize = 512;

/// Copy on every worker of the state of the rows and of the run.
#[derive(Debug, Clone)]
pub struct Replica {
    pub(crate) rows: RowState,
    /// None before the first boundary: lambda is not known.
    pub(crate) stage: Option<Stage>,
}

raddle::state!(Replica { rows, stage });

impl Replica {
    /// How many violators a shard names.
    pub(crate) fn max_violators(&self) -> usize {
        self.stage.map_or(FIRST_MAX_VIOLATORS, |stage| stage.max_violators)
    }

    /// Check that the replica, read from a checkpoint, has this number of rows.
    ///
    /// # Errors
    /// If it was not.
    pub(crate) fn check(&self, objective: Objective, given: &Rows) -> Result<(), StateError> {
        let entries = given.scores();
        let scores = if objective.shape().is_quadratic() { 0 } else { entries };
        let RowState { residual, scores: own, free, .. } = &self.rows;
        let parts = given.parts(objective.intercept);
        let fits = residual.len() == entries && own.len() == scores && free.len() == parts;
        if fits { Ok(()) } else { Err(StateError::new("a residual of this problem")) }
    }

    /// Makes coordinate updates visible.
    pub(crate) fn apply(&mut self, moves: &[Move], rows: &Rows, objective: Objective) {
        let moves = moves.iter().filter(|change| change.delta != 0.0);
        self.rows.move_by(moves.map(|change| (change.delta, change.column.view())), rows, objective);
    }
}
