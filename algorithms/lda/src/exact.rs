//! Tests that the sampler draws from the right distribution: every draw against its conditional probability computed by
//! hand, and whole states of a tiny corpus against all states enumerated.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

use raddle::schedule::{Outlook, Plan};
use raddle::{Certificate, Parts, Program, Schedule, Task};
use raddle_datasets::Corpus;

use crate::kernels::{Draws, Prepared, Sample, run};
use crate::params::{Lda, Merging};
use crate::problem::{Held, Preparation, Problem};
use crate::program::LdaProgram;
use crate::rows::Packing;
use crate::seeds::Seeds;

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
        let certificate = Certificate::new("none", 1.0, 0.0, "nothing");
        let outlook = Outlook { epoch, certificate, objective: None, weights: Vec::new(), wanted: 0 };
        let Plan::Known(rounds) = schedule.begin_epoch(&outlook) else { panic!("a rotation is known") };
        for (number, round) in (0..).zip(rounds) {
            let mut partials = Vec::new();
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
            let change = program.aggregate(&round, &mut parts.pinned, partials);
            program.commit(&change, &mut parts.replica);
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

/// Replays one task token by token, in each of the two chains' order, and compares every draw with
/// (n_dk + alpha_k) (n_kw + beta + s_kw) / N_k. Documents meet both chains, so only words' own halves are replayed where
/// no document is in both.
fn calibrate(topics: usize, seeds: &Seeds) {
    let mut calibration = Calibration::default();
    let alpha: Vec<f64> = (0..topics).map(|k| 0.05 + 0.1 * (k % 4) as f64).collect();
    for seed in 0..60 {
        let lda =
            Lda::params().topics(topics).beta(0.3).fixed_priors(true).heat(1.0).staged(false).seed(seed);
        let mut made = lda.parts(problem(&corpus(), 1, 1)).unwrap();
        drive(&mut made, 0..3, |_| ());
        let (program, _, mut parts) = made;
        let norms = program.norms(&parts.replica, 0.3, false);
        let packing = Packing::of(topics);
        let base = Prepared::new(&norms, &alpha, 0.3, packing.names());
        let (shard, block) = (&mut parts.shards[0], &mut parts.blocks[0]);
        let before = shard.slices[0].clone();
        let draws = [Draws::new(seed * 2 + 7), Draws::new(seed * 2 + 8)];
        let (had, has) = (shard.documents.len(), shard.documents.len());
        let (rows, slice, words) = (&mut shard.rows, &mut shard.slices[0], &mut block.rows);
        run(Sample { base: &base, packing, rows, slice, words, seeds, had, has, draws });
        // The two chains take a token each in turn.
        let half = before.visits.partition_point(|visit| (visit.end as usize) < before.documents.len() / 2);
        let middle = half.checked_sub(1).map_or(0, |last| before.visits[last].end as usize);
        let (first, second) =
            ((0..middle).collect::<Vec<_>>(), (middle..before.documents.len()).collect::<Vec<_>>());
        let word_of = |token: usize| {
            before.visits[before.visits.partition_point(|visit| visit.end as usize <= token)].word
        };
        let mut in_document = vec![vec![0i64; topics]; had];
        let mut in_word = vec![vec![0i64; topics]; 23];
        for token in 0..before.documents.len() {
            in_document[usize::from(before.documents[token])][usize::from(before.topics[token])] += 1;
            in_word[word_of(token) as usize][usize::from(before.topics[token])] += 1;
        }
        let after = &shard.slices[0];
        let longest = first.len().max(second.len());
        for step in 0..longest {
            for one in [first.get(step), second.get(step)].into_iter().flatten() {
                let (d, w) = (usize::from(before.documents[*one]), word_of(*one) as usize);
                in_document[d][usize::from(before.topics[*one])] -= 1;
                in_word[w][usize::from(before.topics[*one])] -= 1;
                // A sibling's token of another document does not change this document's row or this word's.
                let mass: Vec<f64> = (0..topics)
                    .map(|k| {
                        let extra: f64 = seeds
                            .of(w)
                            .filter(|&(topic, _)| topic as usize == k)
                            .map(|(_, s)| f64::from(s))
                            .sum();
                        (in_document[d][k] as f64 + alpha[k]) * (in_word[w][k] as f64 + 0.3 + extra)
                            / norms[k]
                    })
                    .collect();
                let all: f64 = mass.iter().sum();
                let drawn = usize::from(after.topics[*one]);
                (0..topics).for_each(|k| calibration.add(mass[k] / all, k == drawn));
                in_document[d][drawn] += 1;
                in_word[w][drawn] += 1;
            }
        }
        // What the kernel keeps is what the tokens say.
        for (d, counts) in in_document.iter().enumerate() {
            let mut row: Vec<(u32, u32)> =
                shard.rows.entries(d).map(|entry| (packing.topic(entry), packing.count(entry))).collect();
            row.sort_unstable();
            let expected =
                (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(k, &count)| (k, count as u32));
            assert_eq!(row, expected.collect::<Vec<_>>(), "document {d}");
        }
        for (w, counts) in in_word.iter().enumerate() {
            let mut row: Vec<(u32, u32)> = block.rows.of(w).collect();
            row.sort_unstable();
            let expected =
                (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(k, &count)| (k, count as u32));
            assert_eq!(row, expected.collect::<Vec<_>>(), "word {w}");
        }
    }
    calibration.check();
}

#[test]
fn every_draw_has_its_conditional_probability() {
    for topics in [2, 17, 40, 300] {
        calibrate(topics, &Seeds::default());
    }
}

#[test]
fn seeded_words_have_theirs_too() {
    calibrate(20, &Seeds::new(&[(0, 3, 2.5), (0, 7, 0.5), (5, 1, 4.0), (22, 19, 1.0)]));
}

/// Six words that occur once each, in two documents: with totals merged each round and a block a word, every draw
/// reads the state before it, so the chain's states must follow p(z) in proportion to
/// prod_d prod_k Gamma(n_dk + alpha) / prod_k Gamma(n_k + V beta) (times beta for every token).
///
/// What a draw reads of n_k counts the token itself, other than n_dk and n_kw: V beta is large enough here for that not
/// to show. It is part of the staleness that a run reports.
#[test]
fn states_of_a_tiny_corpus_occur_as_enumerated() {
    const TOKENS: usize = 6;
    let (alpha, beta) = (0.4, 40.0);
    let documents = [vec![(0, 1), (1, 1), (2, 1), (3, 1)], vec![(4, 1), (5, 1)]];
    let corpus = Corpus::from_documents(TOKENS, documents).unwrap();
    let lda = Lda::params().topics(2).alpha(alpha).beta(beta).fixed_priors(true).heat(1.0).staged(false);
    let lda = lda.merging(Merging::Round).evaluate_every(1 << 40).seed(5);
    let mut made = lda.parts(problem(&corpus, 1, TOKENS)).unwrap();
    let (mut seen, epochs) = ([0u32; 1 << TOKENS], 60_000);
    drive(&mut made, 0..epochs, |parts| {
        let shard = &parts.shards[0];
        let mut state = 0;
        for (slice, block) in shard.slices.iter().zip(&parts.blocks) {
            for (visit, &topic) in slice.visits.iter().zip(&slice.topics) {
                state |= usize::from(topic) << block.words[visit.word as usize];
            }
        }
        seen[state] += 1;
    });
    let weight = |state: usize| -> f64 {
        let topic = |token: usize| state >> token & 1;
        let count = |tokens: std::ops::Range<usize>, k: usize| {
            tokens.filter(|&token| topic(token) == k).count() as f64
        };
        let of = |k: usize| {
            let documents = libm::lgamma(count(0..4, k) + alpha) + libm::lgamma(count(4..6, k) + alpha);
            documents - libm::lgamma(count(0..6, k) + TOKENS as f64 * beta)
        };
        // Less what all states have in common, so that it is a number.
        (of(0) + of(1) + 2.0 * libm::lgamma(3.0 + TOKENS as f64 * beta)).exp()
    };
    let all: f64 = (0..1 << TOKENS).map(weight).sum();
    let mut chi2 = 0.0;
    for (state, &count) in seen.iter().enumerate() {
        let expected = weight(state) / all * epochs as f64;
        chi2 += (f64::from(count) - expected).powi(2) / expected;
    }
    // 63 degrees of freedom; states follow each other, so their counts vary more than independent ones: a chain that
    // left out a prior or a total would be off by thousands.
    assert!(chi2 < 3.0 * 63.0, "chi-square {chi2}");
}
