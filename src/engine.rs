//! [`Engine`]: builds a run from a program and a schedule, and carries it out generation by generation.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use crate::checkpoint::{self, Checkpoint};
use crate::doing::{self, Doing};
use crate::error::EngineError;
use crate::generation::{Generation, Held, Observer, Returned};
use crate::hub::{HubState, Parting, Progress};
use crate::identity::Identity;
use crate::operator::Operator;
use crate::place::learned;
use crate::placement::{self, Layout};
use crate::prints::{BoundaryPrint, Prints};
use crate::program::{Program, Visibility};
use crate::record::{Ending, EpochRecord, GenerationRecord, RunReport};
use crate::schedule::Schedule;
use crate::settings::{Settings, Stop};
use crate::state::to_bytes;
use crate::verbs::Verb;
use crate::verdict::Metric;

/// Everything a run trains on and trains: what goes in, and what comes out.
pub struct Parts<P: Program> {
    /// The shards, in shard order. How many there are is fixed by the data, never by the workers.
    pub shards: Vec<P::Shard>,
    /// The travelling blocks, in block order; none if the program has none.
    pub blocks: Vec<P::Block>,
    /// The block that stays where rounds are aggregated.
    pub pinned: P::Pinned,
    /// What every worker keeps a copy of.
    pub replica: P::Replica,
}

impl<P: Program<Pinned = ()>> Parts<P> {
    /// Shards and a replica, for programs without blocks.
    pub fn new(shards: Vec<P::Shard>, replica: P::Replica) -> Self {
        Self { shards, blocks: Vec::new(), pinned: (), replica }
    }

    /// Adds travelling blocks.
    pub fn blocks(mut self, blocks: Vec<P::Block>) -> Self {
        self.blocks = blocks;
        self
    }
}

/// What a run leaves behind.
pub struct Outcome<P: Program> {
    /// Shards, blocks and replica as the last boundary left them.
    pub parts: Parts<P>,
    /// What was counted and measured.
    pub report: RunReport,
    /// A record an epoch, the boundary before the first included.
    pub trace: Vec<EpochRecord>,
    pub(crate) program: Arc<P>,
    /// Fingerprints of the boundaries, in a run that is compared with another.
    pub(crate) prints: Vec<BoundaryPrint>,
}

