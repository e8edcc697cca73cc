//! Settings of any size neither panic nor hang, and cost no more than the shards and blocks that there are.

use std::time::Instant;

use raddle::schedule::{Cyclic, Priority, PrioritySettings, Schedule, Shuffled};
use raddle::{Engine, Outcome};

use crate::programs::{bytes, ridge, without_a_hang};

fn run(
    schedule: impl Schedule,
    set: impl FnOnce(Engine<ridge::Ridge>) -> Engine<ridge::Ridge>,
) -> Outcome<ridge::Ridge> {
    let (program, parts) = problem().parts();
    set(Engine::new(program, schedule, parts).guard(false).epochs(3)).run().unwrap()
}

fn problem() -> ridge::Problem {
    ridge::Problem::small(3)
}

fn cyclic(parallelism: usize) -> Cyclic {
    Cyclic::new(problem().variables(), parallelism)
}

#[test]
fn workers_beyond_the_shards_change_nothing_and_cost_nothing() {
    let alone = run(cyclic(4), |engine| engine);
    for workers in [1_000, 100_000, usize::MAX] {
        for serialized in [false, true] {
            let began = Instant::now();
            let many = without_a_hang(move || {
                run(cyclic(4), |engine| engine.workers(workers).threads(workers).serialized(serialized))
            });
            assert!(bytes(&alone.parts) == bytes(&many.parts));
            assert!(many.report.threads <= many.report.shards);
            assert_eq!(many.report.idle_workers, workers - many.report.shards);
            assert!(many.trace.iter().all(|record| record.load.len() == many.report.shards));
            assert!(began.elapsed().as_secs() < 20);
        }
    }
}

#[test]
fn parallelism_beyond_the_variables_is_all_of_them() {
    let columns = problem().columns;
    for parallelism in [columns + 1, u32::MAX as usize, usize::MAX] {
        let outcome = without_a_hang(move || run(cyclic(parallelism), |engine| engine));
        assert!(bytes(&outcome.parts) == bytes(&run(cyclic(columns), |engine| engine).parts));
        let shuffled = move |parallelism| Shuffled::new(problem().variables(), parallelism, 7);
        let outcome = without_a_hang(move || run(shuffled(parallelism), |engine| engine));
        assert!(bytes(&outcome.parts) == bytes(&run(shuffled(columns), |engine| engine).parts));
    }
}

#[test]
fn staleness_beyond_the_rounds_is_all_of_them() {
    let rounds = problem().columns;
    for staleness in [rounds + 1, u32::MAX as usize, usize::MAX] {
        for workers in [1, 3] {
            let stale =
                move |staleness| run(cyclic(1), |engine| engine.workers(workers).staleness(staleness));
            let outcome = without_a_hang(move || stale(staleness));
            assert!(bytes(&outcome.parts) == bytes(&stale(rounds).parts));
        }
    }
}

#[test]
fn the_priority_schedule_takes_any_settings() {
    let huge = [64, u32::MAX as usize, usize::MAX];
    for (parallelism, candidates) in huge.into_iter().flat_map(|p| huge.map(|c| (p, c))) {
        for (rho, batches, rounds) in
            [(Some(0.1), 2, None), (None, u32::MAX, Some(5)), (Some(0.0), 7, Some(3))]
        {
            let settings = PrioritySettings {
                parallelism,
                candidates,
                rho,
                batches,
                rounds,
                ..PrioritySettings::new(1, 5)
            };
            let outcome = without_a_hang(move || {
                run(Priority::new(problem().variables(), settings), |engine| engine.staleness(1))
            });
            assert_eq!(outcome.report.epochs, 3);
            assert!(outcome.report.updates > 0, "{parallelism} {candidates} {rho:?}");
        }
    }
}
