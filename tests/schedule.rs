//! Promises to a schedule: exact staleness, drained boundaries, a guard, no barrier in a rotation, and an
//! end.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use raddle::schedule::{
    Automatic, Cyclic, EachShard, EpochStart, Next, Plan, Priority, PrioritySettings, Rotation, Round,
    Schedule, Shuffled, Variables,
};
use raddle::state::{Reader, StateError, Writer};
use raddle::{
    Aggregate, Boundary, Conclude, Ending, Engine, Evaluate, Limit, Metric, Outcome, Parts, Program, Stop,
    TaskOf, Update, Verdict, Visibility,
};

use crate::programs::toy::Toy;
use crate::programs::{bytes, mf, mixing, ridge, without_a_hang};

// ---- staleness ----

/// Every task reports which commits it has seen, as (epoch, round, shard, how many).
struct Witness;

type Sighting = ((u64, u64), (u32, u64));

impl Program for Witness {
    raddle::program!(
        Shard = u64, Pinned = Vec<Sighting>, Replica = u64, Partial = Sighting, Change = ();
        update
    );

    fn aggregate(&self, at: Aggregate<'_, Self>) {
        at.pinned.extend(at.partials);
    }
    fn commit(&self, (): &(), replica: &mut u64) {
        *replica += 1;
    }
    fn commit_shard(&self, (): &(), _: u32, shard: &mut u64) {
        *shard += 1;
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Sighting {
        ((0, 0), (at.number, *at.replica))
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        let drained = |&(_, (_, seen)): &Sighting| seen == ROUNDS * at.boundary.epoch;
        assert!(at.partials.iter().all(drained) && *at.replica == ROUNDS * at.boundary.epoch);
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Witness {
    fn update(&self, at: TaskOf<'_, Self>) -> Sighting {
        let TaskOf { task, shard, replica } = at;
        assert_eq!(shard, replica, "a shard and the replica beside it see the same commits");
        ((task.epoch, task.round), (task.shard, *replica))
    }
}

/// More rounds than an idle worker's commits are held back for.
const ROUNDS: u64 = 150;
const SHARDS: u32 = 5;

/// Every round asks one shard or two; some shards rest for long.
struct OneByOne {
    round: u64,
    /// Rounds learned in this epoch when each round was asked for.
    learned: Arc<Mutex<Vec<u64>>>,
    known: bool,
}

fn asked(round: u64) -> Round {
    let first = (round / 40) as u32 % SHARDS;
    let second = Some((first + 2) % SHARDS).filter(|_| round.is_multiple_of(3));
    Round::to_shards((), std::iter::once(first).chain(second))
}

impl Schedule for OneByOne {
    fn identity(&self) -> String {
        "one by one".into()
    }
    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        self.round = 0;
        if self.known { Plan::Known((0..ROUNDS).map(asked).collect()) } else { Plan::Stepwise }
    }
    fn next_round(&mut self) -> Next {
        let mut learned = self.learned.lock().unwrap();
        if self.round == ROUNDS {
            *learned.last_mut().unwrap() = 0;
            return Next::EndOfEpoch;
        }
        let so_far = learned.pop().unwrap();
        learned.extend([so_far, so_far]);
        self.round += 1;
        Next::Round(asked(self.round - 1))
    }
    fn learn(&mut self, _: &Round, _: &[(u32, f64)]) {
        *self.learned.lock().unwrap().last_mut().unwrap() += 1;
    }
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

#[test]
fn round_t_reads_exactly_the_commits_up_to_t_minus_1_minus_s() {
    for (workers, staleness, known) in
        [(1, 0, false), (1, 3, false), (3, 0, true), (3, 1, false), (7, 2, true), (2, 1000, false)]
    {
        without_a_hang(move || {
            let learned = Arc::new(Mutex::new(vec![0]));
            let schedule = OneByOne { round: 0, learned: Arc::clone(&learned), known };
            let shards = vec![0; SHARDS as usize];
            let parts = Parts { shards, blocks: vec![], pinned: vec![], replica: 0 };
            let engine = Engine::new(Witness, schedule, parts).workers(workers).staleness(staleness);
            let outcome = engine.epochs(2).run().unwrap();
            let visible = |round: u64| round.saturating_sub(staleness as u64);
            for &((epoch, round), (_, seen)) in &outcome.parts.pinned {
                assert_eq!(seen, epoch * ROUNDS + visible(round), "{workers} workers, staleness {staleness}");
            }
            let tasks = (0..ROUNDS).map(|round| asked(round).tasks.len()).sum::<usize>();
            assert_eq!(outcome.parts.pinned.len(), 2 * tasks);
            if !known {
                let learned = learned.lock().unwrap();
                let expected = (0..ROUNDS).map(visible);
                assert!(learned[..ROUNDS as usize].iter().copied().eq(expected));
            }
        });
    }
}

/// The hint tells of the epoch that follows, so the last boundary has none.
#[test]
fn the_trace_says_how_many_workers_the_next_epoch_can_keep_busy() {
    fn wanted(schedule: impl Schedule, blocks: usize) -> Vec<Option<u32>> {
        let parts = Parts { shards: vec![(); 5], blocks: vec![(); blocks], pinned: (), replica: () };
        let outcome = Engine::new(Toy::new(|_| ()), schedule, parts).workers(2).epochs(2).run().unwrap();
        outcome.trace.iter().map(|record| record.wanted).collect()
    }
    let unknown = OneByOne { round: 0, learned: Arc::default(), known: true };
    assert_eq!(wanted(unknown, 0), [None; 3]);
    assert_eq!(wanted(EachShard::new(5), 0), [Some(5), Some(5), None]);
    assert_eq!(wanted(Box::new(EachShard::new(5)) as Box<dyn Schedule>, 0), [Some(5), Some(5), None]);
}

// ---- the guard ----

/// All 40 columns have much in common, so updating many at once diverges.
fn unstable() -> ridge::Problem {
    ridge::Problem { rows: 200, common: 1.0, ..ridge::Problem::small(3) }
}

fn all_at_once(guard: bool) -> Outcome<ridge::Ridge> {
    let problem = unstable();
    let (program, parts) = problem.parts();
    let schedule = Shuffled::new(problem.variables(), problem.columns, 1);
    Engine::new(program, schedule, parts).workers(2).guard(guard).epochs(400).run().unwrap()
}

#[test]
fn without_the_guard_too_much_parallelism_diverges() {
    let Outcome { report, trace, .. } = all_at_once(false);
    assert_eq!((report.ending, report.rollbacks), (Ending::Diverged, 0));
    assert!(trace[20].objective > trace[10].objective && trace[10].objective > trace[0].objective);
}

#[test]
fn with_the_guard_the_objective_never_rises_across_accepted_boundaries() {
    let Outcome { report, trace, .. } = all_at_once(true);
    assert_eq!(report.ending, Ending::Target);
    assert!(report.rollbacks > 0);
    assert_eq!(trace.iter().filter(|record| record.rolled_back).count() as u64, report.rollbacks);
    let accepted: Vec<f64> = trace.iter().filter(|r| !r.rolled_back).map(|r| r.objective.unwrap()).collect();
    assert!(accepted.is_sorted_by(|before, after| *after <= before * (1.0 + 1e-9)));
}

#[test]
fn structure_awareness_needs_no_rollback_where_blind_parallelism_does() {
    let problem = ridge::Problem { common: 0.0, ..unstable() };
    let (program, parts) = problem.parts();
    let settings = PrioritySettings { rho: Some(0.05), ..PrioritySettings::new(20, 1) };
    let schedule = Priority::new(problem.variables(), settings);
    let report = Engine::new(program, schedule, parts).epochs(200).run().unwrap().report;
    assert_eq!((report.ending, report.rollbacks), (Ending::Target, 0));
    assert!(report.rejected > 0);
}

#[test]
fn an_automatic_choice_survives_a_choice_that_diverges() {
    let problem = unstable();
    let (program, parts) = problem.parts();
    let choices: Vec<Box<dyn Schedule>> = vec![
        Box::new(Cyclic::new(problem.variables(), 1)),
        Box::new(Shuffled::new(problem.variables(), problem.columns, 1)),
    ];
    let schedule = Automatic::new(problem.variables(), choices);
    let report = Engine::new(program, schedule, parts).epochs(1000).run().unwrap().report;
    assert_eq!(report.ending, Ending::Target);
    assert!(report.rollbacks > 0);
}

#[test]
fn an_objective_that_worsens_at_any_parallelism_ends_the_run() {
    let variables = Variables::in_ranges(vec![1; 8], vec![0, 8]);
    // It rises whatever the schedule does.
    let objective = |boundary: &Boundary| Some(boundary.epoch as f64);
    let sinking = Toy { objective, visibility: Visibility::EachRound, ..Toy::new(|_| ()) };
    let engine = Engine::new(sinking, Cyclic::new(variables, 8), Parts::new(vec![()], ()));
    let report = without_a_hang(move || engine.run().unwrap().report);
    assert_eq!((report.ending, report.epochs), (Ending::Diverged, report.rollbacks));
}

// ---- endings ----

fn factorization() -> Engine<mf::Mf> {
    let problem = mf::Problem::small(1);
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts)
}

#[test]
fn a_stop_ends_the_run_after_the_epoch_under_way() {
    let stop = Stop::default();
    let (seen, at) = (stop.clone(), 3);
    let stopping = move |record: &raddle::EpochRecord| {
        if record.epoch == at {
            seen.request();
        }
    };
    let stopped = factorization().workers(2).stop(stop).observe(stopping).run().unwrap();
    assert_eq!((stopped.report.ending, stopped.report.epochs), (Ending::Interrupted, at));
    let limited = factorization().epochs(at).run().unwrap();
    assert_eq!(limited.report.ending, Ending::Limit(Limit::Epochs));
    assert!(bytes(&stopped.parts) == bytes(&limited.parts));
}

#[test]
fn limits_of_nothing_end_the_run_at_its_first_boundary() {
    let (_, untouched) = mf::Problem::small(1).parts();
    for (engine, ending) in [
        (factorization().epochs(0), Ending::Limit(Limit::Epochs)),
        (factorization().time_limit(0.0), Ending::Limit(Limit::Time)),
    ] {
        let outcome = engine.workers(2).run().unwrap();
        assert_eq!((outcome.report.ending, outcome.report.epochs), (ending, 0));
        assert!(bytes(&outcome.parts) == bytes(&untouched));
    }
}

#[test]
fn a_record_an_epoch_is_observed_as_it_is_traced() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let observe =
        move |record: &raddle::EpochRecord| sink.lock().unwrap().push((record.epoch, record.workers));
    let engine = factorization().workers(3).rescale(&[(2, 1)]).epochs(4).observe(observe);
    let outcome = engine.run().unwrap();
    assert_eq!(*seen.lock().unwrap(), [(0, 3), (1, 3), (2, 3), (3, 1), (4, 1)]);
    assert_eq!(outcome.trace.iter().map(|record| record.epoch).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let tasks = 2 * 6 * 4;
    assert!(
        outcome.trace[1..]
            .iter()
            .all(|record| record.updates == tasks && record.load.len() == record.workers)
    );
    assert_eq!(
        outcome.report.generations.iter().map(|g| (g.epoch, g.workers)).collect::<Vec<_>>(),
        [(0, 3), (2, 1)]
    );
}

// ---- sizes ----

#[test]
fn workers_beyond_the_shards_idle_and_the_report_says_so() {
    for (workers, idle) in [(1, 0), (6, 0), (7, 1), (40, 34)] {
        let report = without_a_hang(move || factorization().workers(workers).epochs(2).run().unwrap().report);
        assert_eq!((report.idle_workers, report.shards), (idle, 6), "{workers} workers");
    }
}

#[test]
fn no_blocks_one_shard_and_many_all_finish_with_the_same_bytes() {
    for visibility in [Visibility::EachRound, Visibility::AtBoundary] {
        for (shards, blocks) in [(3, 0), (1, 0), (1, 9), (1000, 300)] {
            let run = move |workers, serialized| {
                let problem = mixing::Problem { shards, blocks, seed: 5, visibility, objective: false };
                let (program, parts) = problem.parts();
                let engine = Engine::new(program, problem.schedule(), parts).serialized(serialized);
                bytes(&engine.workers(workers).threads(workers).staleness(1).epochs(2).run().unwrap().parts)
            };
            let [alone, four] = [(1, false), (4, true)].map(|(w, s)| without_a_hang(move || run(w, s)));
            assert!(alone == four, "{shards} shards, {blocks} blocks, {visibility:?}");
        }
    }
}

#[test]
fn shards_without_data_take_part() {
    // More shards than users, more blocks than items: some have no rows at all.
    let problem = mf::Problem {
        users: 4,
        items: 2,
        ratings_per_user: 3,
        shards: 9,
        blocks: 5,
        ..mf::Problem::small(2)
    };
    let (program, parts) = problem.parts();
    let outcome = Engine::new(program, problem.schedule(), parts).workers(3).epochs(2).run().unwrap();
    assert!(outcome.report.metric.value.is_finite());
    assert_eq!(outcome.report.tasks, 2 * 2 * 9 * 5);
}

// ---- no barrier ----

#[test]
fn a_rotation_has_no_barrier() {
    let (shards, blocks) = (4, 16);
    let rotation = Rotation::new(shards, blocks);
    // Tasks that do not need, directly or through others, the task of shard 0 in round 0: found by walking
    // the plan.
    let (mut held_shards, mut held_blocks, mut free) = (vec![], vec![], vec![]);
    for (number, round) in (0u64..).zip(rotation.rounds(0)) {
        for task in &round.tasks {
            let first = (task.shard, number) == (0, 0);
            if first || held_shards.contains(&task.shard) || held_blocks.contains(&task.block) {
                held_shards.push(task.shard);
                held_blocks.push(task.block);
            } else if task.shard >= shards / 2 {
                // Shards 2 and 3 are the second worker's.
                free.push((task.shard, number));
            }
        }
    }
    assert!(free.iter().any(|&(_, round)| round > 2), "the others may run ahead: {free:?}");
    // Shard 0's first task waits until the others have done all tasks that do not need its block.
    let (done, changed) = (Mutex::new(Vec::new()), Condvar::new());
    let gated = Toy::new(move |task| {
        let mut done = done.lock().unwrap();
        if (task.shard, task.round) != (0, 0) {
            done.push((task.shard, task.round));
            return changed.notify_all();
        }
        let waits = |done: &mut Vec<_>| !free.iter().all(|task| done.contains(task));
        let (_done, waited) = changed.wait_timeout_while(done, Duration::from_secs(30), waits).unwrap();
        assert!(!waited.timed_out(), "a slow task holds back tasks that do not need its shard or its block");
    });
    let parts = Parts::new(vec![(); shards as usize], ()).blocks(vec![(); blocks as usize]);
    let engine = Engine::new(gated, rotation, parts).workers(2).threads(2).epochs(1);
    assert_eq!(without_a_hang(move || engine.run()).unwrap().report.tasks, 64);
}
