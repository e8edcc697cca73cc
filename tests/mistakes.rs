//! Wrong use is noticed: each mistake that an author can make is refused, or found by the replay check, by name.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

mod programs;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use programs::forms::{self, Confused};
use programs::within_a_minute;
use raddle::schedule::{
    Assignment, Automatic, Candidates, Cyclic, Dependencies, EachShard, Next, Outlook, Plan, Priority,
    PrioritySettings, Rotation, Round, Schedule, Shuffled, Variables,
};
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Boundary, Ending, Engine, EngineError, Fold, Metric, Parts, Program, Relate, State, Task, Update,
    UpdateBlock, Verbs, Verdict, Visibility, replay,
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
    fn commit_shard(&self, _: &Moves, _: u32, shard: &mut (Value, u64)) {
        self.trap("commit_shard");
        shard.0.value += 1;
    }
    fn moved(&self, change: &Moves, tell: &mut dyn FnMut(u32, f64)) {
        self.trap("moved");
        change.iter().for_each(|&(variable, by)| tell(variable, by));
        if self.mistake == "moved beyond" {
            tell(12, 1.0);
        }
    }
    fn certify(&self, _: &Boundary, _: u32, _: &mut (Value, u64), _: &Replica) -> Moves {
        self.trap("certify");
        Vec::new()
    }
    fn conclude(
        &self,
        at: &Boundary,
        _: &mut Value,
        replica: &Replica,
        _: Vec<(u32, Moves)>,
    ) -> Verdict<Moves> {
        self.trap("conclude");
        let value = match self.mistake {
            "NaN" => f64::NAN,
            "infinite" => f64::INFINITY,
            "minus infinite" => f64::NEG_INFINITY,
            _ => replica.sums.iter().sum::<f64>() + 1.0,
        };
        let mut verdict = Verdict::new(Metric::new("sum", value, "nothing").target(-1.0));
        if self.mistake == "weights beyond" {
            verdict.weights.push((13, 1.0));
        }
        if self.mistake == "worse" {
            verdict.objective = Some(at.epoch as f64);
        }
        verdict
    }
    fn remember(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
        self.trap("remember");
        out.write(&shard.0);
        out.write(&if self.mistake == "forgotten" { 0 } else { shard.1 });
    }
    fn recall(&self, shard: &mut (Value, u64), from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.trap("recall");
        *shard = from.read()?;
        Ok(())
    }
}

impl Update for Sums {
    fn update(&self, task: &Task, shard: &mut (Value, u64), replica: &Replica) -> Moves {
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
    fn update_block(&self, task: &Task, shard: &mut (Value, u64), block: &mut Value, _: &Replica) -> Moves {
        self.trap("update_block");
        shard.1 += 1;
        block.value += u64::from(task.shard);
        vec![(task.shard * 4, 1.0)]
    }
}

impl Relate for Sums {
    fn gather(&self, task: &Task, _: &(Value, u64)) -> Moves {
        self.trap("gather");
        task.variables.iter().map(|&variable| (variable, 0.0)).collect()
    }

    fn relate(&self, _: &(), candidates: &[u32], _: Vec<(u32, Moves)>) -> Dependencies {
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
    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
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
    fn shrink(&mut self) {
        self.trap("shrink");
    }
    fn save(&self, _: &mut Writer) {
        self.trap("save");
    }
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        self.trap("load");
        Ok(())
    }
}

#[test]
fn a_schedule_that_names_what_it_may_not_is_refused_by_name() {
    let relate = |owners| Next::Relate(Candidates { phase: (), variables: vec![1, 5], owners });
    for (next, expected) in [
        (round(&[(3, &[0])]), "the schedule names shard 3, but there are 3, counted from 0"),
        (round(&[(u32::MAX, &[])]), "the schedule names shard 4294967295, but there are 3"),
        (round(&[(0, &[0]), (0, &[1])]), "the schedule names shard 0 twice in one round"),
        (round(&[(1, &[0])]), "the schedule hands variable 0 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[0]), (1, &[4, 3])]), "the schedule hands variable 3 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[1, 2, 1])]), "the schedule names variable 1 twice in one round"),
        (round(&[(2, &[11, 12])]), "the schedule names variable 12, but there are 12, counted from 0"),
        (relate(vec![(7, vec![0])]), "the schedule relates variables of shard 7, but there are 3"),
        (relate(vec![(0, vec![2])]), "the schedule relates candidate 2, but names 2, counted from 0"),
    ] {
        for text in said(move || engine("", fixed(next.clone(), ""))) {
            assert!(text.starts_with("a worker ended the run: ") && text.contains(expected), "{text}");
        }
    }
    // The next round may name the same again, and where nobody owns a variable any shard may update it.
    let anywhere =
        || Fixed { named: Some(Variables::anywhere(vec![1; 12], 3)), ..fixed(round(&[(1, &[0])]), "") };
    assert!(said(move || engine("", anywhere())).iter().all(|text| text == "nothing"));
}

