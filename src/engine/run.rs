//! Carrying a run out: the loop over generations, and the checks before it.

use std::sync::Arc;
use std::time::Instant;

use super::{Engine, History, Makers, Outcome};
use crate::base::doing::{self, Doing};
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::checkpoint::{Checkpoint, CheckpointEvery, Checkpoints, Due};
use crate::generation::Generation;
use crate::program::verbs::Verb;
use crate::program::{Program, Visibility};
use crate::run::hub::{HubState, Parting};
use crate::run::placement::Layout;
use crate::run::prints::Prints;
use crate::run::record::Ending;
use crate::run::share::{Held, Returned};

impl<P: Program> Engine<P> {
    /// Carries the run out.
    ///
    /// # Errors
    /// If a setting makes no sense, the schedule asks for a verb that the program lacks, threads cannot be started, a
    /// program or schedule panics, or a checkpoint cannot be read.
    pub fn run(self) -> Result<Outcome<P>, EngineError> {
        self.check()?;
        let Self { program, schedule, parts, costs, mut settings, mut observer, mut warner, .. } = self;
        let (checkpoint, store, resume, identity) = (self.checkpoint, self.store, self.resume, self.identity);
        settings.started = Instant::now();
        let Makers { shards, blocks, pinned, replica } = parts;
        let costs = costs.unwrap_or_else(|| vec![1; shards.len()]);
        let identity = Identity {
            run: identity.unwrap_or_default(),
            schedule: schedule.identity(),
            staleness: settings.staleness,
            guard: settings.guard,
            costs: costs.clone(),
        };
        settings.checkpoints =
            checkpoint.map(|(every, folder)| (Due::new(every), Arc::new(Checkpoints::new(folder, store))));
        let settings = Arc::new(settings);
        let mut held = Held { shards: shards.all("shard")?, blocks: blocks.all("block")?, replica };
        let mut hub = HubState::new(pinned, schedule, settings.staleness);
        let mut history = History::default();
        if let Some(folder) = &resume {
            let checkpoint = Checkpoint::read(folder, &identity)?;
            checkpoint.unfit.iter().for_each(|why| history.warn(why.clone(), warner.as_mut()));
            checkpoint.restore(&*program, &mut held, &mut hub)?;
        }
        loop {
            let epoch = hub.progress.epoch;
            let workers = settings.workers_after(epoch);
            let (shared, how) = (Arc::clone(&program), Arc::clone(&settings));
            let layout =
                Layout::new(&costs, held.blocks.len(), workers, settings.threads_for(workers, costs.len()));
            let threads = layout.threads;
            let placement = Arc::clone(&layout.shard_at);
            let generation = Generation::new(shared, how, layout, held.into(), Some(hub), observer);
            let generation = Arc::new(generation);
            let returned = Arc::clone(&generation).run(None)?;
            history.add(epoch, (workers, threads), placement, &returned);
            let Returned { share, hub: state, ended, .. } = returned;
            let lost = || EngineError::Worker("a worker ended without its state".into());
            (held, hub) = (share.whole().ok_or_else(lost)?, state.ok_or_else(lost)?);
            observer = generation.take_observer();
            history.trace.extend(ended.records);
            history.prints.extend(ended.prints);
            let (Some((metric, objective)), Some(parting)) = (ended.verdict, ended.parting) else {
                return Err(EngineError::Worker("the run ended before its first boundary".into()));
            };
            if let Some((due, checkpoints)) = &settings.checkpoints {
                // A run that a limit or Ctrl-C ends can go on from where it was, not from the last multiple.
                let unfinished = matches!(parting, Parting::Over(Ending::Limit(_) | Ending::Interrupted));
                if (unfinished || due.at(hub.progress.epoch)) && !hub.cut_short {
                    let written = checkpoints.write_rest(&identity, &*program, &held, &hub);
                    due.note(history.note_checkpoint(written, warner.as_mut())?);
                }
                checkpoints.give_up();
            }
            if let Some(change) = hub.unconcluded.take().and_then(|before| before.change) {
                held.commit(&*program, &change).map_err(EngineError::Worker)?;
            }
            if let Parting::Over(ending) = parting {
                let ended = (ending, metric, objective);
                return Ok(history.outcome(program, ended, held, hub, settings.elapsed()));
            }
        }
    }

