//! The engine compared with the same loops on threads and channels: one table of medians, minima and ratios.
//!
//! ```text
//! cargo bench --bench compare                   # everything but the Lasso
//! cargo bench --bench compare -- rotation round # only what is named: see `main`
//! LASSO=target/release/lasso RADDLE_DATA=DIR cargo bench --bench compare -- lasso
//! ```
//!
//! The sides of a comparison run in turns, a few epochs each, so that a busy spell of the machine meets both.
//! The median and minimum are taken over all epochs but the first of each turn.

mod by_hand;
mod lasso;
mod table;
#[path = "../workload/mod.rs"]
mod workload;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use table::{Samples, Table, in_turns};
use workload::{Idle, MEGABYTE, Nap, Turning, epochs, touch};

/// Measures something for a number of turns and adds its rows.
type Part = fn(&mut Table, usize);

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    // Under `cargo test` the program only shows that it runs.
    let turns = if std::env::args().any(|word| word == "--bench") { 30 } else { 1 };
    let mut table = Table::default();
    let parts: [(&str, Part); 7] = [
        ("rotation", rotation),
        ("many", many),
        ("round", round),
        ("nap", nap),
        ("workers", workers),
        ("serialized", serialized),
        ("lasso", lasso::rows),
    ];
    for (name, part) in parts {
        if named.is_empty() || named.iter().any(|word| word == name) {
            part(&mut table, turns);
        }
    }
    table.print();
}

/// Steps of arithmetic in a millisecond, when nothing disturbs.
fn millisecond() -> u64 {
    const STEPS: u64 = 1 << 20;
    let measure = |_| {
        let (mut shard, mut block) = (1, [1; 8]);
        let started = Instant::now();
        touch(&mut shard, &mut block, STEPS);
        std::hint::black_box(shard);
        started.elapsed().as_secs_f64()
    };
    let fastest = (0..20).map(measure).fold(f64::INFINITY, f64::min);
    (STEPS as f64 * 1e-3 / fastest) as u64
}

/// Seconds a task of each epoch, without the first epoch.
fn a_task(turning: &Turning, epochs: Vec<f64>) -> Vec<f64> {
    epochs.into_iter().skip(1).map(|seconds| seconds / turning.tasks() as f64).collect()
}

/// A rotation on the engine: seconds a task, and the shards in the end.
fn on_engine(turning: &Turning) -> (Vec<f64>, Vec<u64>) {
    let outcome = turning.run();
    (a_task(turning, epochs(&outcome)), outcome.parts.shards)
}

fn beside_by_hand(turning: &Turning, turns: usize) -> [Samples; 2] {
    in_turns(turns, || {
        let (engine, shards) = on_engine(turning);
        let (hand, expected) = by_hand::rotate(turning);
        assert_eq!(shards, expected, "both do the same");
        [engine, a_task(turning, hand)]
    })
}

fn rotation(table: &mut Table, turns: usize) {
    for (what, work, epochs) in [("first bytes", 0, 20), ("1 ms", millisecond(), 3)] {
        let [engine, hand] = beside_by_hand(&Turning { epochs, ..Turning::sixteen(work) }, turns);
        table.pair(&format!("rotation 16 x 16, 2 workers, a task of {what}"), ("by hand", hand), engine);
    }
}

fn many(table: &mut Table, turns: usize) {
    let turning = Turning { shards: 256, epochs: 10, ..Turning::sixteen(0) };
    let [engine, hand] = beside_by_hand(&turning, turns);
    table.pair("rotation 256 x 16, 2 workers, a task of first bytes", ("by hand", hand), engine);
}

fn round(table: &mut Table, turns: usize) {
    const ROUNDS: u32 = 200;
    let a_round =
        |epochs: Vec<f64>| epochs.into_iter().skip(1).map(|seconds| seconds / f64::from(ROUNDS)).collect();
    let [engine, hand] = in_turns(turns, || {
        let engine = epochs(&Idle::run(2, ROUNDS, 10));
        [a_round(engine), a_round(by_hand::empty_rounds(2, ROUNDS, 10))]
    });
    table.pair("empty stepwise round, 2 workers", ("by hand", hand), engine);
}

/// No barrier: how many tasks begin while one shard sleeps in the first round.
fn nap(table: &mut Table, _: usize) {
    let nap = Arc::new(Nap { length: Duration::from_millis(300), ..Nap::default() });
    let turning =
        Turning { shards: 8, blocks: 8, workers: 8, nap: Some(Arc::clone(&nap)), ..Turning::sixteen(0) };
    // A thread that sleeps holds up the workers that it carries.
    Turning { threads: Some(8), ..turning }.run();
    let meanwhile = nap.meanwhile.load(Ordering::Relaxed);
    table.note(&format!(
        "While shard 0 of 8 sleeps in the first of 8 rounds, {meanwhile} tasks of other shards run: the 28 \
         that depend neither on it nor on its block. With a barrier between rounds it would be 7."
    ));
}

fn workers(table: &mut Table, turns: usize) {
    for (what, work, epochs) in [("first bytes", 0, 20), ("1 ms", millisecond(), 3)] {
        let two = Turning { epochs, ..Turning::sixteen(work) };
        let eight = Turning { workers: 8, ..two.clone() };
        let crowded = Turning { threads: Some(8), ..eight.clone() };
        for (threads, eight) in [("the engine's", &eight), ("8", &crowded)] {
            let [on_two, on_eight] = in_turns(turns, || [on_engine(&two).0, on_engine(eight).0]);
            table.pair(
                &format!("rotation 16 x 16, 8 workers on {threads} threads, a task of {what}"),
                ("2 workers", on_two),
                on_eight,
            );
        }
        let [on_two, on_eight] =
            in_turns(turns, || [&two, &eight].map(|turning| a_task(turning, by_hand::rotate(turning).0)));
        table.pair(
            &format!("the same by hand, 8 threads, a task of {what}"),
            ("2 threads", on_two),
            on_eight,
        );
    }
}

fn serialized(table: &mut Table, turns: usize) {
    let [pointer, bytes] =
        [false, true].map(|serialized| Turning { epochs: 4, ..Turning::crossing(MEGABYTE, serialized) });
    let [pointer, bytes] = in_turns(turns, || [on_engine(&pointer).0, on_engine(&bytes).0]);
    // Two shards work side by side: a task's time is half of a block's way.
    let [pointer, bytes] = [pointer, bytes].map(|samples| samples.scaled(2.0));
    table.pair(
        "block of 1 MB to the other worker and into its task, as bytes",
        ("by pointer", pointer),
        bytes,
    );
}
