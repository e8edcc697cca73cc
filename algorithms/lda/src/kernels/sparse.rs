//! [`Sparse`]: the chain over sparse rows.
//!
//! The mass of a token falls into two sums: n_dk f_k over the document's entries, and alpha_k f_k over all topics
//! ([`Masses`]). The first is by far the most frequent to be drawn from.

use super::Draws;
use super::chain::Chain;
use super::lanes::{LANES, Lanes, Sixteen};
use super::masses::Masses;
use super::row::{SHORT, locate, move_one, move_to};
use super::word::{AtWord, Given, Weights};
use crate::rows::{Packing, SparseRows};

/// Lines of a row that are asked for ahead.
const LINES: usize = 4;

/// The chain over [`SparseRows`].
pub(super) struct Sparse<L: Lanes> {
    word: AtWord<Masses>,
    packing: Packing,
    split: L::Split,
    draws: Draws,
    /// Lane sums up to each line of a row.
    running: Vec<Sixteen>,
}

impl<L: Lanes> Sparse<L> {
    /// A chain for rows of at most `longest` lines.
    pub(super) fn new(given: Given<'_>, longest: usize, draws: Draws) -> Self {
        let packing = Packing::of(given.norms.len());
        let masses = Masses::new(given.alphas, packing.names());
        let word = AtWord::new(given, packing.names(), masses);
        let running = vec![Sixteen::default(); longest.max(SHORT)];
        Self { word, packing, split: L::split(packing.bits()), draws, running }
    }

    /// Draws from alpha_k f_k over all topics, if the topic `from` weighed `without`.
    #[inline(always)]
    fn draw_from_all(&mut self, from: usize, without: f32, point: f32) -> usize {
        let before = self.word.weights.weights()[from];
        self.word.weights.set(from, without);
        let topic = self.word.weights.draw::<L>(point);
        self.word.weights.set(from, before);
        topic
    }
}

impl<L: Lanes> Chain for Sparse<L> {
    type Rows = SparseRows;
    type Weights = Masses;

    #[inline(always)]
    fn word(&mut self) -> &mut AtWord<Self::Weights> {
        &mut self.word
    }

    const TOGETHER: bool = true;

    #[inline(always)]
    fn again(&mut self, topics: &mut [u16], document: usize, rows: &mut SparseRows) {
        let SparseRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let mut token = 0;
        while let Some(&old) = topics.get(token) {
            let mut from = usize::from(old);
            let mut without = self.word.without(from);
            let others = self.word.weights.total_if(from, without);
            let length = row.length;
            let filled = (length as usize).div_ceil(LANES);
            let (mut sums, mut at, mut number) = (L::zero(), 0, 0);
            let (weights, split) = (self.word.weights.weights(), self.split);
            for (line, running) in lines[..filled].iter().zip(&mut self.running) {
                let (products, found) = L::weigh(line, split, weights, (u32::from(old), without));
                sums = sums.add(products);
                sums.store(running);
                at = if found != 0 { number + found.trailing_zeros() as usize } else { at };
                number += LANES;
            }
            let sums = sums.running();
            let mass = sums.last();
            loop {
                let (unit, other) = self.draws.pair();
                let point = unit * (mass + others);
                let (topic, to) = if point < mass {
                    let to = locate(&self.running, sums, point, filled);
                    (self.packing.topic(lines[to / LANES].0[to % LANES]) as usize, Some(to))
                } else {
                    (self.draw_from_all(from, without, other * others), None)
                };
                topics[token] = topic as u16;
                token += 1;
                if topic != from {
                    match to {
                        Some(to) => move_one(lines, &mut row.length, at, to, self.packing),
                        None => move_to::<L>(lines, row, Some(at), topic as u32, (self.packing, self.split)),
                    }
                    self.word.lose(from, without);
                    self.word.gain(topic);
                }
                if topics.get(token) != Some(&(topic as u16)) {
                    break;
                }
                if topic != from {
                    // The sums still are of the same entries, unless one has changed places or there is a new one.
                    let Some(to) = to.filter(|_| row.length == length) else { break };
                    (at, from, without) = (to, topic, self.word.without(topic));
                }
            }
        }
    }

    #[inline(always)]
    fn first(&mut self, document: usize, rows: &mut SparseRows) -> u16 {
        let SparseRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let filled = (row.length as usize).div_ceil(LANES);
        let (mut sums, weights, split) = (L::zero(), self.word.weights.weights(), self.split);
        for (line, running) in lines[..filled].iter().zip(&mut self.running) {
            sums = sums.add(L::products(line, split, weights));
            sums.store(running);
        }
        let sums = sums.running();
        let (unit, other) = self.draws.pair();
        let (mass, others) = (sums.last(), self.word.weights.total());
        let point = unit * (mass + others);
        let topic = if point < mass {
            let to = locate(&self.running, sums, point, filled);
            let entry = &mut lines[to / LANES].0[to % LANES];
            *entry += 1;
            self.packing.topic(*entry) as usize
        } else {
            let topic = self.word.weights.draw::<L>(other * others);
            move_to::<L>(lines, row, None, topic as u32, (self.packing, self.split));
            topic
        };
        self.word.gain(topic);
        topic as u16
    }

    #[inline(always)]
    fn uniform(&mut self, document: usize, rows: &mut SparseRows, topics: u32) -> u16 {
        let SparseRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let topic = self.draws.below(topics);
        move_to::<L>(lines, row, None, topic, (self.packing, self.split));
        self.word.gain(topic as usize);
        topic as u16
    }

    #[inline(always)]
    fn ask_for(rows: &SparseRows, document: usize) {
        let start = rows.rows[document].start as usize;
        if let Some(lines) = rows.lines.get(start..start + LINES) {
            for line in lines {
                L::prefetch(line);
            }
        }
    }
}