impl<P: Program> Outcome<P> {
    /// SHA-256 in hexadecimal over everything that the run leaves behind: what each shard has learned
    /// ([`Program::remember`]), the blocks, the pinned block and the replica. Equal for any number of workers, and
    /// through every rescale, checkpoint and resume.
    pub fn digest(&self) -> String {
        let Parts { shards, blocks, pinned, replica } = &self.parts;
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        (0..).zip(shards).for_each(|(number, shard)| add(&learned(&*self.program, number, shard)));
        blocks.iter().for_each(|block| add(&to_bytes(block)));
        add(&to_bytes(pinned));
        add(&to_bytes(replica));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What is told of that goes wrong without ending a run.
type Warner = Box<dyn FnMut(&str) + Send>;

/// Builds a run: a program, a schedule, and how to carry it out.
///
/// | setting | default | changes the model |
/// |---|---|---|
/// | [`workers`](Engine::workers) | 1 | no |
/// | [`threads`](Engine::threads) | the workers, at most the shards and the cores | no |
/// | [`serialized`](Engine::serialized) | off | no |
/// | [`rescale`](Engine::rescale), [`checkpoint`](Engine::checkpoint), [`resume`](Engine::resume) | none | no |
/// | [`staleness`](Engine::staleness) | 0 | yes |
/// | [`guard`](Engine::guard) | on | where an epoch worsened the objective |
/// | [`epochs`](Engine::epochs), [`time_limit`](Engine::time_limit), [`stop`](Engine::stop) | none | by when they end it |
///
/// A run is a pure function of the parts, the program, the schedule and the settings marked *yes*: the bytes of its
/// outcome are the same for any number of workers, with any rescale, and through checkpoint and resume.
pub struct Engine<P: Program> {
    program: Arc<P>,
    schedule: Box<dyn Schedule<P::Phase>>,
    parts: Parts<P>,
    costs: Option<Vec<u64>>,
    settings: Settings,
    observer: Option<Observer<P>>,
    warner: Option<Warner>,
    checkpoint: Option<PathBuf>,
    resume: Option<PathBuf>,
    identity: Option<String>,
}

impl<P: Program> Engine<P> {
    /// A run of this program under this schedule.
    pub fn new(program: P, schedule: impl Schedule<P::Phase>, parts: Parts<P>) -> Self {
        let settings = Settings {
            workers: 1,
            threads: None,
            serialized: false,
            reversed: false,
            prints: Prints::usual(),
            staleness: 0,
            guard: true,
            epochs: None,
            time_limit: None,
            rescale: Vec::new(),
            checkpoint_every: None,
            stop: Stop::default(),
            started: Instant::now(),
        };
        Self {
            program: Arc::new(program),
            schedule: Box::new(schedule),
            parts,
            costs: None,
            settings,
            observer: None,
            warner: None,
            checkpoint: None,
            resume: None,
            identity: None,
        }
    }

    /// How many workers the shards are dealt to, at least 1. Workers beyond the shards idle, and cost nothing.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// How many threads carry the workers, at least 1; by default one for each worker, but no more than there are
    /// shards, or cores for this process. Workers on one thread take turns and hand blocks over without leaving it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// The counted cost of each shard, by which they are placed. Default: all equal.
    pub fn costs(mut self, costs: Vec<u64>) -> Self {
        self.costs = Some(costs);
        self
    }

    /// Whether workers exchange bytes even within the process, as they would between processes.
    pub fn serialized(mut self, serialized: bool) -> Self {
        self.settings.serialized = serialized;
        self
    }

    /// Pipelines stepwise rounds: round `t` reads exactly the commits up to `t - 1 - staleness`. More than an epoch has
    /// rounds is as much as it has.
    pub fn staleness(mut self, rounds: usize) -> Self {
        self.settings.staleness = rounds;
        self
    }

    /// Whether an epoch that worsens a monotone objective is rolled back, with half the parallelism and half the staleness
    /// from then on.
    pub fn guard(mut self, guard: bool) -> Self {
        self.settings.guard = guard;
        self
    }

    /// Ends the run after this number of epochs.
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.settings.epochs = Some(epochs);
        self
    }

    /// Ends the run with the first epoch that ends at least this number of seconds after the start.
    pub fn time_limit(mut self, seconds: f64) -> Self {
        self.settings.time_limit = Some(seconds);
        self
    }

    /// Goes on with other workers: `(3, 4)` means four workers once three epochs are completed.
    pub fn rescale(mut self, plan: &[(u64, usize)]) -> Self {
        self.settings.rescale = plan.to_vec();
        self
    }

    /// Writes a checkpoint to this file after every N epochs, and where a run ends before it is done; whole or not
    /// at all. One that cannot be written ends nothing: the run goes on and warns ([`RunReport::warnings`]).
    pub fn checkpoint(mut self, every: u64, file: impl Into<PathBuf>) -> Self {
        self.settings.checkpoint_every = Some(every);
        self.checkpoint = Some(file.into());
        self
    }

    /// Goes on from a checkpoint; shards must have been made from the same data, by the same parameters.
    pub fn resume(mut self, file: impl Into<PathBuf>) -> Self {
        self.resume = Some(file.into());
        self
    }

    /// A text that is the same exactly when data and parameters are, such as a digest of the data and the parameters as
    /// words: a checkpoint of another run is refused by the words that differ. What stands behind the word `data` is taken
    /// for the digest of the data, and where that differs, it is said so. Checkpoints ask for an identity. Staleness, guard,
    /// schedule and the shards' costs are compared besides; limits and the target may change.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Calls `observer` with every epoch's record at its boundary; a [`Stop`] requested there ends the run there.
    pub fn observe(self, mut observer: impl FnMut(&EpochRecord) + Send + 'static) -> Self {
        self.watch(move |record, _| observer(record))
    }

    /// [`observe`](Engine::observe) with the replica too, as the epoch's commits have left it.
    pub fn watch(mut self, observer: impl FnMut(&EpochRecord, &P::Replica) + Send + 'static) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Shows each record to one more observer; the run ends where it says no.
    pub(crate) fn while_heard(
        mut self,
        mut observer: impl FnMut(&EpochRecord) -> bool + Send + 'static,
    ) -> Self {
        let (mut before, stop) = (self.observer.take(), self.settings.stop.clone());
        self.watch(move |record, replica| {
            if let Some(before) = &mut before {
                before(record, replica);
            }
            if !observer(record) {
                stop.request();
            }
        })
    }

    /// Calls `warn` at once with what goes wrong without ending the run; the report lists it, too.
    pub fn on_warning(mut self, warn: impl FnMut(&str) + Send + 'static) -> Self {
        self.warner = Some(Box::new(warn));
        self
    }

    /// Ends the run after the epoch under way once `stop` is requested.
    pub fn stop(mut self, stop: Stop) -> Self {
        self.settings.stop = stop;
        self
    }

    /// Carries the run out.
    ///
    /// # Errors
    /// If a setting makes no sense, the schedule asks for a verb that the program lacks, threads cannot be started, a
    /// program or schedule panics, or a checkpoint cannot be read.
    pub fn run(self) -> Result<Outcome<P>, EngineError> {
        self.check()?;
        let Self {
            program,
            schedule,
            parts,
            costs,
            mut settings,
            mut observer,
            mut warner,
            checkpoint,
            resume,
            identity,
        } = self;
        settings.started = Instant::now();
        let Parts { shards, blocks, pinned, replica } = parts;
        let costs = costs.unwrap_or_else(|| vec![1; shards.len()]);
        let identity = Identity {
            run: identity.unwrap_or_default(),
            schedule: schedule.identity(),
            staleness: settings.staleness,
            guard: settings.guard,
            costs: costs.clone(),
        };
        let settings = Arc::new(settings);
        let mut held = Held { shards, blocks, replica };
        let mut hub = HubState::new(pinned, schedule, settings.staleness);
        if let Some(file) = &resume {
            Checkpoint::read(file, &identity)?.restore(file, &*program, &mut held, &mut hub)?;
        }
        let mut history = History::default();
        loop {
            let epoch = hub.progress.epoch;
            let workers = settings.workers_after(epoch);
            let (shared, how) = (Arc::clone(&program), Arc::clone(&settings));
            let layout =
                Layout::new(&costs, held.blocks.len(), workers, settings.threads_for(workers, costs.len()));
            let threads = layout.threads;
            let placement = Arc::clone(&layout.shard_at);
            let generation = Generation::new(shared, how, layout, held, hub, observer);
            let returned = Arc::new(generation).run()?;
            history.add(epoch, (workers, threads), placement, &returned);
            let Returned { ended, .. } = returned;
            let kept = returned.kept;
            (held, hub, observer) = (returned.held, returned.hub, returned.observer);
            history.trace.extend(ended.records);
            history.prints.extend(ended.prints);
            let (Some((metric, objective)), Some(parting)) = (ended.verdict, ended.parting) else {
                return Err(EngineError::Worker("the run ended before its first boundary".into()));
            };
            // A run that a limit or Ctrl-C ends can go on from where it was, not from the last multiple.
            let unfinished = matches!(parting, Parting::Over(Ending::Limit(_) | Ending::Interrupted));
            let due = unfinished || settings.checkpoint_due(hub.progress.epoch);
            if let Some(file) = checkpoint.as_ref().filter(|_| due && !hub.cut_short) {
                match checkpoint::write(file, &identity, &*program, &held, &hub, kept) {
                    // The run is worth more than its checkpoint.
                    Err(why @ EngineError::Checkpoint { .. }) => {
                        history.warn(why.to_string(), warner.as_mut());
                    }
                    written => written?,
                }
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
        (self.settings.checkpoint_every, self.checkpoint, self.resume) = (None, None, None);
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

    /// Makes the run an operator of one's own dataflow, with
    /// [`scope.scheduled(&operator)`](crate::Scheduled::scheduled): its workers are that dataflow's.
    ///
    /// # Errors
    /// If a setting makes no sense there: workers are fixed, and checkpoints belong to the dataflow around it.
    pub fn into_operator(self) -> Result<Operator<P>, EngineError> {
        let elsewhere =
            !self.settings.rescale.is_empty() || self.checkpoint.is_some() || self.resume.is_some();
        if elsewhere {
            let why =
                "an operator can neither rescale nor checkpoint: the dataflow around it fixes its workers";
            return Err(EngineError::Setting(why.into()));
        }
        self.check()?;
        Ok(Operator::new(self))
    }

    /// The only generation of an operator.
    pub(crate) fn into_generation(self, workers: usize) -> Generation<P> {
        let Self { program, schedule, parts, costs, mut settings, observer, .. } = self;
        let Parts { shards, blocks, pinned, replica } = parts;
        let costs = costs.unwrap_or_else(|| vec![1; shards.len()]);
        (settings.workers, settings.started) = (workers, Instant::now());
        let (held, hub) =
            (Held { shards, blocks, replica }, HubState::new(pinned, schedule, settings.staleness));
        let layout = Layout::new(&costs, held.blocks.len(), workers, workers);
        Generation::new(program, Arc::new(settings), layout, held, hub, observer)
    }

    fn check(&self) -> Result<(), EngineError> {
        let refuse = |why: String| Err(EngineError::Setting(why));
        if self.settings.workers == 0 || self.settings.rescale.iter().any(|&(_, workers)| workers == 0) {
            return refuse("a run needs at least 1 worker".into());
        }
        if self.settings.threads == Some(0) {
            return refuse("a run needs at least 1 thread".into());
        }
        if self.settings.checkpoint_every == Some(0) {
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

/// What is gathered over the generations.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) trace: Vec<EpochRecord>,
    pub(crate) prints: Vec<BoundaryPrint>,
    generations: Vec<GenerationRecord>,
    threads: usize,
    placement: Arc<Vec<u32>>,
    bytes: u64,
    block_bytes: u64,
    last_boundary: Option<Instant>,
    warnings: Vec<String>,
}

impl History {
    /// Notes a warning, and tells it the first time.
    fn warn(&mut self, text: String, warner: Option<&mut Warner>) {
        if !self.warnings.contains(&text) {
            if let Some(warn) = warner {
                warn(&text);
            }
            self.warnings.push(text);
        }
    }

    pub(crate) fn add<P: Program>(
        &mut self,
        epoch: u64,
        (workers, threads): (usize, usize),
        placement: Arc<Vec<u32>>,
        returned: &Returned<P>,
    ) {
        let pause = self.last_boundary.zip(returned.began);
        let pause =
            pause.map_or(0.0, |(before, began)| began.saturating_duration_since(before).as_secs_f64());
        let shards_moved = placement::moves(&self.placement, &placement);
        self.generations.push(GenerationRecord { epoch, workers, pause, shards_moved });
        self.threads = self.threads.max(threads);
        self.placement = placement;
        self.bytes += returned.ended.bytes;
        self.block_bytes += returned.ended.block_bytes;
        self.last_boundary = returned.ended.at;
    }

    pub(crate) fn outcome<P: Program>(
        self,
        program: Arc<P>,
        (ending, metric, objective): (Ending, Metric, Option<f64>),
        held: Held<P>,
        hub: HubState<P>,
        seconds: f64,
    ) -> Outcome<P> {
        let workers = self.generations.last().map_or(0, |generation| generation.workers);
        let counts = hub.schedule.counts();
        let Progress { epoch, totals, .. } = hub.progress;
        let report = RunReport {
            ending,
            metric,
            objective,
            epochs: epoch,
            rounds: totals.rounds,
            tasks: totals.tasks,
            updates: totals.updates,
            candidates: counts.candidates,
            rejected: counts.rejected,
            rollbacks: totals.rollbacks,
            seconds,
            bytes_on_wire: self.bytes,
            block_bytes_on_wire: self.block_bytes,
            shards: held.shards.len(),
            threads: self.threads,
            idle_workers: idle(&self.placement, workers),
            generations: self.generations,
            warnings: self.warnings,
        };
        let parts =
            Parts { shards: held.shards, blocks: held.blocks, pinned: hub.pinned, replica: held.replica };
        Outcome { parts, report, trace: self.trace, program, prints: self.prints }
    }
}

/// Workers that hold no shard.
fn idle(placement: &[u32], workers: usize) -> usize {
    let mut busy = placement.to_vec();
    busy.sort_unstable();
    busy.dedup();
    workers - busy.len().min(workers)
}
