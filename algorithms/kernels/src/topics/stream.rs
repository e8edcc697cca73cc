//! [`Stream`]: one of the four streams that a task processes in lockstep, at one word.
//!
//! With the totals fixed for the task, the weight of a topic at a word changes only with the word's own
//! counts:
//!
//! ```text
//! f_k = (n_kw + beta) / (n_k + V beta)
//! ```
//!
//! Counts are stored for all topics while a stream is at the word. They are stored as `f32`, which can count
//! all tokens of a word, so that a weight takes an addition and a product.

#![allow(clippy::needless_range_loop)] // lines of several rows side by side

use super::cell::Cell;
use super::lanes::{LANES, Lanes};
use super::vectors::{PerTopic, Topic};
use super::word::{self, TopicParams};
use crate::topics::counts::priors::WordPriors;
use crate::topics::counts::words::WordRows;

/// Entries of lists are read this number at a time, with the last one repeated if there are fewer: most lists
/// are short, and a core predicts the end of a loop that nearly always ends at the same place.
const FOUR: usize = 4;

/// Topic parameters of a task, in vectors of sixteen. Topics that only pad these have weight 0.
pub(super) struct Topics<const N: usize> {
    /// K, the number of topics.
    pub(super) count: usize,
    beta: f32,
    pub(super) alphas: PerTopic<N>,
    /// 1 / (n_k + V beta).
    inverse: PerTopic<N>,
    /// 1 / (n_k - 1 + V beta), for a topic less one token.
    without: PerTopic<N>,
    /// Weights of topics that a word does not have.
    plain: PerTopic<N>,
}

impl<const N: usize> Topics<N> {
    pub(super) fn new(given: TopicParams<'_>) -> Self {
        let beta = given.beta as f32;
        let norms = given.norms.iter();
        let inverse = PerTopic::new(norms.clone().map(|norm| (1.0 / norm) as f32));
        Self {
            count: given.norms.len(),
            beta,
            alphas: PerTopic::new(given.alphas.iter().map(|&alpha| alpha as f32)),
            without: PerTopic::new(norms.map(|norm| (1.0 / (norm - 1.0)) as f32)),
            plain: PerTopic::new(
                inverse.lines().iter().flat_map(|line| line.0).map(|inverse| beta * inverse),
            ),
            inverse,
        }
    }
}

/// One of the four streams.
pub(super) struct Stream<const N: usize> {
    /// The weight f of every topic.
    pub(super) weights: PerTopic<N>,
    /// n_kw while the stream is at a word, else 0.
    counts: PerTopic<N>,
    /// beta, plus the word's priors.
    priors: PerTopic<N>,
}

impl<const N: usize> Stream<N> {
    /// A stream at no word.
    pub(super) fn new(topics: &Topics<N>) -> Self {
        let priors = PerTopic::new(std::iter::repeat_n(topics.beta, N * LANES));
        Self { weights: PerTopic::zeros(), counts: PerTopic::zeros(), priors }
    }

    /// Enters a word.
    #[inline(always)]
    pub(super) fn enter<L: Lanes>(
        &mut self,
        topics: &Topics<N>,
        word: usize,
        words: &WordRows,
        word_priors: &WordPriors,
    ) {
        for (topic, weight) in word_priors.of(word) {
            let topic = Topic::new(topic as usize);
            self.priors.set(topic, self.priors.get(topic) + weight);
        }
        match words.full.row::<N>(word) {
            Some(row) => {
                self.counts = PerTopic::of(row);
                for line in 0..N {
                    let (counts, priors) = (L::load(&row[line].0), L::load(&self.priors.lines()[line].0));
                    let weights = counts.add(priors).mul(L::load(&topics.inverse.lines()[line].0));
                    weights.store(&mut self.weights.lines_mut()[line]);
                }
            }
            None => {
                self.weights = topics.plain;
                let (start, length) = (words.starts[word] as usize, words.lengths[word] as usize);
                let end = start + length;
                let (list, counts) = (&words.topics[start..end], &words.counts[start..end]);
                for at in 0..length.next_multiple_of(FOUR) {
                    let at = at.min(length - 1);
                    let topic = Topic::new(list[at].into());
                    self.counts.set(topic, counts[at] as f32);
                    self.weigh::<L>(topics, topic);
                }
                // Topics that the word has only by its priors.
                for (topic, _) in word_priors.of(word) {
                    self.weigh::<L>(topics, Topic::new(topic as usize));
                }
            }
        }
    }

