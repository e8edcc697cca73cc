//! A run that is resumed is the run that it would have been: under its own target, concluded once a boundary.

use std::path::Path;

use raddle::schedule::{Cyclic, EachShard, Shuffled};
use raddle::{
    Aggregate, Conclude, Ending, Engine, Evaluate, Metric, Outcome, Parts, Program, Status, Stop, TaskOf,
    Update, Verdict,
};

use crate::programs::{bytes, ridge};

/// Halves the numbers of its shards; evaluating and concluding leave marks, so that a boundary that is
/// concluded twice, or not at all, shows.
struct Halving {
    target: f64,
    patience: Option<u64>,
}

impl Program for Halving {
    raddle::program!(
        Shard = (f64, u64), // a number, and how often it was evaluated
        Pinned = Vec<u64>, // the boundaries that were concluded
        Replica = u64, // commits
        Partial = f64,
        Change = u64;
        update
    );

    fn aggregate(&self, _: Aggregate<'_, Self>) -> u64 {
        1
    }
    fn commit(&self, change: &u64, commits: &mut u64) {
        *commits += change;
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 {
        let (number, evaluated) = at.shard;
        *evaluated += 1;
        *number
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        let epoch = at.boundary.epoch;
        at.pinned.push(epoch);
        let mut verdict =
            Verdict::new(Metric::new("sum", at.partials.sum(), "all numbers").target(self.target));
        if self.patience.is_some_and(|patience| epoch >= patience) {
            verdict.status = Status::Converged;
        }
        verdict.change = Some(1000);
        verdict.show("epochs", epoch as f64)
    }
}

impl Update for Halving {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 {
        let (number, _) = at.shard;
        *number /= 2.0;
        *number
    }
}

fn halving(target: f64) -> Engine<Halving> {
    let parts = Parts { shards: vec![(64.0, 0), (32.0, 0)], blocks: vec![], pinned: vec![], replica: 0 };
    Engine::new(Halving { target, patience: None }, EachShard::new(2), parts).identity("halving")
}

fn trace<P: Program>(outcome: &Outcome<P>, from: u64) -> Vec<(u64, u64, u64, u64)> {
    let late = outcome.trace.iter().filter(|record| record.epoch >= from);
    late.map(|record| (record.epoch, record.value().to_bits(), record.updates, record.rounds)).collect()
}

/// Checks that a resumed run equals the whole one: the model, the counts, and each boundary from the resume
/// on.
fn assert_same<P: Program>(resumed: &Outcome<P>, whole: &Outcome<P>, from: u64) {
    assert!(bytes(&resumed.parts) == bytes(&whole.parts));
    assert_eq!(trace(resumed, from), trace(whole, from));
    assert_eq!((resumed.report.ending, &resumed.report.metric), (whole.report.ending, &whole.report.metric));
    assert_eq!((resumed.report.rounds, resumed.report.epochs), (whole.report.rounds, whole.report.epochs));
}

#[test]
fn a_boundary_that_is_reached_is_concluded_anew_under_a_tighter_target() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    for workers in [1, 2, 3] {
        let reached = halving(10.0).workers(workers).checkpoint(1, &file).run().unwrap();
        assert_eq!((reached.report.ending, reached.report.epochs), (Ending::Target, 4));
        let whole = halving(1.0).run().unwrap();
        let resumed = halving(1.0).workers(workers).resume(&file).run().unwrap();
        assert_same(&resumed, &whole, 4);
        assert_eq!(resumed.parts.pinned, (0..=7).collect::<Vec<u64>>());
        // Under an equal target it is over at once, with an equal model; and under a looser one.
        for target in [10.0, 50.0] {
            let again = halving(target).workers(workers).resume(&file).run().unwrap();
            assert!(bytes(&again.parts) == bytes(&reached.parts));
            assert_eq!((again.report.ending, again.report.epochs), (Ending::Target, 4));
        }
    }
}

#[test]
fn a_run_that_a_limit_ended_goes_on_under_another_target() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    for limit in [0, 1, 3] {
        let limited = halving(1.0).epochs(limit).checkpoint(100, &file).run().unwrap();
        assert_eq!(limited.report.ending.name(), "limit");
        assert_same(&halving(0.5).resume(&file).run().unwrap(), &halving(0.5).run().unwrap(), limit);
        // A target that the model has reached already ends it there.
        let over = halving(96.0).resume(&file).run().unwrap();
        assert_eq!((over.report.ending, over.report.epochs), (Ending::Target, limit));
    }
}

#[test]
fn a_resumed_run_has_the_workers_that_the_plan_named_last() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let planned = || halving(1.0).workers(3).rescale(&[(3, 1), (1, 2)]);
    let whole = halving(1.0).run().unwrap();
    // The epochs before, the workers that the resumed run begins with, and its generations.
    for (limit, workers, generations) in [(0, 3, 3), (1, 2, 2), (2, 2, 2), (3, 1, 1), (5, 1, 1)] {
        planned().epochs(limit).checkpoint(100, &file).run().unwrap();
        let resumed = planned().resume(&file).run().unwrap();
        assert_same(&resumed, &whole, limit);
        let of = &resumed.report.generations;
        assert_eq!((of[0].epoch, of[0].workers, of.len()), (limit, workers, generations));
    }
}

#[test]
fn a_run_that_converged_goes_on_where_its_rule_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let patient = |patience| {
        let parts = Parts { shards: vec![(64.0, 0)], blocks: vec![], pinned: vec![], replica: 0 };
        let program = Halving { target: 1.0, patience: Some(patience) };
        Engine::new(program, EachShard::new(1), parts).identity("halving")
    };
    let short = patient(2).checkpoint(1, &file).run().unwrap();
    assert_eq!((short.report.ending, short.report.epochs), (Ending::Converged, 2));
    assert!(short.report.metric.is_missed());
    assert_same(&patient(4).resume(&file).run().unwrap(), &patient(4).run().unwrap(), 2);
}

