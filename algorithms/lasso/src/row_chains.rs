//! [`RowChains`]: the rows of a sparse working set that a shard keeps, and the fixed tree by which their products are
//! summed.
//!
//! The rows are cut into [`CHAINS`] ranges. Over each a product is one chain of fused multiply-adds, and the chains are added as
//! leaves of a binary tree: `(0 + 1) + (2 + 3)`. A shard adds up whatever whole subtrees it owns and the hub the rest, so the
//! bits are the same for any number of shards.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use crate::kernels::{RowPiece, gram_by_rows};
use crate::working_part::Tile;

/// Leaves of the tree, a power of two: as many shards can share the work. Each costs one more pass over the new part
/// of the Gram.
pub(crate) const CHAINS: u32 = 4;

/// A chain's rows in two pieces, one after the other: those of a piece stay in the second-level cache while they are
/// sorted.
const PIECES: u32 = 2;

/// Neighbouring chains of the rows of the working set.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowChains {
    /// The number of the first chain.
    first: u32,
    chains: Vec<Vec<RowPiece>>,
    /// Sums that were needed before, one for each level of the tree.
    scratch: Vec<Vec<f64>>,
}

impl RowChains {
    /// The empty chains of each of `shards` shards, for columns of `rows` rows.
    pub(crate) fn deal(shards: usize, rows: usize) -> Vec<Self> {
        let mut dealt = vec![Self::default(); shards];
        let parts = (CHAINS * PIECES) as usize;
        let start = |part: u32| (rows * part as usize / parts) as u32;
        for chain in 0..CHAINS {
            let owner = &mut dealt[chain as usize * shards / CHAINS as usize];
            if owner.chains.is_empty() {
                owner.first = chain;
            }
            let pieces = chain * PIECES..(chain + 1) * PIECES;
            owner.chains.push(pieces.map(|part| RowPiece::new(start(part)..start(part + 1))).collect());
        }
        dealt
    }

    /// Takes in columns as the slots from `first` on; returns the sums of the largest subtrees owned here.
    pub(crate) fn grow(&mut self, first: u32, columns: &[(&[u32], &[f64])]) -> Vec<Tile> {
        for piece in self.chains.iter_mut().flatten() {
            piece.append(columns);
        }
        let (all, rows) = (first as usize + columns.len(), columns.len());
        let mut tiles = Vec::new();
        self.subtrees((0, CHAINS), &mut |chains, node| {
            let mut values = vec![0.0; rows * all];
            chains.sum(node, (first as usize, all), &mut values, 0);
            let slots = (0..all as u32).collect();
            tiles.push(Tile { chain: node.0, chains: node.1, from: first, rows: rows as u32, slots, values });
        });
        tiles
    }

    /// Calls `take` for the largest nodes of the tree below `node` whose leaves are all here; a node is its first leaf
    /// and how many it has.
    fn subtrees(&mut self, node: (u32, u32), take: &mut impl FnMut(&mut Self, (u32, u32))) {
        let (start, count) = node;
        let owned = self.first..self.first + self.chains.len() as u32;
        if owned.start <= start && start + count <= owned.end {
            take(self, node);
        } else if start < owned.end && owned.start < start + count {
            self.subtrees((start, count / 2), take);
            self.subtrees((start + count / 2, count / 2), take);
        }
    }

    /// Adds the products of a subtree to `out`, which holds zeros.
    fn sum(
        &mut self,
        (start, count): (u32, u32),
        (first, all): (usize, usize),
        out: &mut [f64],
        level: usize,
    ) {
        if count == 1 {
            for piece in &self.chains[(start - self.first) as usize] {
                gram_by_rows(piece, first, out, all);
            }
            return;
        }
        self.sum((start, count / 2), (first, all), out, level);
        if self.scratch.len() == level {
            self.scratch.push(Vec::new());
        }
        let mut right = std::mem::take(&mut self.scratch[level]);
        right.clear();
        right.resize(out.len(), 0.0);
        self.sum((start + count / 2, count / 2), (first, all), &mut right, level + 1);
        add(out, &right);
        self.scratch[level] = right;
    }
}

/// Sums what the shards answered up the tree, into one tile.
pub(crate) fn sum(tiles: Vec<Tile>) -> Option<Tile> {
    fn node(tiles: &mut [Option<Tile>], start: u32, count: u32) -> Option<Tile> {
        let found = tiles
            .iter_mut()
            .find(|tile| tile.as_ref().is_some_and(|tile| (tile.chain, tile.chains) == (start, count)));
        if let Some(tile) = found {
            return tile.take();
        }
        if count <= 1 {
            return None;
        }
        let (left, right) = (node(tiles, start, count / 2), node(tiles, start + count / 2, count / 2));
        match (left, right) {
            (Some(mut left), Some(right)) => {
                add(&mut left.values, &right.values);
                left.chains = count;
                Some(left)
            }
            (left, right) => left.or(right),
        }
    }
    node(&mut tiles.into_iter().map(Some).collect::<Vec<_>>(), 0, CHAINS)
}

fn add(out: &mut [f64], more: &[f64]) {
    out.iter_mut().zip(more).for_each(|(sum, value)| *sum += value);
}

/// Scratch is not written: it holds nothing that is needed again.
impl State for RowChains {
    fn save(&self, out: &mut Writer) {
        out.write(&self.first);
        out.write(&self.chains);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (first, chains): (u32, Vec<Vec<RowPiece>>) = (from.read()?, from.read()?);
        if first as usize + chains.len() > CHAINS as usize {
            return Err(StateError::new("chains of the rows of a working set"));
        }
        Ok(Self { first, chains, scratch: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any number of shards gives the bits of one.
    #[test]
    fn the_sum_does_not_depend_on_the_shards() {
        let rows = 50u32;
        let column = |j: u32| {
            let stored: Vec<u32> = (0..rows).filter(|row| !(row * 7 + j * 5).is_multiple_of(3)).collect();
            let values: Vec<f64> =
                stored.iter().map(|row| f64::from(row * 13 % 17 + j) * 0.37 - 3.0).collect();
            (stored, values)
        };
        let columns: Vec<_> = (0..9).map(column).collect();
        let views: Vec<(&[u32], &[f64])> =
            columns.iter().map(|(rows, values)| (&rows[..], &values[..])).collect();
        let grown = |shards: usize| {
            let mut dealt = RowChains::deal(shards, rows as usize);
            [(0, 5), (5, 9)].map(|(first, end): (usize, usize)| {
                let tiles = dealt.iter_mut().flat_map(|part| part.grow(first as u32, &views[first..end]));
                let tile = sum(tiles.collect()).expect("every chain has an owner");
                assert_eq!((tile.chain, tile.chains), (0, CHAINS));
                tile.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
            })
        };
        let one = grown(1);
        assert!(one[0].iter().any(|&bits| bits != 0));
        for shards in 2..=9 {
            assert_eq!(grown(shards), one, "{shards} shards");
        }
    }
}
