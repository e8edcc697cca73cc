//! [`Hub`]: where the schedule runs, rounds are aggregated and boundaries are concluded. A plain state machine on
//! the first worker: it neither knows timely nor waits.
//!
//! It is also the sequencer: a round's message carries the commits that the round must see, so that with staleness
//! `s` round `t` reads exactly the commits up to `t - 1 - s` on every worker, whatever arrives when.

mod boundary;
mod check;
mod guard;
mod rounds;

use self::check::Named;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::doing::Doing;
use crate::hands::Crew;
use crate::message::{Answer, Changes, Message};
use crate::place::Outbox;
use crate::placement::Layout;
use crate::places::Places;
use crate::prints::{BoundaryPrint, Part, Prints, print_of, unequal_replicas};
use crate::program::{Boundary, Program};
use crate::record::{Ending, EpochRecord};
use crate::schedule::{Candidates, Counts, Outlook, Round, Schedule};
use crate::settings::Settings;
use crate::verbs::Verbs;
use crate::verdict::{Metric, Status};

/// A worker without tasks is sent its commits once this number has gathered.
const COMMITS_HELD: usize = 64;
/// How long the hub and the places of its thread may go on before other operators get their turn.
const TURN: Duration = Duration::from_millis(1);
/// After this number of rollbacks in a row the parallelism has long been 1: the program itself worsens its objective.
const IN_VAIN: u64 = 64;

/// What the hub hands on from generation to generation, and what a checkpoint keeps of it.
pub(crate) struct HubState<P: Program> {
    pub(crate) pinned: P::Pinned,
    pub(crate) schedule: Box<dyn Schedule<P::Phase>>,
    pub(crate) progress: Progress,
    /// What the boundary was before it was concluded, where a checkpoint of it is to be written.
    pub(crate) unconcluded: Option<Unconcluded<P>>,
    /// Whether the last epoch ended between two of its rounds: it is no boundary to go on from.
    pub(crate) cut_short: bool,
}

/// A boundary before it is concluded.
pub(crate) struct Unconcluded<P: Program> {
    /// The pinned block's bytes.
    pub(crate) pinned: Vec<u8>,
    /// The conclusion's change, which nobody has committed yet.
    pub(crate) change: Option<P::Change>,
    /// The metric's value as it was last measured before.
    pub(crate) last: Option<f64>,
}

impl<P: Program> HubState<P> {
    /// A run that begins.
    pub(crate) fn new(pinned: P::Pinned, schedule: Box<dyn Schedule<P::Phase>>, staleness: usize) -> Self {
        let progress = Progress { staleness, ..Progress::default() };
        Self { pinned, schedule, progress, unconcluded: None, cut_short: false }
    }
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
    /// The totals, and what the schedule had counted, when the epoch under way began.
    pub(crate) before: (Totals, Counts),
    /// The metric's value as it was last measured.
    pub(crate) last: Option<f64>,
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

/// More than any run counts: sums of counts below it do not overflow.
const COUNTED: u64 = 1 << 62;

impl Totals {
    fn all(&self) -> [u64; 4] {
        [self.rounds, self.tasks, self.updates, self.rollbacks]
    }
}

impl Progress {
    /// Whether a run can have come to this: counts are within what can be counted, and have only grown since the epoch
    /// under way began.
    pub(crate) fn is_possible(&self) -> bool {
        let grown = self.before.0.all().into_iter().zip(self.totals.all()).all(|(before, now)| before <= now);
        let counts = self.totals.all().into_iter().chain([self.epoch, self.in_vain]);
        grown && counts.max().is_some_and(|most| most < COUNTED)
    }
}

crate::state!(Progress { epoch, outlook, status, staleness, in_vain, totals, before, last });

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
    round: Round<P::Phase>,
    /// Answers still to come.
    waiting: usize,
    partials: Vec<(u32, P::Partial)>,
    change: Option<Arc<P::Change>>,
}

enum Stage<P: Program> {
    /// Before the first message.
    Fresh,
    /// Rounds one by one.
    Stepwise,
    /// Waiting for what ties candidates together.
    Relating { candidates: Candidates<P::Phase>, waiting: usize, pieces: Vec<(u32, P::Partial)> },
    /// Waiting for a plan known for the whole epoch; its last round, if it has any.
    Known { waiting: usize, last: Option<Round<P::Phase>>, partials: Vec<(u32, P::Partial)> },
    /// Waiting for the rounds in flight; `last` if the epoch has no more.
    Draining { last: bool },
    /// Waiting for the shares of the metric.
    Certifying { waiting: usize, shares: Vec<(u32, P::Partial)>, prints: Vec<(Part, u64)> },
    /// The generation has ended.
    Over,
}

