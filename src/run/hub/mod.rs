//! [`Hub`]: runs the schedule, aggregates rounds and concludes boundaries. The hub is a plain state machine
//! on the first worker, which neither uses timely nor blocks.
//!
//! The hub is also the sequencer: a round's message carries the commits that the round must see. Round `t`
//! with a lag of `l`, the staleness unless it has its own, is due before round `t + 1 + l`: every worker
//! reads exactly what is due, in the order of `(t + l, t)`, in whatever order messages arrive.

mod answers;
mod boundary;
mod check;
mod enough;
mod gathering;
mod guard;
mod kept;
mod rounds;
mod state;
#[cfg(test)]
mod tests;

use self::check::NameCheck;
use self::gathering::Gathering;
use self::kept::Kept;
#[cfg(test)]
pub(crate) use self::state::Totals;
pub(crate) use self::state::{GenerationExit, GenerationTotals, HubState, Progress, Unconcluded};

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::base::cancel;
use crate::base::fork_join::HelperThreads;
use crate::program::verbs::Verbs;
use crate::program::{Boundary, Program};
use crate::run::fingerprints::Component;
use crate::run::merging::Merger;
use crate::run::message::Changes;
use crate::run::place::Outbox;
use crate::run::placement::Layout;
use crate::run::record::EpochRecord;
use crate::run::settings::Settings;
use crate::schedule::{Candidates, EpochStart, Round, Schedule};

/// Number of commits at which they are sent to a worker that has no tasks.
const COMMITS_HELD: usize = 64;
/// Time that the hub and the places of its thread may work before other operators get their turn.
const TURN: Duration = Duration::from_millis(1);
/// Limit of rollbacks in a row. The parallelism has long been 1 by then, so the program itself worsens its
/// objective.
const MOST_ROLLBACKS: u64 = 64;

/// A round that was handed out and is not committed yet.
struct Flight<P: Program> {
    number: u64,
    /// Number of the last round that may be asked for before this one is committed.
    due: u64,
    round: Round<P::Phase>,
    partials: Gathering<P::Partial>,
}

enum Stage<P: Program> {
    /// Before the first message.
    Fresh,
    /// Rounds one by one.
    Stepwise,
    /// Waiting for the pieces by which candidates are related.
    Relating { candidates: Candidates<P::Phase>, pieces: Gathering<P::Partial> },
    /// Waiting for a plan known for the whole epoch; its last round, if it has any.
    Known { last: Option<Round<P::Phase>>, partials: Gathering<P::Partial> },
    /// Waiting for the rounds in flight; `last` if the epoch has no more.
    Draining { last: bool },
    /// Waiting for the shards' partials of evaluation.
    Evaluating { shares: Gathering<P::Partial>, fingerprints: Vec<(Component, u64)> },
    /// The generation has ended.
    Over,
}

/// Function that is called with the record of each boundary, and the replica there.
pub(crate) type Watcher<P> = Box<dyn Fn(&EpochRecord, &<P as Program>::Replica)>;

/// A boundary to which the guard returns when an epoch has worsened the objective.
struct Accepted {
    objective: f64,
    pinned: Vec<u8>,
    schedule: Vec<u8>,
    start: EpochStart,
    block_at: Vec<u32>,
}

