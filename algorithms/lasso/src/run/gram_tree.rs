//! [`GramTree`]: the rows of a sparse working set that a shard keeps, and the fixed tree by which their
//! products are summed.
//!
//! The rows are cut into [`CHAINS`] ranges of about equal work. Over each a product is one chain of fused
//! multiply-adds, and the chains are added as leaves of a binary tree: `(0 + 1) + (2 + 3)`. A shard adds up
//! whatever whole subtrees it owns and the hub the rest, so the bits are the same for any number of shards.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::messages::Tile;
use raddle_kernels::algebra::{RowPiece, gram_by_rows};

/// Leaves of the tree, a power of two: as many shards can share the work. Each costs one more pass over the
/// new part of the Gram.
pub(crate) const CHAINS: u32 = 4;

/// A chain's rows are sorted in two pieces, so that those of a piece stay in the second-level cache.
const PIECES: u32 = 2;

/// Neighbouring chains of the working set's rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct GramTree {
    /// The number of the first chain.
    first: u32,
    chains: Vec<Vec<RowPiece>>,
    /// Buffers for sums, one for each level of the tree.
    scratch: Vec<Vec<f64>>,
}

impl GramTree {
    /// Makes the empty chains of each of `shards` shards for a matrix of `rows` rows; `sample` has the rows
    /// of a sample of its stored values.
    pub(crate) fn assign(shards: usize, rows: usize, sample: &[u32]) -> Vec<Self> {
        let mut trees = vec![Self::default(); shards];
        let cuts = cuts(rows, sample);
        for chain in 0..CHAINS {
            let owner = &mut trees[chain as usize * shards / CHAINS as usize];
            if owner.chains.is_empty() {
                owner.first = chain;
            }
            let pieces = cuts[(chain * PIECES) as usize..].windows(2).take(PIECES as usize);
            owner.chains.push(pieces.map(|cut| RowPiece::new(cut[0]..cut[1])).collect());
        }
        trees
    }

    /// Adds columns as the slots from `first` on; returns the sums of the largest subtrees owned here.
    pub(crate) fn grow(&mut self, first: u32, columns: &[(&[u32], &[f64])]) -> Vec<Tile> {
        for piece in self.chains.iter_mut().flatten() {
            piece.append(columns);
        }
        let (all, rows) = (first as usize + columns.len(), columns.len());
        let mut tiles = Vec::new();
        self.subtrees(0, CHAINS, &mut |chains, start, count| {
            let mut values = vec![0.0; rows * all];
            chains.sum(start, count, first as usize, all, &mut values, 0);
            let slots = (0..all as u32).collect();
            tiles.push(Tile { chain: start, chains: count, from: first, rows: rows as u32, slots, values });
        });
        tiles
    }

    /// Calls `take` for the largest nodes of the tree below a node whose leaves are all here; a node is its
    /// first leaf, and its number of leaves.
    fn subtrees(&mut self, start: u32, count: u32, take: &mut impl FnMut(&mut Self, u32, u32)) {
        let owned = self.first..self.first + self.chains.len() as u32;
        if owned.start <= start && start + count <= owned.end {
            take(self, start, count);
        } else if start < owned.end && owned.start < start + count {
            self.subtrees(start, count / 2, take);
            self.subtrees(start + count / 2, count / 2, take);
        }
    }

    /// Adds the products of a subtree to `out`, which holds zeros.
    fn sum(&mut self, start: u32, count: u32, first: usize, all: usize, out: &mut [f64], level: usize) {
        if count == 1 {
            for piece in &self.chains[(start - self.first) as usize] {
                gram_by_rows(piece, first, out, all);
            }
            return;
        }
        self.sum(start, count / 2, first, all, out, level);
        if self.scratch.len() == level {
            self.scratch.push(Vec::new());
        }
        let mut right = std::mem::take(&mut self.scratch[level]);
        right.clear();
        right.resize(out.len(), 0.0);
        self.sum(start + count / 2, count / 2, first, all, &mut right, level + 1);
        add(out, &right);
        self.scratch[level] = right;
    }
}

/// Number of stored values sampled to estimate the work, and of ranges of rows for which it is estimated.
pub(crate) const SAMPLE: usize = 1 << 16;
const RANGES: usize = 1 << 10;

/// Returns the start of each piece of all chains, and the number of rows. A row with m members takes m^2 / 2
/// products; the distribution of members is estimated from a sample of all stored values.
fn cuts(rows: usize, sample: &[u32]) -> Vec<u32> {
    let ranges = RANGES.min(rows.max(1));
    let mut work = vec![0.0_f64; ranges];
    for &row in sample {
        work[row as usize * ranges / rows] += 1.0;
    }
    // One product is added to each range: without a sample, all ranges are equal.
    work.iter_mut().for_each(|count| *count = *count * *count + 1.0);
    let parts = (CHAINS * PIECES) as usize;
    let total: f64 = work.iter().sum();
    let (mut cuts, mut sum) = (vec![0], 0.0);
    for (range, work) in work.iter().enumerate() {
        while cuts.len() < parts && sum + work / 2.0 >= total * cuts.len() as f64 / parts as f64 {
            cuts.push((range * rows / ranges) as u32);
        }
        sum += work;
    }
    cuts.resize(parts + 1, rows as u32);
    cuts
}

/// Sums the shards' tiles up the tree, into one tile.
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

/// Buffers are not written, as their content is not needed again.
impl State for GramTree {
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
            let indices: Vec<u32> = columns.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
            let mut trees = GramTree::assign(shards, rows as usize, &indices);
            [(0, 5), (5, 9)].map(|(first, end): (usize, usize)| {
                let tiles = trees.iter_mut().flat_map(|part| part.grow(first as u32, &views[first..end]));
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

    /// Ranges of rows with many entries are cut finer; every row lies in one piece, whatever the sample.
    #[test]
    fn the_cuts_follow_the_work() {
        let parts = (CHAINS * PIECES) as usize;
        let crowded: Vec<u32> = (0..4000).flat_map(|row| vec![row; if row < 1000 { 9 } else { 3 }]).collect();
        let squares =
            |cut: &[u32]| (cut[0]..cut[1]).map(|row| if row < 1000 { 81.0 } else { 9.0 }).sum::<f64>();
        let cut = cuts(4000, &crowded);
        let ideal = squares(&[0, 4000]) / parts as f64;
        assert!(cut.windows(2).all(|cut| (squares(cut) / ideal - 1.0).abs() < 0.1), "{cut:?}");
        for (rows, indices) in [(0, vec![]), (1, vec![0]), (5, vec![]), (9, vec![8; 50]), (5000, vec![0; 7])]
        {
            let cut = cuts(rows, &indices);
            assert_eq!((cut.len(), cut[0], cut[parts]), (parts + 1, 0, rows as u32), "{rows} rows");
            assert!(cut.is_sorted(), "{cut:?}");
        }
    }
}
