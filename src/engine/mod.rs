//! [`Engine`]: builds a run from a program and a schedule, and carries it out generation by generation.

mod check;
mod compiled;
mod distributed;
mod for_operator;
mod functions;
mod history;
pub(crate) mod transfer;

mod lazy_parts;
pub(crate) mod member;
pub(crate) mod parts;
mod relay;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::error::EngineError;
use crate::base::slowdown::Slowdown;
use crate::base::stop::Stop;
use crate::base::store::{Disk, Store};
use crate::checkpoint::CheckpointEvery;
use crate::cluster::Cluster;
use crate::generation::Observer;
use crate::program::Program;
use crate::run::record::EpochRecord;
use crate::run::settings::Settings;
use crate::schedule::Schedule;

use self::compiled::Compiled;
pub(crate) use self::history::{History, RunEnd};
pub use self::lazy_parts::{Lazy, LazyParts};
pub use self::parts::{Outcome, Parts};
pub(crate) use self::relay::relay;

/// Function that is called with each warning.
type Warner = Box<dyn FnMut(&str) + Send>;

/// Builds a run: a program, a schedule, and how to carry it out.
///
/// | setting | default | changes the model |
/// |---|---|---|
/// | [`workers`](Engine::workers) | 1 | no |
/// | [`threads`](Engine::threads) | the workers, at most the shards and the cores | no |
/// | [`serialized`](Engine::serialized) | off | no |
/// | [`rescale`](Engine::rescale), [`checkpoint`](Engine::checkpoint) | none | no |
/// | [`resume`](Engine::resume) | none | no |
/// | [`staleness`](Engine::staleness) | 0 | yes |
/// | [`guard`](Engine::guard) | on | where an epoch worsened the objective |
/// | [`epochs`](Engine::epochs), [`time_limit`](Engine::time_limit) | none | where they end the run |
/// | [`stop`](Engine::stop) | none | where it ends the run |
///
/// A run is a pure function of the parts, the program, the schedule and the settings marked *yes*: the bytes
/// of its outcome are the same for any number of workers, with any rescale, and through checkpoint and
/// resume.
pub struct Engine<P: Program> {
    program: Arc<P>,
    schedule: Box<dyn Schedule<P::Phase>>,
    parts: LazyParts<P>,
    costs: Option<Vec<u64>>,
    settings: Settings,
    observer: Option<Observer<P>>,
    warner: Option<Warner>,
    checkpoint: Option<(CheckpointEvery, PathBuf)>,
    store: Arc<dyn Store>,
    resume: Option<PathBuf>,
    identity: Option<String>,
    data: String,
    /// `true` if sums of parties are not masked.
    opens_sums: bool,
    functions: <Self as Compiled>::Functions,
}

impl<P: Program> Engine<P> {
    /// Builds a run of this program under this schedule, on [`Parts`] or [`LazyParts`].
    pub fn new(program: P, schedule: impl Schedule<P::Phase>, parts: impl Into<LazyParts<P>>) -> Self {
        Self {
            program: Arc::new(program),
            schedule: Box::new(schedule),
            parts: parts.into(),
            costs: None,
            settings: Settings::alone(),
            observer: None,
            warner: None,
            checkpoint: None,
            store: Arc::new(Disk),
            resume: None,
            identity: None,
            data: String::new(),
            opens_sums: false,
            functions: Self::FUNCTIONS,
        }
    }

    /// Sets the number of workers among which the shards are divided, at least 1. Workers in excess of the
    /// shards are idle, and cost nothing.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Sets the number of threads that run the workers, at least 1; by default one for each worker, but no
    /// more than there are shards, or cores for this process. Workers on one thread take turns, and exchange
    /// blocks without leaving the thread.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// Sets the counted cost of each shard, by which shards are placed: the cost of a task with the shard, or
    /// with the shard and all blocks in turn. The unit is a floating-point multiply-add, or work that takes
    /// about as long, so that costs of programs can be compared. [`Schedule::cost`] may give some phases
    /// another cost. Default: all 1, which suffices for placement.
    pub fn costs(mut self, costs: Vec<u64>) -> Self {
        self.costs = Some(costs);
        self
    }

    /// Sets that workers exchange bytes even within the process, as they do between processes. Default: off.
    pub fn serialized(mut self, serialized: bool) -> Self {
        self.settings.serialized = serialized;
        self
    }

    /// Pipelines stepwise rounds: round `t` reads exactly the commits up to `t - 1 - staleness`. A
    /// staleness above the number of rounds of an epoch acts as that number. It bounds the lag of rounds
    /// that have one of their own ([`Round::lag`](crate::schedule::Round::lag)).
    pub fn staleness(mut self, rounds: usize) -> Self {
        self.settings.staleness = rounds;
        self
    }

    /// Sets that an epoch that worsens a monotone objective is rolled back, with half the parallelism and
    /// half the staleness and half the lags from then on. Default: on.
    pub fn guard(mut self, guard: bool) -> Self {
        self.settings.guard = guard;
        self
    }

