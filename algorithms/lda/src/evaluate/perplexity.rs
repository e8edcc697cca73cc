//! Perplexity of held-out documents, by document completion.
//!
//! Half of a document's tokens are observed; from them theta is estimated by fixed rounds of
//! expectation-maximisation with phi fixed, and the other half is scored:
//!
//! ```text
//! theta_k <- alpha_k + sum_w c_w theta_k phi_kw / sum_j theta_j phi_jw, normalised      (50 rounds, from uniform)
//! perplexity = exp(-sum over scored tokens of log(sum_k theta_k phi_kw) / scored tokens)
//! ```
//!
//! (Wallach, Murray, Salakhutdinov and Mimno, "Evaluation methods for topic models", 2009.) As
//! phi_kw = (n_kw + beta) / N_k is beta / N_k but for the few topics of a word, a round costs what the words'
//! sparse rows hold, not words times topics.

use crate::data::held_out::HeldOut;

/// Rounds of expectation-maximisation.
pub(crate) const ROUNDS: usize = 50;

/// Score of held-out documents: of half their tokens, given the other half.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Log-likelihood of the tokens that are scored.
    pub log_likelihood: f64,
    /// How many there are.
    pub tokens: u64,
}

raddle::state!(Score { log_likelihood, tokens });

impl Score {
    pub(crate) fn add(&mut self, other: Self) {
        self.log_likelihood += other.log_likelihood;
        self.tokens += other.tokens;
    }

    /// exp(-log-likelihood / tokens); none without tokens.
    pub fn perplexity(self) -> Option<f64> {
        (self.tokens > 0).then(|| libm::exp(-self.log_likelihood / self.tokens as f64))
    }
}

/// Parameters of phi and theta, beside the rows of words.
pub(crate) struct TopicModel<'a> {
    /// 1 / N_k.
    pub(crate) inverse: &'a [f64],
    pub(crate) alpha: &'a [f64],
    pub(crate) beta: f64,
}

/// Scores each set's documents, and lets the rows go.
pub(crate) fn score(held_out: &mut HeldOut, sets: usize, given: &TopicModel<'_>) -> Vec<Score> {
    let mut scores = vec![Score::default(); sets];
    let mut theta = Theta::new(given);
    for document in held_out.documents() {
        theta.estimate(&held_out.rows(&document.observed), ROUNDS);
        let scored = held_out.rows(&document.scored);
        let log_likelihood =
            scored.iter().map(|&(count, row)| count * libm::log(theta.probability(row))).sum();
        let tokens = document.scored.iter().map(|&(_, count)| u64::from(count)).sum();
        scores[usize::from(document.set)].add(Score { log_likelihood, tokens });
    }
    held_out.let_go();
    scores
}

/// A document's mixture of topics, estimated with phi fixed.
pub(crate) struct Theta<'a> {
    given: &'a TopicModel<'a>,
    /// theta_k, normalised.
    pub(crate) theta: Vec<f64>,
    /// theta_k / N_k, and its sum.
    scaled: Vec<f64>,
    sum: f64,
    /// Expected counts of each topic in a round.
    expected: Vec<f64>,
}

impl<'a> Theta<'a> {
    pub(crate) fn new(given: &'a TopicModel<'a>) -> Self {
        let topics = given.alpha.len();
        Self {
            given,
            theta: vec![0.0; topics],
            scaled: vec![0.0; topics],
            sum: 0.0,
            expected: vec![0.0; topics],
        }
    }

