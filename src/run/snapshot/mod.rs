//! A boundary of a run as the records of a checkpoint, and back.

#[cfg(test)]
mod forged;
#[cfg(test)]
mod tests;

use super::hub::{HubState, Progress};
use super::local_state::WholeState;
use super::saved_state::{pinned_state, shard_state};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{Learned, StateError, from_bytes, to_bytes};
use crate::checkpoint::part::{Kind, Records};
use crate::checkpoint::{Checkpoint, CheckpointWriter, refuse};
use crate::program::{Boundary, Program, Restored};

impl CheckpointWriter {
    /// Writes the learned state of these shards, and these blocks: a part of the boundary after this number
    /// of epochs.
    ///
    /// # Errors
    /// If the program fails. A failure of the store is reported where the parts are
    /// [submitted](Self::submit_parts).
    pub(crate) fn write_parts<'a, P: Program>(
        &self,
        epoch: u64,
        program: &P,
        shards: impl Iterator<Item = (u32, &'a P::Shard)>,
        blocks: impl Iterator<Item = (u32, &'a P::Block)>,
    ) -> Result<(), String> {
        self.write_part(epoch, |add| {
            for (number, shard) in shards {
                add(Kind::Shard(number), &shard_state(program, number, shard));
            }
            for (number, block) in blocks {
                PanicContext::verb("save").of("block", number).enter();
                add(Kind::Block(number), &to_bytes(block));
            }
            Ok(())
        })
    }

    /// Writes the part that the first worker adds.
    ///
    /// # Errors
    /// If program or schedule fail.
    pub(crate) fn write_hub<P: Program>(
        &self,
        program: &P,
        replica: &P::Replica,
        hub: &HubState<P>,
    ) -> Result<(), String> {
        self.write_part(hub.progress.epoch, |add| {
            let mut schedule = Learned::default();
            PanicContext::verb("the schedule's save_state").enter();
            hub.schedule.save_state(&mut schedule);
            add(Kind::Schedule, &schedule.into_bytes());
            PanicContext::verb("save of the replica").enter();
            add(Kind::Replica, &to_bytes(replica));
            match &hub.unconcluded {
                Some(before) => {
                    let progress = Progress { start: None, last: before.last, ..hub.progress.clone() };
                    add(Kind::Pinned, &before.pinned);
                    add(Kind::Progress, &to_bytes(&progress));
                }
                None => {
                    add(Kind::Pinned, &pinned_state(program, &hub.pinned));
                    add(Kind::Progress, &to_bytes(&hub.progress));
                }
            }
            Ok(())
        })
    }
}

impl Checkpoint {
    /// Brings a run back to the checkpoint.
    pub(crate) fn restore<P: Program>(
        self,
        program: &P,
        state: &mut WholeState<P>,
        hub: &mut HubState<P>,
    ) -> Result<(), EngineError> {
        let filled = panic_context::guarded(|| self.fill(program, state, hub));
        filled.map_err(|error| {
            let why =
                format!("it does not fit this program, schedule or data: {error}; resume with the same");
            refuse(&self.folder, why)
        })
    }

    fn fill<P: Program>(
        &self,
        program: &P,
        state: &mut WholeState<P>,
        hub: &mut HubState<P>,
    ) -> Result<(), String> {
        let (mut kinds, fits) = (Vec::new(), |why: StateError| why.to_string());
        for part in &self.manifest.parts {
            for record in Records::open(&self.folder, part).map_err(|why| why.to_string())? {
                let (kind, bytes) = record.map_err(|why| why.to_string())?;
                fill_one(kind, &bytes, program, state, hub).map_err(fits)?;
                kinds.push(kind);
            }
        }
        check_kinds(kinds, state.shards.len() as u32, state.blocks.len() as u32)?;
        if !hub.progress.is_possible() {
            return Err(fits(StateError::new("how far the run has come")));
        }
        let start = hub.progress.start.as_ref();
        PanicContext::verb("restored").enter();
        let restored = Restored {
            boundary: Boundary { epoch: hub.progress.epoch, shards: state.shards.len() as u32 },
            is_concluded: start.is_some(),
            shards: &mut state.shards,
            blocks: &mut state.blocks,
            pinned: &mut hub.pinned,
            replica: &mut state.replica,
            weights: start.map_or(&[][..], |start| &start.weights),
        };
        program.restored(restored).map_err(fits)
    }
}

/// Restores the content of one record.
fn fill_one<P: Program>(
    kind: Kind,
    bytes: &[u8],
    program: &P,
    state: &mut WholeState<P>,
    hub: &mut HubState<P>,
) -> Result<(), StateError> {
    let mut from = Learned::of(bytes);
    match kind {
        Kind::Shard(number) => {
            PanicContext::verb("load_state").of("shard", number).enter();
            let shard =
                state.shards.get_mut(number as usize).ok_or(StateError::new("a shard of this run"))?;
            program.load_state(shard, &mut from)?;
            from.whole().end("a shard")?;
        }
        Kind::Block(number) => {
            PanicContext::verb("load").of("block", number).enter();
            let block =
                state.blocks.get_mut(number as usize).ok_or(StateError::new("a block of this run"))?;
            *block = from_bytes(bytes)?;
        }
        Kind::Replica => {
            PanicContext::verb("load of the replica").enter();
            state.replica = from_bytes(bytes)?;
        }
        Kind::Pinned => {
            PanicContext::verb("load_pinned").enter();
            program.load_pinned(&mut hub.pinned, &mut from)?;
            from.whole().end("the pinned block")?;
        }
        Kind::Schedule => {
            PanicContext::verb("the schedule's load_state").enter();
            hub.schedule.load_state(&mut from)?;
            from.whole().end("a schedule")?;
        }
        Kind::Progress => hub.progress = from_bytes(bytes)?,
    }
    Ok(())
}

/// Refuses records of which some are missing or there twice.
fn check_kinds(mut there: Vec<Kind>, shards: u32, blocks: u32) -> Result<(), String> {
    let rest = [Kind::Replica, Kind::Pinned, Kind::Schedule, Kind::Progress];
    let due = (0..shards).map(Kind::Shard).chain((0..blocks).map(Kind::Block)).chain(rest);
    there.sort_unstable();
    if due.eq(there.iter().copied()) {
        return Ok(());
    }
    let count = |is: fn(&Kind) -> bool| there.iter().filter(|kind| is(kind)).count();
    let with = (count(|kind| matches!(kind, Kind::Shard(_))), count(|kind| matches!(kind, Kind::Block(_))));
    Err(format!("it has {} shards and {} blocks, the run has {shards} and {blocks}", with.0, with.1))
}