#[test]
fn a_program_that_names_what_is_not_there_is_refused_by_name() {
    for (mistake, expected) in [
        ("moved beyond", "`moved` names variable 12, but there are 12, counted from 0"),
        ("weights beyond", "the verdict's weights name variable 13, but there are 12, counted from 0"),
        ("one related too many", "`relate` was asked what ties "),
    ] {
        for text in said(move || engine(mistake, priority())) {
            assert!(text.starts_with("a worker ended the run: ") && text.contains(expected), "{text}");
        }
    }
}

#[test]
fn a_panic_in_any_verb_says_where_it_was() {
    for (verb, within) in [
        ("update", "update of shard "),
        ("gather", "gather of shard "),
        ("relate", "relate, epoch 0, round "),
        ("aggregate", "aggregate, epoch 0, round 0"),
        ("commit", "commit of worker "),
        ("commit_shard", "commit_shard of shard "),
        ("moved", "moved, epoch 0, round 0"),
        ("certify", "certify of shard "),
        ("conclude", "conclude, epoch 0"),
    ] {
        for text in said(move || engine(verb, priority())) {
            let expected = format!("a worker ended the run: {within}");
            assert!(
                text.starts_with(&expected) && text.contains(" panicked at tests/mistakes.rs:"),
                "{text}"
            );
            assert!(text.ends_with(&format!("the trap in {verb}")), "{text}");
        }
    }
    for verb in ["update_block", "fold"] {
        for text in said(move || with(verb, Visibility::AtBoundary, Rotation::new(3, 2))) {
            assert!(text.contains(" of shard ") && text.contains(", epoch 0, round "), "{text}");
            assert!(text.ends_with(&format!("the trap in {verb}")), "{text}");
        }
    }
    for method in ["begin_epoch", "next_round", "decide", "learn"] {
        let relate =
            Next::Relate(Candidates { phase: (), variables: vec![0, 1], owners: vec![(0, vec![0, 1])] });
        for text in said(move || engine("", fixed(relate.clone(), method))) {
            assert!(
                text.starts_with(&format!("a worker ended the run: the schedule's {method}, epoch 0")),
                "{text}"
            );
        }
    }
    for method in ["shrink", "save", "load"] {
        // The guard returns to the boundary before.
        for text in said(move || engine("worse", fixed(round(&[(0, &[0])]), method))) {
            assert!(
                text.contains("the schedule") && text.ends_with(&format!("the trap in {method}")),
                "{text}"
            );
        }
    }
    for verb in ["remember", "recall"] {
        let program = move || {
            let program = Sums { mistake: verb, visibility: Visibility::EachRound, behind: Mutex::default() };
            struct Worse(Sums);
            impl Program for Worse {
                type Shard = (Value, u64);
                type Block = Value;
                type Pinned = Value;
                type Replica = Replica;
                type Partial = Moves;
                type Change = Moves;
                type Phase = ();

                fn verbs() -> Verbs<Self> {
                    Verbs::new().update()
                }
                fn aggregate(&self, round: &Round, pinned: &mut Value, partials: Vec<(u32, Moves)>) -> Moves {
                    self.0.aggregate(round, pinned, partials)
                }
                fn commit(&self, change: &Moves, replica: &mut Replica) {
                    self.0.commit(change, replica);
                }
                fn certify(&self, _: &Boundary, _: u32, _: &mut (Value, u64), _: &Replica) -> Moves {
                    Vec::new()
                }
                fn conclude(
                    &self,
                    at: &Boundary,
                    _: &mut Value,
                    _: &Replica,
                    _: Vec<(u32, Moves)>,
                ) -> Verdict<Moves> {
                    let metric = Metric::new("nothing", 1.0, "nothing");
                    Verdict { objective: Some(at.epoch as f64), ..Verdict::new(metric) }
                }
                fn remember(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
                    self.0.remember(shard, out);
                }
                fn recall(
                    &self,
                    shard: &mut (Value, u64),
                    from: &mut Learned<Reader<'_>>,
                ) -> Result<(), StateError> {
                    self.0.recall(shard, from)
                }
            }

            impl Update for Worse {
                fn update(&self, task: &Task, shard: &mut (Value, u64), replica: &Replica) -> Moves {
                    self.0.update(task, shard, replica)
                }
            }
            let Parts { shards, blocks, pinned, replica } = parts("");
            Engine::new(Worse(program), cyclic(), Parts { shards, blocks, pinned, replica }).epochs(3)
        };
        for workers in [1, 3] {
            let error = within_a_minute(move || program().workers(workers).run().err().unwrap()).to_string();
            assert!(error.starts_with(&format!("a worker ended the run: {verb} of shard ")), "{error}");
        }
    }
}

