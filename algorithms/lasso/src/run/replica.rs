//! [`Replica`]: the state of which every worker has a copy.

use raddle::state::StateError;

use super::messages::{Move, Stage};
use crate::loss::Objective;
use crate::loss::row_state::RowState;
use crate::loss::rows::Rows;

/// Number of violators that a shard names at the first boundary: more than the first working set examines.
pub(crate) const FIRST_MAX_VIOLATORS: usize = 512;

/// The rows and the stage of the run, copied on every worker.
#[derive(Debug, Clone)]
pub struct Replica {
    pub(crate) rows: RowState,
    /// `None` before the first boundary, as lambda is not known.
    pub(crate) stage: Option<Stage>,
}

raddle::state!(Replica { rows, stage });

impl Replica {
    /// Returns the largest number of violators that a shard names.
    pub(crate) fn max_violators(&self) -> usize {
        self.stage.map_or(FIRST_MAX_VIOLATORS, |stage| stage.max_violators)
    }

    /// Checks that a replica read from a checkpoint has this number of rows.
    ///
    /// # Errors
    /// If it has another number.
    pub(crate) fn check(&self, objective: Objective, given: &Rows) -> Result<(), StateError> {
        let entries = given.scores();
        let scores = if objective.shape().is_quadratic() { 0 } else { entries };
        let RowState { residual, scores: own, free, .. } = &self.rows;
        let parts = given.parts();
        let fits = residual.len() == entries && own.len() == scores && free.len() == parts;
        if fits { Ok(()) } else { Err(StateError::new("a residual of this problem")) }
    }

    /// Makes coordinate updates visible.
    pub(crate) fn apply(&mut self, moves: &[Move], rows: &Rows, objective: Objective) {
        let moves = moves.iter().filter(|change| change.delta != 0.0);
        self.rows.move_by(moves.map(|change| (change.delta, change.column.view())), rows, objective);
    }
}
