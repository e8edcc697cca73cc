//! [`GridSchedule`]: which block meets which shard next: in rotation, or by recent error reduction.

use raddle::Schedule;
use raddle::schedule::{Assignment, Outlook, Plan, Rotation, Round};
use raddle::state::{Reader, StateError, Writer};

use crate::input::chunk::chunk_owner;
use crate::restored::ensure;

/// The program's kinds of rounds.
pub(crate) mod kind {
    /// A shard deals its chunk of the input out.
    pub(crate) const SCATTER: u32 = 0;
    /// A block brings a shard its ratings.
    pub(crate) const DELIVER: u32 = 1;
    /// Gradient steps.
    pub(crate) const TRAIN: u32 = 2;
    /// Squared errors of what is held out.
    pub(crate) const MEASURE: u32 = 3;
    /// A shard adds its ratings to the sums of the block's items.
    pub(crate) const ITEM_MEANS: u32 = 4;
    /// What the items leave is added to the sums of the shard's users.
    pub(crate) const USER_MEANS: u32 = 5;
}

/// Plans each epoch whole: the first brings the ratings to their cells, every one trains, and measures if need be.
#[derive(Debug, Clone)]
pub struct GridSchedule {
    shards: u32,
    blocks: u32,
    chunks: u32,
    measure: bool,
    /// Whether biases begin with means.
    means: bool,
    /// Whether the ratings are in their cells: not in a run that has just begun or been resumed.
    is_set_up: bool,
    /// For each cell, how many visits it is owed; `None` rotates.
    owed: Option<Vec<f64>>,
}

impl GridSchedule {
    /// For these numbers of shards and blocks, of which `chunks` deal out the input.
    pub(crate) fn new(shards: u32, blocks: u32, chunks: u32, measure: bool, by_priority: bool) -> Self {
        let owed = by_priority.then(|| vec![0.0; (shards * blocks) as usize]);
        Self { shards, blocks, chunks, measure, means: false, is_set_up: false, owed }
    }

    /// Finds the means with which biases begin, before the first epoch.
    pub(crate) fn with_means(mut self, means: bool) -> Self {
        self.means = means;
        self
    }

    fn rotation(&self, kind: u32) -> Vec<Round> {
        Rotation::new(self.shards, self.blocks).rounds(kind)
    }

    /// As many visits as the grid has cells. Half of them go round evenly, so that no cell waits longer than every
    /// other epoch; the other half goes to cells by how much their error fell at their last visit.
    fn by_priority(&mut self, weights: &[(u32, f64)]) -> Option<Vec<Round>> {
        let owed = self.owed.as_mut()?;
        let total: f64 = weights.iter().map(|(_, weight)| weight.max(0.0)).sum();
        let mut share = vec![1.0; owed.len()];
        if total > 0.0 {
            let mean = total / owed.len() as f64;
            share.fill(0.5);
            for &(cell, weight) in weights {
                if let Some(share) = share.get_mut(cell as usize) {
                    *share += 0.5 * (weight.max(0.0) / mean).min(4.0);
                }
            }
        }
        owed.iter_mut().zip(&share).for_each(|(owed, share)| *owed += share);
        let mut visits: Vec<(u32, f64)> = Vec::new();
        for (cell, owed) in (0..).zip(owed.iter_mut()) {
            while *owed >= 1.0 {
                visits.push((cell, *owed));
                *owed -= 1.0;
            }
        }
        // Who is owed most goes first; ties by number.
        visits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut left: Vec<u32> = visits.into_iter().map(|(cell, _)| cell).collect();
        let mut rounds = Vec::new();
        while !left.is_empty() {
            let (mut shards, mut blocks) =
                (vec![false; self.shards as usize], vec![false; self.blocks as usize]);
            let mut tasks = Vec::new();
            left.retain(|&cell| {
                let (shard, block) = (cell / self.blocks, cell % self.blocks);
                if shards[shard as usize] || blocks[block as usize] {
                    return true;
                }
                (shards[shard as usize], blocks[block as usize]) = (true, true);
                tasks.push(Assignment { shard, block: Some(block), variables: Vec::new() });
                false
            });
            tasks.sort_unstable_by_key(|task| task.shard);
            rounds.push(Round { kind: kind::TRAIN, tasks });
        }
        Some(rounds)
    }
}

impl Schedule for GridSchedule {
    fn identity(&self) -> String {
        // In how many chunks the input is taken in changes no bit.
        let Self { shards, blocks, chunks: _, measure, means, owed, is_set_up: _ } = self;
        let kind = if owed.is_some() { "grid by priority" } else { "grid in rotation" };
        format!("{kind}, {shards} shards, {blocks} blocks, measured {measure}, means {means}")
    }

