//! What a process gives to others, and the hub that the first one hands on.

use super::{Member, Outgoing, lost};
use crate::base::doing::{self, Doing};
use crate::base::error::EngineError;
use crate::base::state::{Reader, StateError, Writer};
use crate::cluster::plan::Plan;
use crate::engine::handover::{Account, Goods};
use crate::program::Program;
use crate::run::hub::HubState;

impl<P: Program> Member<P> {
    /// What moves to whom.
    pub(super) fn goods(&mut self, plan: &Plan, account: Account) -> Result<Outgoing<P>, EngineError> {
        let me = self.index;
        let mut goods = Outgoing::new();
        if plan.last && plan.givers.len() > 1 {
            self.shed().map_err(EngineError::Worker)?;
        }
        let Self { share, plan: before, .. } = self;
        let share = share.as_mut().ok_or_else(lost)?;
        for (number, slot) in (0..).zip(&mut share.shards) {
            let to = plan.seats[plan.shard_seat(number) as usize].id;
            if let Some(shard) = if to == me { None } else { slot.take() } {
                goods.entry(to).or_default().push(Goods::Shard(number, shard));
            }
        }
        for (number, slot) in (0..).zip(&mut share.blocks) {
            let to = plan.seats[plan.block_seat(number) as usize].id;
            if let Some(block) = if to == me { None } else { slot.take() } {
                goods.entry(to).or_default().push(Goods::Block(number, block));
            }
        }
        if plan.givers.first().is_some_and(|first| first.id == me) {
            let before = before.take();
            for seat in plan.seats.iter().filter(|seat| seat.id != me && !plan.last) {
                // A process without workers has seen no commits.
                let had_workers = before.as_ref().is_some_and(|before| {
                    before.seat_of(seat.id).is_some_and(|seat| before.process_of.contains(&(seat as u32)))
                });
                if !had_workers {
                    goods.entry(seat.id).or_default().push(Goods::Replica(share.replica.clone()));
                }
            }
            let next = plan.seats[0].id;
            if next != me {
                let saved = doing::guarded(|| Ok(self.save_hub())).map_err(EngineError::Worker)?;
                let both = saved.map(|(pinned, rest)| [Goods::Pinned(pinned), Goods::Hub(rest)]);
                goods.entry(next).or_default().extend(both.into_iter().flatten());
            }
        }
        for seat in plan.seats.iter().filter(|seat| seat.id != me) {
            goods.entry(seat.id).or_default().push(Goods::End(account));
        }
        Ok(goods)
    }

    /// Drops of the shards and blocks here what the model does not need.
    fn shed(&mut self) -> Result<(), String> {
        let Some(share) = &mut self.share else { return Ok(()) };
        let program = &self.program;
        doing::guarded(|| {
            for (number, shard) in (0..).zip(&mut share.shards) {
                if let Some(shard) = shard {
                    Doing::verb("shed").of("shard", number).note();
                    program.shed(shard);
                }
            }
            for (number, block) in (0..).zip(&mut share.blocks) {
                if let Some(block) = block {
                    Doing::verb("shed_block").of("block", number).note();
                    program.shed_block(block);
                }
            }
            Ok(())
        })
    }

    /// The hub whole: the pinned block, and bytes of the rest and of the history.
    pub(super) fn save_hub(&mut self) -> Option<(P::Pinned, Vec<u8>)> {
        let hub = self.hub.take()?;
        let (mut out, mut schedule) = (Writer::default(), Writer::default());
        Doing::verb("save of the schedule").note();
        hub.schedule.save(&mut schedule);
        out.write(&schedule.into_bytes());
        out.write(&(hub.progress, hub.cut_short));
        self.history.save(&mut out);
        self.schedule = Some(hub.schedule);
        Some((hub.pinned, out.into_bytes()))
    }

    /// Takes up the hub of the first process before: its pinned block has come ahead of these bytes.
    pub(super) fn load_hub(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let pinned = self.pinned.take().ok_or(StateError::new("the pinned block"))?;
        let mut from = Reader::new(bytes);
        let schedule: Vec<u8> = from.read()?;
        let (progress, cut_short) = from.read()?;
        self.history.load(&mut from)?;
        from.end("the hub")?;
        let mut own = self.schedule.take().ok_or(StateError::new("the schedule"))?;
        let mut schedule = Reader::new(&schedule);
        Doing::verb("load of the schedule").note();
        own.load(&mut schedule)?;
        schedule.end("a schedule")?;
        let mut hub = HubState::new(pinned, own, self.settings.staleness);
        (hub.progress, hub.cut_short) = (progress, cut_short);
        self.hub = Some(hub);
        Ok(())
    }
}

/// Puts what was handed over into its slot.
pub(super) fn put<T>(slots: &mut [Option<T>], number: u32, value: T) -> Result<(), EngineError> {
    match slots.get_mut(number as usize).filter(|slot| slot.is_none()) {
        Some(slot) => {
            *slot = Some(value);
            Ok(())
        }
        None => Err(EngineError::Process(format!("{number} was handed over, and nobody expected it"))),
    }
}
