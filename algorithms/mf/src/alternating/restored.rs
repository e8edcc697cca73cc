//! Checks of a checkpoint before a run goes on that alternates between the sides.

use raddle::Restored;
use raddle::state::StateError;

use super::partitioning::{Partitioning, Tally, counts};
use super::program::{AlternatingProgram, SideSolver};
use super::sides::{FactorColumns, FactorRows};
use crate::kernels::LANES;
use crate::restored::ensure;

impl AlternatingProgram {
    /// Check that all parts are those of a run on this data: the cut of both sides is found again, and every
    /// row is there.
    pub(super) fn check(&self, run: &Restored<'_, Self>) -> Result<(), StateError> {
        let Restored {
            boundary,
            is_concluded,
            ref shards,
            pinned: ref early_stopping,
            replica: ref sides,
            ..
        } = *run;
        ensure(early_stopping.is_possible(), "how far the run has come")?;
        let tallies: Vec<Tally> = shards.iter().filter_map(|shard| self.tally(shard)).collect();
        let again = Partitioning::new(&tallies, self.rows, self.parts);
        // The cut is the first conclusion's.
        let is_new = boundary.epoch == 0 && !is_concluded && sides.partitioning.is_none();
        let partitioning = if is_new { Some(&again) } else { sides.partitioning.as_deref() };
        let partitioning = partitioning.filter(|partitioning| **partitioning == again);
        let Some(partitioning) = partitioning else { return Err(StateError::new("how both sides are cut")) };
        for side in 0..2 {
            ensure(self.fits(side, &sides.rows[side], &sides.columns[side]), "the factors of a side")?;
            ensure(sides.squares[side].0.len() == self.square(), "the squares of a side")?;
        }
        if let Some(kept) = &early_stopping.kept {
            let whole = self.fits(0, &kept.users, &kept.user_columns)
                && self.fits(1, &kept.items, &kept.item_columns);
            ensure(whole, "the best factors")?;
        }
        let ratings = [counts(&tallies, 0, self.rows.0), counts(&tallies, 1, self.rows.1)];
        for (number, shard) in shards.iter().enumerate() {
            let rows = partitioning.rows(shard.side, number / 2);
            let count: u64 = ratings[shard.side][rows.start as usize..rows.end as usize].iter().sum();
            let left = shard.left().is_none_or(|left| left.len() as u64 == count);
            ensure(left, "what is left of the ratings of a shard")?;
            ensure(self.has_column(shard.pending), "the column that a shard is at")?;
        }
        Ok(())
    }

    /// Check of the factors of a side: as many as it has rows.
    fn fits(&self, side: usize, rows: &FactorRows, columns: &FactorColumns) -> bool {
        let count = if side == 0 { self.rows.0 } else { self.rows.1 };
        match &self.way {
            SideSolver::Rows(way) => rows.0.len() == count * way.chunks() && columns.is_empty(),
            SideSolver::Columns(way) => {
                rows.0.is_empty()
                    && columns.len() == way.columns()
                    && columns.iter().all(|column| column.len() == count)
            }
        }
    }

    /// Vectors of the sum of x x' over a side's rows; none where none is asked for.
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
