//! [`Sparse`]: the chain over sparse rows.
//!
//! The mass of a token consists of two sums: n_dk f_k over the document's entries, and alpha_k f_k over all
//! topics ([`WeightTree`]). Most draws are from the first.

use super::Draws;
use super::chain::Chain;
use super::lanes::{EntryLine, FloatLine, LANES, Lanes};
use super::names::Name;
use super::row::{SHORT, locate, move_one, move_to};
use super::weight_tree::{Sums, WeightTree};
use super::word::{TopicParams, WordBuffers, WordState};
use crate::topics::counts::documents::{Row, SparseRows};
use crate::topics::counts::packing::Packing;

/// Number of lines of a row that are prefetched.
const LINES: usize = 8;

/// The buffers of [`Sparse`].
pub(super) struct Memory {
    buffers: WordBuffers,
    sums: Sums,
    /// Lane sums up to each line of a row.
    running: Vec<FloatLine>,
}

impl Memory {
    /// Buffers for rows of at most `lines` lines and a task of at most `tokens` tokens.
    pub(super) fn new(given: TopicParams<'_>, lines: usize, tokens: usize) -> Self {
        let running = vec![FloatLine::default(); lines.max(SHORT)];
        Self { buffers: WordBuffers::new(given, tokens), sums: Sums::new(given.alphas), running }
    }
}

/// The chain over [`SparseRows`].
pub(super) struct Sparse<'a, L: Lanes> {
    rows: &'a mut [Row],
    lines: &'a mut [EntryLine],
    hand: Hand<'a, L>,
}

/// State of the draws that does not depend on the document.
struct Hand<'a, L: Lanes> {
    word: WordState<'a, WeightTree<'a>>,
    packing: Packing,
    split: L::Split,
    draws: Draws,
    /// Lane sums up to each line of a row.
    running: &'a mut [FloatLine],
}

impl<'a, L: Lanes> Sparse<'a, L> {
    #[inline(always)]
    pub(super) fn new(
        given: TopicParams<'_>,
        memory: &'a mut Memory,
        rows: &'a mut SparseRows,
        draws: Draws,
    ) -> Self {
        let Memory { buffers, sums, running } = memory;
        let (word, packing) = (WordState::new(buffers, given, sums.tree()), Packing::of(given.norms.len()));
        let hand = Hand { word, packing, split: L::split(packing.bits()), draws, running };
        Self { rows: &mut rows.rows, lines: &mut rows.lines, hand }
    }
}

/// Sums to draw a token from.
#[derive(Clone, Copy)]
struct Seen<L> {
    /// Sums over the lines of the document's row, without the token.
    sums: L,
    lines: usize,
    mass: f32,
    /// The mass of all topics.
    others: f32,
}

/// A token: its topic, the topic's entry in the row, and the topic's weight without the token.
#[derive(Clone, Copy)]
struct Token {
    topic: Name,
    at: usize,
    without: f32,
}

impl<L: Lanes> Seen<L> {
    #[inline(always)]
    fn nothing() -> Self {
        Self { sums: L::zero(), lines: 0, mass: 0.0, others: 0.0 }
    }
}

impl<L: Lanes> Hand<'_, L> {
    /// Sums a document's row without a token of this topic.
    #[inline(always)]
    fn see(&mut self, lines: &[EntryLine], topic: Name) -> (Seen<L>, Token) {
        let without = self.word.without(topic);
        let others = self.word.weights.total_if(topic, without);
        let (mut sums, mut at, mut number) = (L::zero(), 0, 0);
        let (weights, split) = (self.word.weights.weights(), self.split);
        for (line, running) in lines.iter().zip(&mut *self.running) {
            let (products, found) = L::weigh(line, split, weights, topic.number() as u32, without);
            sums = sums.add(products);
            sums.store(running);
            at = if found != 0 { number + found.trailing_zeros() as usize } else { at };
            number += LANES;
        }
        let sums = sums.running();
        (Seen { sums, lines: lines.len(), mass: sums.last(), others }, Token { topic, at, without })
    }

    /// Draws a token's topic, and moves it there. Returns the entry of the topic in the row, unless the
    /// entries of the row have changed.
    #[inline(always)]
    fn draw(
        &mut self,
        row: &mut Row,
        lines: &mut [EntryLine],
        seen: Seen<L>,
        token: Token,
    ) -> (Name, Option<usize>) {
        let Token { topic: from, at, without } = token;
        let (unit, other) = self.draws.pair();
        let point = unit * (seen.mass + seen.others);
        let (topic, to) = if point < seen.mass {
            let (to, _) = locate(self.running, seen.sums, point, seen.lines);
            let entry = lines[to / LANES].0[to % LANES];
            (self.word.names.name(self.packing.topic(entry)), Some(to))
        } else {
            (self.word.weights.draw_if::<L>(from, without, other * seen.others), None)
        };
        if topic == from {
            return (topic, Some(at));
        }
        let length = row.length;
        match to {
            Some(to) => move_one(lines, &mut row.length, at, to, self.packing),
            None => move_to::<L>(lines, row, Some(at), topic, self.packing, self.split),
        }
        self.word.decrement(from, without);
        self.word.increment(topic);
        (topic, to.filter(|_| row.length == length))
    }
}

