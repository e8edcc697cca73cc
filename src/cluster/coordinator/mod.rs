//! [`Coordinator`]: decides which processes run the next generation, and when. The coordinator is a plain
//! state machine: its input is events with a time, its output actions; it has no sockets, threads or clock.

mod admins;
mod checkpoints;
mod events;
mod held;
pub(crate) mod known_parties;
mod leaving;
mod losses;
mod members;
mod notes;
mod parties;
mod plans;
mod reports;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use self::checkpoints::PendingParts;
pub(crate) use self::events::{Action, CoordinatorConfig, Event};
use self::members::{Connection, Member, MemberState};
use self::notes::Notes;
use super::balance::Balance;
use super::held_boundary::HeldBoundary;
use super::plan::{GenerationPlan, PlacedGeneration};
use super::protocol::{CheckpointNeed, Epoch, GenerationEnd, Order, Registration};

/// Seconds to wait for the cause after a process reports that a peer failed, or for the exit status after a
/// connection has ended.
const GRACE: f64 = 2.0;

#[derive(Default)]
enum CoordinatorStage {
    /// The processes build their programs.
    #[default]
    Gathering,
    /// The processes wait while the checkpoint to resume from is looked up.
    Finding,
    /// A generation runs.
    Running,
    /// The generation ends: the processes in `ended` hold their state again.
    EndingGeneration {
        ended: BTreeSet<u32>,
        end: Option<GenerationEnd>,
    },
    /// The processes submit the parts of a checkpoint of the boundary.
    Checkpointing(Box<PendingParts>),
    /// Everything goes to the first process, which writes the model.
    Ending,
    Over,
}

/// A loss or failure whose cause may still be reported.
struct SuspectedLoss {
    until: f64,
    who: u32,
    code: i32,
    why: String,
    /// `true` for a loss, after which the run can be started again.
    loss: bool,
}

/// Place of a boundary in a run: its generation, and the number of epochs completed.
type Place = (u64, u64);

/// State of a held run.
#[derive(Debug, Default)]
struct HoldState {
    /// Number of the admin client that holds the run.
    holder: Option<u64>,
    /// The boundary at which the run waits.
    at: Option<HeldBoundary>,
    /// The last boundary that the first process has reached.
    last: Place,
}

/// State of a run, by which the next generation is decided.
#[derive(Default)]
pub(crate) struct Coordinator {
    config: CoordinatorConfig,
    members: BTreeMap<u32, Member>,
    registration: Option<Registration>,
    stage: CoordinatorStage,
    plan: Option<GenerationPlan>,
    /// Generations of this attempt.
    placed: Vec<PlacedGeneration>,
    /// Number of workers of the whole run, if a rescale has set it.
    workers: Option<u64>,
    end_is_requested: bool,
    stop_is_requested: bool,
    /// `true` if the next boundary is to have a checkpoint, even if none is due.
    checkpoint_is_requested: bool,
    suspected: Option<SuspectedLoss>,
    epoch: Epoch,
    balance: Balance,
    pauses: Vec<f64>,
    /// Numbers of the processes that have joined, and the next number that was never used.
    granted: BTreeSet<u32>,
    next: u32,
    /// The process that makes the run's folder, if the launcher has no processes of its own.
    begun_by: Option<u32>,
    /// Time from which all processes of the launcher are ready, and the run waits for others.
    waits_since: Option<f64>,
    /// Reasons that processes which the run waits for are absent, by machine or number.
    absent: BTreeMap<String, String>,
    /// Processes that were ready to join before those of the launcher.
    early: Vec<(u32, Registration, String)>,
    /// The checkpoint to resume from, its epoch, and warnings about unusable ones.
    from: Option<String>,
    resumed_at: u64,
    warnings: Vec<String>,
    /// Orders held back until the number of their generation is durable, and the time at which to try again
    /// to write it.
    deferred: Option<Vec<Action>>,
    note_again: Option<f64>,
    /// The holder, and the boundary at which the run waits for it.
    held: HoldState,
    notes: Notes,
    /// Processes that have the outcome of the run, those that write it, and the largest exit status of those
    /// that have.
    outcomes: BTreeSet<u32>,
    writing: BTreeSet<u32>,
    code: i32,
    out: Vec<Action>,
}

impl Coordinator {
    /// Makes a coordinator that expects the configured processes, numbered from 0.
    pub(crate) fn new(config: CoordinatorConfig) -> Self {
        Self {
            members: (0..config.processes)
                .map(|index| (index, Member::new(true, config.workers, 0.0)))
                .collect(),
            next: config.first_guest(),
            balance: Balance::new(config.balance),
            held: HoldState::by(config.holder),
            config,
            ..Self::default()
        }
    }

