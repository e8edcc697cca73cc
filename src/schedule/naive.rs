//! Grid, automatic and blocks as plain loops over the promises of their pages: which tasks may meet, in which
//! order, with which caps. The schedules must do the same, however they do it.

use proptest::prelude::*;

use super::*;

/// A random weight, zero now and then.
fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0f64..1.0, Just(1e6)]
}

/// Half of a cell's visits are equal for all, the other half follows its weight, up to four times the mean.
/// The cell that is owed most comes first, ties by number; a round takes every cell whose row and column are
/// free, in that order.
struct NaiveGrid {
    shards: usize,
    blocks: usize,
    owed: Vec<f64>,
}

impl NaiveGrid {
    fn rounds(&mut self, weights: &[f64]) -> Vec<Vec<(u32, u32)>> {
        let cells = self.shards * self.blocks;
        let mean = weights.iter().sum::<f64>() / cells as f64;
        // Visits, as (owed, cell).
        let mut waiting: Vec<(f64, usize)> = Vec::new();
        for (cell, weight) in weights.iter().enumerate() {
            self.owed[cell] += if mean > 0.0 { 0.5 + 0.5 * (weight / mean).min(4.0) } else { 1.0 };
            while self.owed[cell] >= 1.0 {
                waiting.push((self.owed[cell], cell));
                self.owed[cell] -= 1.0;
            }
        }
        let mut rounds = Vec::new();
        while !waiting.is_empty() {
            let (mut taken, mut passed) = (Vec::<(u32, u32)>::new(), Vec::new());
            while !waiting.is_empty() {
                let mut first = 0;
                for at in 1..waiting.len() {
                    let (owed, cell) = waiting[at];
                    let (most, least) = waiting[first];
                    if owed > most || (owed == most && cell < least) {
                        first = at;
                    }
                }
                let visit = waiting.remove(first);
                let (row, column) = ((visit.1 / self.blocks) as u32, (visit.1 % self.blocks) as u32);
                match taken.iter().any(|&(r, c)| r == row || c == column) {
                    true => passed.push(visit),
                    false => taken.push((row, column)),
                }
            }
            taken.sort_unstable();
            rounds.push(taken);
            waiting = passed;
        }
        rounds
    }
}

proptest! {
    #[test]
    fn a_grid_visits_what_is_owed_most_and_never_more_than_four_means(
        (shards, blocks) in (1usize..6, 1usize..6),
        epochs in prop::collection::vec(prop::collection::vec(weight(), 36), 1..6),
    ) {
        let mut grid = Grid::new(shards as u32, blocks as u32);
        let mut naive = NaiveGrid { shards, blocks, owed: vec![0.0; shards * blocks] };
        for weights in epochs {
            let weights = &weights[..shards * blocks];
            let told: Vec<(u32, f64)> = (0..).zip(weights.iter().copied()).collect();
            let rounds = grid.rounds(&told);
            let met = |round: &Round| -> Vec<(u32, u32)> {
                round.tasks.iter().map(|task| (task.shard, task.block.unwrap())).collect()
            };
            prop_assert_eq!(rounds.iter().map(met).collect::<Vec<_>>(), naive.rounds(weights));
        }
    }

    #[test]
    fn a_round_of_variables_that_live_anywhere_is_dealt_dearest_first_to_the_cheapest_block(
        costs in prop::collection::vec(0u32..9, 1..30), shards in 1u32..9, seed: u64,
    ) {
        let mut chosen: Vec<u32> = (0..costs.len() as u32).collect();
        crate::base::random::Stream::new(&[seed]).shuffle(&mut chosen);
        chosen.truncate(1 + seed as usize % costs.len());
        let mut expected: Vec<(u64, Vec<usize>)> = vec![(0, Vec::new()); chosen.len().min(shards as usize)];
        let mut left: Vec<usize> = (0..chosen.len()).collect();
        while !left.is_empty() {
            // A variable without cost costs 1.
            let cost = |at: usize| u64::from(costs[chosen[at] as usize].max(1));
            let mut dearest = 0;
            for at in 1..left.len() {
                if cost(left[at]) > cost(left[dearest]) {
                    dearest = at;
                }
            }
            let at = left.remove(dearest);
            let mut cheapest = 0;
            for block in 1..expected.len() {
                if expected[block].0 < expected[cheapest].0 {
                    cheapest = block;
                }
            }
            expected[cheapest].0 += cost(at);
            expected[cheapest].1.push(at);
        }
        let round = Variables::anywhere(costs.clone(), shards).round((), &chosen);
        let dealt: Vec<(u32, Vec<u32>)> =
            round.tasks.into_iter().map(|task| (task.shard, task.variables)).collect();
        // Within a block they keep the order in which they were chosen.
        for (_, block) in &mut expected {
            block.sort_unstable();
            prop_assert!(!block.is_empty(), "no task is empty");
        }
        let expected = expected.into_iter().map(|(_, block)| block.into_iter().map(|at| chosen[at]).collect());
        prop_assert_eq!(dealt, (0..).zip(expected).collect::<Vec<(u32, Vec<u32>)>>());
    }

    #[test]
    fn the_best_rate_runs_each_once_first_and_what_was_rolled_back_has_gained_nothing(
        rounds in prop::collection::vec(1u32..4, 1..5),
        epochs in prop::collection::vec((0.2f64..1.3, prop::bool::weighted(0.3)), 1..30),
    ) {
        let variables = Variables::in_ranges(vec![3; 2], vec![0, 2]);
        let choices = rounds.iter().map(|&rounds| Box::new(Fixed { rounds, left: 0, reduced: 0 }) as Box<dyn Schedule>);
        let mut automatic = Automatic::new(variables, choices.collect());
        // By choice: its gain per cost when it last ran, and how often its parallelism was reduced.
        let mut gained: Vec<Option<f64>> = vec![None; rounds.len()];
        let mut reduced = vec![0; rounds.len()];
        let mut value = 1.0;
        for (epoch, (factor, is_undone)) in (0..).zip(epochs) {
            let mut boundary = Writer::default();
            automatic.save(&mut boundary);
            let metric = Metric::new("gap", value, "nothing");
            automatic.begin_epoch(&EpochStart { epoch, metric, objective: None, weights: vec![], batch_hint: 0 });
            let mut expected = 0;
            for choice in 1..rounds.len() {
                let rate = |choice: usize| gained[choice].unwrap_or(f64::INFINITY);
                if rate(choice) > rate(expected) {
                    expected = choice;
                }
            }
            prop_assert_eq!(automatic.current(), expected, "epoch {}: {:?}", epoch, gained);
            let mut handed_out = 0;
            while let Next::Round(round) = automatic.next_round() {
                automatic.learn(&round, &[]);
                handed_out += 1;
            }
            prop_assert_eq!(handed_out, rounds[expected] + reduced[expected]);
            if is_undone {
                automatic.load(&mut Reader::new(&boundary.into_bytes())).unwrap();
                automatic.reduce_parallelism();
                gained[expected] = Some(0.0);
                reduced[expected] += 1;
            } else {
                // Two variables of cost 3 a round.
                let before = value;
                value *= factor;
                gained[expected] = Some((libm::log(before) - libm::log(value)) / f64::from(6 * handed_out));
            }
        }
    }
}

