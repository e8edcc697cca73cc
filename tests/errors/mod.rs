//! Mistakes are refused, or end the run with an error that names the place and the cause, and never with a
//! hang. One program has all traps; each file is a kind of mistake.

mod checkpoints;
mod compiled;
mod fixed;
mod panics;
mod replay;
mod schedule;
mod settings;
mod verbs;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle::schedule::{Cyclic, Dependencies, Priority, PrioritySettings, Schedule, Variables};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Engine, Evaluate, Fold, Metric, Partials, Parts, Program, Relate,
    State, Task, TaskOf, Update, UpdateBlock, Verdict, Visibility,
};

use crate::programs::without_a_hang;

/// The shard in which verbs that are asked of shards are trapped.
const TRAPPED: u32 = 2;

/// Three shards own four variables each; every update adds 1 to a variable. Mistakes may be in it, by name,
/// with a `+` between them.
struct Sums {
    mistakes: &'static str,
    /// First epoch in which a trap is set,
    from: u64,
    /// and the one that runs.
    epoch: AtomicU64,
    visibility: Visibility,
    /// Shards that were noted past the engine.
    behind: Mutex<Vec<u32>>,
}

/// A value whose bytes fail where the mistake is in them.
struct Value {
    value: u64,
    fails: &'static str,
}

impl State for Value {
    fn save(&self, out: &mut Writer) {
        assert!(!self.fails.starts_with("save"), "a value is not saved");
        out.write(&self.value);
        out.write(&u8::from(self.fails.starts_with("load")));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (value, fails): (u64, u8) = (from.read()?, from.read()?);
        assert!(fails == 0, "a value is not loaded");
        Ok(Self { value, fails: "" })
    }
}

struct Replica {
    sums: Vec<f64>,
    /// Changed where nothing may be.
    seen: AtomicU64,
}

impl Clone for Replica {
    fn clone(&self) -> Self {
        Self { sums: self.sums.clone(), seen: AtomicU64::new(self.seen.load(Ordering::Relaxed)) }
    }
}

impl State for Replica {
    fn save(&self, out: &mut Writer) {
        out.write(&self.sums);
        out.write(&self.seen.load(Ordering::Relaxed));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self { sums: from.read()?, seen: AtomicU64::new(from.read()?) })
    }
}

impl Sums {
    fn has(&self, mistake: &str) -> bool {
        self.mistakes.split('+').any(|one| one == mistake)
    }

    /// A trap in a verb that does not know its epoch.
    fn trap(&self, verb: &str) {
        self.trap_in(verb, self.epoch.load(Ordering::Relaxed));
    }

    fn trap_in(&self, verb: &str, epoch: u64) {
        assert!(!self.has(verb) || epoch < self.from, "the trap in {verb}");
    }

    fn trap_of(&self, verb: &str, shard: u32, epoch: u64) {
        if shard == TRAPPED {
            self.trap_in(verb, epoch);
        }
    }
}

type Moves = Vec<(u32, f64)>;

