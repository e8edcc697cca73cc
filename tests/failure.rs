//! What goes wrong ends the run with an error that says what, never with a hang; a checkpoint survives anything.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

mod programs;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use programs::{bytes, mixing, within_a_minute};
use raddle::schedule::{
    Assignment, Automatic, Candidates, Cyclic, EachShard, EpochStart, Grid, Next, Plan, Rotation, Round,
    Schedule, Shuffled, Variables,
};
use raddle::state::{Reader, State, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Engine, EngineError, Evaluate, Fold, Metric, Outcome, Parts, Program,
    TaskOf, Update, UpdateBlock, Verdict, Visibility,
};
use raddle_common::testing::{Checkpoint, copy_folder};

// ---- panics ----

/// The verb that panics, from epoch `at` on; on shards it is the fifth one's.
struct Trap {
    place: &'static str,
    at: u64,
}

impl Trap {
    fn step_on(&self, place: &str, epoch: u64) {
        assert!(place != self.place || epoch < self.at, "the trap in {place} in epoch {epoch}");
    }
}

struct Trapped {
    trap: Arc<Trap>,
    visibility: Visibility,
}

/// A block that may panic while it is written or read.
struct Fragile(u64);

impl State for Fragile {
    fn save(&self, out: &mut Writer) {
        assert!(self.0 != u64::MAX, "the trap in save in epoch 1");
        out.write(&self.0);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        from.read().map(Self)
    }
}

