//! [`Alternation`]: the schedule of users, then items.

use raddle::schedule::{Assignment, EpochStart, Plan, Round};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{Schedule, Verb};

use super::phase::{AlternatingPhase, Column};
use super::program::SideSolver;

/// Schedule of users, then items; in coordinate descent, for each rank. Shards of users and of items have
/// alternating numbers, so that every worker has some of both.
#[derive(Debug, Clone)]
pub struct Alternation {
    way: SideSolver,
    /// Number of parts of each side.
    parts: u32,
    /// Number of chunks from which shards take their ratings, one per round.
    chunks: usize,
    /// Counted cost of measuring with a shard, if epochs end with a measurement.
    measure: Option<u64>,
    /// `true` if shards have their ratings: not if they were just made, as when a run starts or is resumed.
    is_set_up: bool,
}

impl Alternation {
    pub(crate) fn new(way: SideSolver, parts: u32, chunks: usize, measure: Option<u64>) -> Self {
        Self { way, parts, chunks, measure, is_set_up: false }
    }

    /// Returns the shards of a side.
    fn shards(&self, side: usize) -> impl Iterator<Item = u32> {
        (0..self.parts).map(move |part| 2 * part + side as u32)
    }

    fn rows(&self, side: usize) -> Round<AlternatingPhase> {
        Round::to_shards(AlternatingPhase::Rows(side), self.shards(side))
    }

    /// A column counts as a variable of the shards that update it.
    fn column(&self, column: Column) -> Round<AlternatingPhase> {
        let task = |shard| Assignment { shard, block: None, variables: vec![column.rank] };
        Round::new(AlternatingPhase::Column(column), self.shards(column.side).map(task).collect())
    }
}

impl Schedule<AlternatingPhase> for Alternation {
    fn identity(&self) -> String {
        // The number of chunks changes no bit of the result.
        let Self { way, parts, chunks: _, measure, is_set_up: _ } = self;
        format!("alternation of {way:?}, {parts} parts, measured {}", measure.is_some())
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update]
    }

    fn cost(&self, _: u64, phase: &AlternatingPhase, cost: u64) -> u64 {
        match phase {
            AlternatingPhase::Rows(_) | AlternatingPhase::Column(_) => cost,
            AlternatingPhase::Measure => self.measure.unwrap_or(0),
            AlternatingPhase::Take => 0,
        }
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<AlternatingPhase> {
        let mut rounds = Vec::new();
        if !std::mem::replace(&mut self.is_set_up, true) {
            let take = Round::to_shards(AlternatingPhase::Take, 0..2 * self.parts);
            // Ratings from several chunks are joined in one more round, once all of the input is freed.
            rounds.extend(vec![take; if self.chunks > 1 { self.chunks + 1 } else { 1 }]);
        }
        rounds.extend(match &self.way {
            SideSolver::Rows(_) => vec![self.rows(0), self.rows(1)],
            SideSolver::Columns(columns) => {
                let of = |rank| {
                    let passes = (0..columns.inner).flat_map(|pass| [(pass, 0), (pass, 1)]);
                    passes.map(move |(pass, side)| Column { side, rank, pass })
                };
                columns.order().flat_map(of).map(|column| self.column(column)).collect()
            }
        });
        if self.measure.is_some() {
            rounds.push(Round::to_shards(AlternatingPhase::Measure, self.shards(0)));
        }
        Plan::Known(rounds)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.is_set_up);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.is_set_up = from.read()?;
        Ok(())
    }

    /// Shards take their ratings from the input again.
    fn save_state(&self, _: &mut Learned<Writer>) {}

    fn load_state(&mut self, _: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.is_set_up = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::coordinate_descent::CoordinateDescent;
    use super::super::least_squares::LeastSquares;
    use super::*;
    use crate::params::Equations;
    use raddle::Metric;

    #[test]
    fn an_epoch_costs_its_rows_or_columns_and_what_it_measures() {
        let rows = LeastSquares {
            rank: 4,
            biases: true,
            equations: Equations::Cholesky,
            implicit: None,
            count_alone: false,
            reg: 0.1,
            reg_power: 1.0,
            non_negative: false,
        };
        let columns = CoordinateDescent {
            rank: 4,
            biases: true,
            inner: 3,
            reg: 0.1,
            bias_reg: 0.1,
            reg_power: 1.0,
            non_negative: false,
        };
        let (parts, given) = (5, 100);
        // Both sides have five parts: all rows at once, or three passes over each of six columns.
        for (way, tasks) in [(SideSolver::Rows(rows), 2 * 5), (SideSolver::Columns(columns), 2 * 5 * 6 * 3)] {
            for (measure, measured) in [(Some(7), 5 * 7), (None, 0)] {
                let mut schedule = Alternation::new(way, parts, 2, measure);
                for epoch in 0..2 {
                    let metric = Metric::new("rmse", 1.0, "training data");
                    let start =
                        EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
                    let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("plans are known") };
                    let tasks_of = rounds.iter().map(|round| (round.tasks.len() as u64, &round.phase));
                    let sum: u64 =
                        tasks_of.map(|(tasks, phase)| tasks * schedule.cost(epoch, phase, given)).sum();
                    assert_eq!(sum, tasks * given + measured, "{way:?}");
                }
            }
        }
    }
}
