//! Rounds that end once enough shards have answered: mistakes.

use raddle::schedule::{EachShard, Round};
use raddle::{
    Aggregate, Conclude, Engine, Enough, Evaluate, Merge, Metric, Parts, Program, TaskOf, Update, Verdict,
    replay,
};

use crate::programs::without_a_hang;

#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    Never,
    Differs,
    DiffersInPinned,
    None,
}

/// Shards that answer with their number; three answers are enough.
struct Three(Mistake);

impl Program for Three {
    raddle::program!(Shard = u64, Pinned = u64, Replica = u64, Partial = u64; update, enough);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        let sum: u64 = at.partials.iter().sum();
        *at.pinned += if self.0 == Mistake::DiffersInPinned { sum } else { 1 };
        if self.0 == Mistake::Differs { sum << 8 } else { 7 }
    }
    fn commit(&self, change: &u64, replica: &mut u64) {
        *replica += change;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> u64 {
        0
    }
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<u64> {
        Metric::new("none", 1.0, "nothing").into()
    }
}

impl Update for Three {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        *at.shard
    }
}

impl Enough for Three {
    fn enough(&self, round: &Round, answered: &[u32]) -> bool {
        assert!(answered.is_sorted() && answered.len() <= round.tasks.len());
        self.0 != Mistake::Never && answered.len() >= 3
    }
}

fn three(mistake: Mistake) -> Engine<Three> {
    let parts = Parts { shards: (0..5).collect(), blocks: Vec::new(), pinned: 0, replica: 0 };
    Engine::new(Three(mistake), EachShard::new(5), parts).epochs(2)
}

#[test]
fn answers_that_are_never_enough_end_the_run_by_name() {
    for workers in [1, 3] {
        let engine = three(Mistake::Never).workers(workers).threads(workers);
        let why = without_a_hang(move || engine.run().err().unwrap()).to_string();
        let expected = "`enough` is not content with the answers of all 5 shards of round 0 of epoch 0";
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn the_replay_check_names_a_sufficient_set_that_leaves_other_bytes() {
    replay::check(|| three(Mistake::None).identity("three")).unwrap();
    for (mistake, what, byte) in
        [(Mistake::Differs, "change", 1), (Mistake::DiffersInPinned, "pinned block", 0)]
    {
        let why = without_a_hang(move || replay::check(|| three(mistake)).unwrap_err()).to_string();
        let (set, rest) = why.split_once("the answers of shards [").unwrap().1.split_once(']').unwrap();
        assert_eq!(set.split(", ").count(), 3, "{why}");
        let expected = format!(
            " are enough for round 0 of epoch 0, but leave another {what} than those of all, from byte {byte} on"
        );
        assert!(rest.starts_with(&expected), "{why}");
    }
}

/// Partials that are merged do not say whose they are.
struct Both;

impl Program for Both {
    raddle::program!(; update, merge, enough);
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
        Metric::new("none", 1.0, "nothing").into()
    }
}

impl Update for Both {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

impl Merge for Both {
    fn merge(&self, _: Option<&()>, (): &mut (), (): ()) {}
}

impl Enough for Both {
    fn enough(&self, _: &Round, _: &[u32]) -> bool {
        true
    }
}

#[test]
fn a_program_that_merges_waits_for_all() {
    let why = Engine::new(Both, EachShard::new(2), Parts::new(vec![(); 2], ())).run().err().unwrap();
    assert!(
        why.to_string().starts_with("the program has `merge` and `enough`: leave one of them out"),
        "{why}"
    );
}
