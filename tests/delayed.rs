//! Links of declared speed: what the schedule for them promises, what it gains, and what it may not cost.

use raddle::schedule::{Delayed, Links, Plan, Schedule};
use raddle::{
    Aggregate, Conclude, Engine, Evaluate, Metric, Parts, Program, TaskOf, Update, Verdict, replay,
};
use raddle_common::testing::pairs;

use crate::commands::number;
use crate::launched::{OwnProcesses, Proxy, free_port};
use crate::processes::Run;
use crate::programs::delayed::{Logistic, SHARDS, parts};
use crate::programs::toy::Toy;
use crate::programs::{bytes, without_a_hang};

/// Bytes of an answer; 50 ms over a link of 100 MB/s.
const BYTES: u64 = 5_000_000;
const MINUTE: u64 = 60_000;

/// Milliseconds of each shard's transfer, where every fourth takes `skew` times as long.
fn times(skew: u64) -> Vec<u64> {
    (0..SHARDS).map(|shard| if shard % 4 == 3 { 50 * skew } else { 50 }).collect()
}

/// Links of a process for each shard, for these times.
fn links(times: &[u64]) -> Links {
    let line =
        |(process, &time): (usize, &u64)| format!("{process} {} 0\n", BYTES as f64 / 1e3 / time as f64);
    times.iter().enumerate().map(line).collect::<String>().parse().unwrap()
}

fn delayed(times: &[u64], lag: u32) -> Delayed {
    Delayed::new(links(times), vec![BYTES; times.len()]).lag(lag)
}

fn engine(schedule: Delayed, lag: u32, sleeps: bool) -> Engine<Logistic> {
    let program = Logistic { step: 0.1, sleeps };
    Engine::new(program, schedule, parts(1)).staleness(lag as usize).epochs(3)
}

/// Shards and lags of the rounds that a schedule hands out in an epoch.
fn rounds(mut schedule: Delayed) -> Vec<(usize, u32)> {
    let metric = Metric::new("loss", 1.0, "nothing");
    let start =
        raddle::schedule::EpochStart { epoch: 0, metric, objective: None, weights: vec![], batch_hint: 0 };
    let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("the plan is known") };
    rounds.iter().map(|round| (round.tasks[0].shard as usize, round.lag.unwrap())).collect()
}

/// A second program of the same rule, without a formula: of the updates that wait, the shortest one that
/// may go first if all others then follow in the order of their age and none is later than `lag`. Returns
/// shard and lag of each update in the order in which they were asked for, and the milliseconds of each
/// commit.
fn naive(times: &[u64], lag: usize, updates: usize) -> (Vec<(usize, u32)>, Vec<u64>) {
    let at_once = times.len().min(lag + 1);
    let mut idle: Vec<usize> = (0..times.len()).collect();
    // Each as (number, shard).
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let (mut asked, mut now) = (0, 0);
    let (mut all, mut commits) = (vec![(0, 0); updates], Vec::new());
    while commits.len() < updates {
        while waiting.len() < at_once && !idle.is_empty() {
            waiting.push((asked, idle.remove(0)));
            asked += 1;
        }
        let is_in_time = |first: usize| {
            let rest = waiting.iter().filter(|update| update.0 != waiting[first].0);
            let order = std::iter::once(&waiting[first]).chain(rest);
            order.zip(asked..).all(|(update, asked)| asked - update.0 - 1 <= lag)
        };
        let first =
            (0..waiting.len()).filter(|&at| is_in_time(at)).min_by_key(|&at| times[waiting[at].1]).unwrap();
        let (number, shard) = waiting.remove(first);
        now += times[shard];
        if number < updates {
            all[number] = (shard, (asked - number - 1) as u32);
        }
        commits.push(now);
        idle.push(shard);
    }
    (all, commits)
}

/// Commits of a minute.
fn within_a_minute(schedule: &Delayed) -> f64 {
    schedule.seconds().iter().filter(|&&seconds| seconds <= 60.0 + 1e-9).count() as f64
}

