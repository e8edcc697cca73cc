//! [`Lockstep`]: draws for four words at a time over dense rows, for few topics.
//!
//! The words of a task are assigned to four streams
//! ([`assign_streams`](crate::topics::counts::streams::assign_streams)), however wide the machine's vectors
//! are. A step takes the next token of each stream: it subtracts all four from their rows, sums the four
//! rows, picks four topics, and adds all four back. So a core works on four draws at once, where a single one
//! would wait between its sums and its topic, and no branch depends on the topics drawn.
//!
//! **Counts.** The totals are those given to the task; the token itself is left out of them, and of all other
//! counts. Two streams are never at the same word, and so share only documents. If two tokens of a step are
//! in one document, they are drawn one after another. So every step equals draws one by one, stream by
//! stream, and the order of the tokens, not lockstep, defines the result.

#![allow(clippy::needless_range_loop)] // four streams side by side

use raddle_base::random::splitmix64;

use super::Draws;
use super::cell::Cell;
use super::lanes::{LANES, Lanes};
use super::stream::{Stream, Topics, prefetch};
use super::vectors::{Tally, Topic};
use super::word::{TopicParams, up_to};
use crate::topics::counts::priors::WordPriors;
use crate::topics::counts::streams::STREAMS;
use crate::topics::counts::tokens::{Ends, Slice, Visit};
use crate::topics::counts::words::WordRows;

/// Number of tokens in each stream by which rows are prefetched ahead.
const AHEAD: usize = 6;

/// Operands of a task.
pub(super) struct Task<'a> {
    pub(super) given: TopicParams<'a>,
    pub(super) slice: &'a mut Slice,
    pub(super) words: &'a mut WordRows,
    pub(super) word_priors: &'a WordPriors,
    /// Tokens of documents below `had` have topics and are drawn again; those from there up to `has` get
    /// their first.
    pub(super) had: usize,
    pub(super) has: usize,
    /// `true` if first topics are drawn uniformly.
    pub(super) uniform: bool,
    pub(super) draws: Draws,
}

/// The position of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// The current visit; the next fields are the first short visit, and the end of the stream's visits.
    visit: usize,
    long: usize,
    last: usize,
    /// The next token.
    token: usize,
    /// The start of the visit's tokens; the next fields are the end of those with topics, the end of those
    /// that have or get one, and the end of all.
    start: usize,
    assigned: usize,
    active: usize,
    end: usize,
}

impl At {
    /// `true` if the topics of all tokens of the visit that have any are drawn, and another long visit comes
    /// next.
    #[inline(always)]
    fn has_more_long(&self) -> bool {
        self.token == self.assigned && self.next() < self.long
    }

    /// Returns the next visit; before a stream's first visit, that one.
    #[inline(always)]
    fn next(&self) -> usize {
        self.visit + usize::from(self.end > self.start)
    }
}

/// A task in lockstep over rows of N cells.
pub(super) struct Lockstep<'a, C, const N: usize> {
    topics: Topics<N>,
    streams: [Stream<N>; STREAMS],
    at: [At; STREAMS],
    moved: Tally<N>,
    rows: &'a mut [[C; N]],
    visits: &'a [Visit],
    documents: &'a [u16],
    of: &'a mut [u16],
    words: &'a mut WordRows,
    word_priors: &'a WordPriors,
    had: usize,
    has: usize,
    uniform: bool,
    /// Random numbers for first topics.
    draws: Draws,
    /// State of the random numbers for the next step.
    steps: u64,
}

