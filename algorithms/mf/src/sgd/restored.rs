//! Checks of a checkpoint before a run by gradient steps is resumed.

use raddle::state::StateError;
use raddle::{RestoreByShard, Restoring};

use super::early_stopping::EarlyStopping;
use super::factor_block::FactorBlock;
use super::program::SgdProgram;
use super::replica::{GridPartitioning, Replica};
use super::shard::{ItemBlock, UserShard};
use crate::input::source::Counts;
use crate::restored::ensure;
use raddle_kernels::factors::{LANES, Rows};

/// Finds the layout again, and checks that every part has its rows.
impl RestoreByShard for SgdProgram {
    /// `None` asks for the chunks; then `Some` asks for the parts, with `true` if the run has started.
    type Question = Option<bool>;
    type Answer = Option<Counts>;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<Option<bool>>, StateError> {
        let Restoring { boundary, is_concluded, pinned, replica, question, shards, .. } = run;
        let cells = self.shards * self.blocks;
        match question {
            None => {
                ensure(pinned.fits(&self.rates, cells), "how far the run has come")?;
                let visited = &pinned.errors.cells;
                ensure(visited.iter().all(|&(cell, _)| (cell as usize) < cells), "errors of cells")?;
                Ok(Some(None))
            }
            Some(None) => {
                let again = self.carried.as_deref().cloned();
                let again = again.unwrap_or_else(|| self.lay_out(shards.into_iter().flatten()));
                // The layout is made by the first conclusion.
                let has_begun = boundary.epoch > 0 || is_concluded || replica.partitioning.is_some();
                if has_begun {
                    ensure(replica.partitioning.as_deref() == Some(&again), "how the ratings are dealt")?;
                } else {
                    let before = pinned.before().filter(|_| self.carried.is_some());
                    let is_new = *pinned == EarlyStopping::going_on(cells, before);
                    ensure(is_new, "a run that has not begun")?;
                }
                Ok(Some(Some(has_begun)))
            }
            Some(Some(_)) => Ok(None),
        }
    }

    fn answer(
        &self,
        question: &Option<bool>,
        number: u32,
        shard: &mut UserShard,
        replica: &Replica,
    ) -> Result<Option<Counts>, StateError> {
        let Some(has_begun) = *question else {
            let chunk = shard.chunk.as_ref().filter(|_| self.carried.is_none());
            return Ok(chunk.map(|chunk| chunk.count(self.users, self.items)));
        };
        let partition = |layout: &GridPartitioning| layout.users.part(number).len();
        self.check_part(&shard.part, has_begun, self.layout(replica).map(partition))?;
        Ok(None)
    }

    fn answer_of_block(
        &self,
        question: &Option<bool>,
        number: u32,
        block: &mut ItemBlock,
        replica: &Replica,
    ) -> Result<Option<Option<Counts>>, StateError> {
        if let Some(has_begun) = *question {
            let partition = |layout: &GridPartitioning| layout.items.part(number).len();
            self.check_part(&block.part, has_begun, self.layout(replica).map(partition))?;
            ensure(block.is_delivered(), "ratings on their way")?;
        }
        Ok(None)
    }
}

impl SgdProgram {
    /// Returns the layout of the data, which is not known before the first conclusion unless it was carried
    /// over.
    fn layout<'a>(&'a self, replica: &'a Replica) -> Option<&'a GridPartitioning> {
        replica.partitioning.as_deref().or(self.carried.as_deref())
    }

    /// Checks that a part has as many rows as the layout gives it; without a layout, none.
    fn check_part(&self, part: &FactorBlock, has_begun: bool, rows: Option<usize>) -> Result<(), StateError> {
        let is_new = has_begun || part.is_new(self.carried.is_some());
        ensure(is_new, "a run that has not begun")?;
        ensure(rows.is_none_or(|rows| part.fits(rows, self.start.width())), "the rows of a part")
    }
}

impl FactorBlock {
    /// Checks that this is a part with this number of rows, or one in which no epoch has started.
    fn fits(&self, rows: usize, width: usize) -> bool {
        let whole = |of: &Rows| {
            let lengths = (of.factors.len() * LANES, of.biases.len());
            of.width == width && lengths == (rows * width, rows) && [0, rows].contains(&of.scales.len())
        };
        let (now, best) = (&self.rows, self.best());
        let begun = if now.width == 0 { *now == Rows::default() && best.is_none() } else { whole(now) };
        begun && best.is_none_or(whole) && [0, rows].contains(&self.sums.len())
    }
}