    /// Rounds of expectation-maximisation, from uniform, over (count, row) of the words.
    pub(crate) fn estimate(&mut self, words: &[(f64, &[(u32, f32)])], rounds: usize) {
        let uniform = 1.0 / self.theta.len() as f64;
        self.theta.fill(uniform);
        self.rescale();
        let mut by_length: Vec<u32> = (0..words.len() as u32).collect();
        by_length.sort_unstable_by_key(|&word| (words[word as usize].1.len(), word));
        let mut probabilities = vec![0.0; words.len()];
        for _ in 0..rounds {
            self.probabilities(words, &by_length, &mut probabilities);
            self.expected.fill(0.0);
            let mut all = 0.0;
            for (&(count, row), probability) in words.iter().zip(&probabilities) {
                let share = count / probability;
                all += share;
                for &(topic, times) in row {
                    self.expected[topic as usize] += f64::from(times) * share;
                }
            }
            let every = self.given.beta * all;
            let topics = self.theta.iter_mut().zip(&self.scaled).zip(&self.expected).zip(self.given.alpha);
            for (((theta, scaled), expected), alpha) in topics {
                *theta = alpha + scaled * (every + expected);
            }
            let norm = 1.0 / in_lanes(&self.theta);
            self.theta.iter_mut().for_each(|theta| *theta *= norm);
            self.rescale();
        }
    }

    /// sum_k theta_k phi_kw, of a word with this row.
    pub(crate) fn probability(&self, row: &[(u32, f32)]) -> f64 {
        let own: f64 = row.iter().map(|&(topic, times)| f64::from(times) * self.scaled[topic as usize]).sum();
        self.given.beta * self.sum + own
    }

    /// [`probability`](Self::probability) of each word, to the bit. A sum waits for each of its additions: four rows of
    /// about one length, as they come `by_length`, are summed side by side.
    fn probabilities(&self, words: &[(f64, &[(u32, f32)])], by_length: &[u32], out: &mut [f64]) {
        let (fours, rest) = by_length.as_chunks::<4>();
        for four in fours {
            let rows = four.map(|word| words[word as usize].1);
            // The first is the shortest.
            let (mut own, common) = ([-0.0; 4], rows[0].len());
            let [first, second, third, fourth] = rows.map(|row| &row[..common]);
            for (((a, b), c), d) in first.iter().zip(second).zip(third).zip(fourth) {
                for (own, &(topic, times)) in own.iter_mut().zip([a, b, c, d]) {
                    *own += f64::from(times) * self.scaled[topic as usize];
                }
            }
            for ((own, row), word) in own.iter_mut().zip(rows).zip(four) {
                for &(topic, times) in &row[common..] {
                    *own += f64::from(times) * self.scaled[topic as usize];
                }
                out[*word as usize] = self.given.beta * self.sum + *own;
            }
        }
        for &word in rest {
            out[word as usize] = self.probability(words[word as usize].1);
        }
    }

    fn rescale(&mut self) {
        for ((scaled, theta), inverse) in self.scaled.iter_mut().zip(&self.theta).zip(self.given.inverse) {
            *scaled = theta * inverse;
        }
        self.sum = in_lanes(&self.scaled);
    }
}

/// A sum in eight lanes, number i in lane i mod 8; the lanes are added in order.
fn in_lanes(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for eight in eights {
        lanes.iter_mut().zip(eight).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane += value);
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use raddle::random::Stream;

    use super::*;

    #[test]
    fn words_that_are_summed_side_by_side_have_the_bits_of_each_alone() {
        let mut random = Stream::new(&[39, 5]);
        let (inverse, alpha): (Vec<f64>, Vec<f64>) =
            (0..60).map(|topic| (1.0 / f64::from(3 + topic), 0.1 + f64::from(topic))).unzip();
        let given = TopicModel { inverse: &inverse, alpha: &alpha, beta: 0.01 };
        for words in [0, 1, 3, 4, 5, 8, 41] {
            let rows: Vec<Vec<(u32, f32)>> = (0..words)
                .map(|_| {
                    (0..random.below(50)).map(|topic| (topic as u32, 1.0 + random.below(9) as f32)).collect()
                })
                .collect();
            let words: Vec<(f64, &[(u32, f32)])> = rows.iter().map(|row| (2.0, row.as_slice())).collect();
            let mut theta = Theta::new(&given);
            theta.estimate(&words, 3);
            let mut by_length: Vec<u32> = (0..rows.len() as u32).collect();
            by_length.sort_by_key(|&word| rows[word as usize].len());
            let mut found = vec![0.0; rows.len()];
            theta.probabilities(&words, &by_length, &mut found);
            let alone: Vec<f64> = rows.iter().map(|row| theta.probability(row)).collect();
            assert_eq!(found, alone);
        }
    }
}