#[test]
fn a_panic_while_a_checkpoint_is_written_or_read_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    for (mistake, within) in [
        ("remember", "remember of shard 0"),
        ("save shard", "remember of shard 0"),
        ("save block", "save of block 0"),
        ("save pinned", "remember_pinned"),
    ] {
        let error = engine(mistake, cyclic()).checkpoint(1, &file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.contains(" panicked at tests/mistakes.rs:"),
            "{mistake}: {error}"
        );
        assert!(!raddle::has_checkpoint(&file));
    }
    engine("", cyclic()).checkpoint(1, &file).run().unwrap();
    let error = engine("recall", cyclic()).resume(&file).run().err().unwrap().to_string();
    assert!(error.starts_with(&format!("checkpoint {}", file.join("3.").display())), "{error}");
    assert!(error.contains("recall of shard 0 panicked at tests/mistakes.rs:"), "{error}");
    for (fails, within) in [
        ("load block", "load of block 0"),
        ("load pinned", "recall_pinned"),
        ("load shard", "recall of shard 0"),
    ] {
        engine(fails, cyclic()).checkpoint(1, &file).run().unwrap();
        let error = engine("", cyclic()).resume(&file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.ends_with("a value is not loaded; resume with the same"),
            "{error}"
        );
    }
    for (method, within) in [("save", "the schedule's remember"), ("load", "the schedule's recall")] {
        let schedule = move || fixed(round(&[(0, &[0])]), method);
        let written = engine("", schedule()).checkpoint(1, &file).run().err();
        let error = written.or_else(|| engine("", schedule()).resume(&file).run().err()).unwrap().to_string();
        assert!(error.contains(within) && error.contains(&format!("the trap in {method}")), "{error}");
        engine("", fixed(round(&[(0, &[0])]), "")).checkpoint(1, &file).run().unwrap();
    }
}

