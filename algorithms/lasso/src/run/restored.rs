//! Restoring the working set from a checkpoint ([`SolverCheckpoint`]) and the data.

use std::collections::HashMap;
use std::sync::Arc;

use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{RestoreByShard, Restoring};

use super::boundary_solution::BoundarySolution;
use super::candidates::LOOKED_AT;
use super::messages::{EnteringBatch, EnteringColumn, Tile};
use super::pinned::Solver;
use super::program::LassoProgram;
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

    /// A solver without members, which enter again through [`LassoProgram`]'s questions.
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
        if let Some(loaded) = self.checkpoint.as_ref().filter(|loaded| !loaded.members.is_empty()) {
            // The members have not entered again.
            return (**loaded).clone();
        }
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

    /// Records the columns of all shards, and the residual of the rows.
    fn look_at_columns(
        &mut self,
        spec: &Spec,
        is_concluded: bool,
        replica: &Replica,
        weights: &[(u32, f64)],
        shards: Vec<ShardColumns>,
    ) -> Result<(), StateError> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(()) };
        let columns = shards.last().map_or(0, |last| last.first as usize + last.count as usize);
        checkpoint.check(spec, columns, weights)?;
        // Before the conclusion, this is the limit of the boundary before, which is no larger than this in
        // any run.
        let most = LOOKED_AT * (FIRST_MAX_VIOLATORS + spec.rows.len() + 2 * columns);
        if !is_concluded && replica.max_violators() > most {
            return Err(StateError::new("how many violators are named"));
        }
        self.set.members.look_at(&spec.rows, &replica.rows);
        self.last.set_rows(&replica.rows);
        self.last.support.extend(shards.into_iter().flat_map(|shard| shard.nonzeros));
        Ok(())
    }

    /// Lets a group of columns enter again in its old order.
    fn enter_again(
        &mut self,
        spec: &Spec,
        group: usize,
        entering: Vec<EnteringColumn>,
    ) -> Result<ColumnsQuestion, StateError> {
        let missing = || StateError::new("a member of the working set");
        let variables = self.checkpoint.as_ref().and_then(|one| one.group(group)).ok_or_else(missing)?;
        let variables = variables.to_vec();
        let mut owned: HashMap<u32, EnteringColumn> =
            entering.into_iter().map(|one| (one.variable, one)).collect();
        let entering: Option<Vec<_>> = variables.iter().map(|variable| owned.remove(variable)).collect();
        let entering = entering.ok_or_else(missing)?;
        let has_gram = spec.objective.shape().is_quadratic() && !self.outgrows(spec, entering.len());
        let columns: Vec<_> = match has_gram {
            true => entering.iter().map(|one| one.column.clone()).collect(),
            false => Vec::new(),
        };
        let columns = Column::weighted(columns, &spec.roots);
        let batch = Arc::new(EnteringBatch { first: self.enter(entering), columns });
        Ok(ColumnsQuestion::Admit { group, batch, variables, has_gram })
    }

    /// Recomputes the rest, once all members are in the set.
    fn finish(&mut self, spec: &Spec, is_concluded: bool, replica: &Replica) -> Result<(), StateError> {
        let Some(checkpoint) = self.checkpoint.take() else { return Ok(()) };
        let rows = spec.rows.len();
        self.look_ahead(rows);
        if is_concluded && replica.max_violators() != self.max_violators(rows) {
            return Err(StateError::new("how many violators are named"));
        }
        self.set.members.restore(checkpoint.solved, &self.set.columns, &spec.rows)
    }
}

/// A question to the shards of a run that is restored.
#[derive(Debug)]
pub enum ColumnsQuestion {
    /// The first question: the shard's columns.
    Columns,
    /// The columns of a group that entered together, as far as the shard owns them.
    Entering {
        /// Number of the group.
        group: usize,
        /// The columns' numbers.
        variables: Vec<u32>,
    },
    /// The columns of a group take slots of the working set, and their part of the Gram is computed.
    Admit {
        /// Number of the group.
        group: usize,
        /// The columns (none without a Gram), and their first slot.
        batch: Arc<EnteringBatch>,
        /// The columns' numbers.
        variables: Vec<u32>,
        /// `true` if the shards must compute the columns' part of the Gram.
        has_gram: bool,
    },
}

