//! [`topic_map`]: places topics on a plane, so that topics with similar words are close.

mod coordinates;
mod divergence;
mod logarithm;
#[cfg(test)]
mod tests;
mod words;

use self::coordinates::principal_coordinates;
use self::divergence::divergences;
use self::words::Words;
pub use self::words::{MOST_BY_ALL_WORDS, SALIENT_WORDS};
use crate::topic_words::TopicWords;

/// Places topics, given by their numbers from 0, on a plane by the first two principal coordinates of their
/// Jensen-Shannon distances. Returns (x, y) for each of `topics`, in order. Distances are in units of the
/// square root of a nat, and no two topics are farther apart than sqrt(ln 2) = 0.83.
///
/// With p(w|k) = n_kw / n_k, the share of a word in a topic's tokens, without the prior, and H(p) = -sum_w
/// p(w) ln p(w), the distance d(j, k) of topics j and k is given by
///
/// ```text
/// d(j, k)^2 = JS(j, k) = H((p_j + p_k) / 2) - (H(p_j) + H(p_k)) / 2
/// B = -1/2 (I - 11'/K) [d^2] (I - 11'/K)
/// place of k = (sqrt(l_1) v_1k, sqrt(l_2) v_2k)
/// ```
///
/// where l_1 and l_2 are the largest eigenvalues of B and v_1 and v_2 their eigenvectors, with the sign that
/// makes the largest entry positive, the first of equal ones (classical scaling: Gower 1966; the distances
/// are those of a Euclidean space: Fuglede and Topsoe 2004). Divergences are computed in 32 bits, and those
/// below 1e-6 count as 0, so that equal topics have the same place.
///
/// More than [`MOST_BY_ALL_WORDS`] topics are compared by the [`SALIENT_WORDS`] most salient words and one
/// entry for all others. Saliency is p(w) KL(p(t|w) || p(t)) over these topics (Chuang, Manning and Heer
/// 2012). A topic without tokens has no word in common with any other topic, even another empty one.
///
/// pyLDAvis places topics similarly, but uses JS itself as the distance, and adds the prior to the counts.
///
/// ```
/// use raddle_lda::{TopicWords, topic_map};
///
/// // Two topics of the words 0 and 1, and one of the word 2: (word, topic, count).
/// let counts = [(0, 0, 5), (0, 1, 3), (1, 0, 4), (1, 1, 5), (2, 2, 7)];
/// let counts = TopicWords::from_counts((3, 3), counts.into_iter(), (Vec::new(), 0.01));
/// let places = topic_map(&counts, &[0, 1, 2]);
/// let apart = |a: usize, b: usize| (places[a][0] - places[b][0]).hypot(places[a][1] - places[b][1]);
/// assert!(apart(0, 1) < 0.3 && (apart(0, 2) - 2f64.ln().sqrt()).abs() < 1e-3);
/// ```
pub fn topic_map(counts: &TopicWords, topics: &[usize]) -> Vec<[f64; 2]> {
    let words = Words::of(counts, topics);
    principal_coordinates(divergences(counts, topics, &words), topics.len())
}