    /// Ends the run after this number of epochs.
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.settings.epochs = Some(epochs);
        self
    }

    /// Ends the run with the first epoch that ends at least this number of seconds after the start or, if
    /// that would take too long, within an epoch, as [`stop`](Engine::stop) does.
    pub fn time_limit(mut self, seconds: f64) -> Self {
        self.settings.time_limit = Some(seconds);
        self
    }

    /// Changes the number of workers at boundaries: `(3, 4)` means four workers once three epochs are
    /// completed.
    pub fn rescale(mut self, plan: &[(u64, usize)]) -> Self {
        self.settings.rescale = plan.to_vec();
        self
    }

    /// Writes a checkpoint to this folder after every N epochs, or as often as it costs little
    /// ([`CheckpointEvery::Auto`]), and where a run ends unfinished; a checkpoint is written whole or not at
    /// all. The last two stay. A checkpoint that cannot be written does not end the run, which warns
    /// ([`RunReport::warnings`](crate::RunReport::warnings)).
    pub fn checkpoint(mut self, every: impl Into<CheckpointEvery>, folder: impl Into<PathBuf>) -> Self {
        self.checkpoint = Some((every.into(), folder.into()));
        self
    }

    /// Writes checkpoints through another [`Store`].
    #[cfg(test)]
    pub(crate) fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self
    }

    /// Resumes from the last whole checkpoint in this folder; shards must have been made from the same data
    /// and parameters. If the last checkpoint is damaged, a warning names it, and the one before is used.
    pub fn resume(mut self, folder: impl Into<PathBuf>) -> Self {
        self.resume = Some(folder.into());
        self
    }

    /// Sets a text that is equal for two runs exactly if data and parameters are, such as a digest of the
    /// data and the parameters as words. A checkpoint of another run is refused, with the words that differ.
    /// The text after the word `data` is taken for the digest of the data, and the error says so if it
    /// differs. Checkpoints need an identity. Staleness, guard, schedule and the costs of shards are
    /// compared, too; limits and the target may change.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Leaves the sums of this process open, which have [masks](crate::parties::Masks) if it is a party:
    /// whoever aggregates them then reads those of each party. The model has the same bytes.
    pub fn open_sums(mut self) -> Self {
        self.opens_sums = true;
        self
    }

    /// Names the data of this process, such as by a digest, in a run whose shards are
    /// [pinned](crate::PinnedShard): the identity has none of them. A party that comes back with other data
    /// is refused.
    pub fn own_data(mut self, digest: impl Into<String>) -> Self {
        self.data = digest.into();
        self
    }

    /// Adds the version of the data to the identity, so that processes with another version are refused.
    #[doc(hidden)]
    pub fn of_version(mut self, version: u64) -> Self {
        self.identity = self.identity.map(|identity| format!("{identity} version {version}"));
        self
    }

    /// Calls `observer` with every epoch's record at its boundary; a [`Stop`] requested there ends the run
    /// there.
    pub fn observe(self, mut observer: impl FnMut(&EpochRecord) + Send + 'static) -> Self {
        self.watch(move |record, _| observer(record))
    }

    /// Calls `observer` as [`observe`](Engine::observe) does, with the replica after the commits of the
    /// epoch.
    pub fn watch(mut self, observer: impl FnMut(&EpochRecord, &P::Replica) + Send + 'static) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Adds an observer of each record; the run ends at the boundary at which the observer returns `false`.
    pub(crate) fn observe_while(
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

    /// Calls `warn` with each warning as soon as it occurs; the report lists them, too.
    pub fn on_warning(mut self, warn: impl FnMut(&str) + Send + 'static) -> Self {
        self.warner = Some(Box::new(warn));
        self
    }

    /// Slows workers down, to show the effect of balance.
    pub fn slowdown(mut self, slowdown: Slowdown) -> Self {
        self.settings.slowdown = Some(Arc::new(slowdown));
        self
    }

    /// Ends the run once `stop` is requested: at the next boundary, if that comes within 0.3 s or a twentieth
    /// of the time that the run has taken. Otherwise the current epoch is cancelled at the next
    /// [`cancellation_point`](crate::cancellation_point), between two tasks or within one, and the outcome is
    /// that of the last boundary that was kept: an earlier one than the last, if keeping that would have cost
    /// more than a fiftieth of the time since the one before was kept.
    /// [`RunReport::epochs`](crate::RunReport::epochs) says which. A resumed run goes on from it as if
    /// nothing had happened.
    ///
    /// A run that can be asked to end keeps the learned state of a boundary in memory; others keep none.
    pub fn stop(mut self, stop: Stop) -> Self {
        (self.settings.stop, self.settings.may_stop) = (stop, true);
        self
    }

    /// Carries the run out.
    ///
    /// # Errors
    /// If a setting makes no sense, the schedule asks for a verb that the program lacks, threads cannot be
    /// started, a program or schedule panics, or a checkpoint cannot be read.
    pub fn run(self) -> Result<Outcome<P>, EngineError> {
        (self.functions.alone)(self)
    }

    /// Carries the run out together with other processes, each of which calls this with the same program,
    /// schedule and settings. The first process gets the outcome, with all shards and blocks; the others, and
    /// those that left earlier, get `None`. The coordinator sets the number of workers, in place of
    /// [`workers`](Engine::workers), and the checkpoint to resume from, in place of
    /// [`resume`](Engine::resume). Checkpoints go to the folder `checkpoint` in the coordinator's
    /// ([`CoordinatorSettings::folder`](crate::cluster::CoordinatorSettings)), which every process names.
    ///
    /// # Errors
    /// As [`run`](Engine::run); if another process is lost, or this one does not fit the run.
    pub fn run_on(self, cluster: &Cluster) -> Result<Option<Outcome<P>>, EngineError> {
        self.run_distributed(cluster)
    }
}