pub(crate) struct Hub<P: Program> {
    program: Arc<P>,
    verbs: Verbs<P>,
    /// Merging of partials, if the program merges them.
    merger: Option<Merger<P>>,
    settings: Arc<Settings>,
    pub(crate) state: HubState<P>,
    /// Workers that hold shards or blocks, and the workers that were asked for.
    workers: usize,
    asked: usize,
    names: NameCheck,
    /// Threads that help with the work of the hub.
    helpers: Arc<HelperThreads>,
    /// The worker of each shard.
    placement: Arc<Vec<u32>>,
    /// The thread of each worker, and the number of threads of each process.
    thread_of: Arc<Vec<u32>>,
    threads_each: usize,
    replica: Rc<RefCell<P::Replica>>,
    stage: Stage<P>,
    /// The rest of a known plan that is handed out round by round.
    listed: Option<VecDeque<Round<P::Phase>>>,
    /// Rounds handed out in this epoch.
    issued: u64,
    /// Counted cost of the epoch's tasks, and of tasks with a block as if each had all blocks; counted only
    /// if the run is held.
    cost: (u64, u64),
    /// `true` if a checkpoint of the current boundary may be written.
    checkpoint: bool,
    /// Rounds that are not committed yet, in the order in which they will be.
    flights: VecDeque<Flight<P>>,
    /// Commits not yet sent, for each worker.
    unsent: Vec<Changes<P>>,
    /// Changes of rounds that become visible at the boundary.
    held: Changes<P>,
    accepted: Option<Accepted>,
    /// The last boundary that is kept, to return to if an epoch is cancelled.
    kept: Option<Kept>,
    load: Vec<f64>,
    /// Seconds of the load that only measured the model.
    measured: Vec<f64>,
    /// Observer of every record, called before the run continues: it may ask the run to stop there.
    watcher: Watcher<P>,
    /// Fingerprints of the epoch's changes, if all are kept.
    changes: Vec<(Component, u64)>,
    /// The generation's records so far, and the places of blocks.
    pub(crate) ended: GenerationTotals,
}

impl<P: Program> Hub<P> {
    pub(crate) fn new(
        program: Arc<P>,
        settings: Arc<Settings>,
        state: HubState<P>,
        layout: &Layout,
        replica: Rc<RefCell<P::Replica>>,
        helpers: Arc<HelperThreads>,
        watcher: Watcher<P>,
    ) -> Self {
        let workers = layout.workers;
        let names = NameCheck::new(state.schedule.variables(), layout);
        let ended = GenerationTotals { block_at: layout.block_at.clone(), ..GenerationTotals::default() };
        let merger = Merger::of_all(&program, layout.shard_at.len() as u32, settings.merging);
        Self {
            names,
            merger,
            asked: layout.asked,
            program,
            verbs: P::verbs(),
            settings,
            state,
            workers,
            helpers,
            placement: Arc::clone(&layout.shard_at),
            thread_of: Arc::clone(&layout.thread_of),
            threads_each: layout.here.len().max(1),
            replica,
            stage: Stage::Fresh,
            listed: None,
            issued: 0,
            cost: (0, 0),
            checkpoint: false,
            flights: VecDeque::new(),
            unsent: (0..workers).map(|_| Vec::new()).collect(),
            held: Vec::new(),
            accepted: None,
            kept: None,
            load: vec![0.0; workers],
            measured: vec![0.0; workers],
            watcher,
            changes: Vec::new(),
            ended,
        }
    }

    /// Starts the generation: with an evaluation, or with the epoch that the last generation left to do.
    pub(crate) fn start(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        cancel::caught(|| self.begin(out)).unwrap_or_else(|| self.cancel(out))
    }

    fn begin(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        match self.state.progress.start.take() {
            None => self.evaluate(out),
            Some(start) => {
                self.ended.verdict = Some((start.metric.clone(), start.objective));
                // Where the guard went back to an earlier boundary, a checkpoint cannot be concluded anew. A
                // checkpoint of a run that was over is resumed to its end, not beyond it.
                if let Some(ending) = self.ending(&start) {
                    self.part(GenerationExit::Finished(ending), start, out);
                } else if self.settings.ends_after(start.epoch, self.asked, true) {
                    self.part(GenerationExit::Reconfigure, start, out);
                } else {
                    self.accept(&start, out);
                    self.begin_epoch(start, out)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the boundary that is evaluated and concluded next.
    fn boundary(&self) -> Boundary {
        let epoch = self.state.progress.epoch + u64::from(self.ended.verdict.is_some());
        Boundary { epoch, shards: self.placement.len() as u32 }
    }
}
