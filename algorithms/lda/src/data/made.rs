//! [`Making`]: makes the shards and rows of a corpus that is read on demand, each where it is placed.

use std::sync::Arc;

use raddle_datasets::StoredCorpus;

use super::layout::{Scratch, slices};
use super::place::Place;
use super::problem::{Problem, make_shard_rows, word_rows};
use super::shard::DocumentShard;
use super::source::ascending;
use super::way::SamplerKind;
use crate::error::LdaError;
use raddle_kernels::topics::counts::words::WordRows;

/// The source of shards and blocks.
pub(crate) struct Making {
    stored: Arc<StoredCorpus>,
    /// The shards without their tokens.
    shards: Vec<DocumentShard>,
    blocks: Vec<Vec<u32>>,
    places: Vec<Place>,
    word_counts: Vec<u64>,
    /// Counts of words without training tokens: (word, topic, count).
    kept: Vec<(u32, u32, u32)>,
    topics: usize,
    way: SamplerKind,
}

impl Making {
    /// Prepares the shards and rows of a problem for this number of topics; `None` if the corpus is in
    /// memory.
    pub(crate) fn of(
        problem: &Problem,
        topics: usize,
        kept: &[(u32, u32, u32)],
        follow: bool,
    ) -> Result<Option<Self>, LdaError> {
        let Some(stored) = &problem.stored else { return Ok(None) };
        let Problem { shards, blocks, places, word_counts, .. } = problem;
        Ok(Some(Self {
            stored: Arc::clone(stored),
            shards: shards.clone(),
            blocks: blocks.clone(),
            places: places.clone(),
            word_counts: word_counts.clone(),
            kept: kept.to_vec(),
            topics,
            way: problem.way(topics, follow)?,
        }))
    }

    /// Makes a shard with its tokens.
    pub(crate) fn shard(&self, number: u32) -> Result<DocumentShard, LdaError> {
        let mut shard = self.shards[number as usize].clone();
        let corpus = self.stored.some(&ascending(&shard.documents))?;
        let mut scratch = Scratch::new(corpus.words());
        shard.slices = slices(&corpus, &shard.documents, &self.blocks, &self.places, &mut scratch)?;
        // Asked only for words that have tokens in the shard.
        let has_full = |block: usize, at: usize| {
            let tokens = self.word_counts[self.blocks[block][at] as usize];
            self.way.full().is_some_and(|width| WordRows::is_full(tokens, self.topics, width))
        };
        make_shard_rows(&mut shard, (self.topics, self.way), has_full)?;
        Ok(shard)
    }

    /// Makes the rows of a block's words.
    pub(crate) fn rows(&self, block: u32) -> WordRows {
        word_rows(&self.blocks[block as usize], &self.word_counts, &self.kept, (self.topics, self.way))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::problem::Preparation;
    use crate::data::taken::HoldOut;
    use proptest::prelude::*;
    use raddle::state::to_bytes;
    use raddle_datasets::{Corpus, CorpusOptions};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn made_shards_and_rows_have_the_bytes_of_those_made_from_the_whole(
            documents in proptest::collection::vec(proptest::collection::btree_map(0u32..40, 1u64..40, 0..12), 12..60),
            topics in prop_oneof![Just(5_usize), Just(300)], shards in 1usize..5, blocks in 1usize..7,
            follow: bool, warm: bool, test in prop_oneof![Just(HoldOut::None), Just(HoldOut::Split)],
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("docword.a.txt");
            let lines: Vec<String> = (1..).zip(&documents).flat_map(|(number, document)| {
                document.iter().map(move |(word, count)| format!("{number} {} {count}\n", word + 1))
            }).collect();
            prop_assume!(!lines.is_empty());
            std::fs::write(&path, format!("{}\n40\n{}\n{}", documents.len(), lines.len(), lines.concat())).unwrap();
            let options = CorpusOptions::default();
            let stored = StoredCorpus::open(path.to_str().unwrap(), &options, folder.path()).unwrap().unwrap();
            let pairs = documents.iter().map(|document| document.iter().map(|(&word, &count)| (word, count)).collect());
            let corpus = Corpus::from_documents(40, pairs).unwrap();
            let preparation = Preparation { test, shards: Some(shards), blocks: Some(blocks), ..Preparation::default() };
            let whole = Problem::new(&corpus, &preparation);
            let by_parts = Problem::by_parts(Arc::new(stored), &preparation);
            let (mut whole, by_parts) = match (whole, by_parts) {
                (Ok(whole), Ok(by_parts)) => (whole, by_parts),
                (whole, by_parts) => {
                    prop_assert_eq!(by_parts.err().map(|why| why.to_string()), whole.err().map(|why| why.to_string()));
                    return Ok(());
                }
            };
            let lacking = (0..40).filter(|&word| warm && whole.word_counts[word as usize] == 0);
            let kept: Vec<(u32, u32, u32)> = lacking.map(|word| (word, word % 5, 7)).collect();
            let making = Making::of(&by_parts, topics, &kept, follow).unwrap().unwrap();
            let rows = whole.make_rows(topics, &kept, follow).unwrap();
            prop_assert_eq!(&by_parts.sets, &whole.sets);
            for (number, shard) in (0..).zip(&whole.shards) {
                prop_assert_eq!(to_bytes(&making.shard(number).unwrap()), to_bytes(shard), "shard {}", number);
            }
            for (number, rows) in (0..).zip(&rows) {
                prop_assert_eq!(&making.rows(number), rows, "block {}", number);
            }
        }
    }
}
