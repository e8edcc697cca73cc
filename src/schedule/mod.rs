//! [`Schedule`]: the decision which blocks and variables meet which shards next.
//!
//! A schedule is a plain state machine: no clock, no threads, no input or output, one seed. It can be driven
//! step by step in a test, without workers. Shipped are [`EachShard`], [`Cyclic`], [`Shuffled`],
//! [`Rotation`], [`Grid`], [`Priority`] (the structure-aware one), [`Delayed`] and [`Automatic`].

mod automatic;
mod blocks;
mod cyclic;
mod delayed;
mod dependency_cache;
mod each_shard;
mod flight;
mod grid;
mod links;
mod log;
mod makespan;
#[cfg(test)]
mod naive;
mod priority;
mod rotation;
mod shuffled;
mod sweep;
mod weights;

pub use automatic::Automatic;
pub use blocks::{Variables, even_parts, merge};
pub use cyclic::Cyclic;
pub use delayed::Delayed;
pub use each_shard::EachShard;
pub use flight::InFlight;
pub use grid::Grid;
pub use links::Links;
pub use log::{Rejection, RoundLog};
pub use makespan::makespan;
pub use priority::{Priority, PrioritySettings};
pub use rotation::Rotation;
pub use shuffled::Shuffled;
pub use weights::Weights;

pub use crate::program::{Assignment, Candidates, Dependencies, Round};

use crate::base::state::{Learned, Reader, State, StateError, Writer};
use crate::program::verbs::Verb;
use crate::program::verdict::Metric;

/// Decides which blocks and variables meet which shards next.
///
/// For each epoch the engine calls [`begin_epoch`](Schedule::begin_epoch). A plan that is known in advance is
/// handed out whole. For a stepwise plan the engine asks for rounds one by one with
/// [`next_round`](Schedule::next_round), and reports their steps with [`learn`](Schedule::learn). With
/// staleness `s`, round `t` is asked for when exactly the rounds up to `t - 1 - s` have been learned,
/// whatever the number of workers. A round with a lag `l` of its own ([`Round::lag`]) is learned just before
/// round `t + 1 + l` is asked for instead; rounds are learned and committed in the order of `(t + l, t)`.
///
/// `F` is the program's [`Phase`](crate::Program::Phase): the purpose of a round. Shipped schedules hand out
/// rounds of one phase, `()` unless told otherwise by their method `phase`.
pub trait Schedule<F = ()>: Send + 'static {
    /// Returns the kind and the settings of the schedule, in words. A checkpoint of a run with another
    /// identity is refused, with a message that shows both. Settings that never change a round, such as a
    /// log, do not belong here.
    fn identity(&self) -> String;

    /// Returns the variables, if rounds name some. Rounds, [`deltas`](crate::Program::deltas) and the weights
    /// of the verdict are then checked: each variable must exist, at its owner, at most once in a round.
    fn variables(&self) -> Option<&Variables> {
        None
    }

    /// Checks that the schedule suits a run with these numbers of shards and blocks, before anything runs.
    ///
    /// # Errors
    /// The reason that the schedule does not suit it.
    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        let _ = blocks;
        self.variables().map_or(Ok(()), |variables| variables.check(shards))
    }

    /// Returns the verbs that the rounds require: a run whose program lacks one of them is refused before
    /// anything runs. A verb that is not listed is checked when a round requires it. None unless overridden.
    fn requires(&self) -> Vec<Verb> {
        Vec::new()
    }

    /// Returns the number of workers that the epoch after this boundary can keep busy, if it is known: a hint
    /// for schedulers of many runs, written to `trace.jsonl`. The run itself does not follow it. Not known
    /// unless overridden.
    fn wanted(&self, start: &EpochStart) -> Option<u32> {
        let _ = start;
        None
    }

    /// Returns the counted cost of a task in an epoch, counted from 0, and a phase, in the unit of
    /// [`Engine::costs`](crate::Engine::costs). `cost` is that of the variables that the task names, or else
    /// of its shard; for a task with a block, both costs are for one task with all blocks. Returns `cost`
    /// unless overridden, as by schedules some of whose phases only move or measure what another phase
    /// computes. The cost is for schedulers that share out workers by counted cost; the run itself does not
    /// use it.
    fn cost(&self, epoch: u64, phase: &F, cost: u64) -> u64 {
        let _ = (epoch, phase);
        cost
    }

    /// Starts an epoch with the conclusion of its boundary.
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F>;

    /// Returns the next step of a stepwise plan. A schedule whose plans are all known needs no
    /// implementation.
    fn next_round(&mut self) -> Next<F> {
        Next::EndOfEpoch
    }

    /// Decides after a [`Next::Relate`]; `dependencies` refer to positions in the candidates.
    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        let _ = dependencies;
        Next::EndOfEpoch
    }

    /// Learns how far the variables of a committed round moved, as (variable, distance).
    fn learn(&mut self, round: &Round<F>, deltas: &[(u32, f64)]) {
        let _ = (round, deltas);
    }

    /// Reduces the parallelism after an epoch that worsened the objective and was rolled back.
    fn reduce_parallelism(&mut self) {}

    /// Returns the counts since the run started.
    fn counts(&self) -> Counts {
        Counts::default()
    }

    /// Takes the log of the rounds since the last call; empty unless the schedule was asked to explain
    /// itself.
    fn take_log(&mut self) -> Vec<RoundLog> {
        Vec::new()
    }

    /// Writes the whole schedule, as it is at a boundary, for another process that continues with the shards
    /// as they are, and for the guard.
    fn save(&self, out: &mut Writer);

    /// Reads the form that [`save`](Schedule::save) wrote into a schedule that was made in the same way, or
    /// into itself. The guard does so while shards keep their data: if the program has an objective, a
    /// schedule that sets shards up must be able to do so again.
    ///
    /// # Errors
    /// If the bytes do not describe such a schedule.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError>;

    /// Writes the learned state of the schedule, for a checkpoint. A run that is resumed from it makes its
    /// shards again, so the progress of setting shards up is left out. Writes the whole schedule unless
    /// overridden.
    fn save_state(&self, out: &mut Learned<Writer>) {
        self.save(out.whole());
    }

    /// Reads the form that [`save_state`](Schedule::save_state) wrote into a schedule that has not started.
    ///
    /// # Errors
    /// If the bytes do not describe such a schedule.
    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.load(from.whole())
    }
}

