//! Transfers of a process to others, and the hub that the first process hands over to the next first one.

use super::{Member, Outgoing, missing_state};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{Reader, StateError, Writer, from_bytes, to_bytes};
use crate::cluster::plan::GenerationPlan;
use crate::engine::RunEnd;
use crate::engine::transfer::{ProcessStats, Transfer};
use crate::program::Program;
use crate::program::shard::Shard;
use crate::run::hub::HubState;

/// The pinned block of a hub, and the bytes of the rest.
type SavedHub<P> = (<P as Program>::Pinned, Vec<u8>);

impl<P: Program> Member<P> {
    /// Returns the transfers to each other process by this plan.
    pub(super) fn transfers(
        &mut self,
        plan: &GenerationPlan,
        stats: Option<ProcessStats>,
    ) -> Result<Outgoing<P>, EngineError> {
        let (me, mut transfers) = (self.index, Outgoing::new());
        // A run that was always on one process returns its shards to its caller whole.
        if plan.last && stats.is_some() && !P::Shard::STAYS {
            self.drop_training_data().map_err(EngineError::Worker)?;
        }
        let Self { local, plan: before, .. } = self;
        let local = local.as_mut().ok_or_else(missing_state)?;
        let mut send = |to: u32, one: Transfer<P>| transfers.entry(to).or_default().push(one);
        let id_of = |process: u32| plan.participants[process as usize].id;
        for (number, slot) in (0..).zip(&mut local.shards) {
            let to = id_of(plan.shard_process(number));
            if let Some(shard) = if to == me { None } else { slot.take() } {
                let shard = shard.crossing().ok_or_else(|| stays(number))?;
                send(to, Transfer::Shard(number, shard));
            }
        }
        for (number, slot) in (0..).zip(&mut local.blocks) {
            let to = id_of(plan.block_process(number));
            if let Some(block) = if to == me { None } else { slot.take() } {
                send(to, Transfer::Block(number, block));
            }
        }
        let others: Vec<u32> =
            plan.participants.iter().map(|other| other.id).filter(|&id| id != me).collect();
        if plan.previous.first().is_some_and(|first| first.id == me) {
            // A process without workers has made no commits.
            let before = before.take();
            let index = |id| before.as_ref().and_then(|before| Some((before, before.index_of(id)? as u32)));
            let had_workers =
                |id| index(id).is_some_and(|(before, index)| before.process_of.contains(&index));
            for &id in others.iter().filter(|&&id| !plan.last && !had_workers(id)) {
                send(id, Transfer::Replica(local.replica.clone()));
            }
            let next = id_of(0);
            if plan.last && P::Shard::STAYS {
                // Each party has the outcome, next to its own shards.
                let saved = panic_context::guarded(|| self.copied_hub(others.len()));
                for (&id, (pinned, rest)) in others.iter().zip(saved.map_err(EngineError::Worker)?) {
                    send(id, Transfer::Pinned(pinned));
                    send(id, Transfer::Hub(rest));
                }
            } else if next != me {
                let saved = panic_context::guarded(|| Ok(self.save_hub())).map_err(EngineError::Worker)?;
                if let Some((pinned, rest)) = saved {
                    send(next, Transfer::Pinned(pinned));
                    send(next, Transfer::Hub(rest));
                }
            }
        }
        for id in others {
            send(id, Transfer::End(stats.clone().unwrap_or_default()));
        }
        Ok(transfers)
    }

    /// Returns copies of the hub and of the run's end, for the other parties of a run that is over.
    fn copied_hub(&mut self, copies: usize) -> Result<Vec<SavedHub<P>>, String> {
        let Some((pinned, mut rest)) = self.save_hub() else { return Ok(Vec::new()) };
        let bytes = to_bytes(&pinned);
        if let Some(RunEnd { ending, metric, objective }) = &self.ended {
            let mut out = Writer::over(Vec::new());
            out.put(&rest);
            out.write(ending);
            out.write(metric);
            out.write(objective);
            rest = out.into_bytes();
        }
        let copy = |_| from_bytes(&bytes).map(|pinned| (pinned, rest.clone()));
        let copied = (0..copies).map(copy).collect::<Result<_, _>>().map_err(|why| why.to_string());
        self.pinned = Some(pinned);
        self.load_hub(&rest).map_err(|why| why.to_string())?;
        copied
    }

    /// Drops the data in this process's shards and blocks that the model does not need.
    fn drop_training_data(&mut self) -> Result<(), String> {
        let Some(local) = &mut self.local else { return Ok(()) };
        let program = &self.program;
        panic_context::guarded(|| {
            for (number, shard) in (0..).zip(&mut local.shards) {
                if let Some(shard) = shard {
                    PanicContext::verb("drop_training_data").of("shard", number).enter();
                    program.drop_training_data(shard);
                }
            }
            for (number, block) in (0..).zip(&mut local.blocks) {
                if let Some(block) = block {
                    PanicContext::verb("shrink_to_model").of("block", number).enter();
                    program.shrink_to_model(block);
                }
            }
            Ok(())
        })
    }

    /// Returns the whole hub: the pinned block, and the bytes of the rest and of the history.
    pub(super) fn save_hub(&mut self) -> Option<SavedHub<P>> {
        let hub = self.hub.take()?;
        let mut out = Writer::default();
        PanicContext::verb("save of the schedule").enter();
        out.write(&hub.schedule_bytes());
        out.write(&hub.progress);
        self.history.save(&mut out);
        self.schedule = Some(hub.schedule);
        Some((hub.pinned, out.into_bytes()))
    }

    /// Restores the hub of the first process before: its pinned block has arrived ahead of these bytes.
    pub(super) fn load_hub(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let pinned = self.pinned.take().ok_or(StateError::new("the pinned block"))?;
        let mut from = Reader::new(bytes);
        let schedule: Vec<u8> = from.read()?;
        let progress = from.read()?;
        self.history.load(&mut from)?;
        if from.remaining() > 0 {
            // Of a run that is over.
            let (ending, metric, objective) = (from.read()?, from.read()?, from.read()?);
            self.ended = Some(RunEnd { ending, metric, objective });
        }
        from.end("the hub")?;
        let mut own = self.schedule.take().ok_or(StateError::new("the schedule"))?;
        let mut schedule = Reader::new(&schedule);
        PanicContext::verb("load of the schedule").enter();
        own.load(&mut schedule)?;
        schedule.end("a schedule")?;
        let mut hub = HubState::new(pinned, own, self.settings.staleness);
        hub.progress = progress;
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

/// Error of a plan that sends a shard away that stays where it was made.
fn stays(number: u32) -> EngineError {
    let why = "it stays in the process that made it: start parties by raddle launch --parties";
    EngineError::Process(format!("shard {number} is placed in another process, and {why}"))
}
