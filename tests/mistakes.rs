//! Wrong use is noticed: each mistake that an author can make is refused, or found by the replay check, by name.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

#[path = "mistakes/compiled.rs"]
mod compiled;
#[path = "mistakes/found.rs"]
mod found;
mod programs;
#[path = "mistakes/refused.rs"]
mod refused;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use programs::forms::{self, Confused};
use programs::within_a_minute;
use raddle::schedule::{
    Assignment, Automatic, Candidates, Cyclic, Dependencies, EachShard, EpochStart, Next, Plan, Priority,
    PrioritySettings, Rotation, Round, Schedule, Shuffled, Variables,
};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Ending, Engine, EngineError, Evaluate, Fold, Metric, Partials, Parts,
    Program, Relate, State, Task, TaskOf, Update, UpdateBlock, Verdict, Visibility, replay,
};

/// Three shards own four variables each; every update adds 1 to a variable. One mistake may be in it, by name.
struct Sums {
    mistake: &'static str,
    visibility: Visibility,
    /// What goes round the engine.
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

impl Clone for Replica {
    fn clone(&self) -> Self {
        Self { sums: self.sums.clone(), seen: AtomicU64::new(self.seen.load(Ordering::Relaxed)) }
    }
}

struct Replica {
    sums: Vec<f64>,
    /// Changed where nothing may be.
    seen: AtomicU64,
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
    fn trap(&self, verb: &str) {
        assert!(self.mistake != verb, "the trap in {verb}");
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
    fn commit_shard(&self, _: &Moves, _: u32, shard: &mut (Value, u64)) {
        self.trap("commit_shard");
        shard.0.value += 1;
    }
    fn deltas(&self, change: &Moves, tell: &mut dyn FnMut(u32, f64)) {
        self.trap("deltas");
        change.iter().for_each(|&(variable, by)| tell(variable, by));
        if self.mistake == "deltas beyond" {
            tell(12, 1.0);
        }
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> Moves {
        self.trap("evaluate");
        Vec::new()
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Moves> {
        self.trap("conclude");
        let value = match self.mistake {
            "NaN" => f64::NAN,
            "infinite" => f64::INFINITY,
            "minus infinite" => f64::NEG_INFINITY,
            _ => at.replica.sums.iter().sum::<f64>() + 1.0,
        };
        let mut verdict = Verdict::new(Metric::new("sum", value, "nothing").target(-1.0));
        if self.mistake == "weights beyond" {
            verdict.weights.push((13, 1.0));
        }
        if self.mistake == "worse" {
            verdict.objective = Some(at.boundary.epoch as f64);
        }
        verdict
    }
    fn save_state(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
        self.trap("save_state");
        out.write(&shard.0);
        out.write(&if self.mistake == "forgotten" { 0 } else { shard.1 });
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
        self.trap("update");
        shard.1 += 1;
        let mut moves: Moves = task.variables.iter().map(|&variable| (variable, 1.0)).collect();
        match self.mistake {
            "a lock" => self.behind.lock().unwrap().push(task.shard),
            "a replica changed" => {
                replica.seen.fetch_add(1 << task.shard, Ordering::Relaxed);
            }
            "a HashMap" => {
                let map: HashMap<u32, f64> = (0..64).map(|n| (n, f64::from(n))).collect();
                moves.push((
                    task.shard * 4,
                    map.values().enumerate().map(|(at, value)| at as f64 * value).sum(),
                ));
            }
            "a thread" => {
                let id = format!("{:?}", std::thread::current().id());
                moves.push((
                    task.shard * 4,
                    f64::from(
                        id.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into())),
                    ),
                ));
            }
            "forgotten" => moves.push((task.shard * 4, shard.1 as f64)),
            _ => {}
        }
        moves
    }
}

impl UpdateBlock for Sums {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Moves {
        self.trap("update_block");
        at.shard.1 += 1;
        at.block.value += u64::from(at.task.shard);
        vec![(at.task.shard * 4, 1.0)]
    }
}

impl Relate for Sums {
    fn gather(&self, task: &Task, _: &(Value, u64)) -> Moves {
        self.trap("gather");
        task.variables.iter().map(|&variable| (variable, 0.0)).collect()
    }

