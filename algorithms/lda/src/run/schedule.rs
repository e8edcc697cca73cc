//! [`LdaSchedule`]: a rotation of word blocks round the document shards. Where the course asks for it, each
//! block is scheduled once more for statistics of words, and a rotation gathers the rows that held-out
//! documents need. An estimate follows where it may be enough.

use std::sync::Arc;

use raddle::Verb;
use raddle::schedule::{Assignment, EpochStart, Plan, Rotation, Round};
use raddle::state::{Reader, StateError, Writer};

use super::annealing::Course;
use super::evaluation_times::EvaluationTimes;

/// The purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Draw topics.
    Sample,
    /// Compute statistics of each block's words, at one shard.
    Statistics,
    /// Copy the rows of held-out words to the shards.
    Gather,
    /// Sum up the topics of each shard's documents.
    Alpha,
    /// Estimate the scores of held-out documents, after this many epochs.
    Estimate(u64),
}

raddle::state!(
    enum Phase {
        Sample,
        Statistics,
        Gather,
        Alpha,
        Estimate(epoch),
    }
);

/// The schedule of a run.
#[derive(Debug, Clone)]
pub struct LdaSchedule {
    pub(crate) shards: u32,
    pub(crate) blocks: u32,
    pub(crate) course: Arc<Course>,
    /// `true` if documents are held out.
    pub(crate) held_out: bool,
    /// `true` if the priors are optimised.
    pub(crate) optimise: bool,
    pub(crate) evaluations: EvaluationTimes,
}

impl raddle::Schedule<Phase> for LdaSchedule {
    fn identity(&self) -> String {
        let Self { shards, blocks, course, held_out, optimise, evaluations } = self;
        let every = if evaluations.is_fixed { "every" } else { "at most" };
        format!(
            "{shards} shards, {blocks} blocks, held out {held_out}, optimised {optimise}, evaluated {every}, \
             {course:?}"
        )
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update, Verb::UpdateBlock, Verb::Fold]
    }

    fn cost(&self, epoch: u64, phase: &Phase, cost: u64) -> u64 {
        match phase {
            Phase::Sample => (cost as f64 * self.course.pass(epoch).has) as u64,
            Phase::Statistics | Phase::Gather | Phase::Alpha | Phase::Estimate(_) => 0,
        }
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<Phase> {
        let epoch = start.epoch;
        let scores = self.evaluations.due(&self.course, start);
        let mut rounds = Rotation::new(self.shards, self.blocks).rounds(Phase::Sample);
        if scores || (self.optimise && self.course.optimises(epoch)) {
            rounds.extend(self.statistics());
        }
        if self.optimise && self.course.optimises(epoch) {
            rounds.push(Round::to_shards(Phase::Alpha, 0..self.shards));
        }
        if scores && self.held_out {
            rounds.extend(Rotation::new(self.shards, self.blocks).rounds(Phase::Gather));
            if self.evaluations.may_be_estimated(&self.course, start) {
                rounds.push(Round::to_shards(Phase::Estimate(epoch + 1), 0..self.shards));
            }
        }
        Plan::Known(rounds)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.evaluations);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.evaluations = from.read()?;
        Ok(())
    }
}

impl LdaSchedule {
    /// Schedules each block once, at the shard where the rotation leaves it.
    fn statistics(&self) -> Vec<Round<Phase>> {
        let blocks: Vec<u32> = (0..self.blocks).collect();
        let round = |some: &[u32]| {
            let task = |(shard, &block): (u32, &u32)| Assignment {
                shard,
                block: Some(block),
                variables: Vec::new(),
            };
            Round::new(Phase::Statistics, (0..).zip(some).map(task).collect())
        };
        blocks.chunks(self.shards.max(1) as usize).map(round).collect()
    }
}

#[cfg(test)]
mod tests {
    use raddle::{Metric, Schedule};

    use super::*;

    #[test]
    fn an_epoch_costs_the_part_of_the_documents_that_it_samples() {
        let course = Arc::new(Course::new(9_200_000, 1000, true, None, None));
        let evaluations = EvaluationTimes::default();
        let mut schedule =
            LdaSchedule { shards: 3, blocks: 4, course, held_out: true, optimise: true, evaluations };
        let mut costs: Vec<u64> = Vec::new();
        for epoch in [0, 5, 9, 40] {
            let metric = Metric::new("perplexity", 900.0, "test data");
            let start = EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
            let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("plans are known") };
            let tasks = rounds.iter().map(|round| (round.tasks.len() as u64, &round.phase));
            costs.push(tasks.map(|(tasks, phase)| tasks * schedule.cost(epoch, phase, 3_200)).sum());
        }
        // Stages: 1/32 of the documents; 1/32 while the rest of 1/16 joins; and so on to all documents.
        let whole = 3 * 4 * 3_200;
        assert_eq!(costs, [whole / 32, whole / 32, whole / 16, whole]);
    }
}