    /// Handles an event at a time `now` in seconds, which never falls, and returns the actions to carry out.
    /// Timeouts are checked after every event: one process's steady messages never hide another one's
    /// silence.
    pub(crate) fn on(&mut self, event: Event, now: f64) -> Vec<Action> {
        if !matches!(self.stage, CoordinatorStage::Over) {
            match event {
                Event::Report { from, report } => self.on_report(from, report, now),
                Event::Closed { of, damaged } => self.on_disconnect(of, damaged, now),
                Event::Exited { of, code, crashed, how } => self.on_exit(of, (code, crashed, how), now),
                // Only in this stage: a repeated or late event was handled already.
                Event::Found { from, epoch, warnings } if matches!(self.stage, CoordinatorStage::Finding) => {
                    self.found(from, epoch, warnings, now);
                }
                Event::Unusable { why } if matches!(self.stage, CoordinatorStage::Finding) => {
                    self.over(0, 2, Some(why))
                }
                Event::Found { .. } | Event::Unusable { .. } => {}
                Event::Committed { generation, checkpoint_result } => {
                    self.committed(generation, checkpoint_result)
                }
                Event::Numbered { number, failed } => self.numbered(number, failed, now),
                Event::TurnedAway { of, why } => self.turned_away(of, why),
                Event::Noted(text) => self.note(text),
                // The run has not begun: whoever has started it wants to know.
                Event::NotComing { code, why }
                    if matches!(self.stage, CoordinatorStage::Gathering) && !self.config.goes_on =>
                {
                    self.over(0, code, Some(why))
                }
                Event::NotComing { why, .. } => self.note(why),
                Event::Absent { host, why } => self.absent(host, why),
                Event::Asked { admin, request } => self.answer(admin, request, now),
                Event::AdminGone { admin } => self.held.left_by(admin),
                Event::CheckpointAsked => {
                    self.checkpoint_is_requested = true;
                    self.end_at_boundary();
                }
                // The status is that of a program interrupted before its training begins.
                Event::Stop
                    if matches!(self.stage, CoordinatorStage::Gathering | CoordinatorStage::Finding) =>
                {
                    self.over(0, 130, None)
                }
                Event::Stop => self.request_stop(),
                Event::Tick => {}
            }
            self.check_timeouts(now);
            if !matches!(self.stage, CoordinatorStage::Over)
                && self.suspected.as_ref().is_some_and(|suspected| now >= suspected.until)
                && let Some(SuspectedLoss { who, code, why, loss, .. }) = self.suspected.take()
            {
                match loss {
                    true => self.end_attempt(self.silent_party(who), why),
                    false => self.over(who, code, Some(why)),
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    /// Sends an order, after those that are held back.
    fn send(&mut self, to: u32, order: Order) {
        self.deferred.as_mut().unwrap_or(&mut self.out).push(Action::Send { to, order });
    }

    /// Ends the run, by process `who`, with this exit status.
    fn over(&mut self, who: u32, code: i32, why: Option<String>) {
        for (&to, _) in self.members.iter().filter(|(_, member)| member.state != MemberState::Released) {
            self.out.push(Action::Send { to, order: Order::End });
        }
        self.out.push(Action::Over { who, code, why });
        self.stage = CoordinatorStage::Over;
    }

    /// Returns the configuration with which the run started.
    #[cfg(test)]
    pub(crate) fn config(&self) -> &CoordinatorConfig {
        &self.config
    }

    /// `true` if a process of this number has a place.
    #[cfg(test)]
    pub(crate) fn has_member(&self, of: u32) -> bool {
        self.members.contains_key(&of)
    }

    /// Returns the number of connections that were refused, including those before this attempt.
    pub(crate) fn refused(&self) -> u64 {
        self.config.refused + self.notes.refused()
    }

    /// Returns the generations of this attempt.
    pub(crate) fn placed(&self) -> &[PlacedGeneration] {
        &self.placed
    }

    /// Returns the number of epochs completed, as last reported.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.epoch
    }

    /// `true` if the run ends after the current epoch.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop_is_requested
    }

    /// Returns the first process of the generation, which has the hub.
    fn first(&self) -> Option<u32> {
        self.plan.as_ref().map(|plan| plan.participants[0].id)
    }

    /// Asks the first process, once a generation, to end it at the next boundary.
    fn end_at_boundary(&mut self) {
        let Some(plan) = self.plan.as_ref().filter(|_| matches!(self.stage, CoordinatorStage::Running))
        else {
            return;
        };
        if !std::mem::replace(&mut self.end_is_requested, true) {
            let (to, generation) = (plan.participants[0].id, plan.number);
            self.send(to, Order::EndGeneration { generation });
        }
    }

    /// Asks the first process to end the run after the current epoch.
    fn stop(&mut self) {
        if let (CoordinatorStage::Running, Some(first)) = (&self.stage, self.first()) {
            self.send(first, Order::Stop);
        }
    }

    /// Informs the other processes of the generation that the current epoch is cancelled.
    fn cancel_beside(&mut self, first: u32, generation: u64) {
        let Some(plan) = &self.plan else { return };
        let others: Vec<u32> =
            plan.participants.iter().map(|participant| participant.id).filter(|&id| id != first).collect();
        others.into_iter().for_each(|id| self.send(id, Order::Cancel { generation }));
    }

    /// Handles the report that a process has ended its generation and holds its state again.
    fn on_generation_end(&mut self, from: u32, reported: Option<GenerationEnd>, now: f64) {
        if let CoordinatorStage::Running = self.stage {
            self.stage = CoordinatorStage::EndingGeneration { ended: BTreeSet::new(), end: None };
        }
        let (CoordinatorStage::EndingGeneration { ended, end }, Some(plan)) = (&mut self.stage, &self.plan)
        else {
            return;
        };
        // Only once: the first report of the first process counts.
        if ended.insert(from) && plan.participants[0].id == from {
            *end = reported;
        }
        if plan.participants.iter().all(|participant| ended.contains(&participant.id)) {
            let mut end = end.take();
            let asked = std::mem::take(&mut self.checkpoint_is_requested);
            if let Some(end) =
                end.as_mut().filter(|end| asked && !end.over && end.checkpoint_need == CheckpointNeed::None)
            {
                end.checkpoint_need = CheckpointNeed::PartsMissing;
            }
            match end {
                Some(end) if end.checkpoint_need == CheckpointNeed::None => self.begin(Some(end), None),
                Some(end) => self.request_parts(end, now),
                None => {
                    self.over(from, 1, Some("the first process did not say how its generation ended".into()))
                }
            }
        }
    }
}
