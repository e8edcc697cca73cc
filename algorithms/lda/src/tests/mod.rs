//! Tests of the sampler: draws and whole chains against exact probabilities, and tasks against their
//! definition.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod carried;
mod chains;
mod definition;
mod draws;
mod naive;

use raddle::schedule::{EpochStart, Plan};
use raddle::{Aggregate, BlockTaskOf, Metric, Parts, Program, Schedule, Task, UpdateBlock, Visibility};
use raddle_datasets::Corpus;

use crate::data::hold_out::HoldOut;
use crate::data::problem::{Preparation, Problem};
use crate::data::shard::DocumentShard;
use crate::run::program::LdaProgram;
use raddle_kernels::topics::counts::documents::{DocumentRows, Kind};
use raddle_kernels::topics::counts::packing::{LANES, Packing};
use raddle_kernels::topics::counts::tokens::{Ends, Slice};

/// Makes a corpus with common and rare words, and long and short documents; if there are many documents, they
/// are four times as long.
pub(super) fn corpus(documents: u32) -> Corpus {
    let times = if documents > 9 { 4 } else { 1 };
    let document = |d: u32| {
        let has = move |w: u32| u64::from((w * 5 + d * 3) % 11 < 23 - w);
        (0..23).map(move |w| (w, has(w) * times * u64::from(1 + (w + d) % 3)))
    };
    Corpus::from_documents(23, (0..documents).map(|d| document(d).collect())).unwrap()
}

pub(super) fn problem(corpus: &Corpus, shards: usize, blocks: usize) -> Problem {
    let none =
        Preparation { validation: HoldOut::None, test: HoldOut::None, seed: 1, ..Preparation::default() };
    Problem::new(corpus, &Preparation { shards: Some(shards), blocks: Some(blocks), ..none }).unwrap()
}

/// Runs epochs step by step.
pub(super) fn drive(
    (program, schedule, parts): &mut (LdaProgram, crate::LdaSchedule, Parts<LdaProgram>),
    epochs: std::ops::Range<u64>,
    mut after: impl FnMut(&Parts<LdaProgram>),
) {
    for epoch in epochs {
        let metric = Metric::new("none", 1.0, "nothing");
        let start = EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
        let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("a rotation is known") };
        let mut partials = Vec::new();
        for (at, round) in (0..).zip(&rounds) {
            for given in &round.tasks {
                let (shard, number) = (given.shard as usize, given.block.unwrap());
                let task = Task {
                    epoch,
                    round: at,
                    phase: round.phase,
                    shard: given.shard,
                    block: given.block,
                    variables: Vec::new(),
                };
                let (shard, block) = (&mut parts.shards[shard], &mut parts.blocks[number as usize]);
                let at = BlockTaskOf { task: &task, shard, number, block, replica: &parts.replica };
                partials.push((given.shard, program.update_block(at)));
            }
            if program.visibility() == Visibility::EachRound || at + 1 == rounds.len() as u64 {
                let (pinned, partials) = (&mut parts.pinned, std::mem::take(&mut partials).into());
                let change = program.aggregate(Aggregate { round, pinned, partials });
                program.commit(&change, &mut parts.replica);
            }
        }
        after(parts);
    }
}

/// Gives a shard rows of this kind with the same counts.
pub(super) fn convert(shard: &mut DocumentShard, topics: usize, kind: Kind) {
    let lengths: Vec<u64> = (0..shard.documents.len()).map(|at| shard.length(at)).collect();
    let mut rows = DocumentRows::new(lengths.into_iter(), topics, kind).unwrap();
    for document in 0..shard.documents.len() {
        for (at, (topic, count)) in shard.rows.of(document, topics).enumerate() {
            match &mut rows {
                DocumentRows::Sparse(rows) => {
                    let row = &mut rows.rows[document];
                    let line = row.start as usize + at / LANES;
                    rows.lines[line].0[at % LANES] = Packing::of(topics).entry(topic, count);
                    row.length += 1;
                }
                DocumentRows::Dense(rows) => {
                    let line = document * rows.width + topic as usize / LANES;
                    rows.counts[line].0[topic as usize % LANES] = count as u16;
                }
                DocumentRows::Wide(rows) => {
                    let line = document * rows.width + topic as usize / LANES;
                    rows.counts[line].0[topic as usize % LANES] = count as f32;
                }
            }
        }
    }
    shard.rows = rows;
}

/// Returns the tokens of a slice in the order in which they are drawn, as (step, stream, token). Each step
/// takes the next token of each stream: first of the long visits, then of each short visit until all streams
/// have finished theirs.
pub(super) fn order(slice: &Slice) -> Vec<(usize, usize, usize)> {
    if slice.streams.is_empty() {
        return (0..slice.documents.len()).map(|token| (token, 0, token)).collect();
    }
    let start = |visit: usize| visit.checked_sub(1).map_or(0, |last| slice.visits[last].end as usize);
    let (mut parts, mut first) = (vec![Vec::new(); 1], 0);
    for Ends { long, end } in &slice.streams {
        let (long, end) = (*long as usize, *end as usize);
        parts[0].push(start(first)..start(long));
        for (number, visit) in (long..end).enumerate() {
            parts.resize((number + 2).max(parts.len()), Vec::new());
            parts[number + 1].push(start(visit)..start(visit + 1));
        }
        first = end;
    }
    let (mut order, mut steps) = (Vec::new(), 0);
    for streams in parts {
        let longest = streams.iter().map(|tokens| tokens.len()).max().unwrap_or(0);
        for step in 0..longest {
            let tokens = streams
                .iter()
                .enumerate()
                .filter_map(|(stream, tokens)| Some((stream, tokens.clone().nth(step)?)));
            order.extend(tokens.map(|(stream, token)| (steps + step, stream, token)));
        }
        steps += longest;
    }
    order
}

pub(super) fn word_of(slice: &Slice, token: usize) -> usize {
    slice.visits[slice.visits.partition_point(|visit| visit.end as usize <= token)].word as usize
}
