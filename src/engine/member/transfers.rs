//! Transfers of a process to others, and the hub that the first one hands over to the next.

use super::{Member, Outgoing, lost};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{Reader, StateError, Writer};
use crate::cluster::plan::GenerationPlan;
use crate::engine::transfer::{ProcessStats, Transfer};
use crate::program::Program;
use crate::run::hub::HubState;

impl<P: Program> Member<P> {
    /// Transfers to each other process by this plan.
    pub(super) fn transfers(
        &mut self,
        plan: &GenerationPlan,
        stats: Option<ProcessStats>,
    ) -> Result<Outgoing<P>, EngineError> {
        let me = self.index;
        let mut transfers = Outgoing::new();
        // A run that has always been alone leaves its shards to its caller whole.
        if plan.last && stats.is_some() {
            self.drop_training_data().map_err(EngineError::Worker)?;
        }
        let Self { share, plan: before, .. } = self;
        let share = share.as_mut().ok_or_else(lost)?;
        for (number, slot) in (0..).zip(&mut share.shards) {
            let to = plan.participants[plan.shard_process(number) as usize].id;
            if let Some(shard) = if to == me { None } else { slot.take() } {
                transfers.entry(to).or_default().push(Transfer::Shard(number, shard));
            }
        }
        for (number, slot) in (0..).zip(&mut share.blocks) {
            let to = plan.participants[plan.block_process(number) as usize].id;
            if let Some(block) = if to == me { None } else { slot.take() } {
                transfers.entry(to).or_default().push(Transfer::Block(number, block));
            }
        }
        if plan.previous.first().is_some_and(|first| first.id == me) {
            let before = before.take();
            for participant in
                plan.participants.iter().filter(|participant| participant.id != me && !plan.last)
            {
                // A process without workers has made no commits.
                let had_workers = before.as_ref().is_some_and(|before| {
                    before
                        .index_of(participant.id)
                        .is_some_and(|participant| before.process_of.contains(&(participant as u32)))
                });
                if !had_workers {
                    transfers
                        .entry(participant.id)
                        .or_default()
                        .push(Transfer::Replica(share.replica.clone()));
                }
            }
            let next = plan.participants[0].id;
            if next != me {
                let saved = panic_context::guarded(|| Ok(self.save_hub())).map_err(EngineError::Worker)?;
                let both = saved.map(|(pinned, rest)| [Transfer::Pinned(pinned), Transfer::Hub(rest)]);
                transfers.entry(next).or_default().extend(both.into_iter().flatten());
            }
        }
        for participant in plan.participants.iter().filter(|participant| participant.id != me) {
            transfers.entry(participant.id).or_default().push(Transfer::End(stats.unwrap_or_default()));
        }
        Ok(transfers)
    }

    /// Drops the data in this process's shards and blocks that the model does not need.
    fn drop_training_data(&mut self) -> Result<(), String> {
        let Some(share) = &mut self.share else { return Ok(()) };
        let program = &self.program;
        panic_context::guarded(|| {
            for (number, shard) in (0..).zip(&mut share.shards) {
                if let Some(shard) = shard {
                    PanicContext::verb("drop_training_data").of("shard", number).enter();
                    program.drop_training_data(shard);
                }
            }
            for (number, block) in (0..).zip(&mut share.blocks) {
                if let Some(block) = block {
                    PanicContext::verb("shrink_to_model").of("block", number).enter();
                    program.shrink_to_model(block);
                }
            }
            Ok(())
        })
    }

    /// The whole hub: the pinned block, and the bytes of the rest and of the history.
    pub(super) fn save_hub(&mut self) -> Option<(P::Pinned, Vec<u8>)> {
        let hub = self.hub.take()?;
        let (mut out, mut schedule) = (Writer::default(), Writer::default());
        PanicContext::verb("save of the schedule").enter();
        hub.schedule.save(&mut schedule);
        out.write(&schedule.into_bytes());
        out.write(&(hub.progress, hub.ended_mid_epoch));
        self.history.save(&mut out);
        self.schedule = Some(hub.schedule);
        Some((hub.pinned, out.into_bytes()))
    }

    /// Restores the hub of the first process before: its pinned block has arrived ahead of these bytes.
    pub(super) fn load_hub(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let pinned = self.pinned.take().ok_or(StateError::new("the pinned block"))?;
        let mut from = Reader::new(bytes);
        let schedule: Vec<u8> = from.read()?;
        let (progress, ended_mid_epoch) = from.read()?;
        self.history.load(&mut from)?;
        from.end("the hub")?;
        let mut own = self.schedule.take().ok_or(StateError::new("the schedule"))?;
        let mut schedule = Reader::new(&schedule);
        PanicContext::verb("load of the schedule").enter();
        own.load(&mut schedule)?;
        schedule.end("a schedule")?;
        let mut hub = HubState::new(pinned, own, self.settings.staleness);
        (hub.progress, hub.ended_mid_epoch) = (progress, ended_mid_epoch);
        self.hub = Some(hub);
        Ok(())
    }
}

/// Stores a transferred part in its slot; an error if the slot is taken or missing.
pub(super) fn put<T>(slots: &mut [Option<T>], number: u32, value: T) -> Result<(), EngineError> {
    match slots.get_mut(number as usize).filter(|slot| slot.is_none()) {
        Some(slot) => {
            *slot = Some(value);
            Ok(())
        }
        None => Err(EngineError::Process(format!("{number} was handed over, and nobody expected it"))),
    }
}
