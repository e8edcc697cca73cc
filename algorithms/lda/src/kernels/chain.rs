//! [`Chain`]: draws the topics of one word's tokens after the other.
//!
//! For a token of word w in document d, topic k has probability in proportion to
//!
//! ```text
//! (n_dk + alpha_k) f_k,   f_k = (n_kw + beta) / (n_k + V beta),   counts without the token itself
//! ```
//!
//! (Griffiths and Steyvers, "Finding scientific topics", 2004). While the chain is at a word, f is kept dense; the
//! part of n_dk is summed over the document's sparse row, the part of alpha_k stands in a tree of sums. A token changes
//! f and the tree in two topics only.

use super::Draws;
use super::lanes::{LANES, Lanes, Line, Sixteen};
use super::tree::{Prepared, Topic, Tree};
use crate::rows::{DocumentRows, Packing, WordRows};
use crate::seeds::Seeds;

/// What a chain has found of the token that it is at.
pub(super) struct Scan<L> {
    /// Where the topic that it had is in the document's row.
    at: usize,
    /// Sums of the document part up to each lane.
    sums: L,
}

/// The state of a chain at a word.
pub(super) struct Chain<'a> {
    base: &'a Prepared,
    packing: Packing,
    topics: Vec<Topic>,
    weights: Vec<f32>,
    tree: Tree,
    total: f32,
    /// Topics that the word has had since the chain came to it; some may be listed twice.
    listed: Vec<u16>,
    /// Lane sums up to each line of the row.
    running: Vec<Sixteen>,
    draws: Draws,
    /// How the tokens of each topic changed in the task.
    pub(super) moved: Vec<i32>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(base: &'a Prepared, packing: Packing, longest: usize, draws: Draws) -> Self {
        Self {
            base,
            packing,
            topics: base.topics.clone(),
            weights: base.weights.clone(),
            tree: base.tree.clone(),
            total: base.total,
            listed: Vec::with_capacity(1 << 10),
            running: vec![Sixteen::default(); longest.max(1)],
            draws,
            moved: vec![0; base.topics.len()],
        }
    }

    /// Comes to a word.
    #[inline(always)]
    pub(super) fn enter(&mut self, word: usize, words: &WordRows, seeds: &Seeds) {
        for (topic, weight) in seeds.of(word) {
            self.topics[topic as usize].prior += weight;
            self.change(topic as usize, 0.0);
            self.listed.push(topic as u16);
        }
        for &entry in words.entries(word) {
            let topic = self.packing.topic(entry);
            self.change(topic as usize, self.packing.count(entry) as f32);
            self.listed.push(topic as u16);
        }
    }

    /// Leaves a word: writes its row, and makes everything as it is for a word without tokens.
    #[inline(always)]
    pub(super) fn leave(&mut self, word: usize, words: &mut WordRows) {
        let (room, length) = words.room(word);
        let mut end = 0;
        for &topic in &self.listed {
            let at = usize::from(topic);
            let mut count = self.topics[at].count as u32;
            while count > 0 {
                let some = count.min(self.packing.most());
                room[end] = self.packing.entry(u32::from(topic), some);
                (end, count) = (end + 1, count - some);
            }
            self.topics[at] = self.base.topics[at];
            self.weights[at] = self.base.weights[at];
            self.tree.restore(at, &self.base.tree);
        }
        *length = end as u32;
        self.total = self.base.total;
        self.listed.clear();
    }

    /// The word's count of a topic changes.
    #[inline(always)]
    fn change(&mut self, topic: usize, by: f32) {
        let about = &mut self.topics[topic];
        about.count += by;
        let weight = about.weight();
        let change = (weight - self.weights[topic]) * about.alpha;
        self.weights[topic] = weight;
        self.total += change;
        self.tree.add(topic, change);
    }

    /// Takes a token off its topic and sums the document part.
    #[inline(always)]
    pub(super) fn scan<L: Lanes>(&mut self, topic: u16, document: usize, rows: &DocumentRows) -> Scan<L> {
        let topic = usize::from(topic);
        self.moved[topic] -= 1;
        self.change(topic, -1.0);
        let row = rows.rows[document];
        let lines = &rows.lines[row.start as usize..][..(row.length as usize).div_ceil(LANES)];
        let (mut sums, mut at) = (L::zero(), 0);
        for ((number, line), running) in lines.iter().enumerate().zip(&mut self.running) {
            let (products, found) = L::weigh(line, self.packing.bits(), &self.weights, topic as u32);
            sums = sums.add(products);
            sums.store(running);
            at = if found != 0 { number * LANES + found.trailing_zeros() as usize } else { at };
        }
        Scan { at, sums: sums.running() }
    }

    /// Draws the token's new topic.
    #[inline(always)]
    pub(super) fn pick<L: Lanes>(&mut self, scan: Scan<L>, document: usize, rows: &mut DocumentRows) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let (unit, other) = self.draws.pair();
        let mass = scan.sums.last();
        let point = unit * (mass + self.total);
        let topic = if point < mass {
            let to = self.locate(&scan.sums, point, (row.length as usize).div_ceil(LANES));
            let topic = self.packing.topic(lines[to / LANES].0[to % LANES]);
            move_one(lines, &mut row.length, scan.at, to, self.packing);
            topic as usize
        } else {
            let topic = self.tree.draw::<L>(other, &self.weights, &self.base.alphas);
            let topic = topic.min(self.moved.len() - 1);
            move_to::<L>(lines, &mut row.length, Some(scan.at), topic as u32, self.packing);
            topic
        };
        self.gain(topic);
        topic as u16
    }

    /// Draws the topic of a token that has none.
    #[inline(always)]
    pub(super) fn first<L: Lanes>(&mut self, document: usize, rows: &mut DocumentRows) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let filled = (row.length as usize).div_ceil(LANES);
        let mut sums = L::zero();
        for (line, running) in lines[..filled].iter().zip(&mut self.running) {
            sums = sums.add(L::weigh(line, self.packing.bits(), &self.weights, u32::MAX).0);
            sums.store(running);
        }
        let sums = sums.running();
        let (unit, other) = self.draws.pair();
        let mass = sums.last();
        let point = unit * (mass + self.total);
        let topic = if point < mass {
            let to = self.locate(&sums, point, filled);
            let entry = &mut lines[to / LANES].0[to % LANES];
            *entry += self.packing.one();
            self.packing.topic(*entry) as usize
        } else {
            let topic = self.tree.draw::<L>(other, &self.weights, &self.base.alphas);
            move_to::<L>(lines, &mut row.length, None, topic as u32, self.packing);
            topic
        };
        self.gain(topic);
        topic as u16
    }

    /// Gives a token a topic drawn uniformly.
    #[inline(always)]
    pub(super) fn uniform<L: Lanes>(&mut self, document: usize, rows: &mut DocumentRows, topics: u32) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let topic = self.draws.below(topics);
        move_to::<L>(&mut lines[row.start as usize..], &mut row.length, None, topic, self.packing);
        self.moved[topic as usize] += 1;
        let about = &mut self.topics[topic as usize];
        if about.count == 0.0 {
            self.listed.push(topic as u16);
        }
        about.count += 1.0;
        topic as u16
    }

    /// The word gains a token of a topic.
    #[inline(always)]
    fn gain(&mut self, topic: usize) {
        if self.topics[topic].count == 0.0 {
            self.listed.push(topic as u16);
        }
        self.moved[topic] += 1;
        self.change(topic, 1.0);
    }

    /// The entry into which `point` falls: its lane by the sums over lanes, its line by that lane's running sums.
    #[inline(always)]
    fn locate<L: Lanes>(&self, sums: &L, point: f32, lines: usize) -> usize {
        let lane = sums.at_most(point).min(LANES - 1);
        let mut stored = Sixteen::default();
        sums.store(&mut stored);
        let within = if lane > 0 { point - stored.0[lane - 1] } else { point };
        let running = &self.running[..lines];
        let top = running.last().map_or(0.0, |last| last.0[lane]);
        if top <= 0.0 {
            return self.nearest(lane, lines);
        }
        // Rounding may have led past the lane's end.
        let within = if within < top { within } else { top.next_down() };
        let line = running.iter().filter(|sums| sums.0[lane] <= within).count();
        line.min(lines - 1) * LANES + lane
    }

    /// Rounding has led to a lane without mass: the nearest entry with some.
    #[cold]
    fn nearest(&self, lane: usize, lines: usize) -> usize {
        let has = |lane: usize, line: usize| {
            let before = line.checked_sub(1).map_or(0.0, |before| self.running[before].0[lane]);
            self.running[line].0[lane] > before
        };
        let lanes = (0..lane).rev().chain(lane..LANES);
        let mut entries = lanes.flat_map(|lane| (0..lines).map(move |line| (lane, line)));
        entries.find(|&(lane, line)| has(lane, line)).map_or(0, |(lane, line)| line * LANES + lane)
    }
}

