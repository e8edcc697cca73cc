//! [`Dense`]: the chain over dense rows, for few topics.
//!
//! The weights of all topics are a few vectors of sixteen, and (n_dk + alpha_k) f_k is summed over all topics at once.

use super::Draws;
use super::chain::Chain;
use super::lanes::{Counts, LANES, Lanes, Sixteen};
use super::row::locate_in;
use super::word::{AtWord, Given, Weights};
use crate::rows::DenseRows;

/// The weights of 16 N topics, of which vectors are changed whole: what was stored one by one could not be loaded by
/// sixteen at once.
pub(super) struct Registers<L, const N: usize>([L; N]);

impl<L: Lanes, const N: usize> Weights for Registers<L, N> {
    #[inline(always)]
    fn set(&mut self, topic: usize, weight: f32) -> f64 {
        let topic = L::number(topic as u32);
        for (number, sixteen) in self.0.iter_mut().enumerate() {
            *sixteen = sixteen.with(number, topic, weight);
        }
        0.0
    }

    #[inline(always)]
    fn add(&mut self, _: f64) {}
}

/// The chain over [`DenseRows`] of N times sixteen counts.
pub(super) struct Dense<L, const N: usize> {
    word: AtWord<Registers<L, N>>,
    alphas: [Sixteen; N],
    draws: Draws,
    /// Lane sums up to each sixteen.
    running: [Sixteen; N],
    topics: usize,
}

impl<L: Lanes, const N: usize> Dense<L, N> {
    #[inline(always)]
    pub(super) fn new(given: Given<'_>, draws: Draws) -> Self {
        let mut alphas = [Sixteen::default(); N];
        let places = alphas.iter_mut().flat_map(|sixteen| &mut sixteen.0);
        places.zip(given.alphas).for_each(|(place, &alpha)| *place = alpha as f32);
        let word = AtWord::new(given, N * LANES, Registers([L::zero(); N]));
        Self { word, alphas, draws, running: [Sixteen::default(); N], topics: given.norms.len() }
    }

    /// Draws a topic from a row, in which one topic has another mass, if it is one of the topics.
    #[inline(always)]
    fn draw(&mut self, row: &[Counts], (topic, mass): (u32, f32)) -> usize {
        let (mut sums, topic) = (L::zero(), L::number(topic));
        for (number, counts) in row.iter().enumerate().take(N) {
            let counts = L::widen(counts).add(L::load(&self.alphas[number].0));
            sums = sums.add(counts.mul(self.word.weights.0[number]).with(number, topic, mass));
            sums.store(&mut self.running[number]);
        }
        let sums = sums.running();
        let point = self.draws.pair().0 * sums.last();
        // A topic that is only there to fill a line up is reached by rounding alone.
        locate_in(&self.running, sums, point).min(self.topics - 1)
    }
}

/// The count of a topic in a row.
#[inline(always)]
fn count(row: &mut [Counts], topic: usize) -> &mut u16 {
    &mut row[topic / LANES].0[topic % LANES]
}

impl<L: Lanes, const N: usize> Chain for Dense<L, N> {
    type Rows = DenseRows;
    type Weights = Registers<L, N>;

    #[inline(always)]
    fn word(&mut self) -> &mut AtWord<Self::Weights> {
        &mut self.word
    }

    // Sums over so few topics take no longer than what a draw from old ones would wait for: measured.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn again(&mut self, topics: &mut [u16], document: usize, rows: &mut DenseRows) {
        let row = &mut rows.counts[document * N..][..N];
        for place in topics {
            let from = usize::from(*place);
            let without = self.word.without(from);
            let others = f32::from(*count(row, from)) - 1.0;
            let mass = (others + self.alphas[from / LANES].0[from % LANES]) * without;
            let topic = self.draw(row, (u32::from(*place), mass));
            if topic != from {
                *count(row, from) -= 1;
                *count(row, topic) += 1;
                self.word.lose(from, without);
                self.word.gain(topic);
            }
            *place = topic as u16;
        }
    }

    #[inline(always)]
    fn first(&mut self, document: usize, rows: &mut DenseRows) -> u16 {
        let row = &mut rows.counts[document * N..][..N];
        let topic = self.draw(row, (u32::MAX, 0.0));
        *count(row, topic) += 1;
        self.word.gain(topic);
        topic as u16
    }

    #[inline(always)]
    fn uniform(&mut self, document: usize, rows: &mut DenseRows, topics: u32) -> u16 {
        let topic = self.draws.below(topics) as usize;
        *count(&mut rows.counts[document * N..][..N], topic) += 1;
        self.word.gain(topic);
        topic as u16
    }

    #[inline(always)]
    fn ask_for(rows: &DenseRows, document: usize) {
        for counts in rows.counts[document * N..][..N].iter().step_by(2) {
            L::prefetch(counts);
        }
    }
}
