//! [`Chain`]: draws the topics of one word's tokens after the other.
//!
//! For a token of word w in document d, topic k has probability in proportion to
//!
//! ```text
//! (n_dk + alpha_k) f_k,   f_k = (n_kw + beta) / (n_k + V beta),   counts without the token itself
//! ```
//!
//! (Griffiths and Steyvers, "Finding scientific topics", 2004). It falls into three sums: n_dk f_k over the document's
//! sparse row, alpha_k n_kw / (n_k + V beta) over the word's, and alpha_k beta / (n_k + V beta), which is the same for
//! all words of a task (the buckets of Yao, Mimno and McCallum, 2009). While the chain is at a word, f is kept dense, so
//! that the first sum, by far the most frequent, gathers from it.

use super::Draws;
use super::lanes::{AtWord, LANES, Lanes, Sixteen};
use super::row::{SHORT, locate, move_one, move_to, within};
use super::tree::{Prepared, child};
use crate::rows::{DocumentRows, Packing, WordRows};
use crate::seeds::Seeds;

/// What a chain has found of the token that it is at.
pub(super) struct Scan<L> {
    /// Where its topic is in the document's row.
    at: usize,
    /// Sums of the document part up to each lane.
    sums: L,
}

/// The state of a chain at a word.
pub(super) struct Chain<'a, L: Lanes> {
    base: &'a Prepared,
    packing: Packing,
    split: L::Split,
    draws: Draws,
    /// f of every topic.
    weights: Vec<f32>,
    /// Where in the word's row each of its topics is; for others, anywhere.
    places: Vec<u32>,
    /// Sum over the word's row of alpha_k n_kw / (n_k + V beta), and over each sixteen of its entries.
    slope: f32,
    sixteens: Vec<Sixteen>,
    /// Where the word's row begins, and how long it is and may become.
    start: usize,
    length: usize,
    room: usize,
    /// What word priors add for this word, if anything; sum of it times the slopes.
    seeds: Vec<(u32, f32)>,
    seeded: f32,
    /// Lane sums up to each line of a row.
    running: Vec<Sixteen>,
}

impl<'a, L: Lanes> Chain<'a, L> {
    /// A chain for rows of at most `longest` entries.
    pub(super) fn new(base: &'a Prepared, packing: Packing, longest: usize, draws: Draws) -> Self {
        Self {
            base,
            packing,
            split: L::split(packing.bits()),
            draws,
            weights: base.weights.clone(),
            places: vec![0; base.weights.len()],
            slope: 0.0,
            sixteens: vec![Sixteen::default(); longest.div_ceil(LANES * LANES).max(1)],
            start: 0,
            length: 0,
            room: 0,
            seeds: Vec::new(),
            seeded: 0.0,
            running: vec![Sixteen::default(); longest.div_ceil(LANES).max(SHORT)],
        }
    }

    /// Comes to a word.
    #[inline(always)]
    pub(super) fn enter(&mut self, word: usize, words: &WordRows, seeds: &Seeds) {
        (self.start, self.length) = (words.starts[word] as usize, words.lengths[word] as usize);
        self.room = words.starts[word + 1] as usize - self.start;
        let end = self.start + self.length;
        let (topics, counts) = (&words.topics[self.start..end], &words.counts[self.start..end]);
        let (mut sum, mut place) = (0.0, 0);
        while place < self.length {
            let upto = (place + LANES).min(self.length);
            let at = AtWord { weights: &mut self.weights, places: &mut self.places };
            let tables = self.base.tables();
            let products = L::spread(
                &topics[place..upto],
                &counts[place..upto],
                place as u32,
                self.base.beta,
                tables,
                at,
            );
            let sixteen = products.running().last();
            self.sixteens[place / (LANES * LANES)].0[place / LANES % LANES] = sixteen;
            sum += sixteen;
            place = upto;
        }
        self.slope = sum;
        if !seeds.is_empty() {
            self.seed(word, words, seeds);
        }
    }

    /// Adds what priors add for the word.
    #[cold]
    fn seed(&mut self, word: usize, words: &WordRows, seeds: &Seeds) {
        self.seeds.extend(seeds.of(word));
        for at in 0..self.seeds.len() {
            let (topic, weight) = self.seeds[at];
            self.seeded += weight * self.base.slopes[topic as usize];
            let place = self.place(topic as usize, words);
            self.weigh(topic as usize, place.map_or(0, |place| words.counts[place]));
        }
    }

