//! [`GridSchedule`]: decides which block is trained with which shard next, in rotation or by recent error
//! reduction.

use raddle::schedule::{Assignment, EpochStart, Grid, Plan, Rotation, Round};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{Schedule, Verb};

use super::replica::EpochPlan;
use crate::input::chunk::chunk_owner;

/// Purpose of a round.
#[derive(Debug, Clone, Copy)]
pub enum Phase {
    /// A shard splits its chunk of the input.
    Scatter,
    /// A block brings a shard its ratings.
    Deliver,
    /// A shard adds its ratings to the sums of the block's items.
    ItemMeans,
    /// A shard adds the residuals left by the items' means to the sums of its users.
    UserMeans,
    /// Gradient steps, as long as this epoch's.
    Train(EpochPlan),
    /// Squared errors of held-out ratings are measured in this epoch.
    Measure(EpochPlan),
}

raddle::state!(
    enum Phase {
        Scatter,
        Deliver,
        ItemMeans,
        UserMeans,
        Train(plan),
        Measure(plan),
    }
);

impl Phase {
    /// The phase of training; the program adds the plan of the epoch.
    fn train() -> Self {
        Self::Train(EpochPlan::default())
    }
}

/// Plans a whole epoch at once: the first one brings the ratings to their cells, and every one trains, and
/// measures if needed.
#[derive(Debug, Clone)]
pub struct GridSchedule {
    shards: u32,
    blocks: u32,
    chunks: u32,
    /// Counted cost of measuring with a shard, if epochs end with a measurement.
    measure: Option<u64>,
    /// `true` if biases start from means, which are computed before the first epoch.
    pub(super) means: bool,
    /// `true` if the ratings are in their cells: not if shards were just made, as when a run starts or is
    /// resumed.
    is_set_up: bool,
    /// Choice of the cells to train by how much they gain; `None` rotates.
    grid: Option<Grid<Phase>>,
}

impl GridSchedule {
    /// A schedule for these numbers of shards and blocks, with `chunks` chunks of the input.
    pub(crate) fn new(shards: u32, blocks: u32, chunks: u32, measure: Option<u64>) -> Self {
        Self { shards, blocks, chunks, measure, means: false, is_set_up: false, grid: None }
    }

    /// Chooses the cells to train by how much they gain.
    pub(super) fn by_priority(self) -> Self {
        Self { grid: Some(Grid::new(self.shards, self.blocks).phase(Phase::train())), ..self }
    }

    fn rotation(&self, phase: Phase) -> Vec<Round<Phase>> {
        Rotation::new(self.shards, self.blocks).rounds(phase)
    }
}