#[test]
fn settings_of_zero_and_variables_that_do_not_fit_are_refused_before_anything_runs() {
    let refused = |engine: Engine<Sums>| match engine.run() {
        Err(EngineError::Setting(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it ran"),
    };
    let ranges = |starts: &[u32]| Cyclic::new(Variables::in_ranges(vec![1; 12], starts.to_vec()), 4);
    let settings = |parallelism| PrioritySettings { parallelism, ..PrioritySettings::new(1, 1) };
    let none = Parts { shards: Vec::new(), ..parts("") };
    let sums = Sums { mistake: "", visibility: Visibility::EachRound, behind: Mutex::default() };
    let choices: Vec<Box<dyn Schedule>> = vec![Box::new(cyclic()), Box::new(Cyclic::new(variables(), 0))];
    for (engine, expected) in [
        (engine("", Cyclic::new(variables(), 0)), "a parallelism of 0"),
        (engine("", Shuffled::new(variables(), 0, 1)), "a parallelism of 0"),
        (engine("", Priority::new(variables(), settings(0))), "a parallelism of 0"),
        (engine("", Automatic::new(variables(), choices)), "a parallelism of 0"),
        (engine("", Rotation::new(4, 2)), "the schedule was made for 4 shards, but there are 3"),
        (engine("", Rotation::new(3, 1)), "the schedule was made for 1 blocks, but there are 2"),
        (engine("", EachShard::new(2)), "the schedule was made for 2 shards, but there are 3"),
        (engine("", ranges(&[0, 6, 12])), "the variables belong to 2 shards, but there are 3"),
        (engine("", ranges(&[0, 4, 8, 10, 12])), "the variables belong to 4 shards, but there are 3"),
        (engine("", ranges(&[1, 4, 8, 12])), "must begin with 0, not fall, and end with 12: [1, 4, 8, 12]"),
        (engine("", ranges(&[0, 8, 4, 12])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[0, 4, 8, 13])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[])), "must begin with 0, not fall, and end with 12"),
        (
            engine("", Cyclic::new(Variables::anywhere(vec![1; 12], 4), 4)),
            "the variables belong to 4 shards, but there are 3",
        ),
        (Engine::new(sums, EachShard::new(0), none), "a run needs at least 1 shard"),
        (engine("", cyclic()).workers(0), "a run needs at least 1 worker"),
        (engine("", cyclic()).threads(0), "a run needs at least 1 thread"),
        (engine("", cyclic()).checkpoint(0, "nowhere"), "a checkpoint every 0 epochs"),
        (engine("", cyclic()).time_limit(f64::NAN), "a time limit of NaN seconds"),
    ] {
        let why = refused(engine);
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn a_metric_that_is_not_finite_ends_the_run_as_diverged() {
    for mistake in ["NaN", "infinite", "minus infinite"] {
        for workers in [1, 2, 3] {
            let report = engine(mistake, cyclic()).workers(workers).run().unwrap().report;
            assert_eq!((report.ending, report.epochs), (Ending::Diverged, 0), "{mistake}");
        }
    }
}

#[test]
fn resume_with_a_changed_setting_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let shuffled = |parallelism, seed| engine("", Shuffled::new(variables(), parallelism, seed));
    shuffled(4, 1).checkpoint(1, &file).run().unwrap();
    shuffled(4, 1).resume(&file).workers(3).epochs(9).time_limit(60.0).run().unwrap();
    let dearer = Variables::in_ranges(vec![2; 12], vec![0, 4, 8, 12]);
    for (engine, expected) in [
        (shuffled(3, 1), "parallelism 4"),
        (shuffled(4, 2), "shuffled, seed 1"),
        (engine("", cyclic()), "this one has `cyclic, "),
        (engine("", Shuffled::new(dearer, 4, 1)), "the schedule `shuffled, "),
        (shuffled(4, 1).staleness(1), "staleness 0, this one has 1"),
        (shuffled(4, 1).guard(false), "the guard on, this one has off"),
        (shuffled(4, 1).costs(vec![1, 1, 5]), "a counted cost of shard 2 of 1, this one has 5"),
        (shuffled(4, 1).identity("other sums"), "(`sums` there, `other sums` here)"),
    ] {
        let error = engine.resume(&file).run().err().unwrap().to_string();
        assert!(error.contains(expected) && error.ends_with("resume with the same"), "{error}");
    }
}

#[test]
fn what_breaks_replay_is_found_with_its_epoch_and_part() {
    let found = |mistake: &'static str| {
        let error = within_a_minute(move || replay::check(|| engine(mistake, cyclic())).err());
        match error {
            Some(EngineError::Replay { how, epoch, part, causes }) => (how, epoch, part, causes.to_owned()),
            Some(error) => panic!("{mistake}: {error}"),
            None => panic!("{mistake}: nothing was found"),
        }
    };
    let (how, epoch, part, causes) = found("a HashMap");
    assert_eq!((how.as_str(), epoch, part.as_str()), ("run once more", 0, "the change of round 0"));
    assert!(causes.contains("the order of a HashMap"));
    let (how, epoch, part, causes) = found("a thread");
    assert!(how.starts_with("on 2 workers") || how.starts_with("on 3 workers"), "{how}");
    assert!(epoch == 0 && part.starts_with("the change of round"), "{part}");
    assert!(causes.contains("a clock"));
    let (how, epoch, part, causes) = found("forgotten");
    assert!(how.starts_with("resumed on 2 workers after 1 "), "{how}");
    assert_eq!((epoch, part.as_str()), (1, "the change of round 0"));
    assert!(causes.contains("`remember`"));
    // Many shards a round, of which one comes first.
    let error = within_a_minute(|| replay::check(|| engine("a lock", EachShard::new(3))).err()).unwrap();
    let EngineError::Replay { how, epoch, part, causes } = error else { panic!("{error}") };
    assert_eq!(
        (how.as_str(), epoch, part.as_str()),
        ("with tasks in reverse order", 0, "the change of round 0")
    );
    assert!(causes.contains("through a lock"));
    // One that is told by the run itself.
    let error =
        within_a_minute(|| replay::check(|| engine("a replica changed", EachShard::new(3))).err()).unwrap();
    assert!(
        error.to_string().contains("the replicas of workers 0 and 1 differ at the end of epoch"),
        "{error}"
    );
    for mistake in ["", "worse"] {
        replay::check(|| engine(mistake, cyclic())).unwrap();
        replay::check(|| engine(mistake, priority())).unwrap();
        replay::check(|| with(mistake, Visibility::AtBoundary, Rotation::new(3, 2))).unwrap();
    }
}