impl<'a, L: Lanes> Chain<'a> for Sparse<'a, L> {
    type Weights = WeightTree<'a>;

    #[inline(always)]
    fn word(&mut self) -> &mut WordState<'a, Self::Weights> {
        &mut self.hand.word
    }

    const TOGETHER: bool = true;

    #[inline(always)]
    fn resample(&mut self, topics: &mut [u16], document: usize) {
        let row = &mut self.rows[document];
        let lines = &mut self.lines[row.start as usize..];
        // Sums of the row, as long as they are valid. A single loop instead of nested ones: a compiler would
        // compute the invariants of inner loops each time, and their iterations are few.
        let (mut seen, mut here) = (Seen::nothing(), None);
        for place in topics {
            let old = self.hand.word.names.name((*place).into());
            let token = match here {
                Some(token @ Token { topic, .. }) if topic == old => token,
                _ => {
                    let filled = &lines[..(row.length as usize).div_ceil(LANES)];
                    let token;
                    (seen, token) = self.hand.see(filled, old);
                    token
                }
            };
            let (topic, at) = self.hand.draw(row, lines, seen, token);
            *place = topic.number() as u16;
            here = at.map(|at| Token { topic, at, without: self.hand.word.without(topic) });
        }
    }

    #[inline(always)]
    fn first(&mut self, document: usize) -> u16 {
        let row = &mut self.rows[document];
        let lines = &mut self.lines[row.start as usize..];
        let filled = (row.length as usize).div_ceil(LANES);
        let (mut sums, weights, split) = (L::zero(), self.hand.word.weights.weights(), self.hand.split);
        for (line, running) in lines[..filled].iter().zip(&mut *self.hand.running) {
            sums = sums.add(L::products(line, split, weights));
            sums.store(running);
        }
        let sums = sums.running();
        let (unit, other) = self.hand.draws.pair();
        let (mass, others) = (sums.last(), self.hand.word.weights.total());
        let point = unit * (mass + others);
        let topic = if point < mass {
            let (to, _) = locate(self.hand.running, sums, point, filled);
            let entry = &mut lines[to / LANES].0[to % LANES];
            *entry += 1;
            self.hand.word.names.name(self.hand.packing.topic(*entry))
        } else {
            let topic = self.hand.word.weights.draw::<L>(other * others);
            move_to::<L>(lines, row, None, topic, self.hand.packing, self.hand.split);
            topic
        };
        self.hand.word.increment(topic);
        topic.number() as u16
    }

    #[inline(always)]
    fn uniform(&mut self, document: usize, topics: u32) -> u16 {
        let row = &mut self.rows[document];
        let lines = &mut self.lines[row.start as usize..];
        let topic = self.hand.word.names.name(self.hand.draws.below(topics));
        move_to::<L>(lines, row, None, topic, self.hand.packing, self.hand.split);
        self.hand.word.increment(topic);
        topic.number() as u16
    }

    #[inline(always)]
    fn prefetch(&self, document: usize) {
        let start = self.rows[document].start as usize;
        if let Some(lines) = self.lines.get(start..start + LINES) {
            for line in lines {
                L::prefetch(line);
            }
        }
    }
}
