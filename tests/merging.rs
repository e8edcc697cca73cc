//! Partials that are merged: the same bits wherever shards are, merged or not, and fewer bytes between
//! processes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle::exact::{ExactSums, Grid};
use raddle::random::Stream;
use raddle::schedule::{EachShard, EpochStart, Plan, Round, Schedule};
use raddle::state::{Reader, StateError, Writer};
use raddle::{
    Additive, Aggregate, Conclude, Engine, Evaluate, Fold, Merge, Metric, Outcome, Partials, Parts, Program,
    TaskOf, Update, Verdict, Visibility, replay,
};

use crate::processes::Run;
use crate::programs::{bytes, without_a_hang};

/// Sums of integers and of numbers that are rounded, and the shards that they are of, in the order of
/// merging.
#[derive(Debug, Clone, Default, PartialEq)]
struct Sum {
    integers: Vec<i64>,
    numbers: Vec<f64>,
    order: String,
}

raddle::state!(Sum { integers, numbers, order });

impl Sum {
    /// Values of a shard at some moment.
    fn of(stream: &mut Stream, name: String, seen: &Self) -> Self {
        let state: i64 = seen.integers.iter().sum();
        let integers = (0..3).map(|_| stream.below(1000) as i64 + state % 7).collect();
        let numbers = (0..3).map(|_| (stream.unit() - 0.5) * 1e3f64.powf(stream.unit())).collect();
        Self { integers, numbers, order: name }
    }

    fn add(&mut self, other: Self) {
        for (sum, part) in self.integers.iter_mut().zip(other.integers) {
            *sum += part;
        }
        for (sum, part) in self.numbers.iter_mut().zip(other.numbers) {
            *sum += part;
        }
        self.order = format!("({} {})", self.order, other.order);
    }
}

/// The value of a node by the definition of [`Merge`].
fn naive(first: u32, size: u32, partials: &BTreeMap<u32, Sum>) -> Option<Sum> {
    if size == 1 {
        return partials.get(&first).cloned();
    }
    let half = size / 2;
    match (naive(first, half, partials), naive(first + half, half, partials)) {
        (Some(mut left), Some(right)) => {
            left.add(right);
            Some(left)
        }
        (left, right) => left.or(right),
    }
}

/// Sums over shards, merged by the engine in phases below 2 and at boundaries, or by itself.
struct Sums {
    merged: bool,
    visibility: Visibility,
    shards: u32,
}

impl Sums {
    /// The sum of all partials of a phase, which come as one if they are merged.
    fn total(&self, phase: Option<u32>, partials: Partials<Sum>) -> Sum {
        let partials = partials.into_pairs();
        if self.merges(phase.as_ref()) {
            assert!(partials.len() <= 1, "{} partials are left", partials.len());
        }
        let partials = partials.into_iter().collect();
        naive(0, self.shards.next_power_of_two(), &partials).unwrap_or_default()
    }
}

impl Program for Sums {
    raddle::program!(Shard = u64, Pinned = String, Replica = Sum, Partial = Sum, Phase = u32; update, fold, merge);

