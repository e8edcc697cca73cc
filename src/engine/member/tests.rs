//! Tests of a member without others: its checkpoints, and the transfer of the hub.

use super::*;
use crate::checkpoint::CheckpointEvery;
use crate::cluster::plan::Participant;
use crate::cluster::protocol::{CheckpointNeed, CheckpointResult};
use crate::engine::{Lazy, LazyParts, Parts};
use crate::program::context::{Aggregate, Conclude, Evaluate, TaskOf};
use crate::program::shard::PinnedShard;
use crate::program::verbs::Update;
use crate::program::verdict::{Metric, Verdict};
use crate::run::hub::GenerationExit;
use crate::run::record::{Ending, Limit};
use crate::schedule::EachShard;

struct Nothing;

impl Program for Nothing {
    crate::program!(; update);
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Nothing {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

fn member(index: u32, every: impl Into<CheckpointEvery>) -> Member<Nothing> {
    let engine = Engine::new(Nothing, EachShard::new(2), Parts::new(vec![(); 2], ()));
    Member::new(engine.checkpoint(every, "nowhere"), index, Arc::default())
}

fn hub() -> HubState<Nothing> {
    HubState::new((), Box::new(EachShard::new(2)), 0)
}

/// A plan of these processes, after one of those.
fn start(
    number: u64,
    previous: &[u32],
    participants: &[u32],
    checkpoint_result: Option<CheckpointResult>,
) -> GenerationStart {
    let position = |&id: &u32| Participant { id, address: String::new(), capacity: 1 };
    let mut plan = GenerationPlan::new(
        number,
        participants.iter().map(position).collect(),
        (2, 2),
        &[1, 1],
        0,
        None,
        None,
    );
    plan.previous = previous.iter().map(position).collect();
    GenerationStart {
        plan,
        from: None,
        warnings: Vec::new(),
        change: None,
        checkpoint_result,
        deadline: 1.0,
        held: false,
    }
}

#[test]
fn a_boundary_is_written_where_it_is_due_or_the_run_ends_unfinished() {
    let over = |ending| GenerationExit::Finished(ending);
    // The epoch, how the generation ended, and the need for a checkpoint where one is due every 2 epochs.
    for (epoch, exit, checkpoint_need) in [
        (2, GenerationExit::Reconfigure, CheckpointNeed::PartsMissing),
        (3, GenerationExit::Reconfigure, CheckpointNeed::None),
        (3, over(Ending::Interrupted), CheckpointNeed::PartsMissing),
        (3, over(Ending::Limit(Limit::Epochs)), CheckpointNeed::PartsMissing),
        (3, over(Ending::Converged), CheckpointNeed::None),
    ] {
        let mut hub = hub();
        hub.progress.epoch = epoch;
        assert_eq!(member(0, 2).checkpoint_need(&hub, exit), checkpoint_need, "{epoch}");
    }
}

#[test]
fn the_next_first_process_knows_how_far_the_run_has_come() {
    let (mut one, mut next) = (member(0, 2), member(1, 2));
    let mut hub = hub();
    hub.progress.epoch = 7;
    one.hub = Some(hub);
    let (pinned, bytes) = one.save_hub().unwrap();
    next.pinned = Some(pinned);
    next.load_hub(&bytes).unwrap();
    assert_eq!(next.hub.unwrap().progress.epoch, 7);
    // Bytes that are too few or too many are refused.
    for bytes in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
        let mut other = member(1, 2);
        other.pinned = Some(());
        assert!(other.load_hub(bytes).is_err());
    }
}

#[test]
fn a_checkpoint_that_could_not_be_written_does_not_put_off_the_next() {
    let checkpoint_result =
        |failed: Option<&str>| CheckpointResult { cost: 1e6, bytes: 1, failed: failed.map(str::to_owned) };
    for (failed, due) in [(None, false), (Some("the disk is full"), true)] {
        let mut member = member(0, CheckpointEvery::Auto);
        member.prepare(&start(2, &[0], &[0], Some(checkpoint_result(failed)))).unwrap();
        let (clock, _) = member.settings.checkpoints.as_ref().unwrap();
        assert_eq!(clock.at(1), due, "{failed:?}");
    }
}

#[test]
fn bytes_that_came_to_a_process_are_counted_for_the_generation_that_they_came_for() {
    let mut member = member(1, 2);
    let stats = ProcessStats::default();
    for (number, bytes) in [(2, 10), (3, 5)] {
        member.local().unwrap().shards = vec![Some(()), None];
        member.begin(start(number, &[0, 1], &[0, 1], None), Some(stats.clone())).unwrap();
        member.take(0, Transfer::Shard(1, ()), bytes).unwrap();
        member.take(0, Transfer::End(stats.clone()), 1).unwrap();
        assert_eq!(member.stats(stats.clone()).moved, bytes + 1, "generation {number}");
    }
}

/// A program whose shards stay where they are.
struct Stays;

impl Program for Stays {
    crate::program!(Shard = PinnedShard<u32>, Pinned = u32; update);
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Stays {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

/// A party, with the shards that the plan places there.
fn party(index: u32, plan: &GenerationPlan) -> Member<Stays> {
    let shards = Lazy::new(4, |number| Ok::<_, String>(PinnedShard(number)));
    let parts = LazyParts { shards, blocks: Vec::new().into(), pinned: 0, replica: () };
    let mut member = Member::new(Engine::new(Stays, EachShard::new(4), parts), index, Arc::default());
    member.begin(of_plan(plan), None).unwrap();
    member
}

fn of_plan(plan: &GenerationPlan) -> GenerationStart {
    GenerationStart { plan: plan.clone(), ..start(1, &[], &[1], None) }
}

#[test]
fn at_the_end_each_party_has_the_outcome_and_its_own_shards() {
    let position = |id| Participant { id, address: String::new(), capacity: 1 };
    let plan = GenerationPlan::of_parties(1, vec![position(1), position(2)], 2, 2, 4, &[]);
    let (mut first, mut other) = (party(1, &plan), party(2, &plan));
    first.hub.as_mut().unwrap().pinned = 17;
    let metric = Metric::new("none", 1.0, "nothing");
    first.ended = Some(RunEnd { ending: Ending::Converged, metric, objective: Some(2.0) });
    let end = of_plan(&GenerationPlan::end(2, &plan));
    let stats = |process| Some(ProcessStats { process, ..ProcessStats::default() });
    let sent = first.begin(end.clone(), stats(1)).unwrap();
    let back = other.begin(end, stats(2)).unwrap();
    for (member, from, transfers) in [(&mut other, 1, sent), (&mut first, 2, back)] {
        for one in transfers.into_values().flatten() {
            assert!(!matches!(one, Transfer::Shard(..)));
            let (tag, number, bytes) = one.pack();
            member.take(from, Transfer::unpack(tag, number, bytes).unwrap(), 1).unwrap();
        }
    }
    for (mut member, shards) in [(first, [0, 1]), (other, [2, 3])] {
        let Step::Over(outcome) = member.next(Instant::now()).unwrap() else { panic!("it is not over") };
        let own: Vec<u32> = outcome.parts.shards.iter().map(|PinnedShard(number)| *number).collect();
        assert_eq!((own, outcome.parts.pinned), (shards.to_vec(), 17));
        assert_eq!(outcome.report.objective, Some(2.0));
    }
}

#[test]
fn a_plan_that_sends_a_pinned_shard_away_is_refused() {
    let position = |id| Participant { id, address: String::new(), capacity: 1 };
    let plan = GenerationPlan::of_parties(1, vec![position(1), position(2)], 2, 2, 4, &[]);
    let mut member = party(2, &plan);
    let then = GenerationPlan { is_pinned: false, ..plan };
    let why = member.begin(of_plan(&GenerationPlan::end(2, &then)), None).err().unwrap();
    assert!(why.to_string().contains("shard 2 is placed in another process, and it stays"), "{why}");
}
