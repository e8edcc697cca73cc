//! Tests that the sampler draws from the right distribution, with sparse rows and with dense ones: every draw against its
//! conditional probability computed by hand, and whole states of a tiny corpus against all states enumerated.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

use raddle::schedule::{Outlook, Plan};
use raddle::{Metric, Parts, Program, Schedule, Task, Visibility};
use raddle_datasets::Corpus;

use crate::kernels::{Draws, Given, LANES, Sample};
use crate::params::{Lda, SyncInterval};
use crate::problem::{Held, Preparation, Problem};
use crate::program::LdaProgram;
use crate::rows::{DocumentRows, Kind, Packing};
use crate::seeds::Seeds;
use crate::shard::{DocumentShard, Slice};
use crate::streams::Ends;

/// A corpus in which words are common and rare, documents long and short; if they are many, four times as long.
pub(crate) fn corpus(documents: u32) -> Corpus {
    let times = if documents > 9 { 4 } else { 1 };
    let document = |d: u32| {
        let has = move |w: u32| u64::from((w * 5 + d * 3) % 11 < 23 - w);
        (0..23).map(move |w| (w, has(w) * times * u64::from(1 + (w + d) % 3)))
    };
    Corpus::from_documents(23, (0..documents).map(|d| document(d).collect())).unwrap()
}

pub(crate) fn problem(corpus: &Corpus, shards: usize, blocks: usize) -> Problem {
    let none = Preparation { validation: Held::None, test: Held::None, seed: 1, ..Preparation::default() };
    Problem::new(corpus, &Preparation { shards: Some(shards), blocks: Some(blocks), ..none }).unwrap()
}

/// Runs epochs by hand.
pub(crate) fn drive(
    (program, schedule, parts): &mut (LdaProgram, crate::LdaSchedule, Parts<LdaProgram>),
    epochs: std::ops::Range<u64>,
    mut after: impl FnMut(&Parts<LdaProgram>),
) {
    for epoch in epochs {
        let metric = Metric::new("none", 1.0, "nothing");
        let outlook = Outlook { epoch, metric, objective: None, weights: Vec::new(), wanted: 0 };
        let Plan::Known(rounds) = schedule.begin_epoch(&outlook) else { panic!("a rotation is known") };
        let mut partials = Vec::new();
        for (number, round) in (0..).zip(&rounds) {
            for given in &round.tasks {
                let (shard, block) = (given.shard as usize, given.block.unwrap() as usize);
                let task = Task {
                    epoch,
                    round: number,
                    kind: round.kind,
                    shard: given.shard,
                    block: given.block,
                    ..Task::default()
                };
                let partial = program.update_block(
                    &task,
                    &mut parts.shards[shard],
                    &mut parts.blocks[block],
                    &parts.replica,
                );
                partials.push((given.shard, partial));
            }
            if program.visibility() == Visibility::EachRound || number + 1 == rounds.len() as u64 {
                let change = program.aggregate(round, &mut parts.pinned, std::mem::take(&mut partials));
                program.commit(&change, &mut parts.replica);
            }
        }
        after(parts);
    }
}

/// Sums of what was drawn less what was expected, and of variances, by how probable a topic was.
#[derive(Default)]
struct Calibration {
    bins: [(f64, f64, u64); 12],
}

impl Calibration {
    fn add(&mut self, probability: f64, drawn: bool) {
        let bin = ((-probability.max(1e-6).log2()) as usize).min(11);
        let (excess, variance, count) = &mut self.bins[bin];
        *excess += f64::from(u8::from(drawn)) - probability;
        *variance += probability * (1.0 - probability);
        *count += 1;
    }

    fn check(&self) {
        for (bin, (excess, variance, count)) in self.bins.iter().enumerate() {
            let z = excess / variance.sqrt().max(1e-9);
            assert!(
                *count < 100 || *variance < 5.0 || z.abs() < 4.5,
                "probabilities about 2^-{bin}: z = {z} of {count}"
            );
        }
        assert!(self.bins.iter().map(|bin| bin.2).sum::<u64>() > 10_000, "too few draws to show anything");
    }
}

