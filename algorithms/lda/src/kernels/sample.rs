//! [`Sample`] and [`Start`]: one task, all words of a block in one shard.

use super::chain::Chain;
use super::lanes::Lanes;
use super::{Draws, Kernel, Prepared};
use crate::rows::{DocumentRows, Packing, WordRows};
use crate::seeds::Seeds;
use crate::shard::{Slice, Visit};

/// How many tokens ahead a row is asked for, and how many of its lines.
const AHEAD: usize = 6;
const LINES: usize = 4;

/// Draws new topics for the tokens of one slice: those of documents below `had` have topics, those up to `has` get
/// their first, those behind wait.
pub(crate) struct Sample<'a> {
    pub(crate) base: &'a Prepared,
    pub(crate) packing: Packing,
    pub(crate) rows: &'a mut DocumentRows,
    pub(crate) slice: &'a mut Slice,
    pub(crate) words: &'a mut WordRows,
    pub(crate) seeds: &'a Seeds,
    pub(crate) had: usize,
    pub(crate) has: usize,
    pub(crate) draws: [Draws; 2],
}

impl Kernel for Sample<'_> {
    /// How the tokens of each topic changed.
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        match self.had == self.has {
            true => self.pairs::<L>(),
            false => self.with_first::<L>(),
        }
    }
}

impl Sample<'_> {
    /// All tokens have topics: two words at a time, each with its own chain, so that what one waits for the other fills.
    /// They share the documents' rows; where both are at the same document, one goes after the other.
    #[inline(always)]
    fn pairs<L: Lanes>(self) -> Vec<i32> {
        let Self { base, packing, rows, slice, words, seeds, has, draws, .. } = self;
        let Slice { visits, documents, topics } = slice;
        let longest = longest(rows, words);
        let mut moved = Moved::new(base);
        // Tokens without a topic count as topic 0 before and after.
        moved.remove(topics, 0, topics.len());
        let half = visits.partition_point(|visit| (visit.end as usize) < documents.len() / 2);
        let walk = |from: usize, to: usize| Walk {
            visits: &visits[from..to],
            token: from.checked_sub(1).map_or(0, |before| visits[before].end as usize),
            active: 0,
            has,
        };
        let (mut first, mut second) = (walk(0, half), walk(half, visits.len()));
        let mut one = Chain::<L>::new(base, packing, longest, draws[0]);
        let mut other = Chain::<L>::new(base, packing, longest, draws[1]);
        let mut both = first.begin(&mut one, documents, words, seeds)
            & second.begin(&mut other, documents, words, seeds);
        while both {
            let (a, b) = (first.token, second.token);
            ask_for::<L>(documents, a, rows);
            ask_for::<L>(documents, b, rows);
            let (at, there) = (usize::from(documents[a]), usize::from(documents[b]));
            let scan = one.scan(topics[a], at, rows, words);
            if at != there {
                let next = other.scan(topics[b], there, rows, words);
                topics[a] = one.pick(scan, topics[a], at, rows, words);
                topics[b] = other.pick(next, topics[b], there, rows, words);
            } else {
                topics[a] = one.pick(scan, topics[a], at, rows, words);
                let next = other.scan(topics[b], there, rows, words);
                topics[b] = other.pick(next, topics[b], there, rows, words);
            }
            both = first.step(&mut one, documents, words, seeds)
                & second.step(&mut other, documents, words, seeds);
        }
        for (walk, chain) in [(&mut first, &mut one), (&mut second, &mut other)] {
            while walk.is_at_a_word() {
                let token = walk.token;
                ask_for::<L>(documents, token, rows);
                let document = usize::from(documents[token]);
                let scan = chain.scan(topics[token], document, rows, words);
                topics[token] = chain.pick(scan, topics[token], document, rows, words);
                walk.step(chain, documents, words, seeds);
            }
        }
        moved.add(topics, 0, topics.len());
        moved.0
    }

    /// Some tokens get their first topic.
    #[inline(always)]
    fn with_first<L: Lanes>(self) -> Vec<i32> {
        let Self { base, packing, rows, slice, words, seeds, had, has, draws } = self;
        let Slice { visits, documents, topics } = slice;
        let mut moved = Moved::new(base);
        let mut chain = Chain::<L>::new(base, packing, longest(rows, words), draws[0]);
        let mut start = 0;
        for visit in visits.iter() {
            let (word, end) = (visit.word as usize, visit.end as usize);
            let active = up_to(documents, start, end, has);
            let assigned = up_to(documents, start, end, had);
            if active > start {
                chain.enter(word, words, seeds);
                moved.remove(topics, start, assigned);
                for token in start..assigned {
                    ask_for::<L>(documents, token, rows);
                    let document = usize::from(documents[token]);
                    let scan = chain.scan(topics[token], document, rows, words);
                    topics[token] = chain.pick(scan, topics[token], document, rows, words);
                }
                for token in assigned..active {
                    ask_for::<L>(documents, token, rows);
                    topics[token] = chain.first(usize::from(documents[token]), rows, words);
                }
                moved.add(topics, start, active);
                chain.leave(word, words);
            }
            start = end;
        }
        moved.0
    }
}