/// A boxed schedule is a schedule: the choice may be made at run time.
impl<F: 'static> Schedule<F> for Box<dyn Schedule<F>> {
    fn identity(&self) -> String {
        (**self).identity()
    }
    fn variables(&self) -> Option<&Variables> {
        (**self).variables()
    }
    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        (**self).check(shards, blocks)
    }
    fn requires(&self) -> Vec<Verb> {
        (**self).requires()
    }
    fn wanted(&self, start: &EpochStart) -> Option<u32> {
        (**self).wanted(start)
    }
    fn cost(&self, epoch: u64, phase: &F, cost: u64) -> u64 {
        (**self).cost(epoch, phase, cost)
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F> {
        (**self).begin_epoch(start)
    }
    fn next_round(&mut self) -> Next<F> {
        (**self).next_round()
    }
    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        (**self).decide(dependencies)
    }
    fn learn(&mut self, round: &Round<F>, deltas: &[(u32, f64)]) {
        (**self).learn(round, deltas);
    }
    fn reduce_parallelism(&mut self) {
        (**self).reduce_parallelism();
    }
    fn counts(&self) -> Counts {
        (**self).counts()
    }
    fn take_log(&mut self) -> Vec<RoundLog> {
        (**self).take_log()
    }
    fn save(&self, out: &mut Writer) {
        (**self).save(out);
    }
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        (**self).load(from)
    }
    fn save_state(&self, out: &mut Learned<Writer>) {
        (**self).save_state(out);
    }
    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        (**self).load_state(from)
    }
}

/// State of the run at the start of an epoch, for its schedule.
#[derive(Debug, Clone)]
pub struct EpochStart {
    /// The epoch, counted from 0.
    pub epoch: u64,
    /// The metric at the boundary before the epoch, as it was last measured.
    pub metric: Metric,
    /// The objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// Importance of variables, from the program's [`Verdict`](crate::Verdict).
    pub weights: Vec<(u32, f64)>,
    /// Number of variables that the program would like to be taken; 0 leaves it to the schedule.
    pub batch_hint: usize,
}

// The start waits in a snapshot for the epoch it belongs to.
crate::state!(EpochStart { epoch, metric, objective, weights, batch_hint });

/// Form in which an epoch's rounds become known.
#[derive(Debug, Clone)]
pub enum Plan<F = ()> {
    /// All rounds at once. If changes become visible at the boundary, no round waits for another.
    Known(Vec<Round<F>>),
    /// Rounds one after the other, by [`Schedule::next_round`].
    Stepwise,
}

/// The next step of a stepwise plan.
#[derive(Debug, Clone)]
pub enum Next<F = ()> {
    /// Hand out this round.
    Round(Round<F>),
    /// Ask the program to relate the candidates, then call [`Schedule::decide`].
    Relate(Candidates<F>),
    /// Wait until every round that was handed out has been learned and its commits are sent, then ask again:
    /// for rounds that build on each other, whatever the staleness.
    Drain,
    /// The epoch ends; the pipeline drains.
    EndOfEpoch,
}

/// Counts of a schedule over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Variables proposed.
    pub candidates: u64,
    /// Candidates rejected because they depend on a variable that is already taken or in flight.
    pub rejected: u64,
}

impl State for Counts {
    fn save(&self, out: &mut Writer) {
        out.write(&(self.candidates, self.rejected));
    }

    /// Refuses counts far beyond those of any run, so that later additions do not overflow.
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (candidates, rejected): (u64, u64) = from.read()?;
        match candidates.max(rejected) < 1 << 62 {
            true => Ok(Self { candidates, rejected }),
            false => Err(StateError::new("what a schedule has counted")),
        }
    }
}

/// Checks that a schedule was made for the number of shards, or blocks, that there are.
fn check_count(what: &str, scheduled: u32, there: usize) -> Result<(), String> {
    if scheduled as usize == there {
        return Ok(());
    }
    Err(format!("the schedule was made for {scheduled} {what}, but there are {there}"))
}

/// Checks that a round can hold at least one variable.
fn check_parallelism(parallelism: usize) -> Result<(), String> {
    match parallelism {
        0 => Err("a parallelism of 0 makes no sense: a round updates at least 1 variable".into()),
        _ => Ok(()),
    }
}
