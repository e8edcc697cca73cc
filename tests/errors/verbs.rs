//! Verbs that a program lacks, or that lose or mix up answers.

use raddle::schedule::{
    Assignment, Automatic, Candidates, Cyclic, EachShard, Grid, Next, Rotation, Round, Schedule, Shuffled,
    Variables,
};
use raddle::{
    Aggregate, Conclude, Engine, EngineError, Evaluate, Metric, Parts, Program, TaskOf, Update, Verbs,
    Verdict, Visibility,
};

use super::fixed::{Fixed, fixed};

/// A program that does nothing, and may have `update` and no more.
struct Bare<const UPDATES: bool>;

impl<const UPDATES: bool> Program for Bare<UPDATES> {
    type Shard = ();
    type Block = ();
    type Pinned = ();
    type Replica = ();
    type Partial = f64;
    type Change = ();
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        if UPDATES { Verbs::new().update() } else { Verbs::new() }
    }
    fn visibility(&self) -> Visibility {
        if UPDATES { Visibility::AtBoundary } else { Visibility::EachRound }
    }
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 {
        0.0
    }
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl<const UPDATES: bool> Update for Bare<UPDATES> {
    fn update(&self, _: TaskOf<'_, Self>) -> f64 {
        1.0
    }
}

#[test]
fn a_verb_the_program_lacks_is_named() {
    let parts = || Parts::new(vec![(); 2], ()).blocks(vec![(); 2]);
    let refused =
        |schedule: Box<dyn Schedule>| Engine::new(Bare::<false>, schedule, parts()).run().err().unwrap();
    let variables = || Variables::in_ranges(vec![1; 4], vec![0, 2, 4]);
    // Shipped schedules name the verbs that they require: nothing runs.
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
        assert!(why.starts_with(expected) && why.contains("in its `program!(..; "), "{why}");
    }
    // Any other schedule is refused when a round requires the verb, without a panic.
    let task = |block| Round::new((), vec![Assignment { shard: 0, block, variables: vec![0] }]);
    let related = Candidates { phase: (), variables: vec![0], owners: vec![(0, vec![0])] };
    for (next, expected) in [
        (Next::Round(task(None)), "`update`: "),
        (Next::Round(task(Some(0))), "`update_block`: "),
        (Next::Relate(related), "`relate`: "),
    ] {
        for is_known in [false, true] {
            let EngineError::Worker(why) =
                refused(Box::new(Fixed { is_known, named: None, ..fixed(next.clone(), "") }))
            else {
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
    /// Mixes up the answers that are named in it.
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
        assert!(said.contains("conclude, epoch 1") && said.contains("tests/errors/verbs.rs:"), "{said}");
        assert!(said.ends_with("shard 1 answers `Moves` where `Partial::Share` is due"), "{said}");
    }
}

#[test]
fn verbs_that_lose_answers_are_asked_for() {
    let run = |schedule| Engine::new(Bare::<true>, schedule, Parts::new(vec![(); 2], ())).epochs(2).run();
    assert_eq!(run(EachShard::new(2)).unwrap().report.tasks, 4);
    let EngineError::Setting(why) = run(EachShard::new(2).then(())).err().unwrap() else { panic!() };
    let expected = "the schedule asks a shard more than once before the boundary, but the program has no \
                    `fold`: implement `Fold` for it and name `fold` in its `program!(..; fold)`, or choose \
                    another schedule";
    assert_eq!(why, expected);
}
