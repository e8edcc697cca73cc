//! [`Dense`]: the chain over dense rows, for few topics.
//!
//! The weights of all topics are a few vectors of sixteen, and (n_dk + alpha_k) f_k is summed over all topics
//! at once.

use super::Draws;
use super::chain::Chain;
use super::lanes::{CountLine, FloatLine, LANES, Lanes};
use super::names::Name;
use super::row::locate_in;
use super::word::{TopicParams, Weights, WordBuffers, WordState};

/// The weights of 16 N topics, of which vectors are changed as a whole: values stored one by one could not be
/// loaded sixteen at a time.
pub(super) struct Registers<L, const N: usize>([L; N]);

impl<L: Lanes, const N: usize> Weights for Registers<L, N> {
    #[inline(always)]
    fn set(&mut self, topic: Name, weight: f32) -> f64 {
        let topic = L::number(topic.number() as u32);
        for (number, sixteen) in self.0.iter_mut().enumerate() {
            *sixteen = sixteen.with(number, topic, weight);
        }
        0.0
    }

    #[inline(always)]
    fn add(&mut self, _: f64) {}
}

/// The chain over dense rows of N times sixteen counts.
pub(super) struct Dense<'a, L, const N: usize> {
    word: WordState<'a, Registers<L, N>>,
    counts: &'a mut [CountLine],
    alphas: [FloatLine; N],
    draws: Draws,
    /// Lane sums up to and including each sixteen.
    running: [FloatLine; N],
    topics: usize,
}

impl<'a, L: Lanes, const N: usize> Dense<'a, L, N> {
    #[inline(always)]
    pub(super) fn new(
        given: TopicParams<'_>,
        buffers: &'a mut WordBuffers,
        counts: &'a mut [CountLine],
        draws: Draws,
    ) -> Self {
        let mut alphas = [FloatLine::default(); N];
        let places = alphas.iter_mut().flat_map(|sixteen| &mut sixteen.0);
        places.zip(given.alphas).for_each(|(place, &alpha)| *place = alpha as f32);
        let word = WordState::new(buffers, given, Registers([L::zero(); N]));
        Self { word, counts, alphas, draws, running: [FloatLine::default(); N], topics: given.norms.len() }
    }

    /// Returns the count of a topic in a document.
    #[inline(always)]
    fn count(&mut self, document: usize, topic: Name) -> &mut u16 {
        let topic = topic.number();
        &mut self.counts[document * N..][..N][topic / LANES].0[topic % LANES]
    }

    /// Draws a topic from a document's row, in which the mass of one topic is replaced, if `topic` is one of
    /// the topics.
    #[inline(always)]
    fn draw(&mut self, document: usize, topic: u32, mass: f32) -> Name {
        let (mut sums, topic) = (L::zero(), L::number(topic));
        for (number, counts) in self.counts[document * N..][..N].iter().enumerate() {
            let counts = L::widen(counts).add(L::load(&self.alphas[number].0));
            sums = sums.add(counts.mul(self.word.weights.0[number]).with(number, topic, mass));
            sums.store(&mut self.running[number]);
        }
        let sums = sums.running();
        let point = self.draws.pair().0 * sums.last();
        // A topic that only pads a line can be reached only by rounding.
        let topic = locate_in(&self.running, sums, point).min(self.topics - 1);
        self.word.names.name(topic as u32)
    }
}

impl<'a, L: Lanes, const N: usize> Chain<'a> for Dense<'a, L, N> {
    type Weights = Registers<L, N>;

    #[inline(always)]
    fn word(&mut self) -> &mut WordState<'a, Self::Weights> {
        &mut self.word
    }

    // Measured: sums over so few topics take no longer than a draw would wait for old ones.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn resample(&mut self, topics: &mut [u16], document: usize) {
        for place in topics {
            let from = self.word.names.name((*place).into());
            let without = self.word.without(from);
            let others = f32::from(*self.count(document, from)) - 1.0;
            let mass = (others + self.alphas[from.number() / LANES].0[from.number() % LANES]) * without;
            let topic = self.draw(document, u32::from(*place), mass);
            if topic != from {
                *self.count(document, from) -= 1;
                *self.count(document, topic) += 1;
                self.word.decrement(from, without);
                self.word.increment(topic);
                *place = topic.number() as u16;
            }
        }
    }

    #[inline(always)]
    fn first(&mut self, document: usize) -> u16 {
        let topic = self.draw(document, u32::MAX, 0.0);
        *self.count(document, topic) += 1;
        self.word.increment(topic);
        topic.number() as u16
    }

    #[inline(always)]
    fn uniform(&mut self, document: usize, topics: u32) -> u16 {
        let topic = self.word.names.name(self.draws.below(topics));
        *self.count(document, topic) += 1;
        self.word.increment(topic);
        topic.number() as u16
    }

    #[inline(always)]
    fn prefetch(&self, document: usize) {
        for counts in self.counts[document * N..][..N].iter().step_by(2) {
            L::prefetch(counts);
        }
    }
}
