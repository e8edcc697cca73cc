//! Lags: a round of lag `l` is committed just before round `t + 1 + l` is asked for, in the order of
//! `(t + l, t)`, wherever and however late its shards answer.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

use raddle::random::{Stream, splitmix64};
use raddle::schedule::{EpochStart, Next, Plan, Round, Schedule};
use raddle::state::{Reader, StateError, Writer};
use raddle::{
    Aggregate, Conclude, Engine, Evaluate, Metric, Parts, Program, TaskOf, Update, Verdict, replay,
};

use crate::processes::Run;
use crate::programs::toy::Toy;
use crate::programs::{bytes, without_a_hang};

const SHARDS: u32 = 7;
const ROUNDS: u64 = 60;
const EPOCHS: u64 = 4;

fn mix(value: u64, with: u64) -> u64 {
    splitmix64(value.wrapping_mul(3) ^ splitmix64(with))
}

/// Each verb mixes all that it sees into what it changes, in an order that shows. The replica is a hash with
/// the number of commits, the pinned block a hash with the commits that each round has seen.
struct Mixed {
    sleeps: bool,
    /// Epochs that worsen the objective.
    bad: fn(u64) -> bool,
}

type Pinned = (u64, Vec<(u64, u64)>);
/// The hash of a shard, its round, and the commits that it has seen.
type Answer = (u64, u64, u64);

impl Program for Mixed {
    raddle::program!(
        Shard = u64, Pinned = Pinned, Replica = (u64, u64), Partial = Answer, Change = u64; update
    );
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        let (hash, seen) = at.pinned;
        for (part, round, commits) in at.partials {
            *hash = mix(*hash, part);
            seen.push((round, commits));
        }
        *hash
    }
    fn commit(&self, change: &u64, (hash, commits): &mut (u64, u64)) {
        (*hash, *commits) = (mix(*hash, *change), *commits + 1);
    }
    fn commit_shard(&self, change: &u64, number: u32, shard: &mut u64) {
        *shard = mix(mix(*shard, *change), number.into());
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Answer {
        (*at.shard, 0, 0)
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        let sum = at.partials.iter().fold(0, |sum, part| mix(sum, part.0));
        let objective = if (self.bad)(at.boundary.epoch) { 1.0 } else { -(at.boundary.epoch as f64) };
        Verdict { objective: Some(objective), ..Metric::new("hash", (sum >> 12) as f64, "all shards").into() }
    }
}

impl Update for Mixed {
    fn update(&self, at: TaskOf<'_, Self>) -> Answer {
        if self.sleeps {
            thread::sleep(Duration::from_micros(RandomState::new().hash_one(at.task.round) % 300));
        }
        *at.shard = mix(mix(*at.shard, at.replica.0), at.task.round);
        (*at.shard, at.task.round, at.replica.1)
    }
}

/// Rounds to shards drawn at random from all that is learned, with lags up to `most`, or none of their own.
#[derive(Clone)]
struct Drawn {
    most: usize,
    /// `true` if each epoch's plan is known at its start.
    known: bool,
    memory: u64,
    epoch: u64,
    round: u64,
}

impl Drawn {
    fn new(most: usize) -> Self {
        Self { most, known: false, memory: 7, epoch: 0, round: 0 }
    }

    fn draw(&self) -> Next {
        let mut stream = Stream::new(&[self.memory, self.epoch, self.round]);
        if stream.below(12) == 0 && !self.known {
            return Next::Drain;
        }
        let shards: Vec<u32> = (0..SHARDS).filter(|_| stream.below(3) == 0).collect();
        let lag = Some(stream.below(self.most + 2)).filter(|&lag| lag <= self.most);
        Next::Round(Round { lag: lag.map(|lag| lag as u32), ..Round::to_shards((), shards) })
    }
}