    fn visibility(&self) -> Visibility {
        self.visibility
    }
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Sum {
        let total = self.total(Some(at.round.phase), at.partials);
        at.pinned.push_str(&total.order);
        total
    }
    fn commit(&self, change: &Sum, replica: &mut Sum) {
        replica.clone_from(change);
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Sum {
        let mut stream = Stream::new(&[9, at.boundary.epoch, u64::from(at.number), *at.shard]);
        Sum::of(&mut stream, at.number.to_string(), at.replica)
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Sum> {
        let total = self.total(None, at.partials);
        at.pinned.push_str(&total.order);
        let metric = Metric::new("sum", total.numbers.iter().sum(), "all shards");
        Verdict { change: Some(total), ..Verdict::new(metric) }
    }
}

impl Update for Sums {
    fn update(&self, at: TaskOf<'_, Self>) -> Sum {
        *at.shard += 1;
        Sum::of(&mut at.task.stream(*at.shard), at.task.shard.to_string(), at.replica)
    }
}

impl Fold for Sums {
    fn fold(&self, so_far: &mut Sum, next: Sum) {
        so_far.add(next);
    }
}

impl Merge for Sums {
    fn merge(&self, phase: Option<&u32>, left: &mut Sum, right: Sum) {
        assert!(self.merges(phase), "phase {phase:?} is not merged");
        left.add(right);
    }
    fn merges(&self, phase: Option<&u32>) -> bool {
        self.merged && phase.is_none_or(|phase| *phase < 2)
    }
    fn is_associative(&self) -> bool {
        false
    }
}

/// Rounds to shards by chance, of three phases.
struct ByChance {
    shards: u32,
}

impl Schedule<u32> for ByChance {
    fn identity(&self) -> String {
        format!("by chance, {} shards", self.shards)
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<u32> {
        let mut stream = Stream::new(&[5, start.epoch]);
        let mut round = |_| {
            let phase = stream.below(3) as u32;
            Round::to_shards(phase, (0..self.shards).filter(|_| stream.below(4) > 0).collect::<Vec<_>>())
        };
        Plan::Known((0..4).map(&mut round).collect())
    }
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

fn sums(merged: bool, visibility: Visibility, shards: u32) -> Engine<Sums> {
    let program = Sums { merged, visibility, shards };
    let (numbers, blocks, pinned, replica) =
        ((0..u64::from(shards)).collect(), Vec::new(), String::new(), Sum::default());
    let parts = Parts { shards: numbers, blocks, pinned, replica };
    Engine::new(program, ByChance { shards }, parts).epochs(5)
}

/// Everything that a run leaves, and its metrics.
fn left(outcome: &Outcome<Sums>) -> (Vec<u8>, Vec<u64>) {
    let metrics = outcome.trace.iter().map(|record| record.value().to_bits()).collect();
    (bytes(&outcome.parts), metrics)
}

const VISIBILITIES: [Visibility; 2] = [Visibility::EachRound, Visibility::AtBoundary];

#[test]
fn no_placement_shows_in_a_sum_merged_or_not() {
    without_a_hang(|| {
        let mut stream = Stream::new(&[17]);
        for visibility in VISIBILITIES {
            for shards in [1, 5, 13] {
                let expected = left(&sums(false, visibility, shards).staleness(1).run().unwrap());
                for _ in 0..20 {
                    let (workers, threads) = (1 + stream.below(8), 1 + stream.below(3));
                    let serialized = stream.below(2) == 0;
                    let costs: Vec<u64> = (0..shards).map(|_| 1 + stream.below(30) as u64).collect();
                    let engine = sums(true, visibility, shards).costs(costs.clone());
                    let engine = engine.workers(workers).threads(threads).serialized(serialized).staleness(1);
                    let found = left(&engine.run().unwrap());
                    assert!(found == expected, "{shards} shards, {costs:?}, {workers} workers");
                }
            }
        }
    });
}

#[test]
fn any_number_of_processes_leaves_the_sums_of_one() {
    without_a_hang(|| {
        for make in
            [(|_| sums(true, Visibility::EachRound, 13).staleness(2)) as fn(u32) -> Engine<Sums>, |_| {
                sums(true, Visibility::AtBoundary, 13).staleness(2)
            }]
        {
            let expected = left(&make(0).run().unwrap());
            for (processes, workers) in [(2, 1), (2, 3), (3, 2), (4, 3)] {
                let (outcome, _, errors) = Run::begin(processes, workers, make).end();
                assert!(errors.is_empty(), "{errors:?}");
                let (_, outcome) = outcome.unwrap();
                assert!(left(&outcome) == expected, "{processes} processes of {workers} workers");
            }
        }
    });
}

#[test]
fn a_program_that_merges_rounded_sums_replays() {
    for visibility in VISIBILITIES {
        without_a_hang(move || replay::check(|| sums(true, visibility, 7)).unwrap());
    }
}

/// Sums of many numbers.
struct Wide(bool);

const WIDE: usize = 200_000;

impl Program for Wide {
    raddle::program!(Replica = Vec<u32>, Partial = Vec<u32>; update, merge);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<u32> {
        at.partials.sum()
    }
    fn commit(&self, change: &Vec<u32>, sums: &mut Vec<u32>) {
        // What is sent to the others is not what is counted here.
        *sums = vec![change.iter().fold(0, |sum: u32, &part| sum.wrapping_mul(31).wrapping_add(part))];
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<u32> {
        Vec::new()
    }
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<Vec<u32>> {
        Metric::new("none", 1.0, "nothing").into()
    }
}

impl Update for Wide {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<u32> {
        (0..WIDE as u32).map(|number| number % (7 + at.task.shard)).collect()
    }
}

impl Merge for Wide {
    fn merge(&self, _: Option<&()>, left: &mut Vec<u32>, right: Vec<u32>) {
        left.iter_mut().zip(right).for_each(|(sum, part)| *sum += part);
    }
    fn merges(&self, _: Option<&()>) -> bool {
        self.0
    }
}

#[test]
fn at_most_a_tenth_of_the_bytes_comes_into_the_first_process() {
    fn wide(merged: bool) -> Engine<Wide> {
        let parts = Parts::new(vec![(); 64], Vec::new());
        Engine::new(Wide(merged), EachShard::new(64), parts).epochs(1)
    }
    without_a_hang(|| {
        let expected = wide(false).run().unwrap().parts.replica;
        for workers in [1, 2] {
            let sent = [true, false].map(|merged| {
                let make: fn(u32) -> Engine<Wide> = if merged { |_| wide(true) } else { |_| wide(false) };
                let (outcome, _, errors) = Run::begin(4, workers, make).end();
                assert!(errors.is_empty(), "{errors:?}");
                let (_, outcome) = outcome.unwrap();
                assert_eq!(outcome.parts.replica, expected);
                let members = &outcome.report.generations[0].members;
                assert_eq!(members.len(), 4);
                members
                    .iter()
                    .filter(|member| member.process > 0)
                    .map(|member| member.bytes_sent)
                    .sum::<u64>()
            });
            // 16 shards in each process, whose sum is one partial.
            let [merged, not] = sent;
            println!("{workers} workers a process: {merged} bytes merged, {not} not");
            assert!(not > 48 * 4 * WIDE as u64 && 10 * merged <= not, "{sent:?}");
        }
    });
}

/// A partial of numbers, by their sum and count; the mistakes of an author are in how it is merged.
#[derive(Debug, Clone, PartialEq)]
struct Mean {
    mean: f64,
    count: f64,
}

/// Only the mean is written.
impl raddle::State for Mean {
    fn save(&self, out: &mut Writer) {
        out.write(&self.mean);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self { mean: from.read()?, count: 1.0 })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mistake {
    /// The mean of two means, whatever they are of.
    MeanOfMeans,
    /// The count is not written.
    CountForgotten,
    /// Counts merges in the program.
    State,
    Panic,
}

struct Means {
    mistake: Mistake,
    merges: AtomicU64,
}

impl Program for Means {
    raddle::program!(Shard = f64, Replica = f64, Partial = Mean, Change = f64; update, merge);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        at.partials.iter().map(|partial| partial.mean).sum()
    }
    fn commit(&self, change: &f64, mean: &mut f64) {
        *mean = *change;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> Mean {
        Mean { mean: 0.0, count: 1.0 }
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Metric::new("mean", *at.replica, "all shards").into()
    }
}

impl Update for Means {
    fn update(&self, at: TaskOf<'_, Self>) -> Mean {
        Mean { mean: *at.shard, count: 1.0 }
    }
}

impl Merge for Means {
    fn merge(&self, _: Option<&()>, left: &mut Mean, right: Mean) {
        match self.mistake {
            Mistake::MeanOfMeans => left.mean = 0.5 * (left.mean + right.mean),
            Mistake::CountForgotten => {
                let count = left.count + right.count;
                left.mean = (left.mean * left.count + right.mean * right.count) / count;
                left.count = count;
            }
            Mistake::State => {
                left.mean += right.mean * (1 + self.merges.fetch_add(1, Ordering::Relaxed)) as f64
            }
            Mistake::Panic => panic!("the trap in merge"),
        }
    }
    fn merges(&self, phase: Option<&()>) -> bool {
        phase.is_some()
    }
    fn is_associative(&self) -> bool {
        self.mistake == Mistake::MeanOfMeans
    }
}

fn means(mistake: Mistake) -> Engine<Means> {
    // Of powers of two: neither a sum nor a half of it is rounded.
    let parts = Parts::new((0..16).map(|shard| f64::from(1 << shard)).collect(), 0.0);
    let program = Means { mistake, merges: AtomicU64::new(0) };
    Engine::new(program, EachShard::new(16), parts).epochs(2)
}

#[test]
fn the_replay_check_names_a_merge_that_is_not_associative_or_depends_on_where_it_is_done() {
    for (mistake, how, cause) in [
        (Mistake::MeanOfMeans, "merged from left to right", "a `merge` that is not associative"),
        (Mistake::CountForgotten, "exchange bytes", "a part of a merged partial that its `State` leaves out"),
        (Mistake::State, "tasks in reverse order", "a `merge` that reads or changes state of the program"),
    ] {
        let error = without_a_hang(move || replay::check(|| means(mistake)).unwrap_err()).to_string();
        assert!(error.contains(how) && error.contains("the change of round 0"), "{mistake:?}: {error}");
        assert!(error.contains(cause), "{mistake:?}: {error}");
    }
}

#[test]
fn a_panic_in_a_merge_says_where_it_was() {
    for workers in [1, 2, 7] {
        let engine = means(Mistake::Panic).workers(workers).threads(workers);
        let text = without_a_hang(move || engine.run().err().unwrap()).to_string();
        let begins = "a worker ended the run: merge of shard ";
        assert!(text.starts_with(begins) && text.contains(", epoch 0, round 0 panicked at "), "{text}");
        assert!(text.ends_with(": the trap in merge"), "{text}");
    }
}

/// Sums of the numbers of all shards, rounded by row or, which is a mistake, by shard.
struct Exact {
    is_by_row: bool,
}

impl Program for Exact {
    raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = Vec<i64>, Change = f64; update, additive);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        assert_eq!(at.partials.len(), 1);
        grid().value(at.partials.sum()[0])
    }
    fn commit(&self, change: &f64, sum: &mut f64) {
        *sum += *change;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<i64> {
        Vec::new()
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Metric::new("sum", *at.replica, "all numbers").into()
    }
}

fn grid() -> Grid {
    Grid::new(100.0, 5000).unwrap()
}

impl Update for Exact {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<i64> {
        let mut sums = ExactSums::new(grid(), 1);
        let numbers: Vec<f64> = at.shard.iter().map(|number| number / (3.0 + at.replica.abs())).collect();
        if self.is_by_row {
            numbers.iter().for_each(|number| sums.add(&[*number]).unwrap());
        } else {
            sums.add(&[numbers.iter().sum()]).unwrap();
        }
        sums.words()
    }
}

impl Additive for Exact {
    fn words<'a>(&self, partial: &'a mut Vec<i64>) -> &'a mut [i64] {
        partial
    }
    fn recut(&self, shards: Vec<Vec<f64>>, ends: &[f64]) -> Vec<Vec<f64>> {
        raddle::exact::recut(shards.concat(), ends)
    }
}

fn exact(is_by_row: bool, shards: usize) -> Engine<Exact> {
    let mut draw = Stream::new(&[7]);
    let numbers: Vec<f64> = (0..60).map(|_| 10.0 * draw.unit() - 4.0).collect();
    let parts = Parts::new(numbers.chunks(60 / shards).map(<[f64]>::to_vec).collect(), 0.0);
    Engine::new(Exact { is_by_row }, EachShard::new(shards as u32), parts).epochs(3)
}

#[test]
fn exact_sums_are_those_of_any_cut_and_the_replay_check_names_sums_that_are_not() {
    let sums = [1, 3, 5, 12].map(|shards| exact(true, shards).run().unwrap().parts.replica.to_bits());
    assert_eq!(sums, [sums[0]; 4]);
    replay::check(|| exact(true, 5)).unwrap();
    let error = replay::check(|| exact(false, 5)).unwrap_err().to_string();
    assert!(error.contains("cut into other shards") && error.contains("the change of round 0"), "{error}");
    assert!(error.contains("a number of a shard, not of a row"), "{error}");
}

#[test]
fn a_sum_of_words_that_overflows_ends_the_run() {
    // Each shard has as many terms as the grid was made for.
    let parts = Parts::new(vec![vec![300.0; 5000]; 3], 0.0);
    let engine = Engine::new(Exact { is_by_row: true }, EachShard::new(3), parts).epochs(1);
    let text = engine.run().err().unwrap().to_string();
    assert!(text.contains("merge of shard 0") && text.contains("the sum of word 0 overflows"), "{text}");
}
