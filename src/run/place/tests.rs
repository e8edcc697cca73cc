//! A place driven step by step.

use super::*;
use crate::program::context::{Aggregate, Conclude};
use crate::program::verbs::Update;
use crate::program::verdict::{Metric, Verdict};
use crate::run::message::RoundTasks;
use crate::schedule::Assignment;

/// Tasks of phase 1 measure the model, those of phase 0 train it.
struct Measuring;

impl Program for Measuring {
    crate::program!(Phase = u32; update);
    fn is_evaluation(&self, phase: Option<&u32>) -> bool {
        phase == Some(&1)
    }
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Measuring {
    fn update(&self, _: TaskOf<'_, Self>) {
        std::hint::black_box((0..10_000u64).fold(1, |sum, n| sum ^ std::hint::black_box(n)));
    }
}

#[test]
fn seconds_of_a_round_that_measures_are_told_apart_from_those_of_one_that_trains() {
    let options = PlaceOptions {
        reversed: false,
        fingerprints: Fingerprints::Off,
        merging: Merging::AtShards,
        checkpoints: None,
        cancellation: Arc::default(),
    };
    let (shards, blocks) = ([(0, ()), (1, ())].into(), BTreeMap::new());
    let mut place = Place::new(Arc::new(Measuring), (0, options), Arc::new(vec![0, 0]), shards, blocks, ());
    for phase in [0, 1] {
        let tasks = [0, 1].map(|shard| Assignment { shard, block: None, variables: Vec::new() });
        let work = RoundTasks { epoch: 0, round: u64::from(phase), phase, tasks: tasks.into(), answering: 0 };
        place.receive(Message::Step { changes: Vec::new(), forward: Vec::new(), work });
        let mut out = Outbox::new();
        while place.run(&mut out).unwrap() {}
        let [(HUB, Message::Partials { round, answer })] = &out[..] else { panic!("no answer to a round") };
        assert_eq!((*round, answer.partials.len()), (u64::from(phase), 2));
        assert!(answer.busy > 0.0, "two tasks took no time at all");
        // All of it or nothing: both tasks are of one phase.
        assert_eq!(answer.measured, if phase == 1 { answer.busy } else { 0.0 }, "phase {phase}");
    }
}