impl Program for Trapped {
    raddle::program!(Shard = u64, Block = Fragile, Replica = u64, Partial = u64; update_block, fold);

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        let first = *at.partials.iter().next().unwrap();
        self.trap.step_on("aggregate", first / 8);
        first
    }
    fn commit(&self, change: &u64, _: &mut u64) {
        self.trap.step_on("commit", *change / 8);
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> u64 {
        if at.number == 4 {
            self.trap.step_on("evaluate", *at.shard / 3);
        }
        0
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        self.trap.step_on("conclude", at.boundary.epoch);
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl UpdateBlock for Trapped {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> u64 {
        let BlockTaskOf { task, shard, block, .. } = at;
        if task.shard == 4 {
            self.trap.step_on("update", task.epoch);
        }
        if self.trap.place == "save" && task.epoch == self.trap.at {
            block.0 = u64::MAX;
        }
        *shard += 1;
        *shard
    }
}

impl Fold for Trapped {
    fn fold(&self, so_far: &mut u64, next: u64) {
        self.trap.step_on("fold", next / 8);
        *so_far = next;
    }
}

struct TrappedSchedule(Arc<Trap>, Rotation);

impl Schedule for TrappedSchedule {
    fn identity(&self) -> String {
        "a trapped rotation".into()
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan {
        self.0.step_on("schedule", start.epoch);
        self.1.begin_epoch(start)
    }
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

fn trapped(place: &'static str, visibility: Visibility) -> Engine<Trapped> {
    let trap = Arc::new(Trap { place, at: 1 });
    let schedule = TrappedSchedule(Arc::clone(&trap), Rotation::new(6, 3));
    let parts = Parts::new(vec![0; 6], 0).blocks((0..3).map(Fragile).collect());
    Engine::new(Trapped { trap, visibility }, schedule, parts).epochs(5)
}

#[test]
fn a_panic_anywhere_ends_the_run_with_its_message() {
    let places = ["update", "fold", "aggregate", "commit", "evaluate", "conclude", "schedule", "save"];
    for place in places {
        for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
            for (workers, serialized) in [(1, false), (1, true), (2, false), (3, true), (7, false), (7, true)]
            {
                let folds = place != "fold" || visibility == Visibility::AtBoundary;
                let saves = place != "save" || (serialized && workers > 1);
                if !folds || !saves {
                    continue;
                }
                let engine =
                    trapped(place, visibility).workers(workers).threads(workers).serialized(serialized);
                let failure = within_a_minute(move || engine.run().err());
                let text = failure.map(|error| error.to_string()).unwrap_or_default();
                let context = format!("{text}: {workers} workers, serialized {serialized}, {visibility:?}");
                // In which verb, on what, when, and where in the program.
                let within = match place {
                    "update" => "update of shard 4, epoch 1, round ",
                    "fold" => "fold of shard ",
                    "aggregate" => "aggregate, epoch ",
                    "commit" => "commit of worker ",
                    "evaluate" => "evaluate of shard 4 ",
                    "conclude" => "conclude, epoch 1 ",
                    "schedule" => "the schedule's begin_epoch, epoch 1 ",
                    _ => "save of a message to worker ",
                };
                let expected = format!("a worker ended the run: {within}");
                assert!(text.starts_with(&expected), "{context}");
                assert!(text.contains(" panicked at tests/failure.rs:"), "{context}");
                assert!(text.ends_with(&format!(": the trap in {place} in epoch 1")), "{context}");
            }
        }
    }
}

#[test]
fn a_verb_the_program_lacks_is_named() {
    struct Bare;
    impl Program for Bare {
        raddle::program!(;);
        fn aggregate(&self, _: Aggregate<'_, Self>) {}
        fn commit(&self, (): &(), (): &mut ()) {}
        fn evaluate(&self, _: Evaluate<'_, Self>) {}
        fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
            Verdict::new(Metric::new("none", 1.0, "nothing"))
        }
    }
    let parts = || Parts::new(vec![(); 2], ()).blocks(vec![(); 2]);
    let refused = |schedule: Box<dyn Schedule>| Engine::new(Bare, schedule, parts()).run().err().unwrap();
    let variables = || Variables::in_ranges(vec![1; 4], vec![0, 2, 4]);
    // Shipped schedules say what they ask for: nothing runs.
    let shipped: [(Box<dyn Schedule>, _); 4] = [
        (
            Box::new(Rotation::new(2, 2)),
            "the schedule brings shards blocks, but the program has no `update_block`: ",
        ),
        (
            Box::new(Grid::new(2, 2)),
            "the schedule brings shards blocks, but the program has no `update_block`: ",
        ),
        (
            Box::new(Cyclic::new(variables(), 2)),
            "the schedule asks shards to update variables, but the program has no `update`: ",
        ),
        (
            Box::new(Automatic::new(variables(), vec![Box::new(Shuffled::new(variables(), 2, 1))])),
            "the schedule asks shards to update variables, but the program has no `update`: ",
        ),
    ];
    for (schedule, expected) in shipped {
        let EngineError::Setting(why) = refused(schedule) else { panic!("{expected} is told too late") };
        assert!(why.starts_with(expected) && why.contains(" in its `program!(..; update"), "{why}");
    }
    // Any other schedule is refused when it asks, without a panic.
    let task = |block| Round { phase: (), tasks: vec![Assignment { shard: 0, block, variables: vec![0] }] };
    let related = Candidates { phase: (), variables: vec![0], owners: vec![(0, vec![0])] };
    for (next, expected) in [
        (Next::Round(task(None)), "`update`: "),
        (Next::Round(task(Some(0))), "`update_block`: "),
        (Next::Relate(related), "`relate`: "),
    ] {
        for known in [false, true] {
            let EngineError::Worker(why) = refused(Box::new(Fixed(next.clone(), known))) else {
                panic!("{expected} is told too soon")
            };
            assert!(why.contains(expected) && !why.contains("panicked"), "{why}");
        }
    }
}

#[test]
fn a_partial_of_another_kind_is_an_error_that_names_both() {
    #[derive(Debug)]
    enum Partial {
        Moves(Vec<f64>),
        Share(f64),
    }
    raddle::state!(
        enum Partial {
            Moves(moves),
            Share(share),
        }
    );
    /// Answers what is named in it.
    struct Confused(&'static str);
    impl Program for Confused {
        raddle::program!(Partial = Partial, Change = (); update);
        fn aggregate(&self, at: Aggregate<'_, Self>) {
            raddle::answers!(at.partials, Partial::Moves);
        }
        fn commit(&self, (): &(), (): &mut ()) {}
        fn evaluate(&self, at: Evaluate<'_, Self>) -> Partial {
            if self.0 == "moves" && at.boundary.epoch == 1 && at.number == 1 {
                Partial::Moves(Vec::new())
            } else {
                Partial::Share(0.5)
            }
        }
        fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
            assert_eq!(raddle::answers!(at.partials, Partial::Share).len(), 3, "nothing is dropped");
            Verdict::new(Metric::new("none", 1.0, "nothing"))
        }
    }
    impl Update for Confused {
        fn update(&self, at: TaskOf<'_, Self>) -> Partial {
            if self.0 == "share" && at.task.shard == 2 {
                Partial::Share(1.0)
            } else {
                Partial::Moves(vec![1.0])
            }
        }
    }
    let run = |confused, workers| {
        let engine =
            Engine::new(Confused(confused), EachShard::new(3), Parts::new(vec![(); 3], ())).epochs(2);
        engine.workers(workers).threads(workers).run().err().map(|error| error.to_string())
    };
    for workers in [1, 3] {
        assert_eq!(run("nothing", workers), None);
        let said = run("share", workers).unwrap();
        assert!(said.contains("aggregate, epoch 0"), "{said}");
        assert!(said.ends_with("shard 2 answers `Share` where `Partial::Moves` is due"), "{said}");
        let said = run("moves", workers).unwrap();
        assert!(said.contains("conclude, epoch 1") && said.contains("tests/failure.rs:"), "{said}");
        assert!(said.ends_with("shard 1 answers `Moves` where `Partial::Share` is due"), "{said}");
    }
}

// ---- schedules that err ----

struct Fixed(Next, bool);

impl Schedule for Fixed {
    fn identity(&self) -> String {
        "always the same".into()
    }
    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        match &self.0 {
            Next::Round(round) if self.1 => Plan::Known(vec![round.clone()]),
            _ => Plan::Stepwise,
        }
    }
    fn next_round(&mut self) -> Next {
        self.0.clone()
    }
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

fn refusal(next: Next, known: bool, visibility: Visibility) -> String {
    let trap = Arc::new(Trap { place: "nowhere", at: 0 });
    let parts = Parts::new(vec![0; 6], 0).blocks((0..3).map(Fragile).collect());
    let engine =
        Engine::new(Trapped { trap, visibility }, Fixed(next, known), parts).workers(2).threads(2).epochs(1);
    let error = within_a_minute(move || engine.run()).err().map(|error| error.to_string());
    error.unwrap_or_default()
}

#[test]
fn a_schedule_that_names_what_is_not_there_or_twice_is_told_so() {
    let task = |shard, block| Assignment { shard, block, variables: vec![] };
    let round = |tasks: &[Assignment]| Next::Round(Round { phase: (), tasks: tasks.to_vec() });
    for (tasks, expected) in [
        (vec![task(6, None)], "the schedule names shard 6, but there are 6, counted from 0"),
        (vec![task(0, Some(3))], "the schedule names block 3, but there are 3, counted from 0"),
        (vec![task(2, Some(0)), task(2, Some(1))], "the schedule names shard 2 twice in one round"),
        (vec![task(2, Some(1)), task(3, Some(1))], "the schedule names block 1 twice in one round"),
    ] {
        for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
            for known in [true, false] {
                let text = refusal(round(&tasks), known, visibility);
                assert_eq!(text, format!("a worker ended the run: {expected}"));
            }
        }
    }
    let relate = |owners| Next::Relate(Candidates { phase: (), variables: vec![7, 8], owners });
    for (owners, expected) in [
        (vec![(9, vec![0])], "the schedule relates variables of shard 9, but there are 6, counted from 0"),
        (vec![(1, vec![2])], "the schedule relates candidate 2, but names 2, counted from 0"),
    ] {
        let text = refusal(relate(owners), false, Visibility::EachRound);
        assert_eq!(text, format!("a worker ended the run: {expected}"));
    }
}

// ---- settings ----

#[test]
fn settings_that_make_no_sense_are_refused_before_anything_runs() {
    let engine = || trapped("schedule", Visibility::AtBoundary);
    for (engine, expected) in [
        (engine().workers(0), "a run needs at least 1 worker"),
        (engine().threads(0), "a run needs at least 1 thread"),
        (engine().rescale(&[(1, 2), (3, 0)]), "a run needs at least 1 worker"),
        (engine().checkpoint(0, "nowhere"), "a checkpoint every 0 epochs makes no sense: give 1 or more"),
        (engine().costs(vec![1; 5]), "5 costs are given for 6 shards: give one for each"),
        (engine().time_limit(f64::NAN), "a time limit of NaN seconds makes no sense: give 0 or more"),
        (engine().time_limit(-1.0), "a time limit of -1 seconds makes no sense: give 0 or more"),
        (
            engine().checkpoint(1, "nowhere"),
            "checkpoints need an identity: give `Engine::identity` a text that is the same exactly when data and \
             parameters are",
        ),
    ] {
        assert_eq!(engine.run().err().unwrap().to_string(), expected);
    }
}

// ---- checkpoints ----

const EPOCHS: u64 = 6;

fn run() -> Engine<mixing::Mixing> {
    let problem = problem();
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).staleness(1).workers(2).identity("mixing").epochs(EPOCHS)
}

fn problem() -> mixing::Problem {
    mixing::Problem { shards: 5, blocks: 4, seed: 9, visibility: Visibility::EachRound, objective: true }
}

/// Why a resume from this file fails.
fn refused<P: Program>(engine: Engine<P>, file: &Path) -> String {
    match engine.resume(file).run() {
        Err(error @ EngineError::Checkpoint { .. }) => {
            let text = error.to_string();
            let named = format!("checkpoint {}", file.display());
            let rest = text.strip_prefix(&named).and_then(|rest| rest.split_once(": "));
            rest.unwrap_or_else(|| panic!("{text} does not name {named}")).1.to_owned()
        }
        Err(error) => panic!("not a checkpoint's error: {error}"),
        Ok(_) => panic!("the checkpoint was accepted"),
    }
}

fn checkpoint(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let file = folder.path().join("run.checkpoint");
    run().epochs(3).checkpoint(3, &file).run().unwrap();
    file
}

#[test]
fn a_checkpoint_that_is_missing_foreign_or_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = checkpoint(&folder);
    let missing = folder.path().join("missing");
    assert!(refused(run(), &missing).starts_with("it cannot be read: "));
    assert_eq!(refused(run(), folder.path()), "there is no whole checkpoint in it: begin the run anew");
    let resume = "resume with the same";
    assert_eq!(
        refused(run().identity("another"), &file),
        format!(
            "it belongs to a run on other data or with other parameters (`mixing` there, `another` here): {resume}"
        )
    );
    let (program, parts) = problem().parts();
    let rotation = "rotation of 4 blocks round 5 shards, phases [0]";
    let other_schedule =
        Engine::new(program, Rotation::new(5, 4).phase(0), parts).staleness(1).identity("mixing");
    assert_eq!(
        refused(other_schedule, &file),
        format!("it belongs to a run with the schedule `a wanderer`, this one has `{rotation}`: {resume}")
    );
    for (engine, what) in [
        (run().staleness(0), "staleness 1, this one has 0"),
        (run().guard(false), "the guard on, this one has off"),
        (run().costs(vec![1, 1, 1, 2, 1]), "a counted cost of shard 3 of 1, this one has 2"),
    ] {
        assert_eq!(refused(engine, &file), format!("it belongs to a run with {what}: {resume}"));
    }
    let smaller = mixing::Problem { shards: 4, ..problem() };
    let (program, parts) = smaller.parts();
    let other_shards = Engine::new(program, smaller.schedule(), parts).staleness(1).identity("mixing");
    assert_eq!(refused(other_shards, &file), format!("it has 5 shards, this run has 4: {resume}"));
    // A newer version.
    Checkpoint::last(&file).forge_manifest(|bytes| bytes[8] += 1);
    assert!(refused(run(), &file).starts_with("it has version 5, and this program reads version 4"));
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    run().epochs(4).checkpoint(2, &file).run().unwrap();
    let last = Checkpoint::last(&file);
    std::fs::write(last.folder().join("part.0"), "nothing").unwrap();
    let whole = run().run().unwrap();
    let resumed = run().resume(&file).run().unwrap();
    assert!(bytes(&resumed.parts) == bytes(&whole.parts));
    let [warning] = &resumed.report.warnings[..] else { panic!("{:?}", resumed.report.warnings) };
    let (named, used) = (last.folder().display(), file.join("2.1"));
    assert!(warning.starts_with(&format!("checkpoint {named}: it is damaged")), "{warning}");
    assert!(warning.ends_with(&format!("; {} is used instead", used.display())), "{warning}");
}

/// Three epochs of the run above. `RADDLE_WRITE_CHECKPOINT=1` writes it: once for every version of the format,
/// and where the program of the tests computes something else.
#[test]
fn a_checkpoint_kept_from_the_first_day_of_this_version_is_resumed() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints/version-4");
    if std::env::var_os("RADDLE_WRITE_CHECKPOINT").is_some() {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(Checkpoint::last(&checkpoint(&folder)).folder(), &kept);
    }
    let (resumed, whole) = (run().resume(&kept).run().unwrap(), run().run().unwrap());
    assert_eq!(resumed.report.generations[0].epoch, 3);
    assert_eq!(resumed.digest(), whole.digest());
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing").join("run.checkpoint");
    let (tell, told) = std::sync::mpsc::channel();
    let warn = move |text: &str| tell.send(text.to_owned()).unwrap();
    let whole = run().run().unwrap();
    let warned = run().checkpoint(1, &nowhere).on_warning(warn).run().unwrap();
    assert!(bytes(&warned.parts) == bytes(&whole.parts));
    // Every epoch's failed, and it is said once.
    let [warning] = &warned.report.warnings[..] else { panic!("{:?}", warned.report.warnings) };
    assert!(
        warning.starts_with(&format!("checkpoint {}: it cannot be written: ", nowhere.display())),
        "{warning}"
    );
    assert!(!warning.contains("the one before"), "{warning}");
    assert_eq!(told.iter().collect::<Vec<_>>(), [warning.as_str()]);
}

