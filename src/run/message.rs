//! [`Message`]: messages between hub and places, and their bytes.

use crate::base::state::{Reader, Shared, State as _, StateError, Writer};
use crate::program::{Boundary, Program, Task};
use crate::run::fingerprints::Component;
use crate::schedule::{Assignment, Round};

/// Message between hub and places. Messages of one sender are handled in the order in which they were sent.
pub(crate) enum Message<P: Program> {
    /// Hub to place: commit the changes, send blocks away, then run the tasks of a round.
    Step { changes: Changes<P>, forward: Vec<(u32, u32)>, work: RoundTasks<P> },
    /// Hub to place: commit the changes, then run your part of a plan that is known for the whole epoch.
    Plan { epoch: u64, changes: Changes<P>, rounds: Shared<Vec<Round<P::Phase>>> },
    /// Hub to place: commit the changes, then gather the descriptions of these candidates.
    Gather { changes: Changes<P>, work: RoundTasks<P> },
    /// Hub to place: commit the changes, then evaluate every shard; before that, if `checkpoint`, write the
    /// learned state of each for a checkpoint.
    Boundary { changes: Changes<P>, at: Boundary, checkpoint: bool },
    /// Hub to place: commit the changes, then keep a snapshot of this boundary.
    SaveSnapshot { changes: Changes<P> },
    /// Hub to place: return to the snapshot.
    LoadSnapshot,
    /// Hub to place: commit the changes, then keep this boundary, to return to if an epoch is cancelled.
    Keep { changes: Changes<P>, epoch: u64 },
    /// Hub to place: drop all current work, return to the boundary that was kept after this number of epochs,
    /// if one was, and give your state back; the run ends. This message overtakes the orders before it.
    Cancel { kept: Option<u64> },
    /// Hub to place: commit the changes and give your state back; the generation ends.
    Leave { changes: Changes<P> },
    /// Place to place: a block on stop `stop` of its way through the plan (0 where the hub directs it).
    Block { block: u32, stop: u32, state: P::Block },
    /// Place to hub: the partials of a round.
    Partials { round: u64, answer: Answer<P> },
    /// Place to hub: the plan is done; the folded partials of each shard.
    PlanDone { answer: Answer<P> },
    /// Place to hub, in a dataflow around the run: the number of the memory that the place is in.
    Here { memory: u64 },
    /// Place to hub: the gathered descriptions.
    Pieces { answer: Answer<P> },
    /// Place to hub: the shards' partials of evaluation, and fingerprints if they are kept.
    Shares { answer: Answer<P>, fingerprints: Vec<(Component, u64)> },
}

/// Changes to commit, oldest first. Every worker is sent each once.
pub(crate) type Changes<P> = Vec<Shared<<P as Program>::Change>>;

/// Tasks of one round for the shards of one worker; their phase travels once.
pub(crate) struct RoundTasks<P: Program> {
    pub(crate) epoch: u64,
    pub(crate) round: u64,
    pub(crate) phase: P::Phase,
    pub(crate) tasks: Vec<Assignment>,
    /// Workers of the process that answer the round, if their partials are merged.
    pub(crate) answering: u32,
}

impl<P: Program> RoundTasks<P> {
    pub(crate) fn into_tasks(self) -> impl DoubleEndedIterator<Item = Task<P::Phase>> {
        let Self { epoch, round, phase, tasks, .. } = self;
        tasks.into_iter().map(move |task| task.task(&phase, epoch, round))
    }
}

/// Partials by shard, and the time that the shards computed.
pub(crate) struct Answer<P: Program> {
    pub(crate) worker: u32,
    pub(crate) partials: Vec<(u32, P::Partial)>,
    /// Seconds of computing, measured: they may move shards, never change a result.
    pub(crate) busy: f64,
    /// Seconds of `busy` that only measured the model.
    pub(crate) measured: f64,
}

crate::state!([P: Program] RoundTasks<P> { epoch, round, phase, tasks, answering });
crate::state!([P: Program] Answer<P> { worker, partials, busy, measured });
crate::state!([P: Program] enum Message<P> {
    Step { changes, forward, work },
    Plan { epoch, changes, rounds },
    Gather { changes, work },
    Boundary { changes, at, checkpoint },
    SaveSnapshot { changes },
    LoadSnapshot,
    Keep { changes, epoch },
    Cancel { kept },
    Leave { changes },
    Block { block, stop, state },
    Partials { round, answer },
    PlanDone { answer },
    Here { memory },
    Pieces { answer },
    Shares { answer, fingerprints },
});

/// Ends the bytes of a message with the numbers of the values that it names, 8 bytes each, and their count in
/// 4.
pub(crate) fn end_with(out: &mut Writer, named: &[u64]) {
    u64::save_slice(named, out);
    out.write(&(named.len() as u32));
}

/// Splits bytes into those of a message and the numbers after it.
pub(crate) fn split(bytes: &[u8]) -> Result<(&[u8], Vec<u64>), StateError> {
    let wrong = StateError::new("the numbers of a message's shared values");
    let (rest, count) = bytes.split_last_chunk::<4>().ok_or(wrong.clone())?;
    let length =
        Some(8 * u64::from(u32::from_le_bytes(*count))).filter(|&length| length <= rest.len() as u64);
    let (message, numbers) = rest.split_at(rest.len() - length.ok_or(wrong)? as usize);
    let count = numbers.len() / 8;
    Ok((message, u64::load_vec(count, &mut Reader::new(numbers))?))
}
