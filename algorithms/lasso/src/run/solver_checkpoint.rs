//! [`SolverCheckpoint`]: the part of the working set that a checkpoint stores.
//!
//! Columns, their Gram, its factors and the gradient take hundreds of times the memory of the model. All of
//! them are functions of the data, the residual and the order in which columns entered, bit for bit: an
//! element of the Gram depends on its two columns alone, an element of a factor on the rows above it. So a
//! checkpoint holds numbers of columns, and `LassoProgram::ask` lets the columns enter again, group by group.

use std::sync::Arc;

use raddle::state::StateError;

use super::members::MembersCheckpoint;
use super::solution::Solution;
use super::spec::Spec;
use crate::loss::Objective;
use crate::penalties::Terms;

/// Checkpoint of the solver.
#[derive(Debug, Clone)]
pub(crate) struct SolverCheckpoint {
    pub(super) objective: Objective,
    pub(super) terms: Arc<Terms>,
    /// Column of each slot; the next field has the first slot of each group that entered together.
    pub(super) members: Vec<u32>,
    pub(super) groups: Vec<u32>,
    pub(super) solved: MembersCheckpoint,
    pub(super) target: f64,
    pub(super) penalty: f64,
    pub(super) largest: f64,
    pub(super) scale: f64,
    pub(super) position: usize,
    pub(super) freed: Vec<(u32, f64)>,
    pub(super) intercepts: Vec<f64>,
    pub(super) solutions: Vec<Solution>,
    pub(super) best: Option<(f64, f64)>,
    pub(super) without_progress: u64,
}

raddle::state!(SolverCheckpoint {
    objective,
    terms,
    members,
    groups,
    solved,
    target,
    penalty,
    largest,
    scale,
    position,
    freed,
    intercepts,
    solutions,
    best,
    without_progress,
});

impl SolverCheckpoint {
    /// Returns the columns that entered as this group, if there is one.
    pub(super) fn group(&self, number: usize) -> Option<&[u32]> {
        let first = *self.groups.get(number)? as usize;
        let end = self.groups.get(number + 1).map_or(self.members.len(), |&next| next as usize);
        self.members.get(first..end)
    }

    /// Checks that the numbers are valid for the run's lambdas and columns.
    pub(super) fn check(
        &self,
        spec: &Spec,
        columns: usize,
        weights: &[(u32, f64)],
    ) -> Result<(), StateError> {
        let mut waiting = vec![false; columns];
        let mut is_waiting = |&(j, weight): &(u32, f64)| is_new(&mut waiting, j) && !weight.is_nan();
        let mut seen = vec![false; columns];
        let mut is_member = |&j: &u32| is_new(&mut seen, j);
        let groups = self.groups.is_sorted_by(|a, b| a < b)
            && self.groups.first().copied() == (!self.members.is_empty()).then_some(0)
            && self.groups.last().is_none_or(|&last| (last as usize) < self.members.len());
        let solved = |solution: &Solution| {
            let (last, values) = (solution.coefficients.last(), &solution.coefficients);
            values.is_sorted_by(|a, b| a.0 < b.0) && last.is_none_or(|&(j, _)| (j as usize) < columns)
        };
        let fits = self.objective == spec.objective
            && self.terms == spec.terms
            && self.members.iter().all(&mut is_member)
            && groups
            && weights.iter().all(&mut is_waiting)
            && self.members.iter().all(|&j| !waiting[j as usize] || spec.weights)
            && (self.members.is_empty() || spec.working_set)
            && self.solutions.len() == self.position
            && self.position <= spec.course.len()
            && self.penalty >= 0.0
            && self.solutions.iter().all(solved);
        if fits { Ok(()) } else { Err(StateError::new("the working set of this problem")) }
    }
}

/// Marks a column as seen; `true` if it exists and was not seen before.
fn is_new(seen: &mut [bool], column: u32) -> bool {
    seen.get_mut(column as usize).is_some_and(|seen| !std::mem::replace(seen, true))
}