impl<'a, C: Cell, const N: usize> Lockstep<'a, C, N> {
    pub(super) fn new(task: Task<'a>, rows: &'a mut [C]) -> Self {
        let Task { given, slice, words, word_priors, had, has, uniform, draws } = task;
        let topics = Topics::new(given);
        assert!((1..=N * LANES).contains(&topics.count), "rows for this number of topics");
        assert_eq!(words.full.width, N, "rows of words as wide as those of documents");
        let Slice { visits, documents, topics: of, streams: ends } = slice;
        let mut at = [At::default(); STREAMS];
        let mut first = 0;
        for (at, &Ends { long, end: last }) in at.iter_mut().zip(&*ends) {
            let end = if first > 0 { visits[first - 1].end as usize } else { 0 };
            let (long, last) = (long as usize, last as usize);
            *at = At { visit: first, long, last, token: end, start: end, assigned: end, active: end, end };
            first = last;
        }
        let (start, draws) = draws.apart();
        Self {
            streams: std::array::from_fn(|_| Stream::new(&topics)),
            topics,
            at,
            moved: Tally::zeros(),
            rows: rows.as_chunks_mut().0,
            visits,
            documents,
            of,
            words,
            word_priors,
            had,
            has,
            uniform,
            draws,
            steps: start,
        }
    }

    /// Runs the task; returns how the number of tokens of each topic changed.
    #[inline(always)]
    pub(super) fn run<L: Lanes>(mut self) -> Vec<i32> {
        // Long visits, one after another in each stream.
        loop {
            for stream in 0..STREAMS {
                while self.at[stream].has_more_long() {
                    self.go_on::<L>(stream);
                }
            }
            if !self.steps::<L>() {
                break;
            }
        }
        // Short visits, which start together.
        loop {
            let mut is_over = true;
            for stream in 0..STREAMS {
                is_over &= !self.go_on::<L>(stream);
            }
            if is_over {
                return self.moved.first(self.topics.count);
            }
            while self.steps::<L>() {}
        }
    }

    /// Takes steps until the first of the streams with tokens left has none; false if none has any.
    #[inline(always)]
    fn steps<L: Lanes>(&mut self) -> bool {
        let (mut count, mut busy) = (usize::MAX, 0);
        for At { token, assigned, .. } in &self.at {
            if token < assigned {
                (count, busy) = (count.min(assigned - token), busy + 1);
            }
        }
        match busy {
            0 => return false,
            STREAMS => self.together::<L>(count),
            _ => self.in_turns::<L>(count),
        }
        true
    }

    /// Ends a visit of a stream once the tokens with topics are drawn: gives the others their first topics,
    /// leaves the word and enters the next one. False if there is none.
    #[inline(always)]
    fn go_on<L: Lanes>(&mut self, stream: usize) -> bool {
        let At { visit, last, token, start, active, end, .. } = self.at[stream];
        if active > start {
            for token in token..active {
                self.first::<L>(stream, token);
            }
            let (word, drawn) = (self.visits[visit].word as usize, &self.of[start..active]);
            self.streams[stream].leave(&self.topics, word, self.words, self.word_priors, drawn);
        }
        let visit = self.at[stream].next();
        let (start, at) = (end, &mut self.at[stream]);
        let Some(&Visit { word, end: next }) = self.visits[..last].get(visit) else {
            *at = At { visit, token: start, start, assigned: start, active: start, end, ..*at };
            return false;
        };
        if let Some(after) = self.visits[..last].get(visit + 1) {
            prefetch::<L, N>(after.word as usize, self.words);
        }
        let end = next as usize;
        let active = up_to(self.documents, start, end, self.has);
        let assigned = up_to(self.documents, start, end, self.had);
        *at = At { visit, token: start, start, assigned, active, end, ..*at };
        if active > start {
            self.streams[stream].enter::<L>(&self.topics, word as usize, self.words, self.word_priors);
        }
        true
    }