#[test]
fn a_cell_that_gains_everything_gets_four_means_and_no_more() {
    let mut grid = Grid::new(10, 10);
    let weights: Vec<(u32, f64)> = (0..100).map(|cell| (cell, if cell == 7 { 1e6 } else { 1.0 })).collect();
    let visits = (0..100).flat_map(|_| grid.rounds(&weights)).flat_map(|round| round.tasks);
    let of_seven = visits.filter(|task| (task.shard, task.block) == (0, Some(7))).count();
    // Half an average visit an epoch, and half of four.
    assert_eq!(of_seven, 250);
}

#[test]
fn a_choice_whose_gain_is_no_number_gives_way_to_any_other() {
    let variables = Variables::in_ranges(vec![1; 2], vec![0, 2]);
    let choices = (0..3).map(|_| Box::new(Fixed { rounds: 1, left: 0, reduced: 0 }) as Box<dyn Schedule>);
    let mut automatic = Automatic::new(variables, choices.collect());
    let mut ran = Vec::new();
    // Nothing is known of the first two: the metric that lies between them is no number. The third makes it
    // worse.
    for (epoch, value) in [(0, 1.0), (1, f64::NAN), (2, 2.0), (3, 3.0), (4, 4.0)] {
        let metric = Metric::new("gap", value, "nothing");
        automatic.begin_epoch(&EpochStart { epoch, metric, objective: None, weights: vec![], batch_hint: 0 });
        while let Next::Round(round) = automatic.next_round() {
            automatic.learn(&round, &[]);
        }
        ran.push(automatic.current());
    }
    assert_eq!(ran, [0, 1, 2, 2, 2]);
}

/// Some rounds an epoch over two variables, one more for each time that its parallelism was reduced.
struct Fixed {
    rounds: u32,
    left: u32,
    reduced: u32,
}

impl Schedule for Fixed {
    fn identity(&self) -> String {
        "fixed".into()
    }
    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        self.left = self.rounds + self.reduced;
        Plan::Stepwise
    }
    fn next_round(&mut self) -> Next {
        if self.left == 0 {
            return Next::EndOfEpoch;
        }
        self.left -= 1;
        Next::Round(Round::new((), vec![Assignment { shard: 0, block: None, variables: vec![0, 1] }]))
    }
    fn reduce_parallelism(&mut self) {
        self.reduced += 1;
    }
    fn save(&self, out: &mut Writer) {
        out.write(&self.reduced);
    }
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.reduced = from.read()?;
        Ok(())
    }
}