#[test]
fn an_epoch_that_is_cancelled_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let stop = Stop::default();
    stop.request();
    let engine = halving(1e-9).stop(stop).checkpoint(1, &file);
    let outcome = engine.run().unwrap();
    assert_eq!(
        (outcome.report.ending, outcome.report.epochs, outcome.report.rounds),
        (Ending::Interrupted, 0, 0)
    );

    // Asked for while an epoch is under way: by a variable's update.
    struct Asking(Stop, ridge::Ridge);
    impl Program for Asking {
        raddle::program!(
            Shard = ridge::Columns, Replica = Vec<f64>, Partial = ridge::Answer;
            update
        );
        fn aggregate(&self, at: Aggregate<'_, Self>) -> Self::Change {
            self.1.aggregate(Aggregate { round: at.round, pinned: at.pinned, partials: at.partials })
        }
        fn commit(&self, change: &Self::Change, replica: &mut Self::Replica) {
            self.1.commit(change, replica);
        }
        fn evaluate(&self, at: Evaluate<'_, Self>) -> Self::Partial {
            let Evaluate { boundary, number, shard, replica } = at;
            self.1.evaluate(Evaluate { boundary, number, shard, replica })
        }
        fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Self::Change> {
            let Conclude { boundary, pinned, replica, partials } = at;
            self.1.conclude(Conclude { boundary, pinned, replica, partials })
        }
    }

    impl Update for Asking {
        fn update(&self, at: TaskOf<'_, Self>) -> Self::Partial {
            let TaskOf { task, shard, replica } = at;
            if task.epoch == 1 && task.round == 3 {
                self.0.request_now();
            }
            self.1.update(TaskOf { task, shard, replica })
        }
    }
    let problem = ridge::Problem::small(3);
    let engine = |stop: &Stop| {
        let (program, Parts { shards, replica, .. }) = problem.parts();
        let schedule = Cyclic::new(problem.variables(), 1);
        Engine::new(Asking(stop.clone(), program), schedule, Parts::new(shards, replica)).identity("asking")
    };
    let before = [0, 1].map(|epochs| engine(&Stop::default()).epochs(epochs).run().unwrap());
    for (workers, threads) in [(1, 1), (3, 1), (3, 3)] {
        let stop = Stop::default();
        let engine = |stop: &Stop| engine(stop).workers(workers).threads(threads);
        let outcome = engine(&stop).stop(stop.clone()).checkpoint(100, &file).run().unwrap();
        // It goes back to the last boundary that was kept: on a machine that is busy the first may still be
        // it, as what keeping takes is bounded by the time that epochs take.
        let epochs = outcome.report.epochs;
        assert!(epochs <= 1, "{epochs} on {threads} threads");
        assert_eq!(outcome.report.ending, Ending::Interrupted);
        assert_eq!(outcome.report.rounds, epochs * problem.columns as u64);
        assert_eq!(outcome.trace.len() as u64, epochs + 1);
        assert_eq!(outcome.trace.last().unwrap().ending, Some(Ending::Interrupted));
        assert_eq!(outcome.digest(), before[epochs as usize].digest());
        let whole = engine(&Stop::default()).epochs(3).run().unwrap();
        let resumed = engine(&Stop::default()).epochs(3).resume(&file).run().unwrap();
        assert_eq!((resumed.digest(), resumed.report.rounds), (whole.digest(), whole.report.rounds));
    }
}

#[test]
fn a_run_under_the_guard_goes_on_from_each_boundary_with_a_tighter_target() {
    // So much parallelism that epochs are rolled back.
    let problem = ridge::Problem { rows: 200, common: 1.0, ..ridge::Problem::small(3) };
    let engine = |target: f64| {
        let (mut program, parts) = problem.parts();
        program.target = target;
        Engine::new(program, Shuffled::new(problem.variables(), problem.columns, 1), parts).identity("ridge")
    };
    let whole = engine(1e-9).epochs(400).run().unwrap();
    assert!(whole.report.rollbacks > 0 && whole.report.ending == Ending::Target);
    let folder = tempfile::tempdir().unwrap();
    for limit in 0..12 {
        let file = folder.path().join(format!("after {limit}"));
        write_at(engine(1e-2), limit, &file);
        let resumed = engine(1e-9).epochs(400).resume(&file).run().unwrap();
        assert!(bytes(&resumed.parts) == bytes(&whole.parts), "from epoch {limit}");
        assert_eq!(resumed.report.rollbacks, whole.report.rollbacks, "from epoch {limit}");
    }
}

#[path = "../examples/svm.rs"]
#[allow(dead_code, reason = "its main is not run here")]
mod svm;

#[test]
fn an_example_that_reached_its_target_goes_on_under_a_tighter_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let engine = |target| svm::engine(target).identity("svm");
    let whole = engine(1e-5).run().unwrap();
    for workers in [1, 2, 3] {
        let reached = engine(1e-2).workers(workers).checkpoint(1, &file).run().unwrap();
        assert!(reached.report.ending == Ending::Target && reached.report.epochs < whole.report.epochs);
        let resumed = engine(1e-5).workers(workers).resume(&file).run().unwrap();
        assert_eq!(resumed.digest(), whole.digest());
        assert_same(&resumed, &whole, reached.report.epochs);
    }
}

fn write_at<P: Program>(engine: Engine<P>, limit: u64, file: &Path) {
    engine.epochs(limit).checkpoint(1000, file).run().unwrap();
    assert!(file.exists(), "it was done before the limit of {limit} epochs");
}