#[test]
fn a_run_that_was_over_is_resumed_to_its_end_and_not_beyond() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let over = run().checkpoint(2, &file).run().unwrap();
    let again = run().workers(3).resume(&file).run().unwrap();
    assert_eq!((over.report.epochs, again.report.epochs), (EPOCHS, EPOCHS));
    assert_eq!(over.report.ending, again.report.ending);
    // Shards of a run that was over are made anew, and no further epoch sets them up.
    assert_eq!(over.digest(), again.digest());
}

// ---- a process that is killed ----

const LONG: u64 = 40;
const FILE: &str = "RADDLE_TEST_CHECKPOINT";

fn long_run(file: &Path) -> Engine<mixing::Mixing> {
    let engine = run().epochs(LONG).checkpoint(1, file);
    if raddle::has_checkpoint(file) { engine.resume(file) } else { engine }
}

/// Run by the test below in a process of its own; says on its output which epochs are over.
#[test]
fn the_child_that_is_killed() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let run = long_run(Path::new(&file)).observe(|record| println!("\nover {}", record.epoch));
    run.run().unwrap();
}

#[test]
fn a_process_killed_again_and_again_leaves_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    // Killed once this number of further epochs is over, wherever it then is.
    for epochs in [1, 2, 9, 3, 5] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_child_that_is_killed", "--nocapture"])
            .env(FILE, &file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let over = lines.filter(|line| line.starts_with("over ")).take(epochs).count();
        assert_eq!(over, epochs, "the child ended before it was killed");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let Outcome { parts, report, .. } = within_a_minute(move || long_run(&file).run().unwrap());
    let undisturbed = run().epochs(LONG).run().unwrap();
    // It did go on from where it was killed: earlier generations are not in this report.
    assert!(report.generations[0].epoch > 10);
    assert_eq!(report.epochs, LONG);
    assert!(bytes(&parts) == bytes(&undisturbed.parts));
}
