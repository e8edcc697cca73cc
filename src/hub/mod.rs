//! [`Hub`]: where the schedule runs, rounds are aggregated and boundaries are concluded. A plain state machine on
//! the first worker: it neither knows timely nor waits.
//!
//! It is also the sequencer: a round's message carries the commits that the round must see, so that with staleness
//! `s` round `t` reads exactly the commits up to `t - 1 - s` on every worker, whatever arrives when.

mod boundary;
mod guard;
mod rounds;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::hands::Crew;
use crate::message::{Answer, Changes, Message};
use crate::place::Outbox;
use crate::placement::Layout;
use crate::places::Places;
use crate::program::Program;
use crate::record::{Ending, EpochRecord};
use crate::schedule::{Candidates, Counts, Outlook, Round, Schedule};
use crate::settings::Settings;
use crate::verdict::{Metric, Status};

/// A worker without tasks is sent its commits once so many have gathered.
const COMMITS_HELD: usize = 64;
/// How long the hub and the places of its thread may go on before other operators get their turn.
const TURN: Duration = Duration::from_millis(1);
/// After so many rollbacks in a row the parallelism has long been 1: the program itself worsens its objective.
const IN_VAIN: u64 = 64;

/// What the hub hands on from generation to generation, and what a checkpoint keeps of it.
pub(crate) struct HubState<P: Program> {
    pub(crate) pinned: P::Pinned,
    pub(crate) schedule: Box<dyn Schedule>,
    pub(crate) progress: Progress,
}

/// Where a run stands at a boundary.
#[derive(Clone, Default)]
pub(crate) struct Progress {
    /// Epochs completed.
    pub(crate) epoch: u64,
    /// What the next epoch begins with; `None` before the first boundary.
    pub(crate) outlook: Option<Outlook>,
    /// What the program said of the run at that boundary.
    pub(crate) status: Status,
    pub(crate) staleness: usize,
    /// Rollbacks since the last epoch that was accepted.
    pub(crate) in_vain: u64,
    pub(crate) totals: Totals,
}

/// Counts over the whole run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) rounds: u64,
    pub(crate) tasks: u64,
    pub(crate) updates: u64,
    pub(crate) rollbacks: u64,
}

crate::state!(Totals { rounds, tasks, updates, rollbacks });
crate::state!(Progress { epoch, outlook, status, staleness, in_vain, totals });

/// How a generation ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parting {
    /// The run is over.
    Over(Ending),
    /// The next generation takes over: other workers, or a checkpoint is due.
    Cut,
}

/// A round that was handed out and whose changes the schedule has not learned yet.
struct Flight<P: Program> {
    number: u64,
    round: Round,
    /// Answers still to come.
    waiting: usize,
    partials: Vec<(u32, P::Partial)>,
    change: Option<Arc<P::Change>>,
}

enum Phase<P: Program> {
    /// Before the first message.
    Fresh,
    /// Rounds one by one.
    Stepwise,
    /// Waiting for what ties candidates together.
    Relating { candidates: Candidates, waiting: usize, pieces: Vec<(u32, P::Partial)> },
    /// Waiting for a plan known for the whole epoch.
    Known { waiting: usize, partials: Vec<(u32, P::Partial)> },
    /// Waiting for the rounds in flight; `last` if the epoch has no more.
    Draining { last: bool },
    /// Waiting for the shares of the metric.
    Certifying { waiting: usize, shares: Vec<(u32, P::Partial)> },
    /// The generation has ended.
    Over,
}

/// A boundary to which the guard returns when an epoch has worsened the objective.
struct Accepted {
    objective: f64,
    pinned: Vec<u8>,
    schedule: Vec<u8>,
    outlook: Outlook,
    block_at: Vec<u32>,
}

pub(crate) struct Hub<P: Program> {
    program: Arc<P>,
    settings: Arc<Settings>,
    pub(crate) state: HubState<P>,
    workers: usize,
    /// Who may lend a hand to what is done here.
    crew: Arc<Crew>,
    /// The worker of each shard, and of each block.
    placement: Arc<Vec<u32>>,
    block_at: Vec<u32>,
    replica: Rc<RefCell<P::Replica>>,
    phase: Phase<P>,
    /// The rest of a known plan that is handed out round by round.
    listed: Option<VecDeque<Round>>,
    /// Rounds handed out and aggregated in this epoch.
    issued: u64,
    aggregated: u64,
    flights: VecDeque<Flight<P>>,
    /// Commits not yet sent, for each worker.
    unsent: Vec<Changes<P>>,
    /// Changes of rounds that become visible at the boundary.
    held: Changes<P>,
    accepted: Option<Accepted>,
    load: Vec<f64>,
    /// Of the load, what only measured the model.
    measured: Vec<f64>,
    /// Totals and the schedule's counts when the epoch began.
    before: (Totals, Counts),
    /// Shown every record as it is made, before the run goes on: whoever watches may ask it to stop there.
    watcher: Box<dyn Fn(&EpochRecord)>,
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) verdict: Option<(Metric, Option<f64>)>,
    pub(crate) parting: Option<Parting>,
}