/// Gives a shard rows of this kind with the same counts.
fn convert(shard: &mut DocumentShard, topics: usize, kind: Kind) {
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

/// How topics are drawn in a test.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drawn {
    /// One after the other.
    Chain(Kind),
    /// In lockstep.
    Lockstep(Kind),
}

/// The tokens of a slice in the order in which they are drawn, as (step, stream, token): step by step the next one of
/// each stream, first of its long visits, then of each short one until those of all streams are done.
pub(crate) fn order(slice: &Slice) -> Vec<(usize, usize, usize)> {
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

/// How often each topic occurs in each document of a shard, and in each word of the only block in all shards: by their
/// tokens.
fn recount(shards: &[DocumentShard], shard: usize, topics: usize) -> [Vec<Vec<i64>>; 2] {
    let mut in_document = vec![vec![0; topics]; shards[shard].documents.len()];
    let mut in_word = vec![vec![0; topics]; 23];
    for (number, slice) in shards.iter().map(|shard| &shard.slices[0]).enumerate() {
        for (token, (&document, &topic)) in slice.documents.iter().zip(&slice.topics).enumerate() {
            in_word[word_of(slice, token)][usize::from(topic)] += 1;
            if number == shard {
                in_document[usize::from(document)][usize::from(topic)] += 1;
            }
        }
    }
    [in_document, in_word]
}

pub(crate) fn word_of(slice: &Slice, token: usize) -> usize {
    slice.visits[slice.visits.partition_point(|visit| visit.end as usize <= token)].word as usize
}

/// Replays one task token by token, and compares every draw with
/// (n_dk + alpha_k) (n_kw + beta + s_kw) / N_k, all counts as they are before it and without the token itself; in
/// lockstep N_k is what the task was given, without the token.
fn calibrate(topics: usize, drawn: Drawn, beta: f64, seeds: &Seeds) {
    // For lockstep so many documents that most steps are of four.
    let (kind, follows, documents, shards, seed_count) = match drawn {
        Drawn::Chain(kind) => (kind, true, 9, 1, 60),
        Drawn::Lockstep(kind) => (kind, false, 90, 2, 12),
    };
    let mut calibration = Calibration::default();
    let alpha: Vec<f64> = (0..topics).map(|k| 0.05 + 0.1 * (k % 4) as f64).collect();
    for seed in 0..seed_count {
        let lda = Lda::params()
            .topics(topics)
            .beta(beta)
            .fixed_priors(true)
            .beta_anneal(1.0)
            .progressive(false)
            .seed(seed);
        let mut made = lda.parts(problem(&corpus(documents), shards, 1)).unwrap();
        drive(&mut made, 0..3, |_| ());
        let (program, _, mut parts) = made;
        let mut norms = program.norms(&parts.replica, beta, false);
        // N_k has the priors of all words in it, as a program with these priors has.
        for word in 0..23 {
            seeds.of(word).for_each(|(topic, weight)| norms[topic as usize] += f64::from(weight));
        }
        let given = norms.clone();
        convert(&mut parts.shards[0], topics, kind);
        let before = parts.shards[0].slices[0].clone();
        assert_eq!(before.streams.is_empty(), follows);
        let [mut in_document, mut in_word] = recount(&parts.shards, 0, topics);
        let (shard, block) = (&mut parts.shards[0], &mut parts.blocks[0]);
        let (had, has) = (shard.documents.len(), shard.documents.len());
        let moved = Sample {
            given: Given { norms: &norms, alphas: &alpha, beta },
            rows: &mut shard.rows,
            slice: &mut shard.slices[0],
            words: &mut block.rows,
            seeds,
            had,
            has,
            uniform: false,
            draws: Draws::new(seed * 2 + 7),
        }
        .run();
        let after = &shard.slices[0];
        for (_, _, token) in order(&before) {
            let (d, w) = (usize::from(before.documents[token]), word_of(&before, token));
            let (old, new) = (usize::from(before.topics[token]), usize::from(after.topics[token]));
            in_document[d][old] -= 1;
            in_word[w][old] -= 1;
            norms[old] -= 1.0;
            let mass = |k: usize| {
                let own = seeds.of(w).filter(|&(topic, _)| topic as usize == k);
                let extra: f64 = own.map(|(_, weight)| f64::from(weight)).sum();
                (in_document[d][k] as f64 + alpha[k]) * (in_word[w][k] as f64 + beta + extra) / norms[k]
            };
            let all: f64 = (0..topics).map(mass).sum();
            (0..topics).for_each(|k| calibration.add(mass(k) / all, k == new));
            in_document[d][new] += 1;
            in_word[w][new] += 1;
            norms[if follows { new } else { old }] += 1.0;
        }
        check_counts(&parts, topics, [&in_document, &in_word]);
        let mut change = vec![0; topics];
        before.topics.iter().for_each(|&old| change[usize::from(old)] -= 1);
        parts.shards[0].slices[0].topics.iter().for_each(|&new| change[usize::from(new)] += 1);
        assert_eq!(moved, change);
        assert!(!follows || (0..topics).all(|k| f64::from(moved[k]) == (norms[k] - given[k]).round()));
    }
    calibration.check();
}

/// What the kernel keeps is what the tokens say.
fn check_counts(parts: &Parts<LdaProgram>, topics: usize, [in_document, in_word]: [&[Vec<i64>]; 2]) {
    assert_eq!(recount(&parts.shards, 0, topics), [in_document, in_word]);
    let counted = |counts: &[i64]| -> Vec<(u32, u32)> {
        let some = (0..).zip(counts).filter(|&(_, &count)| count > 0);
        some.map(|(topic, &count)| (topic, count as u32)).collect()
    };
    let sorted = |row: &mut dyn Iterator<Item = (u32, u32)>| {
        let mut row: Vec<(u32, u32)> = row.collect();
        row.sort_unstable();
        row
    };
    for (d, counts) in in_document.iter().enumerate() {
        assert_eq!(sorted(&mut parts.shards[0].rows.of(d, topics)), counted(counts), "document {d}");
    }
    for (w, counts) in in_word.iter().enumerate() {
        assert_eq!(sorted(&mut parts.blocks[0].rows.of(w)), counted(counts), "word {w}");
    }
}

#[test]
fn every_draw_has_its_conditional_probability() {
    use Kind::{Dense, Sparse, Wide};
    let chain = [(2, Sparse), (2, Dense(1)), (17, Dense(2)), (40, Sparse), (40, Dense(4)), (100, Dense(7))];
    let chain = chain.into_iter().chain([(112, Sparse), (300, Sparse)]);
    let lockstep = [(2, Dense(1)), (17, Dense(2)), (60, Wide(4)), (100, Dense(7)), (200, Dense(13))];
    let chain = chain.map(|(topics, kind)| (topics, Drawn::Chain(kind)));
    let lockstep = lockstep.map(|(topics, kind)| (topics, Drawn::Lockstep(kind)));
    for (topics, drawn) in chain.chain(lockstep) {
        for beta in [0.3, 0.01] {
            calibrate(topics, drawn, beta, &Seeds::default());
        }
    }
}

#[test]
fn seeded_words_have_theirs_too() {
    let seeds = Seeds::new(&[(0, 3, 2.5), (0, 7, 0.5), (5, 1, 4.0), (22, 19, 1.0)]);
    for drawn in [Drawn::Chain(Kind::Sparse), Drawn::Chain(Kind::Dense(2)), Drawn::Lockstep(Kind::Dense(2))] {
        calibrate(20, drawn, 0.3, &seeds);
    }
}

/// Runs a chain over six tokens of two documents and compares how often it is in each of its 64 states with
///
/// ```text
/// p(z) ~ prod_d prod_k Gamma(n_dk + alpha) prod_k prod_w Gamma(n_kw + beta) / prod_k Gamma(n_k + V beta)
/// ```
///
/// Returns chi-square, of 63 degrees of freedom.
fn chi_square(beta: f64, blocks: usize, kind: Kind, merging: SyncInterval) -> f64 {
    let (alpha, words) = (0.4, 3);
    let documents = [vec![(0, 2), (1, 1), (2, 1)], vec![(0, 1), (2, 1)]];
    let corpus = Corpus::from_documents(words, documents).unwrap();
    let lda = Lda::params()
        .topics(2)
        .alpha(alpha)
        .beta(beta)
        .fixed_priors(true)
        .beta_anneal(1.0)
        .progressive(false);
    let lda = lda.sync(merging).evaluate_every(1 << 40).seed(5);
    let mut made = lda.parts(problem(&corpus, 1, blocks)).unwrap();
    // (document, word) of the tokens, in the order in which the state is read.
    let mut tokens: Vec<(usize, usize)> = Vec::new();
    for (slice, block) in made.2.shards[0].slices.iter().zip(&made.2.blocks) {
        let mut start = 0;
        for visit in &slice.visits {
            let word = block.words[visit.word as usize] as usize;
            let documents = &slice.documents[start..visit.end as usize];
            tokens.extend(documents.iter().map(|&document| (usize::from(document), word)));
            start = visit.end as usize;
        }
    }
    assert_eq!(tokens.len(), 6);
    convert(&mut made.2.shards[0], 2, kind);
    // States that follow each other are alike: so one of five is counted.
    let (mut seen, mut epoch, samples) = ([0u32; 64], 0u64, 20_000);
    drive(&mut made, 0..5 * samples, |parts| {
        epoch += 1;
        if epoch.is_multiple_of(5) {
            let topics = parts.shards[0].slices.iter().flat_map(|slice| &slice.topics);
            seen[topics.enumerate().fold(0, |state, (at, &topic)| state | usize::from(topic) << at)] += 1;
        }
    });
    let weight = |state: usize| -> f64 {
        let count = |is: &dyn Fn(usize, usize) -> bool, k: usize| {
            let of = tokens.iter().enumerate().filter(|&(at, _)| state >> at & 1 == k);
            of.filter(|&(_, &(d, w))| is(d, w)).count() as f64
        };
        let of = |k: usize| {
            let documents = (0..2).map(|d| libm::lgamma(count(&|of, _| of == d, k) + alpha));
            let words = (0..words).map(|w| libm::lgamma(count(&|_, of| of == w, k) + beta));
            documents.chain(words).sum::<f64>() - libm::lgamma(count(&|_, _| true, k) + (3.0 * beta))
        };
        (of(0) + of(1)).exp()
    };
    let all: f64 = (0..64).map(weight).sum();
    let expected = |state: usize| weight(state) / all * samples as f64;
    (0..64).map(|state| (f64::from(seen[state]) - expected(state)).powi(2) / expected(state)).sum()
}

/// With one shard the chain is exact Gibbs sampling, for any number of blocks, however small V beta is.
#[test]
fn states_of_a_tiny_corpus_occur_as_enumerated() {
    for v_beta in [120.0, 3.0, 0.5] {
        for (blocks, kind, merging) in [
            (1, Kind::Sparse, SyncInterval::Epoch),
            (1, Kind::Dense(1), SyncInterval::Epoch),
            (3, Kind::Sparse, SyncInterval::Epoch),
            (3, Kind::Dense(1), SyncInterval::Epoch),
            (3, Kind::Dense(1), SyncInterval::Round),
            (3, Kind::Dense(1), SyncInterval::Token),
        ] {
            let chi2 = chi_square(v_beta / 3.0, blocks, kind, merging);
            // Six standard deviations above 63.
            assert!(chi2 < 130.0, "V beta {v_beta}, {blocks} blocks, {kind:?}, {merging:?}: {chi2}");
        }
    }
}
