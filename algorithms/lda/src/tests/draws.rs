//! The sampler draws from the right distribution, with sparse and with dense rows: every draw is compared
//! with its conditional probability.

use raddle::Parts;

use super::{convert, corpus, drive, order, problem, word_of};
use crate::data::shard::DocumentShard;
use crate::params::Lda;
use crate::run::program::LdaProgram;
use raddle_kernels::topics::counts::documents::Kind;
use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::{Draws, Sample, TopicParams};

/// Sums of observed minus expected draws, and of variances, by the probability of the topic.
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

/// How topics are drawn in a test.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drawn {
    /// One after another.
    Chain(Kind),
    /// In lockstep.
    Lockstep(Kind),
}

/// Counts each topic in each document of a shard, and in each word of the only block over all shards, from
/// the tokens.
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

/// Replays one task token by token and compares every draw with (n_dk + alpha_k) (n_kw + beta + s_kw) / N_k,
/// where all counts are those before the draw, without the token itself. In lockstep N_k is the total at the
/// start of the task, without the token.
fn calibrate(topics: usize, drawn: Drawn, beta: f64, word_priors: &WordPriors) {
    // For lockstep there are enough documents that most steps have four tokens.
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
        let mut norms = program.spec.norms(&parts.replica, beta, false);
        // N_k includes the priors of all words, as in a program with these priors.
        for word in 0..23 {
            word_priors.of(word).for_each(|(topic, weight)| norms[topic as usize] += f64::from(weight));
        }
        let given = norms.clone();
        convert(&mut parts.shards[0], topics, kind);
        let before = parts.shards[0].slices[0].clone();
        assert_eq!(before.streams.is_empty(), follows);
        let [mut in_document, mut in_word] = recount(&parts.shards, 0, topics);
        let (shard, block) = (&mut parts.shards[0], &mut parts.blocks[0]);
        let (had, has) = (shard.documents.len(), shard.documents.len());
        let moved = Sample {
            given: TopicParams { norms: &norms, alphas: &alpha, beta },
            rows: &mut shard.rows,
            slice: &mut shard.slices[0],
            words: &mut block.rows,
            word_priors,
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
                let own = word_priors.of(w).filter(|&(topic, _)| topic as usize == k);
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

/// The counts that the kernel keeps are those of the tokens.
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
            calibrate(topics, drawn, beta, &WordPriors::default());
        }
    }
}

#[test]
fn seeded_words_have_theirs_too() {
    let word_priors = WordPriors::new(&[(0, 3, 2.5), (0, 7, 0.5), (5, 1, 4.0), (22, 19, 1.0)]);
    for drawn in [Drawn::Chain(Kind::Sparse), Drawn::Chain(Kind::Dense(2)), Drawn::Lockstep(Kind::Dense(2))] {
        calibrate(20, drawn, 0.3, &word_priors);
    }
}
