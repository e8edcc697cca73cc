//! [`Member`]: one process's part in a run, be it the only one. A plain state machine: plans, goods and the ends of
//! generations in; goods, generations and reports out. It knows no sockets, no threads and no clock.

mod goods;
mod keeping;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use self::goods::put;
use super::makers::Maker;
use super::parts::Beginning;
use super::{Engine, History, Makers, Outcome, Warner};
use crate::base::doing;
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::base::state::to_bytes;
use crate::checkpoint::{Checkpoint, Checkpoints, Due};
use crate::cluster::plan::Plan;
use crate::cluster::protocol::{Briefing, Cut, Facts, Report};
use crate::cluster::read_proof;
use crate::engine::handover::{Account, Goods};
use crate::generation::{Generation, Observer};
use crate::program::Program;
use crate::program::verdict::Metric;
use crate::run::hub::{HubState, Parting};
use crate::run::record::{Ending, ProcessRecord};
use crate::run::settings::Settings;
use crate::run::share::{Returned, Share};
use crate::run::wishes::Wishes;
use crate::schedule::Schedule;

/// What a process does next.
pub(crate) enum Step<P: Program> {
    /// Wait for what others hand over.
    Wait,
    /// Run this generation, at this seat.
    Run(Arc<Generation<P>>, usize),
    /// Nothing more: the run goes on, or has ended, elsewhere.
    Leave,
    /// Nothing more: the run is over, and this is what it leaves behind.
    Over(Box<Outcome<P>>),
}

/// What moves, by the process that it goes to.
pub(crate) type Outgoing<P> = BTreeMap<u32, Vec<Goods<P>>>;

/// Makers of shards and blocks, and the pinned block.
type Beginnings<P> = (Maker<<P as Program>::Shard>, Maker<<P as Program>::Block>, <P as Program>::Pinned);

/// One process's part in a run.
pub(crate) struct Member<P: Program> {
    index: u32,
    wishes: Arc<Wishes>,
    program: Arc<P>,
    settings: Settings,
    identity: Identity,
    /// What the run begins with, until it has begun.
    makers: Option<Beginnings<P>>,
    counts: (usize, usize),
    /// Shards, blocks and replica; while a generation runs it has them.
    share: Option<Share<P>>,
    /// The checkpoint that the run goes on from, where it has been read already.
    found: Option<Checkpoint>,
    /// Where this is not the first process, the schedule waits here.
    schedule: Option<Box<dyn Schedule<P::Phase>>>,
    /// The pinned block that was handed over, until the rest of the hub has come.
    pinned: Option<P::Pinned>,
    hub: Option<HubState<P>>,
    observer: Option<Observer<P>>,
    warner: Option<Warner>,
    history: History,
    plan: Option<Plan>,
    /// The processes whose goods have not all come yet.
    awaited: BTreeSet<u32>,
    /// What this process sent in the last generation: bytes, and those of blocks.
    sent: (u64, u64),
    /// Bytes that came to this process before the generation.
    moved: u64,
    ended: Option<(Ending, Metric, Option<f64>)>,
}

impl<P: Program> Member<P> {
    pub(crate) fn new(engine: Engine<P>, index: u32, wishes: Arc<Wishes>) -> Self {
        let Engine { program, schedule, parts, costs, mut settings, observer, warner, identity, .. } = engine;
        let (checkpoint, store) = (engine.checkpoint, engine.store);
        let Makers { shards, blocks, pinned, replica } = parts;
        let counts = (shards.len(), blocks.len());
        let identity = Identity {
            run: identity.unwrap_or_default(),
            schedule: schedule.identity(),
            staleness: settings.staleness,
            guard: settings.guard,
            costs: costs.unwrap_or_else(|| vec![1; counts.0]),
        };
        settings.checkpoints = checkpoint
            .map(|(every, folder)| (Due::new(every), Arc::new(Checkpoints::new(folder, store, index))));
        settings.wishes = Arc::clone(&wishes);
        wishes.set_stop(settings.stop.clone());
        let (shards_here, blocks_here) = ((0..counts.0).map(|_| None), (0..counts.1).map(|_| None));
        let share = Share { shards: shards_here.collect(), blocks: blocks_here.collect(), replica };
        Self {
            index,
            wishes,
            program,
            settings,
            identity,
            makers: Some((shards, blocks, pinned)),
            counts,
            share: Some(share),
            found: None,
            schedule: Some(schedule),
            pinned: None,
            hub: None,
            observer,
            warner,
            history: History::default(),
            plan: None,
            awaited: BTreeSet::new(),
            sent: (0, 0),
            moved: 0,
            ended: None,
        }
    }

    /// Everything that the coordinator must know of it, with the cores that it may use.
    pub(crate) fn facts(&self, cores: usize) -> Facts {
        let rescale = self.settings.rescale.iter().map(|&(epoch, workers)| (epoch, workers as u32)).collect();
        let proof = self.settings.checkpoints.as_ref().map(|(_, checkpoints)| read_proof(checkpoints.path()));
        let (blocks, cores) = (self.counts.1 as u32, self.settings.threads.unwrap_or(cores) as u32);
        Facts { identity: self.identity.clone(), blocks, rescale, cores, proof }
    }

