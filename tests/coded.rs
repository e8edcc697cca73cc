//! Rounds that end once enough shards have answered; and codes, of which any `k` of `n` answers are enough.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::{Duration, Instant};

use raddle::cluster::Cluster;
use raddle::random::Stream;
use raddle::schedule::{EachShard, Round};
use raddle::{
    Aggregate, Conclude, Engine, Enough, Evaluate, Merge, Metric, Parts, Program, TaskOf, Update, Verdict,
    replay,
};

use crate::commands::pause;
use crate::launched::{OwnProcesses, signal};
use crate::processes::Run;
use crate::programs::coded::{Code, CodedRidge, ROUNDS, append, engine, from_field, into_field, ridge};
use crate::programs::{bytes, without_a_hang};

#[test]
fn any_sufficient_set_of_answers_decodes_exactly() {
    let mut stream = Stream::new(&[3]);
    let mut check = |code: Code, sets: &mut dyn FnMut(&mut Stream) -> Option<Vec<u32>>| {
        let mut entry = || stream.below(1 << 41) as i64 - (1 << 40);
        let mut block = |_| (0..2).map(|_| into_field(entry())).collect::<Vec<u64>>();
        let blocks: Vec<Vec<u64>> = (0..code.blocks).map(&mut block).collect();
        let mut sets_seen = 0;
        while let Some(set) = sets(&mut stream) {
            assert!(code.is_enough(&set));
            let answers: Vec<_> = set.iter().map(|&task| (task, code.encode(task, &blocks))).collect();
            assert!(code.decode(&answers) == blocks, "{code:?} from {set:?}");
            sets_seen += 1;
        }
        sets_seen
    };
    for tasks in 1..=10 {
        let mut decoded = 0;
        for blocks in 1..=tasks {
            let mut subsets = (0..1u32 << tasks).filter(|set| set.count_ones() == blocks);
            let sets = &mut |_: &mut Stream| {
                subsets.next().map(|set| (0..tasks).filter(|task| (set >> task) & 1 == 1).collect())
            };
            decoded += check(Code::any(blocks, tasks).unwrap(), sets);
        }
        assert_eq!(decoded, (1 << tasks) - 1, "all subsets but the empty one");
    }
    let mut left = 1000;
    let sets = &mut |stream: &mut Stream| {
        left -= 1;
        let mut all: Vec<u32> = (0..20).collect();
        stream.shuffle(&mut all);
        all.truncate(13);
        (left >= 0).then_some(all)
    };
    assert_eq!(check(Code::any(13, 20).unwrap(), sets), 1000);
    let mut sets = [vec![0, 1, 2, 3, 4], vec![5, 1, 7, 3, 9], vec![2, 9, 3, 5, 6, 8, 0]].into_iter();
    assert_eq!(check(Code::copies(2, 10), &mut |_| sets.next()), 3);
    assert!(!Code::copies(2, 10).is_enough(&[0, 1, 2, 3, 5, 6, 7, 8]));
    assert_eq!([-5, 0, 1 << 59].map(|value| from_field(into_field(value))), [-5, 0, 1 << 59]);
}

// ---- virtual times ----

/// The time at which a round ends whose tasks take these times, in units of the work of all its blocks.
fn ends(code: Code, times: &[f64]) -> f64 {
    let mut order: Vec<u32> = (0..code.tasks).collect();
    order.sort_by(|&a, &b| times[a as usize].total_cmp(&times[b as usize]));
    let answered = (1..=order.len()).find(|&count| code.is_enough(&order[..count])).unwrap();
    times[order[answered - 1] as usize] / f64::from(code.blocks)
}

/// 1 + 1/2 + ... + 1/m.
fn harmonic(m: u32) -> f64 {
    (1..=m).map(|i| 1.0 / f64::from(i)).sum()
}

