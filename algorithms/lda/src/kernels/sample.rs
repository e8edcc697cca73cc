//! [`Sample`] and [`Start`]: one task, all words of a block in one shard.

use super::chain::Chain;
use super::lanes::Lanes;
use super::{Draws, Kernel, Prepared};
use crate::rows::{DocumentRows, Packing, WordRows};
use crate::seeds::Seeds;
use crate::shard::Slice;

/// How many tokens ahead a row is asked for.
const AHEAD: usize = 6;

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
    pub(crate) draws: Draws,
}

impl Kernel for Sample<'_> {
    /// How the tokens of each topic changed.
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<i32> {
        let Self { base, packing, rows, slice, words, seeds, had, has, draws } = self;
        let Slice { visits, documents, topics } = slice;
        let mut chain = Chain::new(base, packing, rows.longest(), draws);
        let mut start = 0;
        for visit in visits.iter() {
            let (word, end) = (visit.word as usize, visit.end as usize);
            let part = &documents[start..end];
            let active = start + part.partition_point(|&document| usize::from(document) < has);
            let assigned = start + part.partition_point(|&document| usize::from(document) < had);
            if active > start {
                chain.enter(word, words, seeds);
                for token in start..assigned {
                    if let Some(&next) = documents.get(token + AHEAD) {
                        let row = rows.rows[usize::from(next)];
                        if let Some(line) = rows.lines.get(row.start as usize) {
                            L::prefetch(line);
                        }
                    }
                    let document = usize::from(documents[token]);
                    let scan = chain.scan::<L>(topics[token], document, rows);
                    topics[token] = chain.pick(scan, document, rows);
                }
                for token in assigned..active {
                    topics[token] = chain.first::<L>(usize::from(documents[token]), rows);
                }
                chain.leave(word, words);
            }
            start = end;
        }
        chain.moved
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
        let mut chain = Chain::new(base, packing, rows.longest(), draws);
        let (mut start, none) = (0, Seeds::default());
        for visit in visits.iter() {
            let end = visit.end as usize;
            chain.enter(visit.word as usize, words, &none);
            for token in start..end {
                let document = usize::from(documents[token]);
                if document >= has {
                    break;
                }
                topics[token] = chain.uniform::<L>(document, rows, count as u32);
            }
            chain.leave(visit.word as usize, words);
            start = end;
        }
        chain.moved
    }
}