#[test]
fn forms_that_are_confused_are_found_and_named() {
    replay::check(|| forms::engine(Confused::Nothing)).unwrap();
    let found = |confused| match within_a_minute(move || replay::check(|| forms::engine(confused)).err()) {
        Some(EngineError::Replay { how, causes, .. }) => (how, causes),
        other => panic!("{confused:?}: {other:?}"),
    };
    for (confused, what, cause) in [
        (Confused::Schedule, "the schedule", "`Schedule::remember` and `recall` do"),
        (Confused::Pinned, "the pinned block", "`remember_pinned` and `recall_pinned` do"),
        (Confused::Shard, "a shard", "`remember` and `recall` do"),
        (Confused::Replica, "the replica", "its `State` leaves out"),
    ] {
        let (how, causes) = found(confused);
        assert_eq!(
            how,
            format!("handed over to another process at each boundary, of which only {what} crosses as bytes")
        );
        assert!(causes.contains(cause), "{causes}");
    }
    for (confused, cause) in [
        (Confused::KeptSchedule, "bring back though shards are made anew"),
        (Confused::KeptPinned, "leave out and nothing makes anew"),
    ] {
        let (how, causes) = found(confused);
        assert_eq!(how, "resumed on 2 workers after 1 epochs");
        assert!(causes.contains(cause), "{causes}");
    }
}

#[test]
fn builds_for_debugging_find_replicas_that_differ() {
    for text in
        said(|| engine("a replica changed", EachShard::new(3)).identity("replicas")).into_iter().skip(1)
    {
        let expected = "differ at the end of epoch 0: something changes a replica outside `commit`";
        assert!(text.contains("the replicas of workers 0 and "), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn verbs_that_lose_answers_are_asked_for() {
    struct Silent;
    impl Program for Silent {
        type Shard = ();
        type Block = ();
        type Pinned = ();
        type Replica = f64;
        type Partial = f64;
        type Change = f64;
        type Phase = ();

        fn verbs() -> Verbs<Self> {
            Verbs::new().update()
        }
        fn visibility(&self) -> Visibility {
            Visibility::AtBoundary
        }
        fn aggregate(&self, _: &Round, (): &mut (), numbers: Vec<(u32, f64)>) -> f64 {
            numbers.iter().map(|(_, number)| number).sum()
        }
        fn commit(&self, change: &f64, sum: &mut f64) {
            *sum += change;
        }
        fn certify(&self, _: &Boundary, _: u32, (): &mut (), _: &f64) -> f64 {
            0.0
        }
        fn conclude(&self, _: &Boundary, (): &mut (), _: &f64, _: Vec<(u32, f64)>) -> Verdict<f64> {
            Verdict::new(Metric::new("nothing", 1.0, "nothing"))
        }
    }

    impl Update for Silent {
        fn update(&self, _: &Task, (): &mut (), _: &f64) -> f64 {
            1.0
        }
    }
    let run = |schedule| Engine::new(Silent, schedule, Parts::new(vec![(), ()], 0.0)).epochs(2).run();
    assert_eq!(run(EachShard::new(2)).unwrap().parts.replica, 4.0);
    let EngineError::Setting(why) = run(EachShard::new(2).then(())).err().unwrap() else { panic!() };
    let expected = "the schedule asks a shard more than once before the boundary, but the program has no `fold`: \
                    implement `Fold` for it and name it in `verbs`, or choose another schedule";
    assert_eq!(why, expected);
}