#[test]
fn gains_under_a_shifted_exponential_law_are_those_of_the_formulas() {
    const N: u32 = 10;
    const DRAWS: usize = 20_000;
    let mut stream = Stream::new(&[8]);
    for (mu, best, gain, copies) in [(0.5, 6, 1.53, 1.04), (1.0, 7, 1.31, 0.92), (5.0, 9, 1.03, 0.65)] {
        let coded = |k: u32| (1.0 + (harmonic(N) - harmonic(N - k)) / mu) / f64::from(k);
        let plain = (1.0 + harmonic(N) / mu) / f64::from(N);
        let doubled = 0.2 * (1.0 + harmonic(N / 2) / (2.0 * mu));
        let of_formula = (1..=N).max_by(|&a, &b| (plain / coded(a)).total_cmp(&(plain / coded(b)))).unwrap();
        assert_eq!(of_formula, best, "mu {mu}");
        let codes = [Code::any(N, N), Code::any(best, N), Ok(Code::copies(2, N))].map(Result::unwrap);
        let mut sums = [0.0; 3];
        for _ in 0..DRAWS {
            let times: Vec<f64> = (0..N).map(|_| 1.0 - (1.0 - stream.unit()).ln() / mu).collect();
            sums.iter_mut().zip(codes).for_each(|(sum, code)| *sum += ends(code, &times));
        }
        let gains = [sums[0] / sums[1], sums[0] / sums[2]];
        println!("mu {mu}: any {best} of 10 gain {:.3}, two copies {:.3}", gains[0], gains[1]);
        for (found, formula, expected) in
            [(gains[0], plain / coded(best), gain), (gains[1], plain / doubled, copies)]
        {
            assert!((found / expected - 1.0).abs() < 0.03, "mu {mu}: {found}, not {expected}");
            assert!((formula - expected).abs() < 0.005, "mu {mu}: {formula}, not {expected}");
        }
    }
}

#[test]
fn two_copies_pay_against_one_slow_worker_from_one_round_in_seven_on() {
    let (plain, copies) = (Code::any(10, 10).unwrap(), Code::copies(2, 10));
    let time = |code: Code, slow: bool| {
        let mut times = [1.0; 10];
        times[3] = if slow { 8.0 } else { 1.0 };
        ends(code, &times)
    };
    assert!(time(plain, true) / time(copies, true) >= 3.5);
    // One slow round of so many.
    let gain = |rounds: u32| {
        let mean =
            |code: Code| (time(code, true) + f64::from(rounds - 1) * time(code, false)) / f64::from(rounds);
        mean(plain) / mean(copies)
    };
    assert!((gain(7) - 1.0).abs() < 1e-12, "{}", gain(7));
    assert!(gain(6) > 1.05 && gain(8) < 0.95, "{} and {}", gain(6), gain(8));
}

// ---- runs ----

fn coded() -> Code {
    Code::any(8, 10).unwrap()
}

/// Blocks that divide rows and columns, in two copies.
fn copied() -> Code {
    Code { tasks: 12, blocks: 6, copies: true }
}

fn sleepy(code: Code) -> Engine<CodedRidge> {
    engine(code, |program| {
        program.before = |task| {
            let micros = RandomState::new().hash_one(task.round) % 400;
            std::thread::sleep(Duration::from_micros(micros));
        }
    })
}

#[test]
fn whoever_answers_first_the_bytes_are_the_same() {
    for code in [coded(), copied()] {
        without_a_hang(move || {
            let expected = bytes(&engine(code, |_| ()).run().unwrap().parts);
            let loss =
                |outcome: &raddle::Outcome<_>| outcome.trace.iter().map(|record| record.value()).collect();
            let losses: Vec<f64> = loss(&engine(code, |_| ()).run().unwrap());
            assert!(losses.is_sorted_by(|before, after| after < before), "{losses:?}");
            for workers in [2, 3, 4, 7, 10] {
                let engine = sleepy(code).workers(workers).threads(workers).serialized(workers % 2 == 0);
                assert!(bytes(&engine.run().unwrap().parts) == expected, "{code:?}, {workers} workers");
            }
            let rescaled = sleepy(code).threads(4).rescale(&[(1, 4), (2, 3)]);
            assert!(bytes(&rescaled.run().unwrap().parts) == expected, "{code:?}, rescaled");
            replay::check(|| engine(code, |_| ()).identity("coded")).unwrap();
        });
    }
}