#[test]
fn ordered_transfers_are_those_of_a_second_program_and_pay_where_links_differ() {
    for (skew, at_least) in [(1, [0.99, 0.99]), (4, [1.25, 1.42]), (8, [1.45, 1.85]), (16, [1.6, 2.4])] {
        let times = times(skew);
        // First come, first served: all in turn.
        let in_turn: Vec<u64> = times
            .iter()
            .cycle()
            .take(1500)
            .scan(0, |now, time| {
                *now += time;
                Some(*now)
            })
            .collect();
        let first_come = in_turn.iter().filter(|&&at| at <= MINUTE).count() as f64;
        assert_eq!(within_a_minute(&delayed(&times, SHARDS as u32 - 1).rounds(1500)), first_come);
        for (lag, at_least) in pairs([32, 64], at_least) {
            let schedule = delayed(&times, lag).rounds(1500);
            let (_, commits) = naive(&times, lag as usize, 1500);
            let counted = commits.iter().filter(|&&at| at <= MINUTE).count() as f64;
            assert_eq!(within_a_minute(&schedule), counted, "skew {skew}, lag {lag}");
            let gain = counted / first_come;
            println!("skew {skew}, lag {lag}: {counted} commits, {gain:.2} times those of first come");
            assert!(gain >= at_least && (skew > 1 || gain <= 1.01), "skew {skew}, lag {lag}: {gain}");
        }
    }
}

#[test]
fn no_round_is_later_than_its_bound_and_each_is_that_of_the_second_program() {
    for skew in [1, 2, 3, 5, 8, 16] {
        for lag in [0, 4, 15, 32, 64] {
            let times = times(skew);
            let all = rounds(delayed(&times, lag).rounds(700));
            assert!(all.iter().all(|&(_, own)| own <= lag), "skew {skew}, lag {lag}");
            // The last ones wait for updates that are not asked for any more.
            let (expected, _) = naive(&times, lag as usize, 700);
            assert_eq!(all[..600], expected[..600], "skew {skew}, lag {lag}");
            let mut of_shard = vec![0; SHARDS];
            all.iter().for_each(|&(shard, _)| of_shard[shard] += 1);
            let fewest = of_shard.iter().min().unwrap();
            assert!(*fewest >= 700 / (lag as usize + 1).max(SHARDS), "{of_shard:?}");
        }
    }
}

#[test]
fn costs_and_speeds_order_transfers() {
    // The last shard computes for three transfers of the others, and is not waited for.
    let links: Links = "0 100 0\n1 100 0\n2 100 0".parse().unwrap();
    let slow =
        Delayed::new(links.clone(), vec![1_000_000; 3]).costs(vec![0, 0, 31_000_000]).lag(20).rounds(12);
    let shards: Vec<usize> = rounds(slow.clone()).into_iter().map(|(shard, _)| shard).collect();
    assert_eq!(shards, [0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1]);
    assert!((slow.seconds()[11] - 0.12).abs() < 1e-9, "{:?}", slow.seconds());
    assert_ne!(slow.identity(), slow.clone().lag(19).identity());
    assert_ne!(slow.identity(), Schedule::<()>::identity(&Delayed::new(links, vec![1_000_000; 3])));
}

#[test]
fn runs_leave_the_same_bytes_however_late_answers_are() {
    for lag in [4, 32, 64] {
        for skew in [1, 8, 16] {
            without_a_hang(move || {
                let make = move |sleeps| engine(delayed(&times(skew), lag).rounds(70), lag, sleeps);
                let expected = bytes(&make(false).run().unwrap().parts);
                for workers in [2, 3, 4, 7] {
                    let engine = make(true).workers(workers).threads(workers).serialized(workers % 2 == 0);
                    let left = bytes(&engine.run().unwrap().parts);
                    assert!(left == expected, "lag {lag}, skew {skew}, {workers} workers");
                }
                let rescaled = make(true).rescale(&[(1, 3), (2, 4)]);
                assert!(
                    bytes(&rescaled.run().unwrap().parts) == expected,
                    "lag {lag}, skew {skew}, rescaled"
                );
            });
        }
        without_a_hang(move || {
            let make = || engine(delayed(&times(8), lag).rounds(70), lag, false).identity("links");
            replay::check(make).unwrap();
        });
    }
}