    /// Leaves a word, whose drawn tokens have these topics: its row is written.
    #[inline(always)]
    pub(super) fn leave(
        &mut self,
        topics: &Topics<N>,
        word: usize,
        words: &mut WordRows,
        word_priors: &WordPriors,
        drawn: &[u16],
    ) {
        for (topic, _) in word_priors.of(word) {
            self.priors.set(Topic::new(topic as usize), topics.beta);
        }
        if let Some(row) = words.full.row_mut::<N>(word) {
            *row = *self.counts.lines();
            self.counts = PerTopic::zeros();
            return;
        }
        // The old topics of the word, then the present topics of its tokens. Each is written when it is first
        // met; topics without a count are written, too, and then overwritten.
        let WordRows { starts, lengths, topics: list, counts, .. } = words;
        let (start, end) = (starts[word] as usize, starts[word + 1] as usize);
        let (list, counts) = (&mut list[start..end], &mut counts[start..end]);
        let mut length = 0;
        let mut write = |list: &mut [u16], topic: u16| {
            let name = Topic::new(topic.into());
            let count = self.counts.get(name);
            (list[length], counts[length]) = (topic, count as u32);
            length += usize::from(count > 0.0);
            self.counts.set(name, 0.0);
        };
        let had = lengths[word] as usize;
        for at in 0..had.next_multiple_of(FOUR) {
            let topic = list[at.min(had - 1)];
            write(list, topic);
        }
        for &topic in drawn {
            write(list, topic);
        }
        lengths[word] = length as u32;
    }

    /// Draws a topic for a token of a document, of the stream's word, at the fraction `unit` of the mass.
    #[inline(always)]
    pub(super) fn draw<L: Lanes, C: Cell>(&self, topics: &Topics<N>, row: &[C; N], unit: f32) -> Topic<N> {
        let (alphas, weights) = (topics.alphas.lines(), self.weights.lines());
        let (mut sums, mut sum) = ([L::zero(); N], L::zero());
        for line in 0..N {
            let counts = row[line].lanes::<L>().add(L::load(&alphas[line].0));
            sum = sum.add(counts.mul(L::load(&weights[line].0)));
            sums[line] = sum;
        }
        // A topic that only pads a line can be reached only by rounding.
        Topic::new(L::pick(&sums, unit).min(topics.count - 1))
    }

    /// Subtracts a token of a topic from its document, its word, and the totals.
    #[inline(always)]
    pub(super) fn take<L: Lanes, C: Cell>(&mut self, topics: &Topics<N>, row: &mut [C; N], from: Topic<N>) {
        from.cell(row).change::<L>(from.lane(), -1);
        let count = self.counts.get(from) - 1.0;
        self.counts.set(from, count);
        self.weights.put::<L>(from, (count + self.priors.get(from)) * topics.without.get(from));
    }

    /// Gives a token that was subtracted from a topic another one, or the same. The totals were without it
    /// only for its draw.
    #[inline(always)]
    pub(super) fn give<L: Lanes, C: Cell>(
        &mut self,
        topics: &Topics<N>,
        row: &mut [C; N],
        from: Topic<N>,
        to: Topic<N>,
    ) {
        self.weigh::<L>(topics, from);
        self.put::<L, C>(topics, row, to);
    }

    /// Gives a token without a topic one.
    #[inline(always)]
    pub(super) fn put<L: Lanes, C: Cell>(&mut self, topics: &Topics<N>, row: &mut [C; N], to: Topic<N>) {
        to.cell(row).change::<L>(to.lane(), 1);
        self.counts.set(to, self.counts.get(to) + 1.0);
        self.weigh::<L>(topics, to);
    }

    /// Draws a new topic for a token that has one.
    #[inline(always)]
    pub(super) fn redraw<L: Lanes, C: Cell>(
        &mut self,
        topics: &Topics<N>,
        row: &mut [C; N],
        from: Topic<N>,
        unit: f32,
    ) -> Topic<N> {
        self.take::<L, C>(topics, row, from);
        let to = self.draw::<L, C>(topics, row, unit);
        self.give::<L, C>(topics, row, from, to);
        to
    }

    /// Computes the weight of a topic from its counts.
    #[inline(always)]
    fn weigh<L: Lanes>(&mut self, topics: &Topics<N>, topic: Topic<N>) {
        let weight = (self.counts.get(topic) + self.priors.get(topic)) * topics.inverse.get(topic);
        self.weights.put::<L>(topic, weight);
    }
}

/// Prefetches the row of a word that is needed soon.
#[inline(always)]
pub(super) fn prefetch<L: Lanes, const N: usize>(word: usize, words: &WordRows) {
    match words.full.row::<N>(word) {
        Some(row) => {
            for line in row {
                L::prefetch(line);
            }
        }
        None => word::prefetch::<L>(word, words),
    }
}
