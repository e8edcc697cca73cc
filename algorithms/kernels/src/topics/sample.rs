//! [`Sample`]: one task, which draws for all words of a block in one shard.

use super::cell::Cell;
use super::chain::Chain;
use super::dense::Dense;
use super::lanes::{CountLine, Lanes};
use super::lockstep::{Lockstep, Task};
use super::sparse::{Memory, Sparse};
use super::word::{WordBuffers, prefetch, up_to};
use super::{Draws, Kernel, TopicParams, run};
use crate::topics::counts::documents::{DenseRows, DocumentRows, SparseRows};
use crate::topics::counts::priors::WordPriors;
use crate::topics::counts::tokens::Slice;
use crate::topics::counts::words::WordRows;

/// Number of tokens by which rows are prefetched ahead.
const AHEAD: usize = 8;

/// Runs a task in lockstep over rows of one of these widths, in sixteens.
macro_rules! lockstep {
    ($widths:ident, $over:ident: $($width:literal),*) => {
        /// The widths of rows for which lockstep is compiled.
        pub const $widths: [usize; [$($width),*].len()] = [$($width),*];

        fn $over<C: Cell>(task: Task<'_>, rows: &mut DenseRows<C>) -> Vec<i32> {
            let counts = &mut rows.counts[..];
            match rows.width {
                $($width => run(InLockstep::<C, $width> { task, counts }),)*
                width => unreachable!("rows are made of {:?} sixteens, not {width}", $widths),
            }
        }
    };
}

lockstep!(WIDTHS, lockstep: 1, 2, 4, 7, 8, 10, 13, 16);
lockstep!(WIDE_WIDTHS, lockstep_wide: 4, 8, 16);

/// Draws topics for the tokens of one slice: those of documents below `had` have one and get another, those
/// up to `has` get their first, and later ones wait.
pub struct Sample<'a> {
    pub given: TopicParams<'a>,
    pub rows: &'a mut DocumentRows,
    pub slice: &'a mut Slice,
    pub words: &'a mut WordRows,
    pub word_priors: &'a WordPriors,
    pub had: usize,
    pub has: usize,
    /// `true` if first topics are drawn uniformly, not by the topics' weights.
    pub uniform: bool,
    pub draws: Draws,
}

impl Sample<'_> {
    /// Runs the task; returns how the number of tokens of each topic changed.
    pub fn run(self) -> Vec<i32> {
        let Self { given, rows, slice, words, word_priors, had, has, uniform, draws } = self;
        if slice.has_streams() {
            let task = Task { given, slice, words, word_priors, had, has, uniform, draws };
            return match rows {
                DocumentRows::Dense(rows) => lockstep(task, rows),
                DocumentRows::Wide(rows) => lockstep_wide(task, rows),
                DocumentRows::Sparse(_) => unreachable!("words are assigned to streams where rows are dense"),
            };
        }
        let walk = Walk { given, slice, words, word_priors, had, has, uniform };
        let tokens = walk.slice.documents.len();
        // A function for each kind of rows, so that each has the registers to itself.
        match rows {
            DocumentRows::Sparse(rows) => {
                let memory = &mut Memory::new(given, rows.longest(), tokens);
                run(OverSparse { walk, memory, rows, draws })
            }
            DocumentRows::Dense(rows) => {
                let buffers = &mut WordBuffers::new(given, tokens);
                let counts = &mut rows.counts[..];
                match rows.width {
                    1 => run(OverDense::<1> { walk, buffers, counts, draws }),
                    2 => run(OverDense::<2> { walk, buffers, counts, draws }),
                    3 | 4 => run(OverDense::<4> { walk, buffers, counts, draws }),
                    _ => run(OverDense::<7> { walk, buffers, counts, draws }),
                }
            }
            DocumentRows::Wide(_) => unreachable!("wide rows are for streams"),
        }
    }
}

/// A task over sparse rows.
struct OverSparse<'a> {
    walk: Walk<'a>,
    memory: &'a mut Memory,
    rows: &'a mut SparseRows,
    draws: Draws,
}

impl Kernel for OverSparse<'_> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        let Self { walk, memory, rows, draws } = self;
        let chain = Sparse::<L>::new(walk.given, memory, rows, draws);
        walk.with::<L, _>(chain)
    }
}

/// A task over dense rows of N times sixteen counts.
struct OverDense<'a, const N: usize> {
    walk: Walk<'a>,
    buffers: &'a mut WordBuffers,
    counts: &'a mut [CountLine],
    draws: Draws,
}

impl<const N: usize> Kernel for OverDense<'_, N> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        let Self { walk, buffers, counts, draws } = self;
        let chain = Dense::<L, N>::new(walk.given, buffers, counts, draws);
        walk.with::<L, _>(chain)
    }
}

/// A task in lockstep over dense rows of N cells.
struct InLockstep<'a, C, const N: usize> {
    task: Task<'a>,
    counts: &'a mut [C],
}

impl<C: Cell, const N: usize> Kernel for InLockstep<'_, C, N> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        Lockstep::<C, N>::new(self.task, self.counts).run::<L>()
    }
}

/// A task over rows of any kind.
struct Walk<'a> {
    given: TopicParams<'a>,
    slice: &'a mut Slice,
    words: &'a mut WordRows,
    word_priors: &'a WordPriors,
    had: usize,
    has: usize,
    uniform: bool,
}

impl Walk<'_> {
    #[inline(always)]
    fn with<'c, L: Lanes, C: Chain<'c>>(self, mut chain: C) -> Vec<i32> {
        let Self { given, slice, words, word_priors, had, has, uniform } = self;
        let Slice { visits, documents, topics, .. } = slice;
        let (documents, topics) = (&documents[..], &mut topics[..]);
        let (mut start, count) = (0, given.norms.len() as u32);
        for (at, visit) in visits.iter().enumerate() {
            let (word, end) = (visit.word as usize, visit.end as usize);
            if let Some(next) = visits.get(at + 1) {
                prefetch::<L>(next.word as usize, words);
            }
            raddle_base::cancellation_point(64 * (end - start) as u64);
            let active = up_to(documents, start, end, has);
            let assigned = up_to(documents, start, end, had);
            if active > start {
                chain.word().enter(word, words, word_priors);
                let mut token = start;
                while token < assigned {
                    let (first, document) = (token, documents[token]);
                    loop {
                        if let Some(&next) = documents.get(token + AHEAD) {
                            chain.prefetch(usize::from(next));
                        }
                        token += 1;
                        if !C::TOGETHER || token == assigned || documents[token] != document {
                            break;
                        }
                    }
                    chain.resample(&mut topics[first..token], usize::from(document));
                }
                for token in assigned..active {
                    let document = usize::from(documents[token]);
                    topics[token] = match uniform {
                        true => chain.uniform(document, count),
                        false => chain.first(document),
                    };
                }
                chain.word().leave(word, words, word_priors);
            }
            start = end;
        }
        chain.word().moved(given)
    }
}