    /// Leaves a word: f becomes that of words without tokens, and the row keeps no topic without.
    #[inline(always)]
    pub(super) fn leave(&mut self, word: usize, words: &mut WordRows) {
        let end = self.start + self.length;
        let (topics, counts) = (&words.topics[self.start..end], &words.counts[self.start..end]);
        let (mut place, mut holes) = (0, false);
        while place < self.length {
            let upto = (place + LANES).min(self.length);
            let (some, how_often) = (&topics[place..upto], &counts[place..upto]);
            holes |= L::clear(some, how_often, self.base.beta, self.base.tables(), &mut self.weights);
            place = upto;
        }
        if holes {
            self.compact(words);
        }
        words.lengths[word] = self.length as u32;
        if !self.seeds.is_empty() {
            self.unseed();
        }
    }

    #[cold]
    fn unseed(&mut self) {
        for (topic, _) in self.seeds.drain(..) {
            self.weights[topic as usize] = self.base.weights[topic as usize];
        }
        self.seeded = 0.0;
    }

    /// Takes topics without tokens out of the word's row.
    fn compact(&mut self, words: &mut WordRows) {
        let mut length = 0;
        for place in 0..self.length {
            let (topic, count) = (words.topics[self.start + place], words.counts[self.start + place]);
            words.topics[self.start + length] = topic;
            words.counts[self.start + length] = count;
            self.places[usize::from(topic)] = length as u32;
            length += usize::from(count > 0);
        }
        self.length = length;
        let mut place = 0;
        while place < length {
            let range = self.start + place..self.start + (place + LANES).min(length);
            let products = L::slope(&words.topics[range.clone()], &words.counts[range], &self.base.slopes);
            *self.sixteen(place) = products.running().last();
            place += LANES;
        }
    }

    /// The sum over the sixteen entries to which this one belongs.
    #[inline(always)]
    fn sixteen(&mut self, place: usize) -> &mut f32 {
        &mut self.sixteens[place / (LANES * LANES)].0[place / LANES % LANES]
    }

    /// Where in the memory of rows the word's entry of a topic is, if it has one.
    #[inline(always)]
    fn place(&self, topic: usize, words: &WordRows) -> Option<usize> {
        let place = self.places[topic] as usize;
        let known = place < self.length && usize::from(words.topics[self.start + place]) == topic;
        known.then_some(self.start + place)
    }

    /// f of a topic of which the word has so many tokens.
    #[inline(always)]
    fn weigh(&mut self, topic: usize, count: u32) {
        let mut prior = self.base.beta;
        if !self.seeds.is_empty() {
            for &(of, weight) in &self.seeds {
                prior += if of as usize == topic { weight } else { 0.0 };
            }
        }
        self.weights[topic] = (count as f32 + prior) * self.base.inverses[topic];
    }

    /// The word loses a token of a topic.
    #[inline(always)]
    fn lose(&mut self, topic: usize, words: &mut WordRows) {
        let place = self.places[topic] as usize;
        let count = &mut words.counts[self.start + place];
        *count -= 1;
        let count = *count;
        self.weigh(topic, count);
        let slope = self.base.slopes[topic];
        self.slope -= slope;
        *self.sixteen(place) -= slope;
    }

    /// The word gains a token of a topic; it has just lost one of `from`.
    #[inline(always)]
    fn gain(&mut self, topic: usize, from: Option<usize>, words: &mut WordRows) {
        let known = self.places[topic] as usize;
        let is_known = known < self.length && usize::from(words.topics[self.start + known]) == topic;
        let place = if is_known { known } else { self.list(topic, from, words) };
        let count = &mut words.counts[self.start + place];
        *count += 1;
        let count = *count;
        self.weigh(topic, count);
        let slope = self.base.slopes[topic];
        self.slope += slope;
        *self.sixteen(place) += slope;
    }

    /// Gives a new topic an entry: that of the topic just lost if it is empty, else one behind the last.
    #[inline(never)]
    fn list(&mut self, topic: usize, from: Option<usize>, words: &mut WordRows) -> usize {
        let empty = from.map(|from| self.places[from] as usize);
        let place = match empty.filter(|&place| words.counts[self.start + place] == 0) {
            Some(place) => place,
            None => {
                if self.length == self.room {
                    self.compact(words);
                }
                let place = self.length;
                if place.is_multiple_of(LANES) {
                    *self.sixteen(place) = 0.0;
                }
                self.length += 1;
                place
            }
        };
        words.topics[self.start + place] = topic as u16;
        words.counts[self.start + place] = 0;
        self.places[topic] = place as u32;
        place
    }

    /// Takes a token off its topic and sums the document part.
    #[inline(always)]
    pub(super) fn scan(
        &mut self,
        topic: u16,
        document: usize,
        rows: &DocumentRows,
        words: &mut WordRows,
    ) -> Scan<L> {
        self.lose(usize::from(topic), words);
        let row = rows.rows[document];
        let lines = &rows.lines[row.start as usize..][..(row.length as usize).div_ceil(LANES)];
        let (mut sums, mut at) = (L::zero(), 0);
        let (split, weights, mut number) = (self.split, self.weights.as_slice(), 0);
        for (line, running) in lines.iter().zip(&mut self.running) {
            let (products, found) = L::weigh(line, split, weights, u32::from(topic));
            sums = sums.add(products);
            sums.store(running);
            at = if found != 0 { number + found.trailing_zeros() as usize } else { at };
            number += LANES;
        }
        Scan { at, sums: sums.running() }
    }