#[test]
fn processes_leave_the_bytes_of_one() {
    without_a_hang(|| {
        let expected = bytes(&engine(coded(), |_| ()).run().unwrap().parts);
        let (outcome, _, errors) = Run::begin(3, 2, |_| sleepy(coded())).end();
        assert!(errors.is_empty(), "{errors:?}");
        assert!(bytes(&outcome.unwrap().1.parts) == expected);
    });
}

/// The process that is stopped, and the epoch and the round in which it stops itself.
const STOPPED: (u32, u64, u64) = (4, 1, 3);

/// Takes part in the run of five, marks the rounds and the boundaries that end here, and keeps what is left.
fn be_a_process(cluster: &Cluster, folder: &Path) {
    let engine = engine(coded(), |program| {
        program.ended = Some(folder.join("rounds"));
        if cluster.index() == STOPPED.0 {
            program.before = |task| {
                if (task.epoch, task.round, task.shard % 2) == (STOPPED.1, STOPPED.2, 0) {
                    signal(&std::process::id().to_string(), "-STOP");
                }
            };
        }
    });
    let boundaries = folder.join("boundaries");
    if let Some(outcome) = engine.observe(move |_| append(&boundaries)).run_on(cluster).unwrap() {
        fs::write(folder.join("left"), bytes(&outcome.parts)).unwrap();
    }
}

#[test]
fn rounds_end_while_a_process_is_stopped_and_the_boundary_waits_for_it() {
    const NAME: &str = "coded::rounds_end_while_a_process_is_stopped_and_the_boundary_waits_for_it";
    if let Some((cluster, folder)) = OwnProcesses::here() {
        return be_a_process(&cluster, &folder);
    }
    let run = OwnProcesses::begin(NAME, 5, |_| Vec::new());
    let marks = |file: &str| fs::read(run.folder().join(file)).map_or(0, |marks| marks.len());
    let began = Instant::now();
    let wait_until = |what: &str, done: &dyn Fn() -> bool| {
        while !done() {
            assert!(began.elapsed() < Duration::from_secs(120), "{what}");
            pause();
        }
    };
    let stopped = run.process(STOPPED.0);
    let stat = format!("/proc/{stopped}/stat");
    let is_stopped = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "));
    wait_until("no process stops", &is_stopped);
    let since = Instant::now();
    // All rounds of the epoch end without it, for as long as it is stopped.
    wait_until("rounds wait for a process that is stopped", &|| marks("rounds") >= 2 * ROUNDS);
    wait_until("two seconds do not pass", &|| since.elapsed() >= Duration::from_secs(2));
    assert!(is_stopped());
    assert_eq!((marks("rounds"), marks("boundaries")), (2 * ROUNDS, 2), "the boundary waits");
    signal(&stopped, "-CONT");
    assert!(run.end("left") == bytes(&engine(coded(), |_| ()).run().unwrap().parts));
}

/// The code does not matter: it is the fit of the rows themselves.
#[test]
fn a_code_changes_nothing_that_is_fitted() {
    let fitted = |code| engine(code, |_| ()).run().unwrap().parts.replica.coefficients;
    let plain = fitted(Code::any(1, 1).unwrap());
    for code in [coded(), copied(), Code::any(3, 4).unwrap(), Code::any(24, 24).unwrap()] {
        assert_eq!(fitted(code), plain, "{code:?}");
    }
}

#[test]
fn codes_that_make_no_sense_are_refused_by_name() {
    for blocks in [0, 11] {
        let why = Code::any(blocks, 10).unwrap_err();
        assert_eq!(why, format!("a code of 10 tasks has from 1 to 10 blocks, not {blocks}"));
    }
    let rows = vec![vec![0.5, 1.0], vec![-0.25, 2.5]];
    let why = ridge(Code::any(2, 3).unwrap(), &rows, vec![0.0; 2], f64::from(1 << 20)).err().unwrap();
    assert!(why.starts_with("the entry 2.5 in row 1, column 1 is too large for the field"), "{why}");
    assert!(why.ends_with("at most 1 is possible"), "{why}");
}

// ---- mistakes ----

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
