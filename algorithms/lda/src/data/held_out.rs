//! [`HeldOut`]: held-out documents, with memory for the rows of their words.

use std::collections::HashMap;

use raddle_datasets::Completion;

use super::block::WordBlock;
use super::place::Place;

/// A held-out document in two halves; its words are given by the positions of their rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Halves {
    /// Number of the set to which the document belongs.
    pub(crate) set: u8,
    pub(crate) observed: Vec<(u32, u32)>,
    pub(crate) scored: Vec<(u32, u32)>,
}

raddle::state!(Halves { set, observed, scored });

/// The held-out documents of a shard, with memory for the rows of their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOut {
    documents: Vec<Halves>,
    /// For each block, pairs (word of the block, position of its row).
    wanted: Vec<Vec<(u32, u32)>>,
    /// Rows of (topic, n_kw plus the addition of priors). They exist from the rotation that gathers them to
    /// the boundary.
    rows: Vec<Vec<(u32, f32)>>,
    /// Tokens of each topic in the blocks that were gathered, if an estimate needs them.
    pub(crate) totals: Vec<i64>,
    /// `true` if the current epoch gathers rows: its boundary scores the documents.
    pub(crate) is_gathered: bool,
}

raddle::state!(HeldOut { documents, wanted, rows, totals, is_gathered });

impl HeldOut {
    /// Makes held-out documents from (set, halves); `places` has the place of each word.
    pub(crate) fn new(documents: &[(u8, Completion)], places: &[Place], blocks: usize) -> Self {
        let (mut slots, mut wanted) = (HashMap::new(), vec![Vec::new(); blocks]);
        let mut slot = |&(word, count): &(u32, u32)| {
            let next = slots.len() as u32;
            let slot = *slots.entry(word).or_insert_with(|| {
                let Place { block, at } = places[word as usize];
                wanted[block as usize].push((at, next));
                next
            });
            (slot, count)
        };
        let halves = documents.iter().map(|(set, halves)| Halves {
            set: *set,
            observed: halves.observed.iter().map(&mut slot).collect(),
            scored: halves.scored.iter().map(&mut slot).collect(),
        });
        let documents = halves.collect();
        Self { documents, rows: vec![Vec::new(); slots.len()], wanted, ..Self::default() }
    }

    /// Copies the rows of a block's words.
    pub(crate) fn gather(&mut self, number: u32, block: &WordBlock) {
        self.is_gathered = true;
        let Some(wanted) = self.wanted.get(number as usize) else { return };
        for &(word, slot) in wanted {
            let counts = block.rows.of(word as usize).map(|(topic, count)| (topic, count as f32));
            self.rows[slot as usize] = counts.chain(block.word_priors.of(word as usize)).collect();
        }
    }

    /// Adds the counts of a block's words to the totals of this many topics.
    pub(crate) fn add_totals(&mut self, block: &WordBlock, topics: usize) {
        self.totals.resize(topics, 0);
        for (topic, count) in (0..block.rows.words()).flat_map(|word| block.rows.of(word)) {
            self.totals[topic as usize] += i64::from(count);
        }
    }

    /// Returns the documents, each with its set and halves.
    pub(crate) fn documents(&self) -> &[Halves] {
        &self.documents
    }

    /// Returns (count, row) for each word of a half.
    pub(crate) fn rows(&self, half: &[(u32, u32)]) -> Vec<(f64, &[(u32, f32)])> {
        let row = |&(slot, count): &(u32, u32)| (f64::from(count), self.rows[slot as usize].as_slice());
        half.iter().map(row).collect()
    }

    /// Frees what was gathered, so that the boundary does not score the documents.
    pub(crate) fn let_go(&mut self) {
        (self.is_gathered, self.totals) = (false, Vec::new());
        self.rows.iter_mut().for_each(|row| *row = Vec::new());
    }
}
