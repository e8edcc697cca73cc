//! [`DelayedParts`]: parts whose changes are committed one at a time, while others are still on their way.

use raddle::prelude::*;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{RestoreByShard, Restoring};

use super::phase::PartsPhase;
use super::program::{Change, PartAnswer, PartShard, PartsProgram, Standing};
use super::step::best_step;

/// A linear classifier whose rows are split into parts, each a shard. A change of the weights is committed
/// alone, once it has come: with the step along it that is best by then, so that the dual never falls.
#[derive(Debug)]
pub struct DelayedParts(pub(super) PartsProgram);

/// The state of a run, with the weights that the next change meets: at a boundary those of the replica, which
/// is not at hand where the hub returns to a boundary that it has kept.
#[derive(Debug, Clone)]
pub struct DelayedStanding {
    pub(super) standing: Standing,
    pub(super) weights: Vec<f64>,
}

raddle::state!(DelayedStanding { standing, weights });

/// The change of the weights by a part, and the step to take along it.
#[derive(Debug, Clone)]
pub struct PartChange {
    pub(super) part: u32,
    pub(super) change: Change,
}

raddle::state!(PartChange { part, change });

impl Program for DelayedParts {
    raddle::program!(
        Shard = PartShard,
        Pinned = DelayedStanding,
        Replica = Vec<f64>, // the weights
        Partial = PartAnswer,
        Change = PartChange,
        Phase = PartsPhase;
        update, restore_by_shard
    );

    fn is_monotone(&self) -> bool {
        true
    }

    fn prepare(&self, phase: &mut PartsPhase, pinned: &DelayedStanding) {
        self.0.prepare(phase, &pinned.standing);
    }

    /// Takes the best step along the change of a part, at most the full one. Its dual values are those that
    /// it saw, as a part has one round at a time; the weights may have moved since.
    fn aggregate(&self, at: Aggregate<'_, Self>) -> PartChange {
        let DelayedStanding { standing, weights } = at.pinned;
        let (part, answer) = at.partials.into_pairs().pop().unwrap_or_default();
        let PartAnswer { change: sum, sums: (l, s) } = answer;
        let l = l - weights.iter().zip(&sum).map(|(weight, change)| weight * change).sum::<f64>();
        let best = best_step(l, s + 0.5 * sum.iter().map(|change| change * change).sum::<f64>());
        self.0.follow(standing, &at.round.phase, best);
        let change = Change { sum, step: best.clamp(0.0, 1.0) };
        change.add_to(weights);
        PartChange { part, change }
    }

    fn commit(&self, own: &PartChange, weights: &mut Vec<f64>) {
        own.change.add_to(weights);
    }

    fn commit_shard(&self, own: &PartChange, number: u32, shard: &mut PartShard) {
        if number == own.part {
            shard.shorten(own.change.step);
        }
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> PartAnswer {
        self.0.terms(at.shard, at.replica)
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<PartChange> {
        self.0.verdict(&mut at.pinned.standing, at.replica, &at.partials)
    }

    fn save_state(&self, shard: &PartShard, out: &mut Learned<Writer>) {
        self.0.save_state(shard, out);
    }

    fn load_state(&self, shard: &mut PartShard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.0.load_state(shard, from)
    }

    fn drop_training_data(&self, shard: &mut PartShard) {
        self.0.drop_training_data(shard);
    }
}

/// Checks that every shard has the dual values of its rows.
impl RestoreByShard for DelayedParts {
    type Question = ();
    type Answer = ();

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        self.0.check_restored(run.boundary.shards, run.replica)?;
        run.pinned.weights.clone_from(run.replica);
        Ok(if run.question.is_none() { Some(()) } else { None })
    }

    fn answer(&self, _: &(), number: u32, shard: &mut PartShard, _: &Vec<f64>) -> Result<(), StateError> {
        self.0.check_shard(number, shard)
    }
}

impl Update for DelayedParts {
    fn update(&self, at: TaskOf<'_, Self>) -> PartAnswer {
        let mut change = Vec::new();
        let sums = self.0.pass(at.task, at.shard, &mut change, at.replica);
        PartAnswer { change, sums }
    }
}