/// The longest row of any kind, in entries.
fn longest(rows: &DocumentRows, words: &WordRows) -> usize {
    words.longest().max(rows.longest() * super::LANES)
}

/// How the tokens of each topic change.
struct Moved(Vec<i32>);

impl Moved {
    fn new(base: &Prepared) -> Self {
        Self(vec![0; base.weights.len()])
    }

    /// These tokens' topics count.
    #[inline(always)]
    fn add(&mut self, topics: &[u16], from: usize, to: usize) {
        for &topic in &topics[from..to] {
            self.0[usize::from(topic)] += 1;
        }
    }

    /// They no longer do.
    #[inline(always)]
    fn remove(&mut self, topics: &[u16], from: usize, to: usize) {
        for &topic in &topics[from..to] {
            self.0[usize::from(topic)] -= 1;
        }
    }
}

/// Where the tokens of documents below `has` end, of a word's tokens.
#[inline(always)]
fn up_to(documents: &[u16], start: usize, end: usize, has: usize) -> usize {
    let part = &documents[start..end];
    match part.last() {
        Some(&last) if usize::from(last) >= has => {
            start + part.partition_point(|&document| usize::from(document) < has)
        }
        _ => end,
    }
}

/// Asks for the row that is needed some tokens from here.
#[inline(always)]
fn ask_for<L: Lanes>(documents: &[u16], token: usize, rows: &DocumentRows) {
    if let Some(&next) = documents.get(token + AHEAD) {
        let start = rows.rows[usize::from(next)].start as usize;
        if let Some(lines) = rows.lines.get(start..start + LINES) {
            for line in lines {
                L::prefetch(line);
            }
        }
    }
}

/// A chain's way through some of the visits.
struct Walk<'v> {
    /// The visit under way, and those to come.
    visits: &'v [Visit],
    token: usize,
    /// Where the tokens of the visit end that take part.
    active: usize,
    has: usize,
}

impl Walk<'_> {
    #[inline(always)]
    fn is_at_a_word(&self) -> bool {
        !self.visits.is_empty()
    }

    /// Comes to the first word. Returns whether there is one.
    #[inline(always)]
    fn begin<L: Lanes>(
        &mut self,
        chain: &mut Chain<'_, L>,
        documents: &[u16],
        words: &WordRows,
        seeds: &Seeds,
    ) -> bool {
        while let [visit, rest @ ..] = self.visits {
            self.active = up_to(documents, self.token, visit.end as usize, self.has);
            if self.active > self.token {
                chain.enter(visit.word as usize, words, seeds);
                return true;
            }
            (self.token, self.visits) = (visit.end as usize, rest);
        }
        false
    }

    /// Goes on to the next token. Returns whether there is one.
    #[inline(always)]
    fn step<L: Lanes>(
        &mut self,
        chain: &mut Chain<'_, L>,
        documents: &[u16],
        words: &mut WordRows,
        seeds: &Seeds,
    ) -> bool {
        self.token += 1;
        if self.token < self.active {
            return true;
        }
        if let [visit, rest @ ..] = self.visits {
            chain.leave(visit.word as usize, words);
            (self.token, self.visits) = (visit.end as usize, rest);
        }
        self.begin(chain, documents, words, seeds)
    }
}

/// Draws topics uniformly for the tokens of documents below `has`.
pub(crate) struct Start<'a> {
    pub(crate) base: &'a Prepared,
    pub(crate) packing: Packing,
    pub(crate) rows: &'a mut DocumentRows,
    pub(crate) slice: &'a mut Slice,
    pub(crate) words: &'a mut WordRows,
    pub(crate) has: usize,
    pub(crate) count: usize,
    pub(crate) draws: Draws,
}

impl Kernel for Start<'_> {
    /// How the tokens of each topic changed.
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        let Self { base, packing, rows, slice, words, has, count, draws } = self;
        let Slice { visits, documents, topics } = slice;
        let mut moved = Moved::new(base);
        let mut chain = Chain::<L>::new(base, packing, longest(rows, words), draws);
        let (mut start, none) = (0, Seeds::default());
        for visit in visits.iter() {
            let (word, end) = (visit.word as usize, visit.end as usize);
            let active = up_to(documents, start, end, has);
            if active > start {
                chain.enter(word, words, &none);
                for token in start..active {
                    topics[token] = chain.uniform(usize::from(documents[token]), rows, words, count as u32);
                }
                moved.add(topics, start, active);
                chain.leave(word, words);
            }
            start = end;
        }
        moved.0
    }
}
