//! Jensen-Shannon divergences of all pairs of topics.
//!
//! With f(x) = x ln x, and P the words of topic p, JS(p, q) is ln 2 + 1/2 sum over w in P of f(p) + f(q) -
//! f(p + q). Words that one of the two topics lacks contribute nothing. So each pair takes as many logarithms
//! as its topic with fewer words has words. The rows of topics with more words are adjacent in memory, and a
//! topic with fewer words is compared with them word by word.

use std::f64::consts::LN_2;

use super::logarithm::x_ln_x;
use super::words::Words;
use crate::topic_words::TopicWords;

/// Words per block: their rows stay in the cache.
const BLOCK: usize = 64;

/// Divergences below this are rounding errors of 32 bits.
const PRECISION: f64 = 1e-6;

/// Returns JS of each pair of topics, in nats: one row for each of `topics`.
pub(super) fn divergences(counts: &TopicWords, topics: &[usize], words: &Words) -> Vec<f64> {
    let k = topics.len();
    let occurring =
        |topic: usize| counts.topic(topic).filter(|&(word, _)| words.place(word).is_some()).count();
    let mut order: Vec<(usize, usize)> = topics.iter().map(|&topic| occurring(topic)).zip(0..).collect();
    order.sort_unstable();
    let order: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
    let mut sums = Sums { topics: k, sums: vec![0.0; k * k] };
    let mut rows: Vec<_> = order.iter().map(|&at| counts.topic(topics[at]).peekable()).collect();
    let totals: Vec<f64> = order.iter().map(|&at| counts.total(topics[at]) as f64).collect();
    let mut others = vec![0u64; k];
    let mut shares = vec![0.0; BLOCK * k];
    for first in (0..words.count).step_by(BLOCK) {
        let end = (first + BLOCK).min(words.count);
        // The last block also takes the entry for all other words, which follows its words.
        let is_last = end == words.count;
        shares.fill(0.0);
        for (at, row) in rows.iter_mut().enumerate() {
            while let Some((word, count)) = row.next_if(|&(word, _)| is_last || words.is_before(word, end)) {
                match words.place(word) {
                    Some(place) => shares[(place - first) * k + at] = (f64::from(count) / totals[at]) as f32,
                    None => others[at] += u64::from(count),
                }
            }
        }
        sums.add(&shares[..(end - first) * k]);
    }
    if words.has_others {
        let share = |(&count, total): (&u64, &f64)| (count as f64 / total.max(1.0)) as f32;
        sums.add(&others.iter().zip(&totals).map(share).collect::<Vec<f32>>());
    }
    sums.divergences(&order)
}

/// Sums over words of f(p) + f(q) - f(p + q), for each pair of topics in the order of their rows.
struct Sums {
    topics: usize,
    /// Sums of each topic with those after it.
    sums: Vec<f64>,
}

impl Sums {
    /// Adds a few words, given by their shares in all topics.
    fn add(&mut self, shares: &[f32]) {
        let k = self.topics;
        let functions: Vec<f32> = shares.iter().map(|&share| x_ln_x(share)).collect();
        let mut of_topic = vec![0.0f32; k];
        for at in 0..k {
            let of_topic = &mut of_topic[at + 1..];
            of_topic.fill(0.0);
            for (shares, functions) in shares.chunks_exact(k).zip(functions.chunks_exact(k)) {
                if shares[at] > 0.0 {
                    add(of_topic, (shares[at], functions[at]), &shares[at + 1..], &functions[at + 1..]);
                }
            }
            let sums = &mut self.sums[at * k + at + 1..(at + 1) * k];
            sums.iter_mut().zip(&*of_topic).for_each(|(sum, &of_topic)| *sum += f64::from(of_topic));
        }
    }

    /// Returns the divergences of topics in their original order, before they were sorted by `order`.
    fn divergences(&self, order: &[usize]) -> Vec<f64> {
        let k = self.topics;
        let mut divergences = vec![0.0; k * k];
        for (a, &row) in order.iter().enumerate() {
            for (b, &column) in order.iter().enumerate().skip(a + 1) {
                let divergence = LN_2 + 0.5 * self.sums[a * k + b];
                let divergence = if divergence < PRECISION { 0.0 } else { divergence };
                divergences[row * k + column] = divergence;
                divergences[column * k + row] = divergence;
            }
        }
        divergences
    }
}

/// Adds a word with the share p, and f(p), in one topic to the sums of this topic with the others.
fn add(sums: &mut [f32], (p, f_of_p): (f32, f32), others: &[f32], f_of_others: &[f32]) {
    for ((sum, &q), &f_of_q) in sums.iter_mut().zip(others).zip(f_of_others) {
        *sum += (f_of_p + f_of_q) - x_ln_x(p + q);
    }
}