    /// Takes `count` steps of all streams.
    #[inline(always)]
    fn together<L: Lanes>(&mut self, count: usize) {
        let Self { topics, streams, at, moved, rows, .. } = self;
        let (documents, of) = (self.documents, &mut *self.of);
        // Loops instead of closures, which are not compiled for the vector form.
        let (mut ranges, mut ahead) = ([const { 0..0 }; STREAMS], [&documents[..0]; STREAMS]);
        for stream in 0..STREAMS {
            let start = at[stream].token;
            (ranges[stream], ahead[stream]) = (start..start + count, &documents[start..]);
        }
        let of = of.get_disjoint_mut(ranges).expect("no token is in two streams");
        for step in 0..count {
            let units = units(&mut self.steps);
            let mut documents = [0; STREAMS];
            for stream in 0..STREAMS {
                documents[stream] = usize::from(ahead[stream][step]);
                if let Some(&soon) = ahead[stream].get(step + AHEAD) {
                    ask_for_row::<L, C, N>(rows, soon.into());
                }
            }
            let mut pairs = [(Topic::default(), Topic::default()); STREAMS];
            if let Ok(rows) = rows.get_disjoint_mut(documents) {
                for stream in 0..STREAMS {
                    pairs[stream].0 = Topic::new(of[stream][step].into());
                    streams[stream].take::<L, C>(topics, rows[stream], pairs[stream].0);
                }
                for stream in 0..STREAMS {
                    pairs[stream].1 = streams[stream].draw::<L, C>(topics, rows[stream], units[stream]);
                }
                for stream in 0..STREAMS {
                    let (from, to) = pairs[stream];
                    streams[stream].give::<L, C>(topics, rows[stream], from, to);
                }
            } else {
                for stream in 0..STREAMS {
                    let (row, from) = (&mut rows[documents[stream]], Topic::new(of[stream][step].into()));
                    pairs[stream] = (from, streams[stream].redraw::<L, C>(topics, row, from, units[stream]));
                }
            }
            for stream in 0..STREAMS {
                let (from, to) = pairs[stream];
                of[stream][step] = to.number() as u16;
                moved.add(from, -1);
                moved.add(to, 1);
            }
        }
        for stream in 0..STREAMS {
            at[stream].token += count;
        }
    }

    /// Takes `count` steps of the streams that have tokens left.
    #[inline(always)]
    fn in_turns<L: Lanes>(&mut self, count: usize) {
        for _ in 0..count {
            let units = units(&mut self.steps);
            for stream in 0..STREAMS {
                let At { token, assigned, .. } = self.at[stream];
                if token < assigned {
                    let (row, from) = (
                        &mut self.rows[usize::from(self.documents[token])],
                        Topic::new(self.of[token].into()),
                    );
                    let to = self.streams[stream].redraw::<L, C>(&self.topics, row, from, units[stream]);
                    self.of[token] = to.number() as u16;
                    self.moved.add(from, -1);
                    self.moved.add(to, 1);
                    self.at[stream].token += 1;
                }
            }
        }
    }

    /// Gives a token its first topic.
    #[inline(always)]
    fn first<L: Lanes>(&mut self, stream: usize, token: usize) {
        let (row, stream) = (&mut self.rows[usize::from(self.documents[token])], &mut self.streams[stream]);
        let to = match self.uniform {
            true => Topic::new(self.draws.below(self.topics.count as u32) as usize),
            false => stream.draw::<L, C>(&self.topics, row, self.draws.pair().0),
        };
        stream.put::<L, C>(&self.topics, row, to);
        self.of[token] = to.number() as u16;
        self.moved.add(to, 1);
    }
}

/// Prefetches the row of a document that is needed soon.
#[inline(always)]
fn ask_for_row<L: Lanes, C: Cell, const N: usize>(rows: &[[C; N]], document: usize) {
    if let Some(row) = rows.get(document) {
        for cells in row.chunks(64 / size_of::<C>()) {
            L::prefetch(&cells[0]);
        }
    }
}

/// Returns a uniform number in `[0, 1)` for each stream, a multiple of 2^-24. A step takes two numbers of 64
/// bits, however many streams have tokens left.
#[inline(always)]
fn units(state: &mut u64) -> [f32; STREAMS] {
    const UNIT: f32 = 1.0 / (1u32 << 24) as f32;
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let (one, two) = (splitmix64(*state), splitmix64(state.wrapping_add(GOLDEN)));
    *state = state.wrapping_add(GOLDEN.wrapping_mul(2));
    let (high, low) = (|bits: u64| (bits >> 40) as i32 as f32, |bits: u64| (bits as u32 >> 8) as i32 as f32);
    [high(one) * UNIT, low(one) * UNIT, high(two) * UNIT, low(two) * UNIT]
}