impl Schedule for Drawn {
    fn identity(&self) -> String {
        "drawn".into()
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan {
        (self.epoch, self.round) = (start.epoch, 0);
        if !self.known {
            return Plan::Stepwise;
        }
        let rounds = (0..ROUNDS).map(|round| match (Self { round, ..self.clone() }).draw() {
            Next::Round(round) => round,
            _ => unreachable!("a known plan does not drain"),
        });
        Plan::Known(rounds.collect())
    }
    fn next_round(&mut self) -> Next {
        self.round += 1;
        if self.round > ROUNDS { Next::EndOfEpoch } else { self.draw() }
    }
    fn learn(&mut self, round: &Round, _: &[(u32, f64)]) {
        let shards = round.tasks.iter().map(|task| u64::from(task.shard));
        self.memory = shards.fold(mix(self.memory, round.lag.map_or(99, u64::from)), mix);
    }
    fn save(&self, out: &mut Writer) {
        out.write(&self.memory);
    }
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.memory = from.read()?;
        Ok(())
    }
}

fn parts() -> Parts<Mixed> {
    let (shards, pinned) = ((0..u64::from(SHARDS)).collect(), (1, Vec::new()));
    Parts { shards, blocks: Vec::new(), pinned, replica: (2, 0) }
}

fn engine_of(schedule: Drawn, sleeps: bool) -> Engine<Mixed> {
    let staleness = schedule.most;
    Engine::new(Mixed { sleeps, bad: |_| false }, schedule, parts()).staleness(staleness).epochs(EPOCHS)
}

/// A round in flight: the last round before which it need not be committed, its number, and its answers.
type Flight = (u64, u64, Round, Vec<Answer>);

/// Returns the bytes that the definition leaves: a list of the rounds in flight, searched for what is due.
fn naive(mut schedule: Drawn) -> Vec<u8> {
    let Parts { mut shards, mut pinned, mut replica, .. } = parts();
    let staleness = schedule.most as u64;
    for epoch in 0..EPOCHS {
        let metric = Metric::new("hash", 0.0, "nothing");
        let plan = schedule.begin_epoch(&EpochStart {
            epoch,
            metric,
            objective: None,
            weights: vec![],
            batch_hint: 0,
        });
        let mut listed = match plan {
            Plan::Known(rounds) => Some(rounds.into_iter()),
            Plan::Stepwise => None,
        };
        let (mut flights, mut asked): (Vec<Flight>, u64) = (Vec::new(), 0);
        let mut next = Next::Drain;
        loop {
            let drains = matches!(next, Next::Drain | Next::EndOfEpoch);
            while let Some(first) = flights.iter().map(|flight| (flight.0, flight.1)).min() {
                if first.0 >= asked && !drains {
                    break;
                }
                let at = flights.iter().position(|flight| (flight.0, flight.1) == first).unwrap();
                let (_, _, round, partials) = flights.remove(at);
                for (part, round, commits) in partials {
                    pinned.0 = mix(pinned.0, part);
                    pinned.1.push((round, commits));
                }
                replica = (mix(replica.0, pinned.0), replica.1 + 1);
                for (number, shard) in (0..).zip(&mut shards) {
                    *shard = mix(mix(*shard, pinned.0), number);
                }
                schedule.learn(&round, &[]);
            }
            if matches!(next, Next::EndOfEpoch) {
                break;
            }
            next = match &mut listed {
                Some(rounds) => rounds.next().map_or(Next::EndOfEpoch, Next::Round),
                None => schedule.next_round(),
            };
            let Next::Round(round) = &next else { continue };
            let partials = round.tasks.iter().map(|task| {
                let shard = &mut shards[task.shard as usize];
                *shard = mix(mix(*shard, replica.0), asked);
                (*shard, asked, replica.1)
            });
            let partials = partials.collect();
            flights.push((asked + round.lag.map_or(staleness, u64::from), asked, round.clone(), partials));
            asked += 1;
        }
    }
    bytes::<Mixed>(&Parts { shards, blocks: Vec::new(), pinned, replica })
}

/// Schedules with lags up to these, stepwise and known at the start of each epoch.
fn schedules() -> Vec<Drawn> {
    let all = [0, 1, 3, 30].map(|most| [false, true].map(|known| Drawn { known, ..Drawn::new(most) }));
    all.into_iter().flatten().collect()
}

