//! [`WorkingPart`]: the part of the working set's columns that a shard keeps, to compute its tiles of the Gram.
//!
//! Dense columns: whole columns, dealt out by slot. Sparse columns: all of them, but only some of
//! their rows (`row_chains.rs`).
//! Neither the products of dense columns nor the tree that sums rows depends on the number of shards, so the Gram's
//! bits do not either.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use crate::design::{Column, View};
use crate::kernels::{Batch, RowPiece, gram};
use crate::row_chains::RowChains;

/// Consecutive slots that are dealt to one shard together.
const DEAL: u32 = 16;

/// A shard's part of the working set.
#[derive(Debug, Clone)]
pub(crate) enum WorkingPart {
    /// The columns of the slots dealt to this shard: every `shards`-th deal, starting with `turn`.
    Columns { turn: u32, shards: u32, slots: Vec<u32>, columns: Vec<Column> },
    /// Whole rows, of all slots.
    Rows(RowChains),
}

impl Default for WorkingPart {
    fn default() -> Self {
        Self::Rows(RowChains::default())
    }
}

/// New rows of the Gram: for slot `from + i`, products with `slots` (dense), or with all slots up to it (sparse).
#[derive(Debug, Clone, Default)]
pub struct Tile {
    /// Which chains of rows it sums: the first, and how many. None where it holds whole products.
    pub(crate) chain: u32,
    pub(crate) chains: u32,
    /// The first new slot of this tile's rows.
    pub(crate) from: u32,
    /// How many rows.
    pub(crate) rows: u32,
    /// The slots of its columns.
    pub(crate) slots: Vec<u32>,
    /// Row by row.
    pub(crate) values: Vec<f64>,
}

raddle::state!(Tile { chain, chains, from, rows, slots, values });

impl WorkingPart {
    /// The empty parts of `shards` shards, for columns of `rows` rows.
    pub(crate) fn deal(shards: usize, rows: usize, sparse: bool) -> Vec<Self> {
        if !sparse {
            let mut turns: Vec<u32> = (0..shards as u32).collect();
            // Neighbouring shards share a worker: far-apart shards take turns, so that a small working set spreads.
            turns.sort_by_key(|turn| turn.reverse_bits());
            let mut parts = vec![Self::default(); shards];
            for (turn, shard) in turns.into_iter().enumerate() {
                let (turn, shards) = (turn as u32, shards as u32);
                parts[shard as usize] =
                    Self::Columns { turn, shards, slots: Vec::new(), columns: Vec::new() };
            }
            return parts;
        }
        RowChains::deal(shards, rows).into_iter().map(Self::Rows).collect()
    }

    /// Takes in the columns of the slots from `first` on, and computes this part's share of their Gram rows.
    pub(crate) fn grow(&mut self, first: u32, entering: &[Column]) -> Vec<Tile> {
        let views: Vec<View<'_>> = entering.iter().map(Column::view).collect();
        match self {
            Self::Columns { turn, shards, slots, columns } => {
                let new = dense(&views);
                let mut tiles = Vec::new();
                let old: Vec<View<'_>> = columns.iter().map(Column::view).collect();
                if !old.is_empty() {
                    let old = dense(&old);
                    let mut values = vec![0.0; new.len() * old.len()];
                    gram(&new, &old, old.len(), &mut values, old.len());
                    tiles.push(Tile {
                        chain: 0,
                        chains: 0,
                        from: first,
                        rows: new.len() as u32,
                        slots: slots.clone(),
                        values,
                    });
                }
                // Among the new ones: each deal against those up to it.
                let mine = |slot: u32| slot / DEAL % *shards == *turn;
                let mut start = 0;
                while start < new.len() {
                    let slot = first + start as u32;
                    let end = (start + (DEAL - slot % DEAL) as usize).min(new.len());
                    if mine(slot) {
                        let mut values = vec![0.0; (end - start) * end];
                        gram(&new[start..end], &new[..end], start, &mut values, end);
                        let of = (first..first + end as u32).collect();
                        tiles.push(Tile {
                            chain: 0,
                            chains: 0,
                            from: slot,
                            rows: (end - start) as u32,
                            slots: of,
                            values,
                        });
                    }
                    start = end;
                }
                for (slot, column) in (first..).zip(entering).filter(|&(slot, _)| mine(slot)) {
                    slots.push(slot);
                    columns.push(column.clone());
                }
                tiles
            }
            Self::Rows(chains) => {
                let stored: Vec<_> = views.iter().filter_map(|view| view.stored()).collect();
                chains.grow(first, &stored)
            }
        }
    }
}

fn dense<'a>(views: &[View<'a>]) -> Vec<&'a [f64]> {
    views.iter().filter_map(|view| view.filled()).collect()
}

impl State for WorkingPart {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Columns { turn, shards, slots, columns } => {
                out.write(&0u8);
                out.write(turn);
                out.write(shards);
                out.write(slots);
                out.write(columns);
            }
            Self::Rows(chains) => {
                out.write(&1u8);
                out.write(chains);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        match u8::load(from)? {
            0 => Ok(Self::Columns {
                turn: from.read()?,
                shards: from.read()?,
                slots: from.read()?,
                columns: from.read()?,
            }),
            1 => Ok(Self::Rows(from.read()?)),
            _ => Err(StateError::new("a part of a working set")),
        }
    }
}

raddle::state!(Batch { first, starts, slots, values });

impl State for RowPiece {
    fn save(&self, out: &mut Writer) {
        out.write(&(self.rows.start, self.rows.end));
        out.write(&self.members);
        out.write(&self.batches);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (start, end): (u32, u32) = from.read()?;
        Ok(Self { rows: start..end, members: from.read()?, batches: from.read()? })
    }
}
