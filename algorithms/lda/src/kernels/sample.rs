//! [`Sample`]: one task, all words of a block in one shard.

use super::chain::Chain;
use super::dense::Dense;
use super::lanes::Lanes;
use super::sparse::Sparse;
use super::{Draws, Given, Kernel};
use crate::rows::{DocumentRows, WordRows};
use crate::seeds::Seeds;
use crate::shard::Slice;

/// How many tokens ahead a row is asked for.
const AHEAD: usize = 6;

/// Draws topics for the tokens of one slice: those of documents below `had` have one and get another, those up to `has`
/// get their first, those behind wait.
pub(crate) struct Sample<'a> {
    pub(crate) given: Given<'a>,
    pub(crate) rows: &'a mut DocumentRows,
    pub(crate) slice: &'a mut Slice,
    pub(crate) words: &'a mut WordRows,
    pub(crate) seeds: &'a Seeds,
    pub(crate) had: usize,
    pub(crate) has: usize,
    /// Whether first topics are drawn uniformly, not by what the topics weigh.
    pub(crate) uniform: bool,
    pub(crate) draws: Draws,
}

impl Kernel for Sample<'_> {
    /// How the tokens of each topic changed.
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        let Self { given, rows, slice, words, seeds, had, has, uniform, draws } = self;
        let walk = Walk { given, slice, words, seeds, had, has, uniform };
        match rows {
            DocumentRows::Sparse(rows) => walk.with(Sparse::<L>::new(given, rows.longest(), draws), rows),
            DocumentRows::Dense(rows) => match rows.width {
                1 => walk.with(Dense::<L, 1>::new(given, draws), rows),
                2 => walk.with(Dense::<L, 2>::new(given, draws), rows),
                3 | 4 => walk.with(Dense::<L, 4>::new(given, draws), rows),
                _ => walk.with(Dense::<L, 7>::new(given, draws), rows),
            },
        }
    }
}

/// A task, whatever the rows are.
struct Walk<'a> {
    given: Given<'a>,
    slice: &'a mut Slice,
    words: &'a mut WordRows,
    seeds: &'a Seeds,
    had: usize,
    has: usize,
    uniform: bool,
}

impl Walk<'_> {
    #[inline(always)]
    fn with<C: Chain>(self, mut chain: C, rows: &mut C::Rows) -> Vec<i32> {
        let Self { given, slice, words, seeds, had, has, uniform } = self;
        let Slice { visits, documents, topics } = slice;
        let (mut start, count) = (0, given.norms.len() as u32);
        for visit in visits.iter() {
            let (word, end) = (visit.word as usize, visit.end as usize);
            let active = up_to(documents, start, end, has);
            let assigned = up_to(documents, start, end, had);
            if active > start {
                chain.enter(word, words, seeds);
                let mut token = start;
                while token < assigned {
                    let (first, document) = (token, documents[token]);
                    loop {
                        if let Some(&next) = documents.get(token + AHEAD) {
                            C::ask_for(rows, usize::from(next));
                        }
                        token += 1;
                        if !C::TOGETHER || token == assigned || documents[token] != document {
                            break;
                        }
                    }
                    chain.again(&mut topics[first..token], usize::from(document), rows);
                }
                for token in assigned..active {
                    let document = usize::from(documents[token]);
                    topics[token] = match uniform {
                        true => chain.uniform(document, rows, count),
                        false => chain.first(document, rows),
                    };
                }
                chain.leave(word, words);
            }
            start = end;
        }
        chain.moved(given)
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
