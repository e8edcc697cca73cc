//! The working set as a checkpoint keeps it ([`Kept`]), and how the data give back the rest.

use std::sync::Arc;

use raddle::state::{Learned, Reader, StateError, Writer};

use super::kept::Kept;
use super::messages::Entering;
use super::pinned::{LOOKED_AT, Solver};
use super::replica::{FIRST_CAP, Replica};
use super::shard::ColumnShard;
use super::spec::Spec;
use crate::data::design::Column;

impl Solver {
    pub(crate) fn save_state(&self, out: &mut Learned<Writer>) {
        out.write(&self.kept());
    }

    /// A solver without members: `Solver::rebuild` lets them enter again.
    pub(crate) fn loaded(from: &mut Learned<Reader<'_>>) -> Result<Self, StateError> {
        let kept: Box<Kept> = from.read()?;
        let mut solver = Self::new(kept.objective, Arc::clone(&kept.terms));
        (solver.penalty, solver.target, solver.largest) = (kept.penalty, kept.target, kept.largest);
        solver.scale = kept.scale;
        solver.freed.clone_from(&kept.freed);
        solver.intercepts.clone_from(&kept.intercepts);
        (solver.position, solver.best, solver.in_vain) = (kept.position, kept.best, kept.in_vain);
        solver.solutions.clone_from(&kept.solutions);
        solver.kept = Some(kept);
        Ok(solver)
    }

    fn kept(&self) -> Kept {
        Kept {
            objective: self.objective,
            terms: Arc::clone(&self.terms),
            members: self.members.slots().to_vec(),
            groups: self.groups.clone(),
            solved: self.members.kept(),
            target: self.target,
            penalty: self.penalty,
            largest: self.largest,
            scale: self.scale,
            position: self.position,
            freed: self.freed.clone(),
            intercepts: self.intercepts.clone(),
            solutions: self.solutions.clone(),
            best: self.best,
            in_vain: self.in_vain,
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
        let Some(kept) = self.kept.take() else { return Ok(()) };
        let rows = spec.rows.len();
        kept.check(spec, shards, weights)?;
        replica.check(spec.objective, &spec.rows)?;
        self.members.look_at(&spec.rows, &replica.rows);
        self.intercept = replica.rows.intercept;
        self.free.clone_from(&replica.rows.free);
        for shard in shards.iter_mut() {
            if spec.weights {
                shard.measure(rows, spec.rows.weights());
            }
            if spec.working_set {
                shard.pass(&replica.rows.residual, replica.rows.sum);
            }
            self.support.extend(shard.nonzeros());
        }
        let ends = kept.groups.iter().skip(1).map(|&first| first as usize).chain([kept.members.len()]);
        for (&first, end) in kept.groups.iter().zip(ends) {
            self.enter_again(spec, &kept.members[first as usize..end], shards)?;
        }
        self.look_ahead(rows);
        // Before the conclusion it is that of the boundary before, which no run has larger than this.
        let columns: usize = shards.iter().map(|shard| shard.coefficients.len()).sum();
        let most = LOOKED_AT * (FIRST_CAP + rows + 2 * columns);
        let fits = if is_concluded { replica.cap() == self.cap(rows) } else { replica.cap() <= most };
        if !fits {
            return Err(StateError::new("how many violators are named"));
        }
        self.members.recall(kept.solved, &self.columns, &spec.rows, spec.objective.intercept)
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
        let entrant = |&variable: &u32| {
            let shard = shards.iter().find(|shard| shard.position(variable).is_some())?;
            shard.entrant(variable, y, sum)
        };
        let entrants: Option<Vec<_>> = variables.iter().map(entrant).collect();
        let entrants = entrants.ok_or(StateError::new("a member of the working set"))?;
        let has_gram = spec.objective.shape().is_quadratic() && !self.outgrows(spec, entrants.len());
        let columns: Vec<_> = match has_gram {
            true => entrants.iter().map(|entrant| entrant.column.clone()).collect(),
            false => Vec::new(),
        };
        let columns = Column::weighted(columns, &spec.roots);
        let entering = Arc::new(Entering { first: self.enter(entrants), columns });
        let mut tiles = Vec::new();
        for shard in shards {
            shard.admit(entering.first, variables, has_gram);
            if has_gram {
                tiles.extend(shard.part.grow(&entering));
            }
        }
        self.grow(&spec.rows, tiles);
        Ok(())
    }
}
