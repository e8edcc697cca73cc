//! Checks of a checkpoint before an alternating run is resumed.

use raddle::state::StateError;
use raddle::{RestoreByShard, Restoring};

use super::course::Course;
use super::early_stopping::AlternatingStopping;
use super::partitioning::{Partitioning, Tally, counts};
use super::program::{AlternatingProgram, SideSolver};
use super::shard::SideShard;
use super::sides::{FactorColumns, FactorMatrices, FactorRows, KeptFactors};
use crate::restored::ensure;
use raddle_kernels::factors::LANES;

/// Answer of a shard of a run that is restored.
#[derive(Debug)]
pub struct SideAnswer {
    side: u32,
    /// The tally of the chunk counted at the shard, if there is one.
    tally: Option<Tally>,
    /// Number of residuals of coordinate descent, if there are any.
    left: Option<u64>,
    /// The first row; and the numbers of vectors of the factors and of the best factors, if they are known.
    rows: (u64, Option<u64>, Option<u64>),
}

raddle::state!(SideAnswer { side, tally, left, rows });

/// Finds the division of both sides again, and checks that every row is there.
impl RestoreByShard for AlternatingProgram {
    type Question = ();
    type Answer = SideAnswer;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        let Restoring { boundary, is_concluded, pinned, replica: sides, question, shards, .. } = run;
        if question.is_none() {
            ensure(pinned.is_possible(), "how far the run has come")?;
            ensure(pinned.course.is_some() == sides.turn.is_some(), "the setting of an epoch")?;
            pinned.course.as_ref().map_or(Ok(()), Course::check)?;
            self.check_sides(boundary.epoch, pinned, sides)?;
            return Ok(Some(()));
        }
        let mut shards: Vec<SideAnswer> = shards.into_iter().collect();
        let tallies: Vec<Tally> = shards.iter_mut().filter_map(|shard| shard.tally.take()).collect();
        let again = Partitioning::new(&tallies, self.rows, self.parts);
        // The division is made by the first conclusion.
        let is_new = boundary.epoch == 0 && !is_concluded && sides.partitioning.is_none();
        let partitioning = if is_new { Some(&again) } else { sides.partitioning.as_deref() };
        let partitioning = partitioning.filter(|partitioning| **partitioning == again);
        let Some(partitioning) = partitioning else { return Err(StateError::new("how both sides are cut")) };
        let ratings = [0, 1].map(|side| counts(&tallies, side, self.rows[side]));
        for (number, shard) in shards.iter().enumerate() {
            let side = shard.side as usize;
            let rows = partitioning.rows(side, number / 2);
            let count: u64 = ratings[side][rows.start as usize..rows.end as usize].iter().sum();
            ensure(shard.left.is_none_or(|left| left == count), "what is left of the ratings of a shard")?;
            let SideSolver::Rows(way) = self.way else { continue };
            let (first, own, best) = shard.rows;
            let is_whole = |vectors| vectors == (rows.len() * way.chunks()) as u64;
            let has_begun = boundary.epoch > 0;
            ensure(!has_begun || first == u64::from(rows.start), "the first row of a shard")?;
            ensure(own.is_some() == has_begun && own.is_none_or(is_whole), "the factors of a shard")?;
            // The best factors are the last ones, or stored in each shard separately.
            let is_known = best.is_some() || !pinned.is_earlier(boundary.epoch);
            ensure(best.is_none_or(is_whole) && is_known, "the best factors")?;
        }
        Ok(None)
    }

    fn answer(
        &self,
        _: &(),
        _: u32,
        shard: &mut SideShard,
        _: &FactorMatrices,
    ) -> Result<SideAnswer, StateError> {
        ensure(self.has_column(shard.pending), "the column that a shard is at")?;
        let left = shard.left().map(|left| left.len() as u64);
        let vectors = |rows: &Option<FactorRows>| rows.as_ref().map(|rows| rows.0.len() as u64);
        let rows = (shard.first as u64, vectors(&shard.own), vectors(&shard.best));
        Ok(SideAnswer { side: shard.side as u32, tally: self.tally(shard), left, rows })
    }
}

impl AlternatingProgram {
    /// Checks that all factors of the replica are there.
    fn check_sides(
        &self,
        epoch: u64,
        early_stopping: &AlternatingStopping,
        sides: &FactorMatrices,
    ) -> Result<(), StateError> {
        for side in 0..2 {
            // Items are solved last.
            let vectors = match &self.way {
                SideSolver::Rows(way) if epoch == 0 || side == 1 => self.rows[side] * way.chunks(),
                _ => 0,
            };
            let fits = sides.rows[side].0.len() == vectors;
            ensure(fits && self.fit_columns(side, &sides.columns[side]), "the factors of a side")?;
            ensure(sides.squares[side].0.len() == self.square(), "the squares of a side")?;
        }
        let chunks = match &self.way {
            SideSolver::Rows(way) => way.chunks(),
            SideSolver::Columns(_) => 0,
        };
        let fits = |side: usize, rows: &FactorRows| rows.0.len() == self.rows[side] * chunks;
        let is_whole = |kept: &KeptFactors| {
            (0..2).all(|side| fits(side, &kept.rows[side])) && kept.square.0.len() == self.square()
        };
        ensure(sides.kept.as_ref().is_none_or(is_whole), "the factors from which trials start")?;
        let is_start = |side: usize| sides.start[side].0.is_empty() || fits(side, &sides.start[side]);
        ensure((0..2).all(is_start), "the factors to start from")?;
        let Some(kept) = &early_stopping.kept else { return Ok(()) };
        ensure((0..2).all(|side| self.fit_columns(side, &kept[side])), "the best factors")
    }

    /// Checks the factors of coordinate descent: all columns, each as long as its side.
    fn fit_columns(&self, side: usize, columns: &FactorColumns) -> bool {
        let count = match &self.way {
            SideSolver::Rows(_) => 0,
            SideSolver::Columns(way) => way.columns(),
        };
        columns.len() == count && columns.iter().all(|column| column.len() == self.rows[side])
    }

    /// Returns the number of vectors in the sum of x x' over a side's rows; 0 if it is not needed.
    fn square(&self) -> usize {
        match &self.way {
            SideSolver::Rows(way) if way.implicit.is_some() => way.chunks() * way.chunks() * LANES,
            _ => 0,
        }
    }

    fn has_column(&self, column: Option<u32>) -> bool {
        match &self.way {
            SideSolver::Rows(_) => column.is_none(),
            SideSolver::Columns(way) => column.is_none_or(|column| (column as usize) < way.columns()),
        }
    }
}
