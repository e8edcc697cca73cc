//! What goes wrong is refused, or ends the run with an error that says what and where, and never with a hang. One program
//! has all traps; each file is a kind of mistake.

mod checkpoints;
mod fixed;
mod panics;
mod replay;
mod schedule;
mod settings;
mod verbs;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle::schedule::{Cyclic, Dependencies, Priority, PrioritySettings, Round, Schedule, Variables};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Boundary, Engine, Fold, Metric, Parts, Program, Relate, State, Task, Update, UpdateBlock, Verbs, Verdict,
    Visibility,
};

use crate::programs::within_a_minute;

/// The shard in which verbs that are asked of shards are trapped.
const TRAPPED: u32 = 2;

/// Three shards own four variables each; every update adds 1 to a variable. Mistakes may be in it, by name, with a `+`
/// between them.
struct Sums {
    mistakes: &'static str,
    /// First epoch in which a trap is set,
    from: u64,
    /// and the one that runs.
    epoch: AtomicU64,
    visibility: Visibility,
    /// Shards that were told of past the engine.
    behind: Mutex<Vec<u32>>,
}

/// A value whose bytes fail where the mistake says so.
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

    /// A trap in a verb that is not told its epoch.
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
    type Shard = (Value, u64); // the second part is forgotten by `remember` where the mistake says so
    type Block = Value;
    type Pinned = Value;
    type Replica = Replica;
    type Partial = Moves;
    type Change = Moves;
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update().update_block().relate().fold()
    }

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, _: &Round, pinned: &mut Value, partials: Vec<(u32, Moves)>) -> Moves {
        self.trap("aggregate");
        pinned.value += 1;
        let mut moves: Moves = partials.into_iter().flat_map(|(_, moves)| moves).collect();
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
    fn moved(&self, change: &Moves, tell: &mut dyn FnMut(u32, f64)) {
        self.trap("moved");
        change.iter().for_each(|&(variable, by)| tell(variable, by));
        if self.has("moved beyond") {
            tell(12, 1.0);
        }
    }
    fn certify(&self, at: &Boundary, number: u32, _: &mut (Value, u64), _: &Replica) -> Moves {
        self.trap_of("certify", number, at.epoch);
        Vec::new()
    }
    fn conclude(
        &self,
        at: &Boundary,
        _: &mut Value,
        replica: &Replica,
        _: Vec<(u32, Moves)>,
    ) -> Verdict<Moves> {
        self.trap_in("conclude", at.epoch);
        self.epoch.store(at.epoch, Ordering::Relaxed);
        let value = match self.mistakes {
            "NaN" => f64::NAN,
            "infinite" => f64::INFINITY,
            "minus infinite" => f64::NEG_INFINITY,
            _ => replica.sums.iter().sum::<f64>() + 1.0,
        };
        let mut verdict = Verdict::new(Metric::new("sum", value, "nothing").target(-1.0));
        if self.has("weights beyond") {
            verdict.weights.push((13, 1.0));
        }
        if self.has("worse") {
            verdict.objective = Some(at.epoch as f64);
        }
        verdict
    }
    fn remember(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
        self.trap("remember");
        out.write(&shard.0);
        out.write(&if self.has("forgotten") { 0 } else { shard.1 });
    }
    fn recall(&self, shard: &mut (Value, u64), from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.trap("recall");
        *shard = from.read()?;
        Ok(())
    }
}

impl Update for Sums {
    fn update(&self, task: &Task, shard: &mut (Value, u64), replica: &Replica) -> Moves {
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
    fn update_block(&self, task: &Task, shard: &mut (Value, u64), block: &mut Value, _: &Replica) -> Moves {
        self.trap_of("update_block", task.shard, task.epoch);
        shard.1 += 1;
        block.value += u64::from(task.shard);
        vec![(task.shard * 4, 1.0)]
    }
}

impl Relate for Sums {
    fn gather(&self, task: &Task, _: &(Value, u64)) -> Moves {
        self.trap_of("gather", task.shard, task.epoch);
        task.variables.iter().map(|&variable| (variable, 0.0)).collect()
    }

    fn relate(&self, _: &(), candidates: &[u32], _: Vec<(u32, Moves)>) -> Dependencies {
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

/// What a run says, by the number of its workers and by pointer or by bytes; it must not hang.
fn said(build: impl Fn() -> Engine<Sums> + Send + Clone + 'static) -> Vec<String> {
    let ways = [(1, false), (1, true), (2, false), (2, true), (3, false), (7, true)];
    let run = |(workers, serialized)| {
        let build = build.clone();
        let run = move || {
            let engine = build().workers(workers).threads(workers).serialized(serialized);
            engine.run().err().map_or("nothing".into(), |error| error.to_string())
        };
        within_a_minute(run)
    };
    ways.into_iter().map(run).collect()
}
