//! A program says which of its tasks only measure; their seconds are told apart, and nothing else changes.

use raddle::schedule::{Rotation, Round};
use raddle::{
    Boundary, Engine, Fold, Metric, Outcome, Parts, Program, Task, UpdateBlock, Verbs, Verdict, Visibility,
};

/// What a round is for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Count,
    Measure,
}

raddle::state!(
    enum Phase {
        Count,
        Measure,
    }
);

/// Counts tasks of its first phase; those of the second, and evaluating, do counted work.
struct Counting {
    told: bool,
    visibility: Visibility,
}

fn work() -> u64 {
    std::hint::black_box(
        (0..200_000u64).fold(1, |sum, n| sum ^ sum.rotate_left(7).wrapping_add(std::hint::black_box(n))),
    )
}

impl Program for Counting {
    type Shard = ();
    type Block = u64;
    type Pinned = ();
    type Replica = u64;
    type Partial = u64;
    type Change = u64;
    type Phase = Phase;

    fn verbs() -> Verbs<Self> {
        Verbs::new().update_block().fold()
    }

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn is_evaluation(&self, phase: Option<&Phase>) -> bool {
        self.told && phase != Some(&Phase::Count)
    }
    fn aggregate(&self, _: &Round<Phase>, (): &mut (), partials: Vec<(u32, u64)>) -> u64 {
        partials.into_iter().map(|(_, partial)| partial).sum()
    }
    fn commit(&self, change: &u64, sum: &mut u64) {
        *sum += change;
    }
    fn evaluate(&self, _: &Boundary, _: u32, (): &mut (), _: &u64) -> u64 {
        work()
    }
    fn conclude(&self, _: &Boundary, (): &mut (), _: &u64, _: Vec<(u32, u64)>) -> Verdict<u64> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl UpdateBlock for Counting {
    fn update_block(&self, task: &Task<Phase>, (): &mut (), block: &mut u64, _: &u64) -> u64 {
        if task.phase == Phase::Measure {
            return work() & 1;
        }
        *block += 1;
        1
    }
}

impl Fold for Counting {
    fn fold(&self, so_far: &mut u64, next: u64) {
        *so_far += next;
    }
}

fn run(told: bool, visibility: Visibility, serialized: bool) -> Outcome<Counting> {
    let parts = Parts { shards: vec![(); 3], blocks: vec![0; 3], pinned: (), replica: 0 };
    let engine = Engine::new(
        Counting { told, visibility },
        Rotation::new(3, 3).phase(Phase::Count).then(Phase::Measure),
        parts,
    );
    engine.workers(2).serialized(serialized).epochs(2).run().expect("the program has no fault")
}

#[test]
fn what_only_measures_is_told_apart() {
    for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
        for serialized in [false, true] {
            let (told, untold) = (run(true, visibility, serialized), run(false, visibility, serialized));
            assert!(told.trace.iter().all(|record| record.measured > 0.0), "{visibility:?}");
            assert!(untold.trace.iter().all(|record| record.measured == 0.0), "{visibility:?}");
            let load = |record: &raddle::EpochRecord| record.load.iter().sum::<f64>();
            assert!(told.trace.iter().all(|record| record.measured <= load(record)), "{visibility:?}");
            assert_eq!(told.parts.blocks, untold.parts.blocks);
            assert_eq!(told.parts.replica, untold.parts.replica);
        }
    }
}
