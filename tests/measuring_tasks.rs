//! Tests of programs that name the tasks that only measure: their seconds are counted separately, and nothing
//! else changes.

use raddle::schedule::Rotation;
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Engine, Evaluate, Fold, Metric, Outcome, Parts, Program, UpdateBlock,
    Verdict, Visibility,
};

/// Purpose of a round.
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
    raddle::program!(Block = u64, Replica = u64, Partial = u64, Phase = Phase; update_block, fold);

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn is_evaluation(&self, phase: Option<&Phase>) -> bool {
        self.told && phase != Some(&Phase::Count)
    }
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        at.partials.sum()
    }
    fn commit(&self, change: &u64, sum: &mut u64) {
        *sum += change;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> u64 {
        work()
    }
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<u64> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl UpdateBlock for Counting {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> u64 {
        if at.task.phase == Phase::Measure {
            return work() & 1;
        }
        *at.block += 1;
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
