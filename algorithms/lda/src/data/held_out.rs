//! [`HeldOut`]: documents that are not trained on, and room for the rows of their words.

use std::collections::HashMap;

use raddle_datasets::Completion;

use super::block::WordBlock;
use super::place::Place;

/// A held-out document: words by the place of their rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Halves {
    /// Which set it belongs to.
    pub(crate) set: u8,
    pub(crate) observed: Vec<(u32, u32)>,
    pub(crate) scored: Vec<(u32, u32)>,
}

raddle::state!(Halves { set, observed, scored });

/// A shard's held-out documents, and room for the rows of their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOut {
    documents: Vec<Halves>,
    /// For each block, (word of the block, place of its row).
    wanted: Vec<Vec<(u32, u32)>>,
    /// Rows as (topic, n_kw and what a prior adds), there between a rotation that gathers them and the
    /// boundary.
    rows: Vec<Vec<(u32, f32)>>,
    /// The epoch under way gathers rows: its boundary scores the documents.
    pub(crate) is_gathered: bool,
}

raddle::state!(HeldOut { documents, wanted, rows, is_gathered });

impl HeldOut {
    /// Documents as (set, halves), over words at these places.
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
        Self { documents, rows: vec![Vec::new(); slots.len()], wanted, is_gathered: false }
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

    /// The documents, each with its set and halves.
    pub(crate) fn documents(&self) -> &[Halves] {
        &self.documents
    }

    /// (count, row) of the words of a half.
    pub(crate) fn rows(&self, half: &[(u32, u32)]) -> Vec<(f64, &[(u32, f32)])> {
        let row = |&(slot, count): &(u32, u32)| (f64::from(count), self.rows[slot as usize].as_slice());
        half.iter().map(row).collect()
    }

    /// Lets the rows go.
    pub(crate) fn let_go(&mut self) {
        self.is_gathered = false;
        self.rows.iter_mut().for_each(|row| *row = Vec::new());
    }
}
