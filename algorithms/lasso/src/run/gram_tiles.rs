//! [`GramTiles`]: the part of the working set's columns that a shard keeps to compute its tiles of the Gram.
//!
//! Dense columns: whole columns, assigned by slot. Sparse columns: all of them, but only some of
//! their rows (`gram_tree.rs`).
//! Neither the products of dense columns nor the tree that sums rows depends on the number of shards, so the
//! Gram's bits do not either.

use super::gram_tree::{GramTree, SAMPLE};
use super::messages::{EnteringBatch, Tile};
use crate::data::columns::Columns;
use crate::data::design::Column;
use crate::error::LassoError;
use raddle_kernels::algebra::gram;

/// Number of consecutive slots that are assigned to a shard together.
const SLOT_RUN: u32 = 16;

/// One shard keeps dense columns for each `KEEPER_ROWS` rows, up to `KEEPERS` shards. Each packs all new
/// columns itself, which takes longer than the products of short columns.
const KEEPER_ROWS: usize = 128;
const KEEPERS: usize = 16;

/// A shard's part of the columns of the working set.
#[derive(Debug, Clone)]
pub(crate) enum GramTiles {
    /// The columns of the slots assigned to this shard: every `keepers`-th run, starting with `turn`.
    Columns { turn: u32, keepers: u32, slots: Vec<u32>, columns: Vec<Column> },
    /// Whole rows, with the columns of all slots.
    Rows(GramTree),
}

impl Default for GramTiles {
    fn default() -> Self {
        Self::Rows(GramTree::default())
    }
}

/// The values of dense columns.
pub(crate) fn filled(columns: &[Column]) -> Vec<&[f64]> {
    let mut values = Vec::with_capacity(columns.len());
    values.extend(columns.iter().filter_map(|column| column.view().filled()));
    values
}

impl GramTiles {
    /// Makes the empty parts of `shards` shards.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(crate) fn assign(shards: usize, design: &Columns) -> Result<Vec<Self>, LassoError> {
        let rows = design.rows();
        if !design.is_sparse() {
            let keepers = (rows / KEEPER_ROWS).clamp(1, KEEPERS).min(shards);
            let mut turns: Vec<u32> = (0..keepers as u32).collect();
            // Neighbouring shards share a worker: slots go to distant shards in turn, so that a small working
            // set is spread over the workers.
            turns.sort_by_key(|turn| turn.reverse_bits());
            let mut parts = vec![Self::default(); shards];
            for (turn, keeper) in turns.into_iter().enumerate() {
                let (turn, shard) = (turn as u32, keeper as usize * shards / keepers);
                let (slots, columns) = (Vec::new(), Vec::new());
                parts[shard] = Self::Columns { turn, keepers: keepers as u32, slots, columns };
            }
            return Ok(parts);
        }
        let sample = design.sampled_rows(SAMPLE)?;
        Ok(GramTree::assign(shards, rows, &sample).into_iter().map(Self::Rows).collect())
    }

    /// Adds the columns of the slots from `first` on, and computes this part's share of their Gram rows.
    pub(crate) fn grow(&mut self, entering: &EnteringBatch) -> Vec<Tile> {
        let EnteringBatch { first, columns: new, .. } = entering;
        let (first, count) = (*first, new.len());
        match self {
            Self::Columns { turn, keepers, slots, columns } => {
                if *keepers == 1 {
                    columns.extend_from_slice(new);
                    slots.extend(first..first + count as u32);
                    let (all, rows) = (filled(columns), count);
                    let mut values = vec![0.0; rows * all.len()];
                    gram(&all[all.len() - rows..], &all, all.len() - rows, &mut values, all.len());
                    return vec![Tile {
                        from: first,
                        rows: rows as u32,
                        slots: slots.clone(),
                        values,
                        ..Tile::default()
                    }];
                }
                let (mut tiles, entering) = (Vec::new(), filled(new));
                if !columns.is_empty() {
                    let old = filled(columns);
                    let mut values = vec![0.0; count * old.len()];
                    gram(&entering, &old, old.len(), &mut values, old.len());
                    let rows = count as u32;
                    tiles.push(Tile { from: first, rows, slots: slots.clone(), values, ..Tile::default() });
                }
                // Products among the new columns: each run with the columns up to it.
                let mine = |slot: u32| slot / SLOT_RUN % *keepers == *turn;
                let mut start = 0;
                while start < count {
                    let slot = first + start as u32;
                    let end = (start + (SLOT_RUN - slot % SLOT_RUN) as usize).min(count);
                    if mine(slot) {
                        let mut values = vec![0.0; (end - start) * end];
                        gram(&entering[start..end], &entering[..end], start, &mut values, end);
                        let (rows, slots) = ((end - start) as u32, (first..first + end as u32).collect());
                        tiles.push(Tile { from: slot, rows, slots, values, ..Tile::default() });
                    }
                    start = end;
                }
                for (slot, column) in (first..).zip(new).filter(|&(slot, _)| mine(slot)) {
                    slots.push(slot);
                    columns.push(column.clone());
                }
                tiles
            }
            Self::Rows(chains) => {
                let stored: Vec<_> = new.iter().filter_map(|column| column.view().stored()).collect();
                chains.grow(first, &stored)
            }
        }
    }
}

raddle::state!(enum GramTiles { Columns { turn, keepers, slots, columns }, Rows(chains) });
