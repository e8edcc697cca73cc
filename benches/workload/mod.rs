//! Workloads of the benches: a rotation of blocks over shards, and rounds without work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use raddle::schedule::{EpochStart, Next, Plan, Rotation, Round};
use raddle::state::{Reader, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Engine, Evaluate, Metric, Outcome, Parts, Program, Schedule, Task,
    TaskOf, Update, UpdateBlock, Verdict, Visibility,
};

/// One megabyte: the blocks' usual size.
pub(crate) const MEGABYTE: usize = 1 << 20;

/// Work of a task of a rotation: `work` steps of arithmetic that wait for each other, then the block's first
/// bytes. The result tells the order in which shards and blocks have met.
pub(crate) fn touch(shard: &mut u64, block: &mut [u8], work: u64) {
    let mut value = *shard ^ u64::from(block[0]);
    for _ in 0..work {
        value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    *shard = value.rotate_left(5).wrapping_add(u64::from(block[1]) + 1);
    block[..8].copy_from_slice(&shard.to_le_bytes());
}

/// A rotation: its sizes, its length, and how it is carried out.
#[derive(Debug, Clone)]
pub(crate) struct Turning {
    /// Shards.
    pub(crate) shards: u32,
    /// Blocks.
    pub(crate) blocks: u32,
    /// Bytes in a block.
    pub(crate) bytes: usize,
    /// Steps of arithmetic in a task.
    pub(crate) work: u64,
    /// Rotations in an epoch.
    pub(crate) turns: u32,
    /// Epochs.
    pub(crate) epochs: u64,
    /// Workers.
    pub(crate) workers: usize,
    /// Threads that carry them; `None` leaves that to the engine.
    pub(crate) threads: Option<usize>,
    /// `true` if blocks move as bytes.
    pub(crate) serialized: bool,
    /// A sleep in the first task of shard 0.
    pub(crate) nap: Option<Arc<Nap>>,
}

/// A sleep in the first task of shard 0, and the progress of the others by its end.
#[derive(Debug, Default)]
pub(crate) struct Nap {
    /// How long shard 0 sleeps.
    pub(crate) length: Duration,
    /// Tasks started.
    pub(crate) begun: AtomicU64,
    /// Tasks of other shards started before the sleep ended.
    pub(crate) meanwhile: AtomicU64,
}

impl Nap {
    fn take(&self, task: &Task) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        if (task.shard, task.round) == (0, 0) {
            std::thread::sleep(self.length);
            self.meanwhile.store(self.begun.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        }
    }
}

impl Turning {
    /// Sixteen blocks of one megabyte over sixteen shards on two workers.
    pub(crate) fn sixteen(work: u64) -> Self {
        Self {
            shards: 16,
            blocks: 16,
            bytes: MEGABYTE,
            work,
            turns: 1,
            epochs: 1,
            workers: 2,
            threads: None,
            serialized: false,
            nap: None,
        }
    }

    /// Two shards on two workers swap two blocks after every task, a hundred times an epoch.
    pub(crate) fn crossing(bytes: usize, serialized: bool) -> Self {
        Self { shards: 2, blocks: 2, bytes, turns: 50, serialized, ..Self::sixteen(0) }
    }

    /// The rounds of an epoch.
    pub(crate) fn schedule(&self) -> Rotation {
        (1..self.turns).fold(Rotation::new(self.shards, self.blocks), |rotation, _| rotation.then(()))
    }

    /// The tasks of an epoch.
    pub(crate) fn tasks(&self) -> u64 {
        u64::from(self.shards) * u64::from(self.blocks) * u64::from(self.turns)
    }

    /// The blocks before the first epoch.
    pub(crate) fn fresh_blocks(&self) -> Vec<Vec<u8>> {
        (0..self.blocks).map(|block| vec![block as u8; self.bytes]).collect()
    }

    /// Rotates on the engine.
    pub(crate) fn run(&self) -> Outcome<Rotated> {
        let program = Rotated { work: self.work, nap: self.nap.clone() };
        let parts = Parts::new(vec![0; self.shards as usize], ()).blocks(self.fresh_blocks());
        let engine = Engine::new(program, self.schedule(), parts).epochs(self.epochs);
        let engine = engine.workers(self.workers).serialized(self.serialized);
        let engine = match self.threads {
            Some(threads) => engine.threads(threads),
            None => engine,
        };
        engine.run().expect("a rotation runs")
    }
}

/// The program of a rotation.
pub(crate) struct Rotated {
    work: u64,
    nap: Option<Arc<Nap>>,
}

impl Program for Rotated {
    raddle::program!(Shard = u64, Block = Vec<u8>; update_block);

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }

    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, _: &(), _: &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl UpdateBlock for Rotated {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) {
        if let Some(nap) = &self.nap {
            nap.take(at.task);
        }
        touch(at.shard, at.block, self.work);
    }
}

/// Rounds without work: each asks every shard, which answers nothing.
pub(crate) struct Idle;

impl Idle {
    /// Runs epochs of a number of empty rounds, one shard a worker.
    pub(crate) fn run(workers: usize, rounds: u32, epochs: u64) -> Outcome<Self> {
        let parts = Parts::new(vec![0; workers], ());
        let schedule = EmptyRounds { shards: workers as u32, rounds, left: 0 };
        let engine = Engine::new(Self, schedule, parts).epochs(epochs).workers(workers);
        engine.run().expect("empty rounds run")
    }
}

impl Program for Idle {
    raddle::program!(Shard = u64; update);

    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, _: &(), _: &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Idle {
    fn update(&self, at: TaskOf<'_, Self>) {
        *at.shard += 1;
    }
}

/// A schedule of `rounds` rounds, each of which asks every shard.
struct EmptyRounds {
    shards: u32,
    rounds: u32,
    left: u32,
}

impl Schedule for EmptyRounds {
    fn identity(&self) -> String {
        format!("{} empty rounds", self.rounds)
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        self.left = self.rounds;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next {
        if self.left == 0 {
            return Next::EndOfEpoch;
        }
        self.left -= 1;
        Next::Round(Round::to_shards((), 0..self.shards))
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

/// Seconds of each epoch of a run, boundary to boundary.
pub(crate) fn epochs<P: Program>(outcome: &Outcome<P>) -> Vec<f64> {
    outcome.trace.windows(2).map(|pair| pair[1].seconds - pair[0].seconds).collect()
}
