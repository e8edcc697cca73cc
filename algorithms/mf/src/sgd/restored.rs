//! Checks of a checkpoint before a run by gradient steps goes on.

use raddle::Restored;
use raddle::state::StateError;

use super::early_stopping::EarlyStopping;
use super::factor_block::FactorBlock;
use super::program::SgdProgram;
use crate::kernels::{LANES, Rows};
use crate::restored::ensure;

impl SgdProgram {
    /// Check that all parts are those of a run on this data: the layout is found again, and every part has
    /// its rows.
    pub(crate) fn check(&self, run: &Restored<'_, Self>) -> Result<(), StateError> {
        let Restored { boundary, is_concluded, ref shards, ref blocks, ref pinned, ref replica, .. } = *run;
        let cells = self.shards * self.blocks;
        ensure(pinned.fits(&self.rates, cells), "how far the run has come")?;
        let visited = &pinned.errors.cells;
        ensure(visited.iter().all(|&(cell, _)| (cell as usize) < cells), "errors of cells")?;
        let again = self.carried.as_deref().cloned().unwrap_or_else(|| {
            let chunks = shards.iter().filter_map(|shard| shard.chunk.as_ref());
            self.lay_out(chunks.map(|chunk| chunk.count(self.users, self.items)))
        });
        // The layout is the first conclusion's.
        let has_begun = boundary.epoch > 0 || is_concluded || replica.partitioning.is_some();
        if has_begun {
            ensure(replica.partitioning.as_deref() == Some(&again), "how the ratings are dealt")?;
        } else {
            let goes_on = self.carried.is_some();
            let mut parts =
                shards.iter().map(|shard| &shard.part).chain(blocks.iter().map(|block| &block.part));
            let before = pinned.before().filter(|_| goes_on);
            let is_new = **pinned == EarlyStopping::going_on(cells, before);
            ensure(is_new && parts.all(|part| part.is_new(goes_on)), "a run that has not begun")?;
        }
        let width = self.start.width();
        for (number, shard) in (0..).zip(shards.iter()) {
            ensure(shard.part.fits(again.users.part(number).len(), width), "the users of a shard")?;
        }
        for (number, block) in (0..).zip(blocks.iter()) {
            ensure(block.part.fits(again.items.part(number).len(), width), "the items of a block")?;
            ensure(block.is_delivered(), "ratings on their way")?;
        }
        Ok(())
    }
}

impl FactorBlock {
    /// Check that this is a part with this number of rows, or one where no epoch has begun.
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
