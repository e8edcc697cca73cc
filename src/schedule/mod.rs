//! [`Schedule`]: the decision which blocks and variables meet which shards next.
//!
//! A schedule is a plain state machine: no clock, no threads, no input or output, one seed. It can be driven
//! step by step in a test, without workers. Shipped are [`EachShard`], [`Cyclic`], [`Shuffled`],
//! [`Rotation`], [`Grid`], [`Priority`] (the structure-aware one) and [`Automatic`].

mod automatic;
mod blocks;
mod cyclic;
mod dependency_cache;
mod each_shard;
mod flight;
mod grid;
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
pub use each_shard::EachShard;
pub use flight::InFlight;
pub use grid::Grid;
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
/// For each epoch the engine calls [`begin_epoch`](Schedule::begin_epoch). A plan known in advance is handed
/// out whole; a stepwise one is asked for with [`next_round`](Schedule::next_round), round by round, and
/// taught with [`learn`](Schedule::learn). With staleness `s`, round `t` is asked for when exactly the rounds
/// up to `t - 1 - s` have been learned, whatever the number of workers.
///
/// `F` is the program's [`Phase`](crate::Program::Phase): the purpose of a round. Shipped schedules hand out
/// rounds of one phase, `()` unless told otherwise by their method `phase`.
pub trait Schedule<F = ()>: Send + 'static {
    /// Kind and settings, as words: a checkpoint of a run with others is refused, with both. Settings that
    /// never change a round, such as a log, do not belong here.
    fn identity(&self) -> String;

    /// The variables, if rounds name some. Rounds, [`deltas`](crate::Program::deltas) and the verdict's
    /// weights are then checked: each variable must exist, at its owner, at most once in a round.
    fn variables(&self) -> Option<&Variables> {
        None
    }

    /// Checks that the schedule suits a run with these numbers of shards and blocks, before anything runs.
    ///
    /// # Errors
    /// The reason that it does not.
    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        let _ = blocks;
        self.variables().map_or(Ok(()), |variables| variables.check(shards))
    }

    /// Verbs that its rounds require: a run whose program lacks one of them is refused before anything runs.
    /// A verb that is not named here is checked when a round requires it. None unless overridden.
    fn requires(&self) -> Vec<Verb> {
        Vec::new()
    }

    /// Number of workers that the epoch which begins at this boundary can keep busy, if it is known: a hint,
    /// shown in `trace.jsonl`, for whoever shares out workers. No run follows it. Not known unless
    /// overridden.
    fn wanted(&self, start: &EpochStart) -> Option<u32> {
        let _ = start;
        None
    }

    /// Counted cost of a task in an epoch, counted from 0, and a phase, in the unit of
    /// [`Engine::costs`](crate::Engine::costs). Given is that of the variables that it names, or else of its
    /// shard; of a task with a block both are of one with all blocks. The same unless overridden, as by
    /// schedules some of whose phases only move or measure what another one computes. Whoever shares out
    /// workers by counted cost is told; no run follows it.
    fn cost(&self, epoch: u64, phase: &F, cost: u64) -> u64 {
        let _ = (epoch, phase);
        cost
    }

    /// Starts an epoch with the conclusion of its boundary.
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F>;

    /// The next round of a stepwise plan. A schedule whose plans are all known needs none.
    fn next_round(&mut self) -> Next<F> {
        Next::EndOfEpoch
    }

    /// Decides after a [`Next::Relate`]; `dependencies` speaks of positions in the candidates.
    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        let _ = dependencies;
        Next::EndOfEpoch
    }

    /// Learns how far the variables of a committed round moved, as (variable, how far).
    fn learn(&mut self, round: &Round<F>, deltas: &[(u32, f64)]) {
        let _ = (round, deltas);
    }

    /// Reduces the parallelism after an epoch that worsened the objective and was rolled back.
    fn reduce_parallelism(&mut self) {}

    /// Counts since the run began.
    fn counts(&self) -> Counts {
        Counts::default()
    }

    /// Takes the log of the rounds since the last call; empty unless the schedule was told to explain itself.
    fn take_log(&mut self) -> Vec<RoundLog> {
        Vec::new()
    }

    /// Writes the schedule whole, as it is at a boundary: another process that loads it goes on with the
    /// shards as they are. The guard keeps it, too.
    fn save(&self, out: &mut Writer);

    /// Reads the form that [`save`](Schedule::save) wrote into a schedule made alike, or into itself. The
    /// guard does so while shards keep their data: a schedule that sets shards up must bear to do it again,
    /// if the program has an objective.
    ///
    /// # Errors
    /// If the bytes do not describe such a schedule.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError>;

    /// Writes the learned state of the schedule, for a checkpoint: a run that goes on from it has shards made
    /// anew, so the progress of setting shards up is left out. The whole unless overridden.
    fn save_state(&self, out: &mut Learned<Writer>) {
        self.save(out.whole());
    }

    /// Reads the form that [`save_state`](Schedule::save_state) wrote into a schedule as a run begins with
    /// it.
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

/// State of the run as an epoch begins, for its schedule.
#[derive(Debug, Clone)]
pub struct EpochStart {
    /// The epoch, counted from 0.
    pub epoch: u64,
    /// The metric at the boundary before it, as it was last measured.
    pub metric: Metric,
    /// The objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// Importance of variables, from the program's [`Verdict`](crate::Verdict).
    pub weights: Vec<(u32, f64)>,
    /// Number of them that the program would like taken; 0 leaves it to the schedule.
    pub batch_hint: usize,
}

// The start waits in a snapshot for the epoch it belongs to.
crate::state!(EpochStart { epoch, metric, objective, weights, batch_hint });

/// Form in which an epoch's rounds become known.
#[derive(Debug, Clone)]
pub enum Plan<F = ()> {
    /// All at once. Where changes become visible at the boundary, no round waits for another.
    Known(Vec<Round<F>>),
    /// One after the other, by [`Schedule::next_round`].
    Stepwise,
}

/// The next step of a stepwise plan.
#[derive(Debug, Clone)]
pub enum Next<F = ()> {
    /// Hand out this round.
    Round(Round<F>),
    /// Ask the program to relate the candidates, then call [`Schedule::decide`].
    Relate(Candidates<F>),
    /// Wait until every round handed out has been learned and its commits are on their way, then ask again:
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

    /// Counts far beyond those of any run are refused: additions to the rest do not overflow.
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (candidates, rejected): (u64, u64) = from.read()?;
        match candidates.max(rejected) < 1 << 62 {
            true => Ok(Self { candidates, rejected }),
            false => Err(StateError::new("what a schedule has counted")),
        }
    }
}

/// Checks that a schedule was made for as many shards, or blocks, as there are.
fn check_count(what: &str, scheduled: u32, there: usize) -> Result<(), String> {
    if scheduled as usize == there {
        return Ok(());
    }
    Err(format!("the schedule was made for {scheduled} {what}, but there are {there}"))
}

/// Checks that a round can hold something.
fn check_parallelism(parallelism: usize) -> Result<(), String> {
    match parallelism {
        0 => Err("a parallelism of 0 makes no sense: a round updates at least 1 variable".into()),
        _ => Ok(()),
    }
}
