//! [`Message`]: what hub and places say to each other, and its bytes.

use std::sync::Arc;

use crate::program::{Program, Task};
use crate::schedule::Round;
use crate::state::{Reader, State, StateError, Writer};

/// What hub and places say to each other. A message is handled after everything its sender sent before it.
pub(crate) enum Message<P: Program> {
    /// Hub to place: commit the changes, send blocks away, then run the tasks of a round.
    Step { round: u64, changes: Changes<P>, forward: Vec<(u32, u32)>, tasks: Vec<Task> },
    /// Hub to place: commit the changes, then run your part of a plan that is known for the whole epoch.
    Plan { epoch: u64, changes: Changes<P>, rounds: Arc<Vec<Round>> },
    /// Hub to place: commit the changes, then gather what describes these candidates.
    Gather { changes: Changes<P>, tasks: Vec<Task> },
    /// Hub to place: commit the changes, then certify every shard.
    Boundary { changes: Changes<P> },
    /// Hub to place: commit the changes, then keep a snapshot of this boundary.
    Remember { changes: Changes<P> },
    /// Hub to place: go back to the snapshot.
    Recall,
    /// Hub to place: commit the changes and hand your state back; the generation ends.
    Leave { changes: Changes<P> },
    /// Place to place: a block on leg `leg` of its way through the plan (0 where the hub directs it).
    Block { block: u32, leg: u32, state: P::Block },
    /// Place to hub: the partials of a round.
    Partials { round: u64, answer: Answer<P> },
    /// Place to hub: the plan is done; the folded partials of each shard.
    PlanDone { answer: Answer<P> },
    /// Place to hub: what was gathered.
    Pieces { answer: Answer<P> },
    /// Place to hub: the shards' shares of the metric.
    Shares { answer: Answer<P> },
}

/// Changes to commit, oldest first; shared by all places of a process.
pub(crate) type Changes<P> = Vec<Arc<<P as Program>::Change>>;

/// Partials by shard, and how long the shards computed.
pub(crate) struct Answer<P: Program> {
    pub(crate) worker: u32,
    pub(crate) partials: Vec<(u32, P::Partial)>,
    /// Seconds of computing, measured: they may move shards, never change a result.
    pub(crate) busy: f64,
    /// Of these, seconds that only measured the model.
    pub(crate) measured: f64,
}

impl<P: Program> State for Answer<P> {
    fn save(&self, out: &mut Writer) {
        out.write(&self.worker);
        out.write(&self.partials);
        out.write(&self.busy);
        out.write(&self.measured);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self { worker: from.read()?, partials: from.read()?, busy: from.read()?, measured: from.read()? })
    }
}

impl<P: Program> State for Message<P> {
    fn save(&self, out: &mut Writer) {
        match self {
            Message::Step { round, changes, forward, tasks } => {
                out.write(&0u8);
                out.write(round);
                out.write(changes);
                out.write(forward);
                out.write(tasks);
            }
            Message::Plan { epoch, changes, rounds } => {
                out.write(&1u8);
                out.write(epoch);
                out.write(changes);
                out.write(rounds);
            }
            Message::Gather { changes, tasks } => {
                out.write(&2u8);
                out.write(changes);
                out.write(tasks);
            }
            Message::Boundary { changes } => {
                out.write(&3u8);
                out.write(changes);
            }
            Message::Remember { changes } => {
                out.write(&4u8);
                out.write(changes);
            }
            Message::Recall => out.write(&5u8),
            Message::Leave { changes } => {
                out.write(&6u8);
                out.write(changes);
            }
            Message::Block { block, leg, state } => {
                out.write(&7u8);
                out.write(block);
                out.write(leg);
                out.write(state);
            }
            Message::Partials { round, answer } => {
                out.write(&8u8);
                out.write(round);
                out.write(answer);
            }
            Message::PlanDone { answer } => {
                out.write(&9u8);
                out.write(answer);
            }
            Message::Pieces { answer } => {
                out.write(&10u8);
                out.write(answer);
            }
            Message::Shares { answer } => {
                out.write(&11u8);
                out.write(answer);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(match u8::load(from)? {
            0 => Message::Step {
                round: from.read()?,
                changes: from.read()?,
                forward: from.read()?,
                tasks: from.read()?,
            },
            1 => Message::Plan { epoch: from.read()?, changes: from.read()?, rounds: from.read()? },
            2 => Message::Gather { changes: from.read()?, tasks: from.read()? },
            3 => Message::Boundary { changes: from.read()? },
            4 => Message::Remember { changes: from.read()? },
            5 => Message::Recall,
            6 => Message::Leave { changes: from.read()? },
            7 => Message::Block { block: from.read()?, leg: from.read()?, state: from.read()? },
            8 => Message::Partials { round: from.read()?, answer: from.read()? },
            9 => Message::PlanDone { answer: from.read()? },
            10 => Message::Pieces { answer: from.read()? },
            11 => Message::Shares { answer: from.read()? },
            _ => return Err(StateError::new("a message of a known kind")),
        })
    }
}