    /// As a run that is compared with another: how it is carried out is up to the comparison.
    pub(crate) fn compared(mut self) -> Self {
        (self.settings.prints, self.settings.reversed) = (Prints::All, false);
        (self.checkpoint, self.resume) = (None, None);
        (self.settings.workers, self.settings.threads, self.settings.serialized) = (1, Some(1), false);
        self.settings.rescale.clear();
        self.identity.get_or_insert_with(|| "a run that is compared with another".into());
        self
    }

    /// Runs tasks that may run at the same time in reverse order.
    pub(crate) fn reversed(mut self) -> Self {
        self.settings.reversed = true;
        self
    }

    /// The engine with all parts made, if its settings suit an operator.
    ///
    /// # Errors
    /// If a setting makes no sense there.
    pub(crate) fn for_operator(mut self) -> Result<Self, EngineError> {
        let elsewhere =
            !self.settings.rescale.is_empty() || self.checkpoint.is_some() || self.resume.is_some();
        if elsewhere {
            let why =
                "an operator can neither rescale nor checkpoint: the dataflow around it fixes its workers";
            return Err(EngineError::Setting(why.into()));
        }
        self.check()?;
        let Makers { shards, blocks, pinned, replica } = self.parts;
        let (shards, blocks) = (shards.all("shard")?.into(), blocks.all("block")?.into());
        self.parts = Makers { shards, blocks, pinned, replica };
        Ok(self)
    }

    /// The only generation of an operator.
    pub(crate) fn into_generation(self, workers: usize) -> Generation<P> {
        let Self { program, schedule, parts, costs, mut settings, observer, .. } = self;
        let Makers { shards, blocks, pinned, replica } = parts;
        let (shards, blocks) = (shards.there(), blocks.there());
        let costs = costs.unwrap_or_else(|| vec![1; shards.len()]);
        (settings.workers, settings.started) = (workers, Instant::now());
        let (held, hub) =
            (Held { shards, blocks, replica }, HubState::new(pinned, schedule, settings.staleness));
        let layout = Layout::new(&costs, held.blocks.len(), workers, workers);
        Generation::new(program, Arc::new(settings), layout, held.into(), Some(hub), observer)
            .into_operators()
    }

    pub(super) fn check(&self) -> Result<(), EngineError> {
        let refuse = |why: String| Err(EngineError::Setting(why));
        if self.settings.workers == 0 || self.settings.rescale.iter().any(|&(_, workers)| workers == 0) {
            return refuse("a run needs at least 1 worker".into());
        }
        if self.settings.threads == Some(0) {
            return refuse("a run needs at least 1 thread".into());
        }
        if matches!(self.checkpoint, Some((CheckpointEvery::Epochs(0), _))) {
            return refuse("a checkpoint every 0 epochs makes no sense: give 1 or more".into());
        }
        if let Some(limit) = self.settings.time_limit.filter(|limit| limit.is_nan() || *limit < 0.0) {
            return refuse(format!("a time limit of {limit} seconds makes no sense: give 0 or more"));
        }
        let (shards, blocks) = (self.parts.shards.len(), self.parts.blocks.len());
        if shards == 0 {
            return refuse("a run needs at least 1 shard".into());
        }
        if let Some(costs) = self.costs.as_ref().filter(|costs| costs.len() != shards) {
            let costs = costs.len();
            return refuse(format!("{costs} costs are given for {shards} shards: give one for each"));
        }
        if self.identity.is_none() && (self.checkpoint.is_some() || self.resume.is_some()) {
            let why = "checkpoints need an identity: give `Engine::identity` a text that is the same exactly when data \
                       and parameters are";
            return refuse(why.into());
        }
        self.schedule.check(shards, blocks).map_err(EngineError::Setting)?;
        let (verbs, each_round) = (P::verbs(), self.program.visibility() == Visibility::EachRound);
        let mut asked = self.schedule.asks().into_iter().filter(|&verb| !(each_round && verb == Verb::Fold));
        asked.try_for_each(|verb| verbs.check(verb)).map_err(EngineError::Setting)
    }
}

impl<P: Program> Held<P> {
    /// Makes a change visible while no generation runs.
    fn commit(&mut self, program: &P, change: &P::Change) -> Result<(), String> {
        doing::guarded(|| {
            Doing::verb("commit").note();
            program.commit(change, &mut self.replica);
            for (number, shard) in (0..).zip(&mut self.shards) {
                Doing::verb("commit_shard").of("shard", number).note();
                program.commit_shard(change, number, shard);
            }
            Ok(())
        })
    }
}
