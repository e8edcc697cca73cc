//! A boundary of a run as the records of a checkpoint, and back.

#[cfg(test)]
mod forged;
#[cfg(test)]
mod tests;

use super::hub::{HubState, Progress};
use super::local_state::LocalState;
use super::saved_state::{pinned_state, shard_state};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{Learned, StateError, from_bytes, to_bytes};
use crate::checkpoint::part::{Kind, Records};
use crate::checkpoint::{Checkpoint, CheckpointWriter, refuse};
use crate::program::Program;

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
    /// Restores from the checkpoint the shards and blocks that are here, the replica, and the hub if it is
    /// given; other records are skipped.
    pub(crate) fn load<P: Program>(
        &self,
        program: &P,
        local: &mut LocalState<P>,
        mut hub: Option<&mut HubState<P>>,
    ) -> Result<(), EngineError> {
        self.fits(|| {
            let mut kinds = Vec::new();
            for part in &self.manifest.parts {
                let mut records = Records::open(&self.folder, part).map_err(|why| why.to_string())?;
                while let Some(record) = records.next_of(|kind| is_here(kind, local, hub.is_some())) {
                    let (kind, bytes) = record.map_err(|why| why.to_string())?;
                    if let Some(bytes) = bytes {
                        load_one(kind, &bytes, program, local, hub.as_deref_mut())?;
                    }
                    kinds.push(kind);
                }
            }
            check_kinds(kinds, local.shards.len() as u32, local.blocks.len() as u32)?;
            match hub.is_none_or(|hub| hub.progress.is_possible()) {
                true => Ok(()),
                false => Err(StateError::new("how far the run has come").to_string()),
            }
        })
    }

    /// Runs work that may call the program, and makes its error a refusal of the checkpoint.
    pub(crate) fn fits<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, EngineError> {
        panic_context::guarded(work).map_err(|error| {
            let why =
                format!("it does not fit this program, schedule or data: {error}; resume with the same");
            refuse(&self.folder, why)
        })
    }
}

/// `true` if the content of the record is needed here, or the record names a shard or block that does not
/// exist.
fn is_here<P: Program>(kind: Kind, local: &LocalState<P>, has_hub: bool) -> bool {
    match kind {
        Kind::Shard(number) => local.shards.get(number as usize).is_none_or(Option::is_some),
        Kind::Block(number) => local.blocks.get(number as usize).is_none_or(Option::is_some),
        Kind::Replica => true,
        Kind::Pinned | Kind::Schedule | Kind::Progress => has_hub,
    }
}

/// Restores the content of one record.
fn load_one<P: Program>(
    kind: Kind,
    bytes: &[u8],
    program: &P,
    local: &mut LocalState<P>,
    hub: Option<&mut HubState<P>>,
) -> Result<(), String> {
    let mut from = Learned::of(bytes);
    let load = || match (kind, hub) {
        (Kind::Shard(number), _) => {
            PanicContext::verb("load_state").of("shard", number).enter();
            let shard = local.shards.get_mut(number as usize).and_then(Option::as_mut);
            program.load_state(shard.ok_or(StateError::new("a shard of this run"))?, &mut from)?;
            from.whole().end("a shard")
        }
        (Kind::Block(number), _) => {
            PanicContext::verb("load").of("block", number).enter();
            let block = local.blocks.get_mut(number as usize).and_then(Option::as_mut);
            *block.ok_or(StateError::new("a block of this run"))? = from_bytes(bytes)?;
            Ok(())
        }
        (Kind::Replica, _) => {
            PanicContext::verb("load of the replica").enter();
            local.replica = from_bytes(bytes)?;
            Ok(())
        }
        (Kind::Pinned, Some(hub)) => {
            PanicContext::verb("load_pinned").enter();
            program.load_pinned(&mut hub.pinned, &mut from)?;
            from.whole().end("the pinned block")
        }
        (Kind::Schedule, Some(hub)) => {
            PanicContext::verb("the schedule's load_state").enter();
            hub.schedule.load_state(&mut from)?;
            from.whole().end("a schedule")
        }
        (Kind::Progress, Some(hub)) => {
            hub.progress = from_bytes(bytes)?;
            Ok(())
        }
        (_, None) => Ok(()),
    };
    load().map_err(|why: StateError| match kind {
        Kind::Shard(number) => format!("shard {number}: {why}"),
        Kind::Block(number) => format!("block {number}: {why}"),
        _ => why.to_string(),
    })
}

/// Refuses records if some are missing or occur twice.
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