#[test]
fn processes_leave_the_bytes_of_one() {
    without_a_hang(|| {
        let expected = bytes(&engine(delayed(&times(8), 32), 32, false).run().unwrap().parts);
        for processes in [1, 3] {
            let run = Run::begin(processes, 2, |_| engine(delayed(&times(8), 32), 32, true));
            let (outcome, _, errors) = run.end();
            assert!(errors.is_empty(), "{errors:?}");
            assert!(bytes(&outcome.unwrap().1.parts) == expected, "{processes} processes");
        }
    });
}

#[test]
fn with_rows_sorted_by_class_bounded_lags_reach_no_worse_a_loss_and_unbounded_ones_do() {
    // The last quarter of the shards, which alone has rows of one class, is slow.
    let times: Vec<u64> = (0..SHARDS).map(|shard| if shard < SHARDS / 4 * 3 { 50 } else { 400 }).collect();
    for seed in 1..4 {
        let loss = |lag: u32| {
            let rounds = within_a_minute(&delayed(&times, lag).rounds(1500)) as u32;
            let program = Logistic { step: 0.02, sleeps: false };
            let engine = Engine::new(program, delayed(&times, lag).rounds(rounds), parts(seed));
            engine.staleness(lag as usize).epochs(1).run().unwrap().report.metric.value
        };
        let [in_turn, ordered, unbounded] = [SHARDS as u32 - 1, 32, 2000].map(loss);
        println!("seed {seed}: in turn {in_turn:.4}, lag 32 {ordered:.4}, without a bound {unbounded:.4}");
        assert!(ordered <= in_turn && in_turn < unbounded, "{in_turn}, {ordered}, {unbounded}");
    }
}

#[test]
fn links_that_make_no_sense_are_named_by_line() {
    for (text, why) in [
        ("0 100 0\n2 100 0", "line 2: process 2 is unknown: there are 2 lines"),
        ("0 100 0\n1 1 1\n1 1 1", "line 3: process 1 is declared twice: there are 3 lines"),
        ("0 100 0\n# one\n\n1 0 0", "line 4: the speed is 0: it must be a number from 1e-6 to 1e9 MB/s"),
        ("0 -5 0", "line 1: the speed is -5: it must be a number"),
        ("0 fast 0", "line 1: the speed is fast: it must be a number"),
        ("0 nan 0", "line 1: the speed is nan: it must be a number"),
        ("0", "line 1: the speed of process 0 is missing: give process, MB/s and ms"),
        ("0 100", "line 1: the delay of process 0 is missing: give process, MB/s and ms"),
        ("0 100 -1", "line 1: the delay is -1: it must be a number"),
        ("first 100 0", "line 1: first is not the number of a process"),
        ("# nothing", "no link is declared"),
    ] {
        let said = text.parse::<Links>().unwrap_err();
        assert!(said.starts_with(why), "{text}: {said}");
    }
    let links: Links = " 1\t50 2 # slow\n0 1e3 0".parse().unwrap();
    assert_eq!([0, 1].map(|process| links.nanoseconds(process, 1_000_000)), [1_000_000, 22_000_000]);
}