/// Moves one token of a document between two topics that its row has. Without branches: what empties is filled by the
/// last entry.
#[inline(always)]
fn move_one(lines: &mut [Line], length: &mut u32, from: usize, to: usize, packing: Packing) {
    lines[from / LANES].0[from % LANES] -= packing.one();
    lines[to / LANES].0[to % LANES] += packing.one();
    let last = *length as usize - 1;
    let (entry, moved) = (lines[from / LANES].0[from % LANES], lines[last / LANES].0[last % LANES]);
    let gone = packing.count(entry) == 0;
    lines[from / LANES].0[from % LANES] = if gone { moved } else { entry };
    let end = &mut lines[last / LANES].0[last % LANES];
    *end = if gone { 0 } else { *end };
    *length -= u32::from(gone);
}

/// Moves one token of a document to a topic that its row may not have; from nowhere if it had none.
#[inline(always)]
fn move_to<L: Lanes>(lines: &mut [Line], length: &mut u32, from: Option<usize>, topic: u32, packing: Packing) {
    let filled = (*length as usize).div_ceil(LANES);
    let found = lines[..filled].iter().enumerate().find_map(|(number, line)| {
        let found = L::find(line, packing.bits(), topic);
        (found != 0).then(|| number * LANES + found.trailing_zeros() as usize)
    });
    let new = packing.entry(topic, 1);
    match (from, found) {
        (Some(from), Some(to)) => move_one(lines, length, from, to, packing),
        (None, Some(to)) => lines[to / LANES].0[to % LANES] += packing.one(),
        (from, None) => {
            if let Some(from) = from {
                let entry = &mut lines[from / LANES].0[from % LANES];
                *entry -= packing.one();
                if packing.count(*entry) == 0 {
                    *entry = new;
                    return;
                }
            }
            let end = *length as usize;
            lines[end / LANES].0[end % LANES] = new;
            *length += 1;
        }
    }
}