/// A shard's answer to a [`ColumnsQuestion`].
#[derive(Debug)]
pub enum ColumnsAnswer {
    /// Range and coefficients of its columns.
    Columns(ShardColumns),
    /// Columns that enter.
    Entering(Vec<EnteringColumn>),
    /// New parts of the Gram.
    Tiles(Vec<Tile>),
}

/// Columns of a shard.
#[derive(Debug)]
pub struct ShardColumns {
    first: u32,
    count: u64,
    /// (column, coefficient) of the nonzero coefficients.
    nonzeros: Vec<(u32, f64)>,
}

raddle::state!(ShardColumns { first, count, nonzeros });
raddle::state!(enum ColumnsQuestion { Columns, Entering { group, variables }, Admit { group, batch, variables, has_gram } });
raddle::state!(
    enum ColumnsAnswer {
        Columns(columns),
        Entering(columns),
        Tiles(tiles),
    }
);

/// Asks first for the columns of each shard, and then twice for each group of columns that entered together,
/// to let them enter again.
impl RestoreByShard for LassoProgram {
    type Question = ColumnsQuestion;
    type Answer = ColumnsAnswer;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<ColumnsQuestion>, StateError> {
        let Restoring { is_concluded, pinned: solver, replica, weights, question, shards, .. } = run;
        let next = match question {
            None => {
                replica.check(self.spec.objective, &self.spec.rows)?;
                return Ok(Some(ColumnsQuestion::Columns));
            }
            Some(ColumnsQuestion::Columns) => {
                let shards = raddle::answers!(shards, ColumnsAnswer::Columns);
                let shards = shards.into_iter().collect();
                solver.look_at_columns(&self.spec, is_concluded, replica, weights, shards)?;
                0
            }
            Some(ColumnsQuestion::Entering { group, .. }) => {
                let entering = raddle::answers!(shards, ColumnsAnswer::Entering).concat();
                return solver.enter_again(&self.spec, group, entering).map(Some);
            }
            Some(ColumnsQuestion::Admit { group, .. }) => {
                solver.set.grow(&self.spec.rows, raddle::answers!(shards, ColumnsAnswer::Tiles).concat());
                group + 1
            }
        };
        match solver.checkpoint.as_ref().and_then(|one| one.group(next)) {
            Some(variables) => {
                Ok(Some(ColumnsQuestion::Entering { group: next, variables: variables.to_vec() }))
            }
            None => solver.finish(&self.spec, is_concluded, replica).map(|()| None),
        }
    }

    fn answer(
        &self,
        question: &ColumnsQuestion,
        _: u32,
        shard: &mut ColumnShard,
        replica: &Replica,
    ) -> Result<ColumnsAnswer, StateError> {
        let spec = &self.spec;
        Ok(match question {
            ColumnsQuestion::Columns => {
                if spec.weights {
                    shard.measure(spec.rows.len(), spec.rows.weights());
                }
                if spec.working_set {
                    shard.pass(&replica.rows.residual, replica.rows.sum);
                }
                let (first, count) = (shard.first, shard.coefficients.len() as u64);
                ColumnsAnswer::Columns(ShardColumns { first, count, nonzeros: shard.nonzeros().collect() })
            }
            ColumnsQuestion::Entering { variables, .. } => {
                ColumnsAnswer::Entering(shard.entering(variables, &spec.gram_response))
            }
            ColumnsQuestion::Admit { batch, variables, has_gram, .. } => {
                shard.admit(batch.first, variables, *has_gram);
                ColumnsAnswer::Tiles(if *has_gram { shard.part.grow(batch) } else { Vec::new() })
            }
        })
    }
}