#[test]
fn a_schedule_for_links_that_does_not_suit_its_run_is_refused() {
    let times = times(8);
    let error = |engine: Engine<Logistic>| engine.run().err().unwrap().to_string();
    let why = error(engine(delayed(&times, 32), 31, false));
    assert!(why.contains("a lag of 32, but the run's staleness is 31"), "{why}");
    for (schedule, expected) in [
        (Delayed::new(links(&times), vec![BYTES; 3]), "the schedule was made for 3 shards, but there are 16"),
        (delayed(&times, 32).costs(vec![1]), "the schedule was made for 1 costs of shards, but there are 16"),
        (delayed(&times, 32).rounds(0), "an epoch of 0 rounds makes no sense"),
        (delayed(&times, u32::MAX), "the lag 4294967295 makes epochs too long"),
    ] {
        let why = error(engine(schedule, 32, false));
        assert!(why.contains(expected), "{why}");
    }
    // Changes become visible at the boundary: no round is late.
    let parts = Parts { shards: vec![(); SHARDS], blocks: Vec::new(), pinned: (), replica: () };
    let engine = Engine::new(Toy::new(|_| ()), delayed(&times, 32), parts).staleness(32).epochs(1);
    let why = engine.run().err().unwrap().to_string();
    assert!(why.contains("which has no use: the plan is known"), "{why}");
}

/// Numbers in an answer of the run on slow links.
const WIDE: usize = 20_000;

/// Adds up wide answers.
struct Wide;

impl Program for Wide {
    raddle::program!(Shard = f64, Replica = Vec<f64>, Partial = Vec<f64>; update);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<f64> {
        at.partials.sum()
    }
    fn commit(&self, change: &Vec<f64>, sums: &mut Vec<f64>) {
        sums.iter_mut().zip(change).for_each(|(sum, part)| *sum = 0.5 * (*sum + part));
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<f64> {
        Vec::new()
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<f64>> {
        Metric::new("sum", at.replica[0], "all shards").into()
    }
}

impl Update for Wide {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        at.replica.iter().map(|sum| 0.9 * sum + *at.shard).collect()
    }
}

fn wide(lag: u32) -> Engine<Wide> {
    let links: Links = "0 8000 0\n1 8 0\n2 8 0\n3 1 0".parse().unwrap();
    let schedule = Delayed::new(links, vec![8 * WIDE as u64; 4]).lag(lag).rounds(99);
    let parts = Parts::new((0..4).map(f64::from).collect(), vec![0.0; WIDE]);
    Engine::new(Wide, schedule, parts).staleness(lag as usize).epochs(1)
}

/// Process 3 sends at an eighth of the rate of the others. The commits of an epoch are counted, so that the
/// seconds that it takes compare commits a second.
#[test]
fn on_sockets_too_ordered_answers_are_more_commits_a_second() {
    const NAME: &str = "delayed::on_sockets_too_ordered_answers_are_more_commits_a_second";
    const LAG: &str = "RADDLE_TEST_LAG";
    if let Some((cluster, folder)) = OwnProcesses::here() {
        let lag = number(LAG, 0) as u32;
        if let Some(outcome) = wide(lag).run_on(&cluster).unwrap() {
            let [before, after] = [0, 1].map(|epoch: usize| outcome.trace[epoch].seconds);
            std::fs::write(folder.join("seconds"), format!("{} {:?}", after - before, outcome.digest()))
                .unwrap();
        }
        return;
    }
    // Seconds of an epoch, and the digest that it leaves.
    let run = |lag: u32| {
        let inside = std::net::SocketAddr::from(([127, 0, 0, 1], free_port()));
        let proxy = Proxy::slowing(inside, |index| if index == 3 { 1e6 } else { 8e6 });
        let run = OwnProcesses::begin(NAME, 4, |index| {
            let mut variables = vec![(LAG, lag.to_string())];
            if index == 0 {
                variables.push(("RADDLE_LISTEN", inside.to_string()));
                variables.push(("RADDLE_ADVERTISE", proxy.address.to_string()));
            }
            variables
        });
        let text = String::from_utf8(run.end("seconds")).unwrap();
        let (seconds, digest) = text.split_once(' ').unwrap();
        assert_eq!(digest, format!("{:?}", wide(lag).run().unwrap().digest()));
        seconds.parse::<f64>().unwrap()
    };
    let mut gains: Vec<f64> = (0..number("RADDLE_SLOW_LINK", 1)).map(|_| run(3) / run(32)).collect();
    gains.sort_unstable_by(f64::total_cmp);
    println!("times the commits a second of first come: {gains:.2?}");
    assert!(gains[gains.len() / 2] >= 1.25, "{gains:?}");
}
