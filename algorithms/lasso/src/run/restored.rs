//! The working set as a checkpoint keeps it ([`SolverCheckpoint`]), and how the data give back the rest.

use std::sync::Arc;

use raddle::state::{Learned, Reader, StateError, Writer};

use super::boundary_solution::BoundarySolution;
use super::candidates::LOOKED_AT;
use super::messages::EnteringBatch;
use super::pinned::Solver;
use super::progress::Progress;
use super::replica::{FIRST_MAX_VIOLATORS, Replica};
use super::shard::ColumnShard;
use super::solver_checkpoint::SolverCheckpoint;
use super::spec::Spec;
use crate::data::design::Column;

impl Solver {
    pub(crate) fn save_state(&self, out: &mut Learned<Writer>) {
        out.write(&self.checkpoint());
    }

    /// A solver without members: `Solver::rebuild` lets them enter again.
    pub(crate) fn loaded(from: &mut Learned<Reader<'_>>) -> Result<Self, StateError> {
        let checkpoint: Box<SolverCheckpoint> = from.read()?;
        let mut solver = Self::new(checkpoint.objective, Arc::clone(&checkpoint.terms));
        solver.largest = checkpoint.largest;
        solver.last = BoundarySolution {
            penalty: checkpoint.penalty,
            scale: checkpoint.scale,
            target: checkpoint.target,
            freed: checkpoint.freed.clone(),
            intercepts: checkpoint.intercepts.clone(),
            ..BoundarySolution::default()
        };
        solver.progress = Progress { best: checkpoint.best, without_progress: checkpoint.without_progress };
        solver.points.position = checkpoint.position;
        solver.points.solutions.clone_from(&checkpoint.solutions);
        solver.checkpoint = Some(checkpoint);
        Ok(solver)
    }

    fn checkpoint(&self) -> SolverCheckpoint {
        SolverCheckpoint {
            objective: self.objective,
            terms: Arc::clone(&self.terms),
            members: self.set.members.slots().to_vec(),
            groups: self.set.groups.clone(),
            solved: self.set.members.checkpoint(),
            target: self.last.target,
            penalty: self.last.penalty,
            largest: self.largest,
            scale: self.last.scale,
            position: self.points.position,
            freed: self.last.freed.clone(),
            intercepts: self.last.intercepts.clone(),
            solutions: self.points.solutions.clone(),
            best: self.progress.best,
            without_progress: self.progress.without_progress,
        }
    }

    /// Makes anew what a checkpoint left out, here and in the shards.
    ///
    /// # Errors
    /// If what was read does not belong to this problem.
    pub(crate) fn rebuild(
        &mut self,
        spec: &Spec,
        is_concluded: bool,
        replica: &mut Replica,
        shards: &mut [ColumnShard],
        weights: &[(u32, f64)],
    ) -> Result<(), StateError> {
        let Some(checkpoint) = self.checkpoint.take() else { return Ok(()) };
        let rows = spec.rows.len();
        checkpoint.check(spec, shards, weights)?;
        replica.check(spec.objective, &spec.rows)?;
        self.set.members.look_at(&spec.rows, &replica.rows);
        self.last.set_rows(&replica.rows);
        for shard in shards.iter_mut() {
            if spec.weights {
                shard.measure(rows, spec.rows.weights());
            }
            if spec.working_set {
                shard.pass(&replica.rows.residual, replica.rows.sum);
            }
            self.last.support.extend(shard.nonzeros());
        }
        let ends =
            checkpoint.groups.iter().skip(1).map(|&first| first as usize).chain([checkpoint.members.len()]);
        for (&first, end) in checkpoint.groups.iter().zip(ends) {
            self.enter_again(spec, &checkpoint.members[first as usize..end], shards)?;
        }
        self.look_ahead(rows);
        // Before the conclusion it is that of the boundary before, which no run has larger than this.
        let columns: usize = shards.iter().map(|shard| shard.coefficients.len()).sum();
        let most = LOOKED_AT * (FIRST_MAX_VIOLATORS + rows + 2 * columns);
        let fits = if is_concluded {
            replica.max_violators() == self.max_violators(rows)
        } else {
            replica.max_violators() <= most
        };
        if !fits {
            return Err(StateError::new("how many violators are named"));
        }
        self.set.members.restore(checkpoint.solved, &self.set.columns, &spec.rows, spec.objective.intercept)
    }

    /// A group of columns enters as it did before: in the same order, their tiles summed in the same way.
    fn enter_again(
        &mut self,
        spec: &Spec,
        variables: &[u32],
        shards: &mut [ColumnShard],
    ) -> Result<(), StateError> {
        let y = &spec.gram_response[..];
        let sum = y.iter().sum();
        let entering = |&variable: &u32| {
            let shard = shards.iter().find(|shard| shard.position(variable).is_some())?;
            shard.entering_column(variable, y, sum)
        };
        let entering: Option<Vec<_>> = variables.iter().map(entering).collect();
        let entering = entering.ok_or(StateError::new("a member of the working set"))?;
        let has_gram = spec.objective.shape().is_quadratic() && !self.outgrows(spec, entering.len());
        let columns: Vec<_> = match has_gram {
            true => entering.iter().map(|one| one.column.clone()).collect(),
            false => Vec::new(),
        };
        let columns = Column::weighted(columns, &spec.roots);
        let batch = Arc::new(EnteringBatch { first: self.enter(entering), columns });
        let mut tiles = Vec::new();
        for shard in shards {
            shard.admit(batch.first, variables, has_gram);
            if has_gram {
                tiles.extend(shard.part.grow(&batch));
            }
        }
        self.set.grow(&spec.rows, tiles);
        Ok(())
    }
}