    /// Draws the new topic of a token that had `old`.
    #[inline(always)]
    pub(super) fn pick(
        &mut self,
        scan: Scan<L>,
        old: u16,
        document: usize,
        rows: &mut DocumentRows,
        words: &mut WordRows,
    ) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let (unit, other) = self.draws.pair();
        let mass = scan.sums.last();
        let point = unit * (mass + self.others());
        let topic = if point < mass {
            let to = locate(&self.running, scan.sums, point, (row.length as usize).div_ceil(LANES));
            let topic = self.packing.topic(lines[to / LANES].0[to % LANES]);
            move_one(lines, &mut row.length, scan.at, to, self.packing);
            topic as usize
        } else {
            let topic = self.draw(other, words);
            move_to::<L>(lines, row, Some(scan.at), topic as u32, (self.packing, self.split));
            topic
        };
        self.gain(topic, Some(usize::from(old)), words);
        topic as u16
    }

    /// Draws the topic of a token that has none.
    #[inline(always)]
    pub(super) fn first(&mut self, document: usize, rows: &mut DocumentRows, words: &mut WordRows) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let lines = &mut lines[row.start as usize..];
        let filled = (row.length as usize).div_ceil(LANES);
        let mut sums = L::zero();
        for (line, running) in lines[..filled].iter().zip(&mut self.running) {
            sums = sums.add(L::weigh(line, self.split, &self.weights, u32::MAX).0);
            sums.store(running);
        }
        let sums = sums.running();
        let (unit, other) = self.draws.pair();
        let mass = sums.last();
        let point = unit * (mass + self.others());
        let topic = if point < mass {
            let to = locate(&self.running, sums, point, filled);
            let entry = &mut lines[to / LANES].0[to % LANES];
            *entry += self.packing.one();
            self.packing.topic(*entry) as usize
        } else {
            let topic = self.draw(other, words);
            move_to::<L>(lines, row, None, topic as u32, (self.packing, self.split));
            topic
        };
        self.gain(topic, None, words);
        topic as u16
    }

    /// Gives a token one of `topics` topics, drawn uniformly.
    #[inline(always)]
    pub(super) fn uniform(
        &mut self,
        document: usize,
        rows: &mut DocumentRows,
        words: &mut WordRows,
        topics: u32,
    ) -> u16 {
        let DocumentRows { rows, lines } = rows;
        let row = &mut rows[document];
        let topic = self.draws.below(topics);
        let lines = &mut lines[row.start as usize..];
        move_to::<L>(lines, row, None, topic, (self.packing, self.split));
        self.gain(topic as usize, None, words);
        topic as u16
    }

    /// The parts of the mass that the document has no part in.
    #[inline(always)]
    fn others(&self) -> f32 {
        // Rounding may leave less than nothing of a row that has emptied.
        self.slope.max(0.0) + self.seeded + self.base.total()
    }

    /// A topic in proportion to alpha_k f_k, at the part `unit` of all.
    #[inline(always)]
    fn draw(&mut self, unit: f32, words: &WordRows) -> usize {
        let mut point = unit * self.others();
        if !self.seeds.is_empty() {
            for &(topic, weight) in &self.seeds {
                let mass = weight * self.base.slopes[topic as usize];
                if point < mass {
                    return topic as usize;
                }
                point -= mass;
            }
        }
        let (mut first, mut sixteens) = (0, self.length.div_ceil(LANES));
        while first * LANES * LANES < self.length {
            let sums = within::<L>(&self.sixteens[first], sixteens).running();
            let mass = sums.last();
            if point < mass {
                let (sixteen, left) = child(sums, point);
                let sixteen = sixteen.min(sixteens.min(LANES) - 1);
                let place = (first * LANES + sixteen) * LANES;
                let range = self.start + place..self.start + (place + LANES).min(self.length);
                let some = &words.topics[range.clone()];
                let sums = L::slope(some, &words.counts[range], &self.base.slopes).running();
                let mass = sums.last();
                // Sums that were kept up may differ from the entries by rounding, and an emptied row has no mass.
                if mass > 0.0 {
                    let (lane, _) = child(sums, if left < mass { left } else { mass.next_down() });
                    return usize::from(some[lane.min(some.len() - 1)]);
                }
            }
            point = (point - mass).max(0.0);
            (first, sixteens) = (first + 1, sixteens.saturating_sub(LANES));
        }
        self.base.draw::<L>(point)
    }
}