    /// Goes on from this checkpoint, and not from the one that the briefing names.
    pub(crate) fn go_on_from(&mut self, checkpoint: Checkpoint) {
        self.found = Some(checkpoint);
    }

    /// Takes part in a generation: gives what moves to others. `account` is what the process says of itself, if there are
    /// others to tell.
    ///
    /// # Errors
    /// If the plan does not fit the run, or what begins here cannot be made.
    pub(crate) fn begin(
        &mut self,
        briefing: Briefing,
        account: Option<Account>,
    ) -> Result<Outgoing<P>, EngineError> {
        self.prepare(&briefing)?;
        let Briefing { plan, from, warnings, .. } = briefing;
        if !plan.is_sound(self.counts.0, self.counts.1) {
            return Err(EngineError::Process("the coordinator's plan does not fit the run".into()));
        }
        let me = self.index;
        let takes = plan.seat_of(me).is_some();
        self.awaited = plan.givers.iter().map(|seat| seat.id).filter(|&id| takes && id != me).collect();
        self.moved = 0;
        let mut goods = Outgoing::new();
        if plan.givers.is_empty() {
            match from {
                Some(from) => self.restore(&plan, &from)?,
                None => self.make(&plan)?,
            }
            if self.hub.is_some() {
                let warner = &mut self.warner;
                warnings.into_iter().for_each(|why| self.history.warn(why, warner.as_mut()));
            }
        } else {
            // Who joins begins with what the others have.
            self.makers = None;
            let account = account.map(|account| self.account(account));
            account.iter().for_each(|account| self.note_process(account));
            if plan.is_giver(me) {
                goods = self.goods(&plan, account.unwrap_or_default())?;
            }
        }
        self.history.here = (plan.seats.len(), 0);
        self.plan = Some(plan);
        Ok(goods)
    }

    /// Takes in what another process hands over; `bytes` is how long it was.
    ///
    /// # Errors
    /// If it cannot be read, or nobody expects it.
    pub(crate) fn take(&mut self, from: u32, goods: Goods<P>, bytes: u64) -> Result<(), EngineError> {
        self.moved += bytes;
        match goods {
            Goods::Shard(number, shard) => put(&mut self.share()?.shards, number, shard)?,
            Goods::Block(number, block) => put(&mut self.share()?.blocks, number, block)?,
            Goods::Replica(replica) => self.share()?.replica = replica,
            Goods::Pinned(pinned) => self.pinned = Some(pinned),
            Goods::Hub(bytes) => {
                let loaded = doing::guarded(|| self.load_hub(&bytes).map_err(|error| error.to_string()));
                loaded.map_err(|why| EngineError::Process(format!("the hub cannot be read: {why}")))?;
            }
            Goods::End(account) => {
                self.awaited.remove(&from);
                self.note_process(&account);
                if self.seat() == Some(0) {
                    self.history.count(&account);
                }
            }
        }
        Ok(())
    }

    /// Shards, blocks and replica.
    ///
    /// # Errors
    /// If a generation has them.
    fn share(&mut self) -> Result<&mut Share<P>, EngineError> {
        self.share.as_mut().ok_or_else(lost)
    }

    fn seat(&self) -> Option<usize> {
        self.plan.as_ref()?.seat_of(self.index)
    }

    /// What is next, as it is `now`: the run's clock starts with its first generation.
    ///
    /// # Errors
    /// If something was not handed over that is placed here.
    pub(crate) fn next(&mut self, now: Instant) -> Result<Step<P>, EngineError> {
        if !self.awaited.is_empty() {
            return Ok(Step::Wait);
        }
        let Some((plan, seat)) = self.plan.as_ref().zip(self.seat()) else { return Ok(Step::Leave) };
        self.check_share(plan, seat)?;
        if plan.last {
            return Ok(Step::Over(Box::new(self.outcome()?)));
        }
        if plan.givers.is_empty() {
            self.settings.started = now;
        }
        let (layout, number) = (plan.layout(seat), plan.number);
        let share = self.share.take().ok_or_else(lost)?;
        let (program, settings) = (Arc::clone(&self.program), Arc::new(self.settings.clone()));
        let (hub, observer) = (self.hub.take(), self.observer.take());
        self.history.here.1 = self.moved;
        let generation = Arc::new(Generation::new(program, settings, layout, share, hub, observer));
        self.wishes.begin(number);
        Ok(Step::Run(generation, seat))
    }

    /// The generation has ended, and `now` it is; gives what to report.
    ///
    /// # Errors
    /// If it ended before its first boundary.
    pub(crate) fn ended(
        &mut self,
        generation: &Generation<P>,
        mut returned: Returned<P>,
        now: Instant,
    ) -> Result<Report, EngineError> {
        self.observer = generation.take_observer();
        self.sent = (returned.ended.bytes, returned.ended.block_bytes);
        let layout = &generation.layout;
        let cut = match returned.hub.take() {
            Some(hub) => {
                let (epoch, placement) = (returned.epoch, Arc::clone(&layout.shard_at));
                self.history.add(epoch, (layout.asked, layout.threads), placement, &returned);
                Some(self.end_of(hub, &mut returned)?)
            }
            None => {
                self.history.last_boundary = Some(now);
                None
            }
        };
        self.share = Some(returned.share);
        let generation = self.plan.as_ref().map_or(0, |plan| plan.number);
        Ok(Report::Ended { generation, cut })
    }

