//! Epochs to a target at 4, 16, 64 and 256 shards of the same data: does cutting finer cost convergence?
//!
//! ```text
//! cargo bench --bench shards
//! ```
//!
//! Counted, not timed: the same numbers on every machine. The Lasso's are identical by construction, which
//! its tests check byte by byte.

// The programs are those of the tests; this uses two of them, and helpers of tests may panic.
#![allow(dead_code, clippy::unwrap_used)]

#[path = "../tests/programs/mod.rs"]
mod programs;

use programs::{lda, mf};
use raddle::schedule::Rotation;
use raddle::{Engine, Outcome, Parts, Program, Schedule, Stop, Visibility};

const SHARDS: [u32; 4] = [4, 16, 64, 256];

fn main() {
    println!("| program | target | {} |", SHARDS.map(|shards| format!("{shards} shards")).join(" | "));
    println!("|---|---|{}", "---|".repeat(SHARDS.len()));
    let factorization = SHARDS.map(|shards| {
        let problem = mf::Problem {
            users: 2048,
            items: 512,
            ratings_per_user: 40,
            rank: 4,
            shards,
            blocks: 16,
            seed: 1,
        };
        let (program, parts) = problem.parts();
        epochs_to(0.1, program, problem.schedule(), parts)
    });
    row("matrix factorization, 82,000 ratings", "training RMSE 0.1", factorization);
    let topics = SHARDS.map(|shards| {
        let visibility = Visibility::AtBoundary;
        let problem = lda::Problem { shards: 256, blocks: 16, seed: 1, visibility };
        let (program, parts) = problem.parts();
        let schedule =
            Rotation::new(shards, problem.blocks).phase(lda::Phase::Train).then(lda::Phase::Measure);
        epochs_to(85.0, program, schedule, merged(parts, shards))
    });
    row("topic model, 61,000 tokens", "training perplexity 85", topics);
}

fn row(program: &str, target: &str, epochs: [Option<u64>; 4]) {
    let cells = epochs.map(|epochs| epochs.map_or("not in 200".to_owned(), |epochs| epochs.to_string()));
    println!("| {program} | {target} | {} |", cells.join(" | "));
}

/// Returns the first epoch whose metric is at most `target`.
fn epochs_to<P: Program>(
    target: f64,
    program: P,
    schedule: impl Schedule<P::Phase>,
    parts: Parts<P>,
) -> Option<u64> {
    let ask = Stop::default();
    let asked = ask.clone();
    let engine = Engine::new(program, schedule, parts).workers(2).epochs(200).stop(ask);
    let watch = move |record: &raddle::EpochRecord| {
        if record.value() <= target {
            asked.request();
        }
    };
    let Outcome { trace, .. } = engine.observe(watch).run().unwrap();
    trace.iter().find(|record| record.value() <= target).map(|record| record.epoch)
}

/// The documents of these parts in fewer shards.
fn merged(parts: Parts<lda::Lda>, shards: u32) -> Parts<lda::Lda> {
    let group = parts.shards.len() / shards as usize;
    let mut merged = Vec::new();
    for (at, shard) in parts.shards.into_iter().enumerate() {
        if at % group == 0 {
            merged.push(shard);
            continue;
        }
        let into = merged.last_mut().unwrap();
        let first = (into.counts.len() / (shard.counts.len() / lda::DOCUMENTS_PER_SHARD)) as u32;
        into.counts.extend(shard.counts);
        for (tokens, more) in into.tokens.iter_mut().zip(shard.tokens) {
            tokens.extend(more.into_iter().map(|(document, word)| (first + document, word)));
        }
        for (topics, more) in into.topics.iter_mut().zip(shard.topics) {
            topics.extend(more);
        }
    }
    Parts { shards: merged, ..parts }
}
