//! [`Grid`]: visits the cells of a grid of shards and blocks, those that gain most more often.

use super::{Assignment, EpochStart, Plan, Round, Schedule};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Limit of the visits that a cell gets by its weight, as a multiple of the average.
const MOST: f64 = 4.0;

/// Visits cells by how much they gain; no two tasks of a round share a shard or a block.
///
/// An epoch has about as many visits as the grid has cells. Half of the visits are shared evenly, so that
/// every cell is visited at least every other epoch; the other half goes to cells by their weights in the
/// program's [`Verdict`](crate::Verdict), as `(shard * blocks + block, weight)`: say, how far the error of
/// the cell fell at its last visit. An epoch without weights visits every cell once. A round takes the cells
/// that are owed the most visits and skips those whose row or column is busy, as the scheduler of FPSGD does
/// (Zhuang et al., "A fast parallel SGD for matrix factorization in shared memory systems", 2013). The plan
/// is known in advance, as that of a [`Rotation`](super::Rotation) is.
#[derive(Debug, Clone)]
pub struct Grid<F = ()> {
    phase: F,
    shards: u32,
    blocks: u32,
    /// Number of visits that each cell is owed.
    owed: Vec<f64>,
}

impl Grid {
    /// Makes a schedule for the shards `0..shards` and this number of blocks.
    pub fn new(shards: u32, blocks: u32) -> Self {
        Self { phase: (), shards, blocks, owed: vec![0.0; shards as usize * blocks as usize] }
    }

    /// With rounds of this phase.
    pub fn phase<F>(self, phase: F) -> Grid<F> {
        Grid { phase, shards: self.shards, blocks: self.blocks, owed: self.owed }
    }
}

impl<F: Phase> Grid<F> {
    /// Returns the rounds of the next epoch, by these weights of cells.
    pub fn rounds(&mut self, weights: &[(u32, f64)]) -> Vec<Round<F>> {
        let mut left = self.visits(weights);
        let mut rounds = Vec::new();
        while !left.is_empty() {
            let mut rows = vec![false; self.shards as usize];
            let mut columns = vec![false; self.blocks as usize];
            let mut tasks = Vec::new();
            left.retain(|&cell| {
                let (shard, block) = (cell / self.blocks, cell % self.blocks);
                let (row, column) = (&mut rows[shard as usize], &mut columns[block as usize]);
                if *row || *column {
                    return true;
                }
                (*row, *column) = (true, true);
                tasks.push(Assignment { shard, block: Some(block), variables: Vec::new() });
                false
            });
            tasks.sort_unstable_by_key(|task| task.shard);
            rounds.push(Round::new(self.phase.clone(), tasks));
        }
        rounds
    }

    /// Returns the cells to visit, the one that is owed the most visits first; ties by number.
    fn visits(&mut self, weights: &[(u32, f64)]) -> Vec<u32> {
        let total: f64 = weights.iter().map(|(_, weight)| weight.max(0.0)).sum();
        let mut shares = vec![1.0; self.owed.len()];
        if total > 0.0 {
            let mean = total / self.owed.len() as f64;
            shares.fill(0.5);
            for &(cell, weight) in weights {
                if let Some(share) = shares.get_mut(cell as usize) {
                    *share += 0.5 * (weight.max(0.0) / mean).min(MOST);
                }
            }
        }
        let mut visits: Vec<(u32, f64)> = Vec::new();
        for ((cell, owed), share) in (0..).zip(&mut self.owed).zip(shares) {
            *owed += share;
            while *owed >= 1.0 {
                visits.push((cell, *owed));
                *owed -= 1.0;
            }
        }
        visits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        visits.into_iter().map(|(cell, _)| cell).collect()
    }
}

impl<F: Phase> Schedule<F> for Grid<F> {
    fn identity(&self) -> String {
        format!("grid of {} shards and {} blocks, phase {:?}", self.shards, self.blocks, self.phase)
    }

    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        super::check_count("shards", self.shards, shards)?;
        super::check_count("blocks", self.blocks, blocks)
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::UpdateBlock, Verb::Fold]
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F> {
        Plan::Known(self.rounds(&start.weights))
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.owed);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let owed: Vec<f64> = from.read()?;
        // After every epoch, less than a whole visit is owed to each cell.
        let is_left = |owed: &f64| (0.0..1.0).contains(owed);
        if owed.len() != self.owed.len() || !owed.iter().all(is_left) {
            return Err(StateError::new("the visits that cells are owed"));
        }
        self.owed = owed;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(rounds: &[Round], blocks: u32) -> Vec<u32> {
        let tasks = rounds.iter().flat_map(|round| &round.tasks);
        tasks.filter_map(|task| Some(task.shard * blocks + task.block?)).collect()
    }

    proptest! {
        #[test]
        fn rounds_are_disjoint_and_without_weights_every_cell_has_its_visit(shards in 1u32..12, blocks in 1u32..12) {
            let rounds = Grid::new(shards, blocks).rounds(&[]);
            for round in &rounds {
                let mut held: Vec<_> = round.tasks.iter().map(|task| task.block).collect();
                held.sort_unstable();
                held.dedup();
                prop_assert_eq!(held.len(), round.tasks.len());
                prop_assert!(round.tasks.is_sorted_by(|a, b| a.shard < b.shard));
            }
            let mut visited = cells(&rounds, blocks);
            visited.sort_unstable();
            prop_assert_eq!(visited, (0..shards * blocks).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_gains_most_is_visited_most_and_nobody_is_forgotten() {
        let mut grid = Grid::new(3, 3);
        let mut seen = [0; 9];
        for epoch in 0..20 {
            let weights: Vec<_> = (0..9).map(|cell| (cell, if cell == 4 { 3.0 } else { 0.5 })).collect();
            let rounds = grid.rounds(if epoch == 0 { &[] } else { &weights });
            cells(&rounds, 3).into_iter().for_each(|cell| seen[cell as usize] += 1);
        }
        assert!(seen.iter().all(|&times| times >= 10) && seen[4] > 35, "{seen:?}");
        assert!((175..=185).contains(&seen.iter().sum::<i32>()), "{seen:?}");
    }

    #[test]
    fn what_is_owed_goes_on_after_it_is_saved_and_nothing_else_is_read() {
        let weights = [(1, 0.3), (2, 0.9)];
        let mut grid = Grid::new(2, 2);
        grid.rounds(&weights);
        let mut out = Writer::default();
        grid.save(&mut out);
        let bytes = out.into_bytes();
        let mut other = Grid::new(2, 2);
        other.load(&mut Reader::new(&bytes)).unwrap();
        assert_eq!(other.rounds(&weights), grid.rounds(&weights));
        assert!(Grid::new(2, 3).load(&mut Reader::new(&bytes)).is_err());
        for wrong in [1.0, -0.1, f64::NAN] {
            let mut out = Writer::default();
            out.write(&vec![wrong; 4]);
            assert!(other.load(&mut Reader::new(&out.into_bytes())).is_err(), "{wrong}");
        }
    }
}