    /// What this process did before its first generation.
    pub(crate) fn note_beginning(&mut self, beginning: Beginning) {
        self.history.beginning = beginning;
    }

    /// When this process last worked.
    pub(crate) fn last_worked(&self) -> Option<Instant> {
        self.history.last_boundary
    }

    /// What it says of itself, completed.
    fn account(&self, account: Account) -> Account {
        let ((bytes, block_bytes), moved) = (self.sent, self.moved);
        Account { process: self.index, bytes, block_bytes, moved, ..account }
    }

    /// Makes what this process begins with.
    fn make(&mut self, plan: &Plan) -> Result<(), EngineError> {
        let Some((shards, blocks, pinned)) = self.makers.take() else { return Ok(()) };
        let seat = plan.seat_of(self.index).map(|seat| seat as u32);
        let share = self.share()?;
        share.shards = shards.make("shard", |shard| Some(plan.shard_seat(shard)) == seat)?;
        share.blocks = blocks.make("block", |block| Some(plan.block_seat(block)) == seat)?;
        if seat == Some(0)
            && let Some(schedule) = self.schedule.take()
        {
            self.hub = Some(HubState::new(pinned, schedule, self.settings.staleness));
        }
        Ok(())
    }

    fn note_process(&mut self, account: &Account) {
        let Account { process, peak_memory, cpu_seconds, .. } = *account;
        let record = ProcessRecord {
            process,
            peak_memory_bytes: Some(peak_memory).filter(|&bytes| bytes > 0),
            cpu_seconds: Some(cpu_seconds).filter(|&seconds| seconds > 0.0),
        };
        self.history.processes.insert(process, record);
    }

    /// Whether all is here that the plan puts here.
    fn check_share(&self, plan: &Plan, seat: usize) -> Result<(), EngineError> {
        let (seat, share) = (seat as u32, self.share.as_ref().ok_or_else(lost)?);
        let lacks = |what: &str, number| {
            Err(EngineError::Process(format!("nobody handed over {what} {number}, which is placed here")))
        };
        for (number, shard) in (0..).zip(&share.shards) {
            if plan.shard_seat(number) == seat && shard.is_none() {
                return lacks("shard", number);
            }
        }
        for (number, block) in (0..).zip(&share.blocks) {
            if plan.block_seat(number) == seat && block.is_none() {
                return lacks("block", number);
            }
        }
        match seat == 0 && self.hub.is_none() {
            true => lacks("hub", 0),
            false => Ok(()),
        }
    }

    /// How the generation ended, as the first process knows.
    fn end_of(&mut self, hub: HubState<P>, returned: &mut Returned<P>) -> Result<Cut, EngineError> {
        let ended = &mut returned.ended;
        self.history.trace.append(&mut ended.records);
        self.history.prints.append(&mut ended.prints);
        let (Some((metric, objective)), Some(parting)) = (ended.verdict.take(), ended.parting) else {
            return Err(EngineError::Worker("the run ended before its first boundary".into()));
        };
        let (epoch, keep) = (hub.progress.epoch, self.keep_of(&hub, parting));
        // Of use to others alone: here the hub has it.
        let has_others = self.plan.as_ref().is_some_and(|plan| plan.seats.len() > 1);
        let change = hub.unconcluded.as_ref().and_then(|before| before.change.as_ref());
        let change = change.filter(|_| has_others).map(to_bytes);
        let over = match parting {
            Parting::Over(ending) => {
                self.ended = Some((ending, metric, objective));
                true
            }
            Parting::Cut => false,
        };
        self.hub = Some(hub);
        Ok(Cut { epoch, over, block_at: std::mem::take(&mut ended.block_at), keep, change })
    }

    /// Outcome of a run that ends with all of it here.
    ///
    /// # Errors
    /// If something is elsewhere, or the program fails.
    pub(crate) fn finish(&mut self) -> Result<Outcome<P>, EngineError> {
        self.commit(None)?;
        self.outcome()
    }

    /// What the run leaves behind: all of it is here.
    fn outcome(&mut self) -> Result<Outcome<P>, EngineError> {
        let held = self.share.take().and_then(Share::whole).ok_or_else(lost)?;
        let (hub, ended) = (self.hub.take().ok_or_else(lost)?, self.ended.take().ok_or_else(lost)?);
        let (history, program) = (std::mem::take(&mut self.history), Arc::clone(&self.program));
        Ok(history.outcome(program, ended, held, hub, self.settings.elapsed()))
    }
}

/// Shards, blocks, replica or hub are not where they have to be.
pub(super) fn lost() -> EngineError {
    EngineError::Worker("the run ended without its state".into())
}