impl<P: Program> Hub<P> {
    pub(crate) fn new(
        program: Arc<P>,
        settings: Arc<Settings>,
        state: HubState<P>,
        layout: &Layout,
        replica: Rc<RefCell<P::Replica>>,
        crew: Arc<Crew>,
        watcher: Box<dyn Fn(&EpochRecord)>,
    ) -> Self {
        let workers = layout.workers;
        Self {
            program,
            settings,
            state,
            workers,
            crew,
            placement: Arc::clone(&layout.shard_at),
            block_at: layout.block_at.clone(),
            replica,
            phase: Phase::Fresh,
            listed: None,
            issued: 0,
            aggregated: 0,
            flights: VecDeque::new(),
            unsent: (0..workers).map(|_| Vec::new()).collect(),
            held: Vec::new(),
            accepted: None,
            load: vec![0.0; workers],
            measured: vec![0.0; workers],
            before: (Totals::default(), Counts::default()),
            watcher,
            records: Vec::new(),
            verdict: None,
            parting: None,
        }
    }

    /// Starts the generation: certify first, or go on with the epoch that the last one left.
    pub(crate) fn start(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        match self.state.progress.outlook.take() {
            None => self.certify(out),
            Some(outlook) => {
                self.verdict = Some((outlook.metric.clone(), outlook.objective));
                // A checkpoint of a run that was over is resumed to its end, not beyond it.
                if let Some(ending) = self.ending(&outlook) {
                    self.part(Parting::Over(ending), outlook, out);
                } else {
                    self.accept(&outlook, out);
                    self.begin_epoch(outlook, out)?;
                }
            }
        }
        Ok(())
    }

    /// Takes in an answer and goes on as far as it leads.
    pub(crate) fn receive(&mut self, message: Message<P>, out: &mut Outbox<P>) -> Result<(), String> {
        let crew = Arc::clone(&self.crew);
        crew.during(|| self.take_in(message, out))
    }

    fn take_in(&mut self, message: Message<P>, out: &mut Outbox<P>) -> Result<(), String> {
        match message {
            Message::Partials { round, answer } => {
                self.charge(&answer);
                if let Some(flight) = self.flights.iter_mut().find(|flight| flight.number == round) {
                    flight.waiting -= 1;
                    flight.partials.extend(answer.partials);
                }
                self.aggregate_ready();
                self.advance(out)
            }
            Message::PlanDone { answer } => {
                self.charge(&answer);
                let Phase::Known { waiting, partials } = &mut self.phase else { return Ok(()) };
                partials.extend(answer.partials);
                *waiting -= 1;
                if *waiting == 0 {
                    let partials = in_shard_order(std::mem::take(partials));
                    let plan = Round { kind: 0, tasks: Vec::new() };
                    let change = self.program.aggregate(&plan, &mut self.state.pinned, partials);
                    self.commit(Arc::new(change));
                    self.certify(out);
                }
                Ok(())
            }
            Message::Pieces { answer } => {
                self.charge(&answer);
                let Phase::Relating { candidates, waiting, pieces } = &mut self.phase else { return Ok(()) };
                pieces.extend(answer.partials);
                *waiting -= 1;
                if *waiting == 0 {
                    let pieces = in_shard_order(std::mem::take(pieces));
                    let dependencies = self.program.relate(candidates.kind, &candidates.variables, pieces);
                    self.phase = Phase::Stepwise;
                    let next = self.state.schedule.decide(&dependencies);
                    self.take_step(next, out)?;
                    return self.advance(out);
                }
                Ok(())
            }
            Message::Shares { answer } => {
                self.charge(&answer);
                let Phase::Certifying { waiting, shares } = &mut self.phase else { return Ok(()) };
                shares.extend(answer.partials);
                *waiting -= 1;
                if *waiting == 0 {
                    let shares = in_shard_order(std::mem::take(shares));
                    return self.conclude(shares, out);
                }
                Ok(())
            }
            // Orders are for places.
            _ => Ok(()),
        }
    }

    /// Hands messages to places on this thread and takes their answers, until nothing is left to do or it is others'
    /// turn: whatever else runs on the thread waits for no more than a task and a [`TURN`]. Returns whether there is
    /// more to do.
    pub(crate) fn converse(&mut self, places: &mut Places<P>, out: &mut Outbox<P>) -> Result<bool, String> {
        let began = Instant::now();
        loop {
            for (to, message) in out.drain(..) {
                places.receive(to, message);
            }
            if began.elapsed() > TURN {
                return Ok(true);
            }
            if !places.run(out)? {
                return Ok(false);
            }
            for (_, message) in std::mem::take(out) {
                self.receive(message, out)?;
            }
        }
    }

    fn charge(&mut self, answer: &Answer<P>) {
        if let Some(load) = self.load.get_mut(answer.worker as usize) {
            *load += answer.busy;
        }
        if let Some(measured) = self.measured.get_mut(answer.worker as usize) {
            *measured += answer.measured;
        }
    }
}

fn in_shard_order<T>(mut answers: Vec<(u32, T)>) -> Vec<(u32, T)> {
    answers.sort_by_key(|&(shard, _)| shard);
    answers
}