    fn begin_epoch(&mut self, outlook: &Outlook) -> Plan {
        let mut rounds = Vec::new();
        if !std::mem::replace(&mut self.is_set_up, true) {
            let pair = |chunk| Assignment {
                shard: chunk_owner(chunk, self.chunks, self.shards),
                block: Some(chunk),
                variables: Vec::new(),
            };
            rounds.push(Round { kind: kind::SCATTER, tasks: (0..self.chunks).map(pair).collect() });
            rounds.extend(self.rotation(kind::DELIVER));
            if self.means && outlook.epoch == 0 {
                rounds.extend(self.rotation(kind::ITEM_MEANS));
                rounds.extend(self.rotation(kind::USER_MEANS));
            }
        }
        let train = self.by_priority(&outlook.weights);
        rounds.extend(train.unwrap_or_else(|| self.rotation(kind::TRAIN)));
        if self.measure {
            rounds.extend(self.rotation(kind::MEASURE));
        }
        Plan::Known(rounds)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.owed);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let owed: Option<Vec<f64>> = from.read()?;
        // What is owed beyond whole visits is left after every epoch.
        let is_owed = |owed: &[f64]| owed.iter().all(|owed| (0.0..1.0).contains(owed));
        let fits = owed.as_ref().map(Vec::len) == self.owed.as_ref().map(Vec::len);
        ensure(fits && owed.as_deref().is_none_or(is_owed), "the visits that cells are owed")?;
        self.owed = owed;
        // What is loaded goes on with shards made anew.
        self.is_set_up = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Metric;

    fn rounds(schedule: &mut GridSchedule, weights: Vec<(u32, f64)>) -> Vec<Round> {
        let metric = Metric::new("rmse", 1.0, "training data");
        let outlook = Outlook { epoch: 0, metric, objective: None, weights, wanted: 0 };
        match schedule.begin_epoch(&outlook) {
            Plan::Known(rounds) => rounds,
            Plan::Stepwise => panic!("plans are known"),
        }
    }

    fn visits(rounds: &[Round], kind: u32) -> Vec<(u32, u32)> {
        let tasks = rounds.iter().filter(|round| round.kind == kind).flat_map(|round| &round.tasks);
        tasks.filter_map(|task| Some((task.shard, task.block?))).collect()
    }

    #[test]
    fn ratings_are_dealt_once_and_every_epoch_visits_every_cell() {
        let mut schedule = GridSchedule::new(4, 3, 2, true, false);
        let first = rounds(&mut schedule, Vec::new());
        assert_eq!(visits(&first, kind::SCATTER), [(0, 0), (2, 1)]);
        assert_eq!(visits(&first, kind::DELIVER).len(), 12);
        let second = rounds(&mut schedule, Vec::new());
        assert!(visits(&second, kind::SCATTER).is_empty() && visits(&second, kind::DELIVER).is_empty());
        for kind in [kind::TRAIN, kind::MEASURE] {
            let mut cells = visits(&second, kind);
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), 12);
        }
        let mut out = Writer::default();
        schedule.save(&mut out);
        schedule.load(&mut Reader::new(&out.into_bytes())).unwrap();
        assert_eq!(visits(&rounds(&mut schedule, Vec::new()), kind::DELIVER).len(), 12);
    }

    #[test]
    fn priority_visits_what_gains_most_and_forgets_nobody() {
        let mut schedule = GridSchedule::new(3, 3, 3, false, true);
        let mut seen = [0; 9];
        for epoch in 0..20 {
            let weights = (0..9).map(|cell| (cell, if cell == 4 { 3.0 } else { 0.5 })).collect();
            let rounds = rounds(&mut schedule, if epoch == 0 { Vec::new() } else { weights });
            for round in rounds.iter().filter(|round| round.kind == kind::TRAIN) {
                let mut blocks: Vec<_> = round.tasks.iter().map(|task| task.block).collect();
                blocks.sort_unstable();
                blocks.dedup();
                assert_eq!(blocks.len(), round.tasks.len());
            }
            visits(&rounds, kind::TRAIN)
                .iter()
                .for_each(|(shard, block)| seen[(shard * 3 + block) as usize] += 1);
        }
        assert!(seen.iter().all(|&times| times >= 10) && seen[4] > 35, "{seen:?}");
        assert!((175..=185).contains(&seen.iter().sum::<i32>()), "{seen:?}");
    }
}
