//! A run on this process alone: a cluster of one. The coordinator of runs on several processes decides here,
//! too, in memory, and its orders are carried out at once: without threads, sockets or files.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::member::{Member, Step, missing_state};
use super::{Engine, Outcome};
use crate::base::cancel;
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::base::random::Stream;
use crate::checkpoint::Checkpoint;
use crate::cluster::checkpoints::CheckpointStore;
use crate::cluster::coordinator::{Action, Coordinator, CoordinatorConfig, Event};
use crate::cluster::protocol::{GenerationStart, MemberReport, Order, Registration};
use crate::program::Program;
use crate::run::cancellation::Cancellation;
use crate::run::fingerprints::Fingerprints;
use crate::run::merging::Merging;

impl<P: Program> Engine<P> {
    /// Carries the run out on this process.
    pub(super) fn run_alone(mut self) -> Result<Outcome<P>, EngineError> {
        self.check()?;
        let (started, resume, workers) = (Instant::now(), self.resume.take(), self.settings.workers);
        let mut plan = self.settings.rescale.iter();
        let is_one =
            self.settings.threads.is_some() || workers == 1 && plan.all(|&(_, workers)| workers == 1);
        // Asking the system takes longer than some rounds, so one worker does without it.
        let cores = if is_one { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
        let folder = self.checkpoint.as_ref().map(|(_, folder)| folder.clone());
        let checkpoints = CheckpointStore::of_checkpoints(folder, Arc::clone(&self.store));
        let coordinator = Coordinator::new(CoordinatorConfig {
            processes: 1,
            workers: 1,
            after: checkpoints.last_generation(),
            may_resume: resume.is_some(),
            deadline: f64::INFINITY,
            ..CoordinatorConfig::default()
        });
        self.settings.cancellation.set_decides(true);
        let member = Member::new(self, 0, Arc::default());
        let mut registration = member.registration(cores);
        registration.rescale.insert(0, (0, workers as u64));
        Alone { coordinator, member, checkpoints, resume, started }.run(registration)
    }

    /// Makes the run one that is compared with another: the comparison sets how it is carried out.
    pub(crate) fn compared(mut self) -> Self {
        (self.settings.fingerprints, self.settings.reversed) = (Fingerprints::All, false);
        (self.checkpoint, self.resume) = (None, None);
        (self.settings.workers, self.settings.threads, self.settings.serialized) = (1, Some(1), false);
        self.settings.rescale.clear();
        self.identity.get_or_insert_with(|| "a run that is compared with another".into());
        self
    }

    /// `true` if the program says that its `merge` gives the same bits for any grouping.
    pub(crate) fn merges_in_any_grouping(&self) -> bool {
        P::verbs().merge.is_some_and(|verb| (verb.is_associative)(&self.program))
    }

    /// Cuts the rows of an additive program otherwise, into as many shards.
    pub(crate) fn recut(mut self, seed: u64) -> Result<Self, EngineError> {
        let Some(recut) = P::verbs().merge.and_then(|verb| verb.recut) else { return Ok(self) };
        let count = self.parts.shards.len();
        let made = self.parts.shards.make("shard", |_| true)?;
        let mut draw = Stream::new(&[seed]);
        let mut ends: Vec<f64> = (1..count).map(|_| draw.unit()).chain([1.0]).collect();
        ends.sort_by(f64::total_cmp);
        let shards = recut(&self.program, made.into_iter().flatten().collect(), &ends);
        if shards.len() != count {
            let why = format!("`recut` made {} shards of {count}", shards.len());
            return Err(EngineError::Worker(why));
        }
        self.parts.shards = shards.into();
        Ok(self)
    }

    /// Sets where partials are merged.
    pub(crate) fn merging(mut self, merging: Merging) -> Self {
        self.settings.merging = merging;
        self
    }

    /// Cancels this epoch after this number of checks.
    pub(crate) fn cancelled(mut self, epoch: u64, looks: u64) -> Self {
        self.settings.cancellation = Arc::new(Cancellation::planned(epoch, looks));
        self
    }

    /// Runs tasks that may run at the same time in reverse order.
    pub(crate) fn reversed(mut self) -> Self {
        self.settings.reversed = true;
        self
    }
}

/// A coordinator in memory, and the only process of its run.
struct Alone<P: Program> {
    coordinator: Coordinator,
    member: Member<P>,
    /// The store that checkpoints are written to.
    checkpoints: CheckpointStore,
    /// The folder of the checkpoint to resume from.
    resume: Option<PathBuf>,
    started: Instant,
}

/// Result of an action.
enum Done<P: Program> {
    /// The next event for the coordinator.
    Event(Event),
    Nothing,
    /// The run is over.
    Over(Box<Outcome<P>>),
}

impl<P: Program> Alone<P> {
    fn run(mut self, registration: Registration) -> Result<Outcome<P>, EngineError> {
        let (registration, address) = (Box::new(registration), String::new());
        let mut events = VecDeque::from([reported(MemberReport::Ready { registration, address })]);
        while let Some(event) = events.pop_front() {
            for action in self.coordinator.on(event, 0.0) {
                match self.act(action)? {
                    Done::Event(event) => events.push_back(event),
                    Done::Nothing => {}
                    Done::Over(outcome) => return Ok(*outcome),
                }
            }
        }
        Err(missing_state())
    }

    /// Carries an action out.
    fn act(&mut self, action: Action) -> Result<Done<P>, EngineError> {
        let event = match action {
            Action::Send { order: Order::Begin { start }, .. } => return self.begin(start),
            Action::Send { order: Order::SubmitParts { generation, epoch, anew }, .. } => {
                reported(MemberReport::PartsSubmitted {
                    generation,
                    submitted: self.member.submit_parts(epoch, anew)?,
                })
            }
            Action::Find { identity } => self.find(&identity)?,
            Action::Number(number) => Event::Numbered { number, failed: None },
            Action::Commit { epoch, generation, identity, submitted } => {
                let checkpoint_result = self.checkpoints.commit(epoch, generation, &identity, submitted);
                Event::Committed { generation, checkpoint_result }
            }
            Action::Over { why, .. } => return Err(why.map_or_else(missing_state, EngineError::Worker)),
            _ => return Ok(Done::Nothing),
        };
        Ok(Done::Event(event))
    }

    /// Runs a generation, or ends the run; there are no transfers.
    fn begin(&mut self, start: GenerationStart) -> Result<Done<P>, EngineError> {
        let run = self.member.run();
        let begun = cancel::caught(|| cancel::during(&run, || self.member.begin(start, None)));
        begun.unwrap_or_else(|| Err(self.member.before_boundary()))?;
        match self.member.next(self.started)? {
            Step::Run(generation, _) => {
                let returned = Arc::clone(&generation).run(None)?;
                Ok(Done::Event(reported(self.member.ended(&generation, returned, Instant::now())?)))
            }
            Step::Over(outcome) => Ok(Done::Over(outcome)),
            Step::Wait | Step::Leave => Err(missing_state()),
        }
    }

    /// Looks up the checkpoint to resume from, if there is to be one.
    fn find(&mut self, identity: &Identity) -> Result<Event, EngineError> {
        let Some(folder) = &self.resume else {
            return Ok(Event::none_found());
        };
        let found = Checkpoint::read(folder, identity)?;
        let event = Event::found(&found);
        self.member.resume_from(found);
        Ok(event)
    }
}

fn reported(report: MemberReport) -> Event {
    Event::Report { from: 0, report }
}