impl Program for Sums {
    raddle::program!(
        Shard = (Value, u64), // the second part is forgotten by `save_state` where the mistake says so
        Block = Value,
        Pinned = Value,
        Replica = Replica,
        Partial = Moves;
        update, update_block, relate, fold
    );

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Moves {
        self.trap("aggregate");
        at.pinned.value += 1;
        let mut moves: Moves = at.partials.concat();
        let behind = std::mem::take(&mut *self.behind.lock().unwrap());
        if let Some(&first) = behind.first() {
            moves.push((0, f64::from(first)));
        }
        moves
    }
    fn commit(&self, change: &Moves, replica: &mut Replica) {
        self.trap("commit");
        change.iter().for_each(|&(variable, by)| replica.sums[variable as usize] += by);
    }
    fn commit_shard(&self, _: &Moves, number: u32, shard: &mut (Value, u64)) {
        self.trap_of("commit_shard", number, self.epoch.load(Ordering::Relaxed));
        shard.0.value += 1;
    }
    fn deltas(&self, change: &Moves, tell: &mut dyn FnMut(u32, f64)) {
        self.trap("deltas");
        change.iter().for_each(|&(variable, by)| tell(variable, by));
        if self.has("deltas beyond") {
            tell(12, 1.0);
        }
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Moves {
        self.trap_of("evaluate", at.number, at.boundary.epoch);
        Vec::new()
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Moves> {
        self.trap_in("conclude", at.boundary.epoch);
        self.epoch.store(at.boundary.epoch, Ordering::Relaxed);
        let value = match self.mistakes {
            "NaN" => f64::NAN,
            "infinite" => f64::INFINITY,
            "minus infinite" => f64::NEG_INFINITY,
            _ => at.replica.sums.iter().sum::<f64>() + 1.0,
        };
        let mut verdict = Verdict::new(Metric::new("sum", value, "nothing").target(-1.0));
        if self.has("weights beyond") {
            verdict.weights.push((13, 1.0));
        }
        if self.has("worse") {
            verdict.objective = Some(at.boundary.epoch as f64);
        }
        verdict
    }
    fn save_state(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
        self.trap("save_state");
        out.write(&shard.0);
        out.write(&if self.has("forgotten") { 0 } else { shard.1 });
    }
    fn load_state(&self, shard: &mut (Value, u64), from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.trap("load_state");
        *shard = from.read()?;
        Ok(())
    }
}

impl Update for Sums {
    fn update(&self, at: TaskOf<'_, Self>) -> Moves {
        let TaskOf { task, shard, replica } = at;
        self.trap_of("update", task.shard, task.epoch);
        shard.1 += 1;
        let mut moves: Moves = task.variables.iter().map(|&variable| (variable, 1.0)).collect();
        let first = task.shard * 4;
        match self.mistakes {
            "a lock" => self.behind.lock().unwrap().push(task.shard),
            "a replica changed" => {
                replica.seen.fetch_add(1 << task.shard, Ordering::Relaxed);
            }
            "a HashMap" => {
                let map: HashMap<u32, f64> = (0..64).map(|n| (n, f64::from(n))).collect();
                moves.push((first, map.values().enumerate().map(|(at, value)| at as f64 * value).sum()));
            }
            "a thread" => {
                let id = format!("{:?}", std::thread::current().id());
                let hash = |sum: u32, byte: u8| sum.wrapping_mul(131).wrapping_add(byte.into());
                moves.push((first, f64::from(id.bytes().fold(0, hash))));
            }
            "forgotten" => moves.push((first, shard.1 as f64)),
            _ => {}
        }
        moves
    }
}

impl UpdateBlock for Sums {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Moves {
        self.trap_of("update_block", at.task.shard, at.task.epoch);
        at.shard.1 += 1;
        at.block.value += u64::from(at.task.shard);
        vec![(at.task.shard * 4, 1.0)]
    }
}

impl Relate for Sums {
    fn gather(&self, task: &Task, _: &(Value, u64)) -> Moves {
        self.trap_of("gather", task.shard, task.epoch);
        task.variables.iter().map(|&variable| (variable, 0.0)).collect()
    }

    fn relate(&self, _: &(), candidates: &[u32], _: Partials<Moves>) -> Dependencies {
        self.trap("relate");
        Dependencies::none(candidates.len() + usize::from(self.has("one related too many")))
    }
}

impl Fold for Sums {
    fn fold(&self, so_far: &mut Moves, next: Moves) {
        self.trap("fold");
        so_far.extend(next);
    }
}

fn variables() -> Variables {
    Variables::in_ranges(vec![1; 12], vec![0, 4, 8, 12])
}

fn parts(mistakes: &'static str) -> Parts<Sums> {
    let value = |of: &str| Value { value: 0, fails: if mistakes.ends_with(of) { mistakes } else { "" } };
    Parts {
        shards: (0..3).map(|_| (value("shard"), 0)).collect(),
        blocks: (0..2).map(|_| value("block")).collect(),
        pinned: value("pinned"),
        replica: Replica { sums: vec![0.0; 12], seen: AtomicU64::new(0) },
    }
}

fn engine(mistakes: &'static str, schedule: impl Schedule) -> Engine<Sums> {
    with(mistakes, Visibility::EachRound, schedule)
}

fn with(mistakes: &'static str, visibility: Visibility, schedule: impl Schedule) -> Engine<Sums> {
    trapped(mistakes, 0, visibility, schedule)
}

/// A run with these mistakes, of which traps are set from this epoch on.
fn trapped(
    mistakes: &'static str,
    from: u64,
    visibility: Visibility,
    schedule: impl Schedule,
) -> Engine<Sums> {
    Engine::new(sums(mistakes, from, visibility), schedule, parts(mistakes)).epochs(3).identity("sums")
}

fn sums(mistakes: &'static str, from: u64, visibility: Visibility) -> Sums {
    Sums { mistakes, from, epoch: AtomicU64::default(), visibility, behind: Mutex::default() }
}

fn cyclic() -> Cyclic {
    Cyclic::new(variables(), 4)
}

fn priority() -> Priority {
    Priority::new(variables(), PrioritySettings::new(4, 1))
}

/// Messages of a run, by the number of its workers and by pointer or by bytes; it must not hang.
fn said(build: impl Fn() -> Engine<Sums> + Send + Clone + 'static) -> Vec<String> {
    let ways = [(1, false), (1, true), (2, false), (2, true), (3, false), (7, true)];
    let run = |(workers, serialized)| {
        let build = build.clone();
        let run = move || {
            let engine = build().workers(workers).threads(workers).serialized(serialized);
            engine.run().err().map_or("nothing".into(), |error| error.to_string())
        };
        without_a_hang(run)
    };
    ways.into_iter().map(run).collect()
}
