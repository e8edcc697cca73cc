//! A run is a pure function of data, program, schedule and seed: its bytes are the same on any number of
//! workers, by pointer or by bytes, through rescales, checkpoints and resumes.

use raddle::schedule::{Automatic, Cyclic, Priority, PrioritySettings, Schedule, Shuffled};
use raddle::{Engine, Outcome, Parts, Program, Visibility};

use crate::combinations::in_turn;
use crate::programs::{bytes, lda, mf, mixing, ridge, without_a_hang};

/// Way in which a run is carried out: nothing of it may show in the bytes.
#[derive(Debug, Clone, Copy)]
struct How {
    workers: usize,
    threads: usize,
    serialized: bool,
    interruption: Interruption,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Interruption {
    None,
    Rescaled,
    Resumed,
}

const EPOCHS: u64 = 4;

/// Results that must be equal: bytes of all parts, counts, and the trace's metrics from the resume on.
#[derive(PartialEq)]
struct Result {
    bytes: Vec<u8>,
    counts: [u64; 7],
    metrics: Vec<u64>,
}

impl Result {
    fn rollbacks(&self) -> u64 {
        self.counts[6]
    }
}

fn result<P: Program>(outcome: &Outcome<P>) -> Result {
    let report = &outcome.report;
    let counts = [
        report.epochs,
        report.rounds,
        report.tasks,
        report.updates,
        report.candidates,
        report.rejected,
        report.rollbacks,
    ];
    let late = outcome.trace.iter().filter(|record| record.epoch > EPOCHS / 2);
    let metrics = late.map(|record| record.value().to_bits()).collect();
    Result { bytes: bytes(&outcome.parts), counts, metrics }
}

/// A case: its name, and a function that carries out its run for (seed, staleness, how).
type Case = (&'static str, Box<dyn Fn(u64, usize, How) -> Result + Send>);

fn case<P: Program, S: Schedule<P::Phase>>(
    name: &'static str,
    build: impl Fn(u64) -> (P, S, Parts<P>) + Send + 'static,
) -> Case {
    let run = move |seed, staleness, how: How| {
        let engine = || {
            let (program, schedule, parts) = build(seed);
            let engine = Engine::new(program, schedule, parts).staleness(staleness).epochs(EPOCHS);
            engine.workers(how.workers).threads(how.threads).serialized(how.serialized)
        };
        let engine = match how.interruption {
            Interruption::None => engine(),
            Interruption::Rescaled => engine().rescale(&[(1, 2), (2, 4), (3, 1)]),
            Interruption::Resumed => {
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("run.checkpoint");
                let first = engine().epochs(EPOCHS / 2).checkpoint(1, &file).identity("the same");
                first.run().unwrap();
                let second = engine().workers(how.workers % 3 + 1).identity("the same");
                return result(&second.resume(&file).run().unwrap());
            }
        };
        result(&engine.run().unwrap())
    };
    (name, Box::new(run))
}

fn ridge_case<S: Schedule>(name: &'static str, schedule: fn(&ridge::Problem) -> S) -> Case {
    case(name, move |seed| {
        let problem = ridge::Problem::small(seed);
        let (program, parts) = problem.parts();
        (program, schedule(&problem), parts)
    })
}

fn lda_case(name: &'static str, visibility: Visibility) -> Case {
    case(name, move |seed| {
        let problem = lda::Problem { shards: 5, blocks: 3, seed, visibility };
        let (program, parts) = problem.parts();
        (program, problem.schedule(), parts)
    })
}

fn mixing_case(name: &'static str, visibility: Visibility, objective: bool) -> Case {
    case(name, move |seed| {
        let problem = mixing::Problem { shards: 5, blocks: 8, seed, visibility, objective };
        let (program, parts) = problem.parts();
        (program, problem.schedule(), parts)
    })
}

fn priority(problem: &ridge::Problem) -> Priority {
    let settings = PrioritySettings { rho: Some(0.2), ..PrioritySettings::new(6, problem.seed) };
    Priority::new(problem.variables(), settings)
}

fn automatic(problem: &ridge::Problem) -> Automatic {
    let choices: Vec<Box<dyn Schedule>> = vec![
        Box::new(Shuffled::new(problem.variables(), 40, problem.seed)),
        Box::new(priority(problem)),
        Box::new(Cyclic::new(problem.variables(), 2)),
    ];
    Automatic::new(problem.variables(), choices)
}

fn cases() -> Vec<Case> {
    vec![
        case("matrix factorization", |seed| {
            let problem = mf::Problem::small(seed);
            let (program, parts) = problem.parts();
            (program, problem.schedule(), parts)
        }),
        lda_case("topics, totals at the boundary", Visibility::AtBoundary),
        lda_case("topics, totals each round", Visibility::EachRound),
        ridge_case("ridge, cyclic", |problem| Cyclic::new(problem.variables(), 7)),
        ridge_case("ridge, shuffled", |problem| Shuffled::new(problem.variables(), 7, problem.seed)),
        ridge_case("ridge, priority", priority),
        ridge_case("ridge, automatic", automatic),
        mixing_case("mixing each round", Visibility::EachRound, false),
        mixing_case("mixing each round, rolled back", Visibility::EachRound, true),
        mixing_case("mixing at the boundary", Visibility::AtBoundary, false),
        mixing_case("mixing at the boundary, rolled back", Visibility::AtBoundary, true),
    ]
}

#[test]
fn bytes_depend_neither_on_workers_nor_on_transport_nor_on_interruptions() {
    const SPREAD: [(usize, usize); 7] = [(1, 1), (2, 2), (3, 3), (4, 4), (7, 7), (4, 1), (7, 3)];
    const INTERRUPTIONS: [Interruption; 3] =
        [Interruption::None, Interruption::Rescaled, Interruption::Resumed];
    for (turn, (name, run)) in cases().into_iter().enumerate() {
        without_a_hang(move || {
            let mut references = Vec::new();
            for (at, (seed, staleness)) in [(1, 0), (1, 2), (2, 0), (2, 2)].into_iter().enumerate() {
                let alone =
                    How { workers: 1, threads: 1, serialized: false, interruption: Interruption::None };
                let reference = run(seed, staleness, alone);
                for (number, (workers, threads)) in SPREAD.into_iter().enumerate() {
                    // Workers, ways of messages and interruptions have periods of 7, 2 and 3.
                    let turn = turn + at + number;
                    for serialized in in_turn([false, true], turn) {
                        for interruption in in_turn(INTERRUPTIONS, turn) {
                            let how = How { workers, threads, serialized, interruption };
                            let same = run(seed, staleness, how) == reference;
                            assert!(same, "{name}, seed {seed}, staleness {staleness}: {how:?}");
                        }
                    }
                }
                references.push(reference);
            }
            assert!(references[0].bytes != references[2].bytes, "{name}: the seed names the run");
            let rollbacks: u64 = references.iter().map(|reference| reference.rollbacks()).sum();
            assert!(rollbacks > 0 || !name.ends_with("rolled back"), "{name}: nothing was rolled back");
        });
    }
}

/// Traffic of a run, and its model.
struct Traffic {
    bytes: u64,
    block_bytes: u64,
    /// Bytes of all parts when the run is over, to be compared.
    parts: Vec<u8>,
}

fn factorize(problem: &mf::Problem, workers: usize, serialized: bool) -> Traffic {
    let (program, parts) = problem.parts();
    let engine = Engine::new(program, problem.schedule(), parts).epochs(2);
    let outcome = engine.workers(workers).threads(workers).serialized(serialized).run().unwrap();
    let report = outcome.report;
    Traffic {
        bytes: report.bytes_on_wire,
        block_bytes: report.block_bytes_on_wire,
        parts: bytes(&outcome.parts),
    }
}

/// Bytes of all blocks that change worker, found by following the plan step by step.
fn bytes_moved(problem: &mf::Problem, workers: usize) -> (u64, u64) {
    let (_, parts) = problem.parts();
    let shard_at = raddle::placement::even(&vec![1; parts.shards.len()], workers);
    let rests = raddle::placement::even(&vec![1; parts.blocks.len()], workers.min(parts.shards.len()));
    let mut block_at: Vec<u32> = rests;
    let (mut moves, mut bytes) = (0, 0);
    for _ in 0..2 {
        for round in
            [mf::Phase::Train, mf::Phase::Measure].into_iter().flat_map(|of| problem.schedule().rounds(of))
        {
            for task in round.tasks {
                let (block, worker) = (task.block.unwrap() as usize, shard_at[task.shard as usize]);
                if block_at[block] != worker {
                    block_at[block] = worker;
                    moves += 1;
                    bytes += raddle::state::to_bytes(&parts.blocks[block]).len() as u64;
                }
            }
        }
    }
    (moves, bytes)
}

#[test]
fn blocks_that_change_worker_are_what_crosses_the_wire() {
    let small = mf::Problem::small(1);
    // Factors of 2.4 MB a block: each is cut into pieces.
    let large =
        mf::Problem { users: 40, items: 4800, rank: 250, shards: 4, blocks: 2, ..mf::Problem::small(1) };
    for (problem, workers) in [(small, 3), (large, 2)] {
        let alone = factorize(&problem, 1, false);
        assert_eq!((alone.bytes, alone.block_bytes), (0, 0));
        let wired = factorize(&problem, workers, true);
        assert!(wired.parts == alone.parts);
        let (moves, moved) = bytes_moved(&problem, workers);
        assert!(moves > 10);
        // A block travels with its number and the position in its route, and little else.
        let overhead = 16 * moves;
        assert!((moved..=moved + overhead).contains(&wired.block_bytes), "{moved} {}", wired.block_bytes);
        assert!(wired.bytes >= wired.block_bytes);
    }
}

#[test]
fn a_rotation_of_many_shards_leaves_the_same_bytes() {
    let problem =
        mf::Problem { users: 512, ratings_per_user: 20, shards: 256, blocks: 16, ..mf::Problem::small(4) };
    without_a_hang(move || {
        let alone = factorize(&problem, 1, false);
        for (workers, serialized) in [(2, false), (3, true), (4, false), (7, true)] {
            let same = factorize(&problem, workers, serialized).parts == alone.parts;
            assert!(same, "{workers} workers, serialized {serialized}");
        }
    });
}