impl Schedule<Phase> for GridSchedule {
    fn identity(&self) -> String {
        // The number of chunks changes no bit of the result.
        let Self { shards, blocks, chunks: _, measure, means, grid, is_set_up: _ } = self;
        let kind = if grid.is_some() { "grid by priority" } else { "grid in rotation" };
        let measured = measure.is_some();
        format!("{kind}, {shards} shards, {blocks} blocks, measured {measured}, means {means}")
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::UpdateBlock, Verb::Fold]
    }

    fn cost(&self, _: u64, phase: &Phase, cost: u64) -> u64 {
        match phase {
            Phase::Train(_) => cost,
            Phase::Measure(_) => self.measure.unwrap_or(0),
            Phase::Scatter | Phase::Deliver | Phase::ItemMeans | Phase::UserMeans => 0,
        }
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<Phase> {
        let mut rounds = Vec::new();
        if !std::mem::replace(&mut self.is_set_up, true) {
            let pair = |chunk| Assignment {
                shard: chunk_owner(chunk, self.chunks, self.shards),
                block: Some(chunk),
                variables: Vec::new(),
            };
            rounds.push(Round::new(Phase::Scatter, (0..self.chunks).map(pair).collect()));
            rounds.extend(self.rotation(Phase::Deliver));
            if self.means && start.epoch == 0 {
                rounds.extend(self.rotation(Phase::ItemMeans));
                rounds.extend(self.rotation(Phase::UserMeans));
            }
        }
        rounds.extend(match &mut self.grid {
            Some(grid) => grid.rounds(&start.weights),
            None => self.rotation(Phase::train()),
        });
        if self.measure.is_some() {
            rounds.extend(self.rotation(Phase::Measure(EpochPlan::default())));
        }
        Plan::Known(rounds)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.is_set_up);
        if let Some(grid) = &self.grid {
            grid.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.is_set_up = from.read()?;
        self.grid.as_mut().map_or(Ok(()), |grid| grid.load(from))
    }

    /// Ratings are split again.
    fn save_state(&self, out: &mut Learned<Writer>) {
        if let Some(grid) = &self.grid {
            grid.save_state(out);
        }
    }

    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.is_set_up = false;
        self.grid.as_mut().map_or(Ok(()), |grid| grid.load_state(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Metric;

    fn rounds(schedule: &mut GridSchedule) -> Vec<Round<Phase>> {
        let metric = Metric::new("rmse", 1.0, "training data");
        let start = EpochStart { epoch: 0, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
        match schedule.begin_epoch(&start) {
            Plan::Known(rounds) => rounds,
            Plan::Stepwise => panic!("plans are known"),
        }
    }

    fn visits(rounds: &[Round<Phase>], is_phase: fn(&Phase) -> bool) -> Vec<(u32, u32)> {
        let tasks = rounds.iter().filter(|round| is_phase(&round.phase)).flat_map(|round| &round.tasks);
        tasks.filter_map(|task| Some((task.shard, task.block?))).collect()
    }

    #[test]
    fn an_epoch_costs_what_it_trains_and_measures_and_not_what_it_moves() {
        for (measure, measured) in [(Some(7), 12 * 7), (None, 0)] {
            let mut schedule = GridSchedule { means: true, ..GridSchedule::new(4, 3, 2, measure) };
            for _ in 0..2 {
                let rounds = rounds(&mut schedule);
                let tasks = rounds.iter().map(|round| (round.tasks.len() as u64, &round.phase));
                let sum: u64 = tasks.map(|(tasks, phase)| tasks * schedule.cost(0, phase, 100)).sum();
                assert_eq!(sum, 12 * 100 + measured);
            }
        }
    }

    #[test]
    fn ratings_are_dealt_once_and_every_epoch_visits_every_cell() {
        let mut schedule = GridSchedule::new(4, 3, 2, Some(1));
        let first = rounds(&mut schedule);
        assert_eq!(visits(&first, |phase| matches!(phase, Phase::Scatter)), [(0, 0), (2, 1)]);
        assert_eq!(visits(&first, |phase| matches!(phase, Phase::Deliver)).len(), 12);
        let second = rounds(&mut schedule);
        assert!(
            visits(&second, |phase| matches!(phase, Phase::Scatter)).is_empty()
                && visits(&second, |phase| matches!(phase, Phase::Deliver)).is_empty()
        );
        let phases: [fn(&Phase) -> bool; 2] =
            [|phase| matches!(phase, Phase::Train(_)), |phase| matches!(phase, Phase::Measure(_))];
        for phase in phases {
            let mut cells = visits(&second, phase);
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), 12);
        }
        // Another process continues where this one was; with new shards the ratings are split again.
        let delivered = |schedule: &mut GridSchedule| {
            visits(&rounds(schedule), |phase| matches!(phase, Phase::Deliver)).len()
        };
        let (mut whole, mut learned) = (Writer::default(), Learned::default());
        schedule.save(&mut whole);
        schedule.save_state(&mut learned);
        let other = || GridSchedule::new(4, 3, 2, Some(1));
        let (mut next, mut resumed) = (other(), other());
        next.load(&mut Reader::new(&whole.into_bytes())).unwrap();
        resumed.load_state(&mut Learned::of(&learned.into_bytes())).unwrap();
        assert_eq!([&mut schedule, &mut next, &mut resumed].map(delivered), [0, 0, 12]);
    }
}
