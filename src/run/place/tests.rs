//! A place driven step by step.

use super::*;
use crate::program::context::{Aggregate, Conclude};
use crate::program::verbs::Update;
use crate::program::verdict::{Metric, Verdict};
use crate::run::fingerprints::Fingerprints;
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

/// Worker 0 of as many shards as numbers, with one block.
fn place<P: Program<Replica = (), Shard = ()>>(
    program: P,
    shards: u32,
    blocks: BTreeMap<u32, P::Block>,
) -> Place<P> {
    let options = PlaceOptions {
        reversed: false,
        fingerprints: Fingerprints::Off,
        merging: Merging::AtShards,
        checkpoints: None,
        cancellation: Arc::default(),
    };
    let (here, placement) = ((0..shards).map(|shard| (shard, ())), vec![0; shards as usize]);
    Place::new(Arc::new(program), 0, options, Arc::new(placement), here.collect(), blocks, ())
}

/// A program with blocks, of which nothing runs.
struct Resting;

impl Program for Resting {
    crate::program!(Block = u64;);
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

#[test]
fn a_block_that_comes_behind_a_cancellation_is_of_no_boundary() {
    let mut place = place(Resting, 1, [(0, 10)].into());
    let mut out = Outbox::new();
    place.receive(Message::Keep { changes: Vec::new(), epoch: 3 });
    while place.run(&mut out).unwrap() {}
    // The block leaves, is changed elsewhere, and is on its way back, as another is, when the epoch is
    // cancelled.
    place.blocks.clear();
    place.receive(Message::Block { block: 0, stop: 1, state: 11 });
    place.receive(Message::Cancel { kept: Some(3) });
    while place.run(&mut out).unwrap() {}
    assert!(place.left);
    for (block, state) in [(0, 12), (1, 20)] {
        place.receive(Message::Block { block, stop: 2, state });
    }
    assert_eq!(place.blocks, BTreeMap::from([(0, 10)]));
}

#[test]
fn seconds_of_a_round_that_measures_are_told_apart_from_those_of_one_that_trains() {
    let mut place = place(Measuring, 2, BTreeMap::new());
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
