//! The states of a tiny corpus occur as often as the enumeration of all states says.

use raddle_datasets::Corpus;

use super::{convert, drive, problem};
use crate::params::{Lda, SyncInterval};
use raddle_kernels::topics::counts::documents::Kind;

/// Runs a chain over six tokens of two documents and compares the frequency of its 64 states with
///
/// ```text
/// p(z) ~ prod_d prod_k Gamma(n_dk + alpha) prod_k prod_w Gamma(n_kw + beta) / prod_k Gamma(n_k + V beta)
/// ```
///
/// Returns chi-square, with 63 degrees of freedom.
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
    // Pairs (document, word) of the tokens, in the order in which the state is read.
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
    // Consecutive states are correlated, so only one of five is counted.
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