    fn relate(&self, _: &(), candidates: &[u32], _: Partials<Moves>) -> Dependencies {
        self.trap("relate");
        Dependencies::none(candidates.len() + usize::from(self.mistake == "one related too many"))
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

fn parts(fails: &'static str) -> Parts<Sums> {
    let value = |of: &str| Value { value: 0, fails: if fails.ends_with(of) { fails } else { "" } };
    Parts {
        shards: (0..3).map(|_| (value("shard"), 0)).collect(),
        blocks: (0..2).map(|_| value("block")).collect(),
        pinned: value("pinned"),
        replica: Replica { sums: vec![0.0; 12], seen: AtomicU64::new(0) },
    }
}

fn engine(mistake: &'static str, schedule: impl Schedule) -> Engine<Sums> {
    with(mistake, Visibility::EachRound, schedule)
}

fn with(mistake: &'static str, visibility: Visibility, schedule: impl Schedule) -> Engine<Sums> {
    let program = Sums { mistake, visibility, behind: Mutex::default() };
    Engine::new(program, schedule, parts(mistake)).epochs(3).identity("sums")
}

fn cyclic() -> Cyclic {
    Cyclic::new(variables(), 4)
}

fn priority() -> Priority {
    Priority::new(variables(), PrioritySettings::new(4, 1))
}

/// What a run says, on every number of workers; it must not hang.
fn said(build: impl Fn() -> Engine<Sums> + Send + Clone + 'static) -> Vec<String> {
    let ways = [(1, false), (2, false), (3, false), (2, true)];
    let run = |(workers, serialized)| {
        let build = build.clone();
        let run = move || {
            let engine = build().workers(workers).threads(workers).serialized(serialized);
            engine.run().err().map_or("nothing".into(), |error| format!("{error:?}"))
        };
        within_a_minute(run)
    };
    ways.into_iter().map(run).collect()
}

/// A schedule that always says the same, and whose methods may be trapped.
struct Fixed {
    next: Next,
    trap: &'static str,
    named: Option<Variables>,
    asked: bool,
}

fn fixed(next: Next, trap: &'static str) -> Fixed {
    Fixed { next, trap, named: Some(variables()), asked: false }
}

fn round(tasks: &[(u32, &[u32])]) -> Next {
    let task = |&(shard, variables): &(u32, &[u32])| Assignment {
        shard,
        block: None,
        variables: variables.to_vec(),
    };
    Next::Round(Round { phase: (), tasks: tasks.iter().map(task).collect() })
}

impl Fixed {
    fn trap(&self, method: &str) {
        assert!(self.trap != method, "the trap in {method}");
    }
}

impl Schedule for Fixed {
    fn identity(&self) -> String {
        "fixed".into()
    }
    fn variables(&self) -> Option<&Variables> {
        self.named.as_ref()
    }
    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        self.trap("begin_epoch");
        self.asked = false;
        Plan::Stepwise
    }
    fn next_round(&mut self) -> Next {
        self.trap("next_round");
        if std::mem::replace(&mut self.asked, true) { Next::EndOfEpoch } else { self.next.clone() }
    }
    fn decide(&mut self, _: &Dependencies) -> Next {
        self.trap("decide");
        round(&[(0, &[0])])
    }
    fn learn(&mut self, _: &Round, _: &[(u32, f64)]) {
        self.trap("learn");
    }
    fn reduce_parallelism(&mut self) {
        self.trap("reduce_parallelism");
    }
    fn save(&self, _: &mut Writer) {
        self.trap("save");
    }
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        self.trap("load");
        Ok(())
    }
}
