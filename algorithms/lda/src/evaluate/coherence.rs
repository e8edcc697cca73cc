//! Coherence: how often the top words of a topic occur in the same documents.

use raddle_datasets::Corpus;

/// The coherence of a topic's top words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Coherence {
    /// Mean over pairs of `log((D(v, w) + 1) / D(w))`, w the more frequent top word (Mimno et al.,
    /// "Optimizing semantic coherence in topic models", 2011).
    pub u_mass: f64,
    /// Mean over pairs of the normalised pointwise mutual information
    /// `log(p(v, w) / (p(v) p(w))) / -log p(v, w)`, of documents; -1 for a pair that no document has (Bouma,
    /// 2009; Lau, Newman and Baldwin, 2014).
    pub npmi: f64,
}

/// Returns the coherence of each list of top words, in descending order of frequency, on the documents of a
/// corpus.
///
/// Takes one pass over the corpus, plus time proportional to the number of co-occurrences of top words.
/// Counts have 64 bits.
pub fn coherence(corpus: &Corpus, tops: &[Vec<u32>]) -> Vec<Coherence> {
    // For each word, pairs (list, position in the list).
    let mut lists: Vec<Vec<(u32, u32)>> = vec![Vec::new(); corpus.words()];
    let mut together: Vec<Vec<u64>> = Vec::new();
    for (list, words) in (0..).zip(tops) {
        (0..).zip(words).for_each(|(place, &word)| lists[word as usize].push((list, place)));
        together.push(vec![0; words.len() * words.len()]);
    }
    let mut met: Vec<(u32, u32)> = Vec::new();
    for document in 0..corpus.documents() {
        met.clear();
        let mut last = None;
        for (word, _) in corpus.document(document) {
            if last.replace(word) != Some(word) {
                met.extend(&lists[word as usize]);
            }
        }
        met.sort_unstable();
        for group in met.chunk_by(|a, b| a.0 == b.0) {
            let (list, width) = (group[0].0 as usize, tops[group[0].0 as usize].len());
            for &(_, one) in group {
                for &(_, other) in group {
                    together[list][one as usize * width + other as usize] += 1;
                }
            }
        }
    }
    let documents = corpus.documents() as f64;
    tops.iter().zip(&together).map(|(words, counts)| of(words.len(), counts, documents)).collect()
}

/// Computes the coherence from the numbers of documents that have both of two words; on the diagonal, one.
fn of(width: usize, counts: &[u64], documents: f64) -> Coherence {
    let count = |one: usize, other: usize| counts[one * width + other] as f64;
    let (mut sum, mut pairs) = (Coherence::default(), 0.0);
    for lower in 1..width {
        for higher in 0..lower {
            let (both, one, other) = (count(higher, lower), count(higher, higher), count(lower, lower));
            sum.u_mass += libm::log((both + 1.0) / one.max(1.0));
            let share = both / documents;
            sum.npmi += match both {
                0.0 => -1.0,
                _ if both == documents => 1.0,
                _ => libm::log(both * documents / (one * other)) / -libm::log(share),
            };
            pairs += 1.0;
        }
    }
    match pairs > 0.0 {
        true => Coherence { u_mass: sum.u_mass / pairs, npmi: sum.npmi / pairs },
        false => Coherence::default(),
    }
}