#[test]
fn commits_are_those_that_are_due_in_the_order_of_t_plus_l_and_t() {
    for schedule in schedules() {
        without_a_hang(move || {
            let expected = naive(schedule.clone());
            for (workers, serialized) in [(1, false), (2, true), (3, false), (4, true), (7, false)] {
                for sleeps in [false, true] {
                    let engine = engine_of(schedule.clone(), sleeps).workers(workers).serialized(serialized);
                    let left = bytes(&engine.threads(workers).run().unwrap().parts);
                    assert!(left == expected, "lags to {}, {workers} workers", schedule.most);
                }
            }
            let rescaled = engine_of(schedule.clone(), true).rescale(&[(1, 3), (2, 2), (3, 7)]);
            assert!(bytes(&rescaled.run().unwrap().parts) == expected, "lags to {}, rescaled", schedule.most);
        });
    }
}

#[test]
fn runs_with_lags_replay_and_resume() {
    for schedule in schedules() {
        without_a_hang(move || {
            replay::check(|| engine_of(schedule.clone(), false).identity("lags")).unwrap();
        });
    }
}

#[test]
fn processes_with_lags_leave_the_bytes_of_one() {
    without_a_hang(|| {
        let expected = naive(Drawn::new(30));
        for processes in [1, 3] {
            let run = Run::begin(processes, 2, |_| engine_of(Drawn::new(30), true));
            let (outcome, _, errors) = run.end();
            assert!(errors.is_empty(), "{errors:?}");
            assert!(bytes(&outcome.unwrap().1.parts) == expected, "{processes} processes");
        }
    });
}

/// Rounds to one shard each: every other one has this lag of its own, and round 3 so much more.
struct Constant {
    lag: u32,
    more: u32,
}

impl Schedule for Constant {
    fn identity(&self) -> String {
        format!("lag {}", self.lag)
    }
    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        let round = |round| {
            let own = self.lag + if round == 3 { self.more } else { 0 };
            Round { lag: (round % 2 == 1).then_some(own), ..Round::to_shards((), [round % SHARDS]) }
        };
        Plan::Known((0..ROUNDS as u32).map(round).collect())
    }
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

#[test]
fn the_guard_halves_lags_with_the_staleness() {
    let engine = |workers| {
        let program = Mixed { sleeps: false, bad: |epoch| [2, 4].contains(&epoch) };
        let schedule = Constant { lag: 9, more: 0 };
        Engine::new(program, schedule, parts()).staleness(9).workers(workers).epochs(5)
    };
    let outcome = without_a_hang(move || engine(3).run().unwrap());
    assert_eq!(outcome.report.rollbacks, 2);
    let epoch = |(epoch, lag): (u64, u64)| {
        (0..ROUNDS).map(move |round| (round, ROUNDS * epoch + round.saturating_sub(lag)))
    };
    let expected: Vec<_> = (0..).zip([9, 4, 2]).flat_map(epoch).collect();
    assert_eq!(outcome.parts.pinned.1, expected);
    assert!(bytes(&engine(1).run().unwrap().parts) == bytes(&outcome.parts));
}

#[test]
fn a_lag_beyond_the_staleness_or_without_use_is_named_with_its_round() {
    let program = Mixed { sleeps: false, bad: |_| false };
    let engine = Engine::new(program, Constant { lag: 5, more: 1 }, parts()).staleness(5).epochs(1);
    let why = engine.run().err().unwrap().to_string();
    let expected = "the schedule gives round 3 of epoch 0 a lag of 6, but the run's staleness is 5: ";
    assert!(why.starts_with(&format!("a worker ended the run: {expected}")), "{why}");
    let parts = Parts { shards: vec![(); SHARDS as usize], blocks: Vec::new(), pinned: (), replica: () };
    let engine = Engine::new(Toy::new(|_| ()), Constant { lag: 5, more: 1 }, parts).staleness(9).epochs(1);
    let why = engine.run().err().unwrap().to_string();
    assert!(
        why.contains("the schedule gives round 1 a lag of 5, which has no use: the plan is known"),
        "{why}"
    );
}
