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
use crate::rows::{DocumentRows, Packing};
use crate::seeds::Seeds;
use crate::shard::DocumentShard;

/// A corpus in which words are common and rare, documents long and short.
fn corpus() -> Corpus {
    let document = |d: u32| {
        (0..23).map(move |w| (w, u64::from((w * 5 + d * 3) % 11 < 23 - w) * u64::from(1 + (w + d) % 3)))
    };
    Corpus::from_documents(23, (0..9).map(|d| document(d).collect())).unwrap()
}

fn problem(corpus: &Corpus, shards: usize, blocks: usize) -> Problem {
    let none = Preparation { validation: Held::None, test: Held::None, seed: 1, ..Preparation::default() };
    Problem::new(corpus, &Preparation { shards: Some(shards), blocks: Some(blocks), ..none }).unwrap()
}

/// Runs epochs by hand.
fn drive(
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

/// Gives a shard rows of the other kind with the same counts.
fn convert(shard: &mut DocumentShard, topics: usize, dense: bool) {
    let lengths: Vec<u64> = (0..shard.documents.len()).map(|at| shard.length(at)).collect();
    let mut rows = DocumentRows::new(lengths.into_iter(), topics, dense).unwrap();
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
            }
        }
    }
    shard.rows = rows;
}

/// Replays one task token by token, and compares every draw with
/// (n_dk + alpha_k) (n_kw + beta + s_kw) / N_k, all counts as they are before it and without the token itself.
fn calibrate(topics: usize, dense: bool, beta: f64, seeds: &Seeds) {
    let mut calibration = Calibration::default();
    let alpha: Vec<f64> = (0..topics).map(|k| 0.05 + 0.1 * (k % 4) as f64).collect();
    for seed in 0..60 {
        let lda = Lda::params()
            .topics(topics)
            .beta(beta)
            .fixed_priors(true)
            .beta_anneal(1.0)
            .progressive(false)
            .seed(seed);
        let mut made = lda.parts(problem(&corpus(), 1, 1)).unwrap();
        drive(&mut made, 0..3, |_| ());
        let (program, _, mut parts) = made;
        let mut norms = program.norms(&parts.replica, beta, false);
        // N_k has the priors of all words in it, as a program with these priors has.
        for word in 0..23 {
            seeds.of(word).for_each(|(topic, weight)| norms[topic as usize] += f64::from(weight));
        }
        let (shard, block) = (&mut parts.shards[0], &mut parts.blocks[0]);
        convert(shard, topics, dense);
        let before = shard.slices[0].clone();
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
        let word_of = |token: usize| {
            before.visits[before.visits.partition_point(|visit| visit.end as usize <= token)].word
        };
        let mut in_document = vec![vec![0i64; topics]; had];
        let mut in_word = vec![vec![0i64; topics]; 23];
        for token in 0..before.documents.len() {
            in_document[usize::from(before.documents[token])][usize::from(before.topics[token])] += 1;
            in_word[word_of(token) as usize][usize::from(before.topics[token])] += 1;
        }
        let (after, given) = (&shard.slices[0], norms.clone());
        for token in 0..before.documents.len() {
            let (d, w) = (usize::from(before.documents[token]), word_of(token) as usize);
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
            norms[new] += 1.0;
        }
        // What the kernel keeps is what the tokens say.
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
            assert_eq!(sorted(&mut shard.rows.of(d, topics)), counted(counts), "document {d}");
        }
        for (w, counts) in in_word.iter().enumerate() {
            assert_eq!(sorted(&mut block.rows.of(w)), counted(counts), "word {w}");
        }
        assert!((0..topics).all(|k| f64::from(moved[k]) == (norms[k] - given[k]).round()));
    }
    calibration.check();
}

#[test]
fn every_draw_has_its_conditional_probability() {
    for (topics, dense) in
        [(2, false), (2, true), (17, true), (40, false), (40, true), (100, true), (112, false), (300, false)]
    {
        for beta in [0.3, 0.01] {
            calibrate(topics, dense, beta, &Seeds::default());
        }
    }
}

#[test]
fn seeded_words_have_theirs_too() {
    let seeds = Seeds::new(&[(0, 3, 2.5), (0, 7, 0.5), (5, 1, 4.0), (22, 19, 1.0)]);
    calibrate(20, false, 0.3, &seeds);
    calibrate(20, true, 0.3, &seeds);
}

/// Runs a chain over six tokens of two documents and compares how often it is in each of its 64 states with
///
/// ```text
/// p(z) ~ prod_d prod_k Gamma(n_dk + alpha) prod_k prod_w Gamma(n_kw + beta) / prod_k Gamma(n_k + V beta)
/// ```
///
/// Returns chi-square, of 63 degrees of freedom.
fn chi_square(beta: f64, blocks: usize, dense: bool, merging: SyncInterval) -> f64 {
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
    convert(&mut made.2.shards[0], 2, dense);
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
        for (blocks, dense, merging) in [
            (1, false, SyncInterval::Epoch),
            (1, true, SyncInterval::Epoch),
            (3, false, SyncInterval::Epoch),
            (3, true, SyncInterval::Epoch),
            (3, true, SyncInterval::Round),
        ] {
            let chi2 = chi_square(v_beta / 3.0, blocks, dense, merging);
            // Six standard deviations above 63.
            assert!(chi2 < 130.0, "V beta {v_beta}, {blocks} blocks, dense {dense}, {merging:?}: {chi2}");
        }
    }
}