/// Shown a boundary's record, and the replica there.
pub(crate) type Watcher<P> = Box<dyn Fn(&EpochRecord, &<P as Program>::Replica)>;

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
    verbs: Verbs<P>,
    settings: Arc<Settings>,
    pub(crate) state: HubState<P>,
    /// Workers that hold something, and those that the run was given.
    workers: usize,
    asked: usize,
    /// What rounds may name, where the schedule says so.
    named: Option<Named>,
    /// For each shard and each block, by which check it was named last.
    marked_shards: Vec<u64>,
    marked_blocks: Vec<u64>,
    marks: u64,
    /// Who may lend a hand to what is done here.
    crew: Arc<Crew>,
    /// The worker of each shard, and of each block.
    placement: Arc<Vec<u32>>,
    block_at: Vec<u32>,
    replica: Rc<RefCell<P::Replica>>,
    stage: Stage<P>,
    /// The rest of a known plan that is handed out round by round.
    listed: Option<VecDeque<Round<P::Phase>>>,
    /// Rounds handed out and aggregated in this epoch.
    issued: u64,
    aggregated: u64,
    /// Whether a checkpoint of the boundary under way may be written.
    keep: bool,
    flights: VecDeque<Flight<P>>,
    /// Commits not yet sent, for each worker.
    unsent: Vec<Changes<P>>,
    /// Changes of rounds that become visible at the boundary.
    held: Changes<P>,
    accepted: Option<Accepted>,
    load: Vec<f64>,
    /// Of the load, what only measured the model.
    measured: Vec<f64>,
    /// Shown every record as it is made, before the run goes on: whoever watches may ask it to stop there.
    watcher: Watcher<P>,
    pub(crate) records: Vec<EpochRecord>,
    /// Fingerprints of the epoch's changes, and of the boundaries, where they are wanted.
    changes: Vec<(Part, u64)>,
    pub(crate) prints: Vec<BoundaryPrint>,
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
        watcher: Watcher<P>,
    ) -> Self {
        let workers = layout.workers;
        let named = state.schedule.variables().map(Named::new);
        Self {
            named,
            marked_shards: vec![0; layout.shard_at.len()],
            marked_blocks: vec![0; layout.block_at.len()],
            marks: 0,
            asked: layout.asked,
            program,
            verbs: P::verbs(),
            settings,
            state,
            workers,
            crew,
            placement: Arc::clone(&layout.shard_at),
            block_at: layout.block_at.clone(),
            replica,
            stage: Stage::Fresh,
            listed: None,
            issued: 0,
            aggregated: 0,
            keep: false,
            flights: VecDeque::new(),
            unsent: (0..workers).map(|_| Vec::new()).collect(),
            held: Vec::new(),
            accepted: None,
            load: vec![0.0; workers],
            measured: vec![0.0; workers],
            watcher,
            records: Vec::new(),
            changes: Vec::new(),
            prints: Vec::new(),
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
                // Where the guard went back to an earlier boundary, a checkpoint cannot be concluded anew. A checkpoint of a run that was over is resumed to its end, not beyond it.
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
                let first = self.flights.front().map_or(0, |flight| flight.number);
                let flight = self.flights.get_mut(round.wrapping_sub(first) as usize);
                let Some(flight) = flight.filter(|flight| flight.waiting > 0) else {
                    return Err(unasked("the partials of a round", &answer));
                };
                flight.waiting -= 1;
                flight.partials.extend(answer.partials);
                self.advance(out)
            }
            Message::PlanDone { answer } => {
                self.charge(&answer);
                let Stage::Known { waiting, last, partials } = &mut self.stage else {
                    return Err(unasked("the partials of a plan", &answer));
                };
                partials.extend(answer.partials);
                *waiting -= 1;
                if *waiting == 0 {
                    let (last, partials) = (last.take(), in_shard_order(std::mem::take(partials)));
                    if let Some(round) = last {
                        Doing::verb("aggregate").epoch(self.state.progress.epoch).note();
                        let change = self.program.aggregate(&round, &mut self.state.pinned, partials);
                        self.print_change(0, &change);
                        self.commit(Arc::new(change));
                    }
                    self.certify(out);
                }
                Ok(())
            }
            Message::Pieces { answer } => {
                self.charge(&answer);
                let Stage::Relating { waiting, pieces, .. } = &mut self.stage else {
                    return Err(unasked("pieces to relate", &answer));
                };
                pieces.extend(answer.partials);
                *waiting -= 1;
                if *waiting > 0 {
                    return Ok(());
                }
                let Stage::Relating { candidates, pieces, .. } =
                    std::mem::replace(&mut self.stage, Stage::Stepwise)
                else {
                    return Ok(());
                };
                let next = self.relate(&candidates, in_shard_order(pieces))?;
                self.take_step(next, out)?;
                self.advance(out)
            }
            Message::Shares { answer, prints: some } => {
                self.charge(&answer);
                let Stage::Certifying { waiting, shares, prints } = &mut self.stage else {
                    return Err(unasked("shares of a metric", &answer));
                };
                shares.extend(answer.partials);
                prints.extend(some);
                *waiting -= 1;
                if *waiting == 0 {
                    let (shares, prints) = (in_shard_order(std::mem::take(shares)), std::mem::take(prints));
                    self.compare(&prints)?;
                    return self.conclude(shares, prints, out);
                }
                Ok(())
            }
            _ => Err("the hub was sent an order, which is for places".into()),
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

    /// The boundary that is certified and concluded next.
    fn boundary(&self) -> Boundary {
        let epoch = self.state.progress.epoch + u64::from(self.verdict.is_some());
        Boundary { epoch, shards: self.placement.len() as u32 }
    }

    /// Keeps the fingerprint of a round's change, where it is wanted.
    fn print_change(&mut self, round: u64, change: &P::Change) {
        if self.settings.prints == Prints::All {
            self.changes.push((Part::Change(round), print_of(change)));
        }
    }

    /// The workers' replicas must be equal.
    fn compare(&self, prints: &[(Part, u64)]) -> Result<(), String> {
        let Some((one, other)) = unequal_replicas(prints) else { return Ok(()) };
        let epoch = self.state.progress.epoch;
        Err(format!(
            "the replicas of workers {one} and {other} differ at the end of epoch {epoch}: something changes a replica \
             outside `commit`, or `commit` does not do the same on every worker"
        ))
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

/// Nobody waits for this answer: no answer is ever dropped.
fn unasked<P: Program>(what: &str, answer: &Answer<P>) -> String {
    format!("worker {} answers with {what}, for which nobody waits", answer.worker)
}

fn in_shard_order<T>(mut answers: Vec<(u32, T)>) -> Vec<(u32, T)> {
    answers.sort_by_key(|&(shard, _)| shard);
    answers
}
