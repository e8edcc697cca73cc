//! [`PartMaker`]: makes the shards and the rows of words of a run, each where it is placed.

use std::sync::Arc;

use raddle_datasets::StoredCorpus;

use super::layout::{Scratch, slices};
use super::place::Place;
use super::problem::Problem;
use super::sampler::SamplerKind;
use super::shard::DocumentShard;
use super::source::CorpusSource;
use crate::error::LdaError;
use raddle_kernels::topics::counts::documents::DocumentRows;
use raddle_kernels::topics::counts::streams::assign_streams;
use raddle_kernels::topics::counts::words::WordRows;

/// The source of the shards and rows of a run.
pub(crate) struct PartMaker {
    /// The corpus, if it is in a file: shards have no tokens until they are made.
    stored: Option<Arc<StoredCorpus>>,
    blocks: Vec<Vec<u32>>,
    places: Vec<Place>,
    word_counts: Vec<u64>,
    /// Counts of words without training tokens, as sorted (word, topic, count): they are there from the
    /// start, and no task changes them.
    kept: Vec<(u32, u32, u32)>,
    topics: usize,
    sampler: SamplerKind,
}

impl PartMaker {
    /// A maker for this number of topics, and the problem's shards, to which it adds what they lack. With
    /// `follow`, each draw sees all moves of its shard before it.
    pub(crate) fn new(
        problem: Problem,
        topics: usize,
        kept: Vec<(u32, u32, u32)>,
        follow: bool,
    ) -> Result<(Self, Vec<DocumentShard>), LdaError> {
        let sampler = problem.sampler(topics, follow)?;
        let Problem { shards, blocks, places, word_counts, stored, .. } = problem;
        Ok((Self { stored, blocks, places, word_counts, kept, topics, sampler }, shards))
    }

    /// Completes a shard: reads its tokens if they are in a file, and allocates the topic counts of its
    /// documents.
    pub(crate) fn shard(&self, mut shard: DocumentShard) -> Result<DocumentShard, LdaError> {
        if let Some(stored) = &self.stored {
            let corpus = CorpusSource::Stored(stored).some(&shard.documents)?;
            let mut scratch = Scratch::new(corpus.words());
            shard.slices = slices(&corpus, &shard.documents, &self.blocks, &self.places, &mut scratch)?;
        }
        let rows = DocumentRows::new(shard.lengths(), self.topics, self.sampler.kind());
        shard.rows = rows.ok_or(LdaError::Shard { what: "rows", documents: shard.documents.len() })?;
        if let (SamplerKind::Lockstep(_), Some(width)) = (self.sampler, self.sampler.full()) {
            for (block, slice) in shard.slices.iter_mut().enumerate() {
                let tokens = |at: usize| self.word_counts[self.blocks[block][at] as usize];
                assign_streams(slice, |at| WordRows::is_full(tokens(at), self.topics, width));
            }
        }
        Ok(shard)
    }

    /// Allocates the topic counts of a block's words.
    pub(crate) fn rows(&self, block: u32) -> WordRows {
        let kept_of = |word: u32| {
            let start = self.kept.partition_point(|&(other, ..)| other < word);
            self.kept[start..].iter().take_while(move |&&(other, ..)| other == word)
        };
        let words = &self.blocks[block as usize];
        let room = |&word: &u32| self.word_counts[word as usize].max(kept_of(word).count() as u64);
        let mut rows = WordRows::new(words.iter().map(room), self.topics, self.sampler.full());
        for (at, &word) in words.iter().enumerate().filter(|_| !self.kept.is_empty()) {
            rows.put(at, kept_of(word).map(|&(_, topic, count)| (topic, count)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hold_out::HoldOut;
    use crate::data::problem::Preparation;
    use proptest::prelude::*;
    use raddle::state::to_bytes;
    use raddle_datasets::{Corpus, CorpusOptions};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn shards_and_rows_of_a_file_have_the_bytes_of_those_in_memory(
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
            let read = Problem::new(&Arc::new(stored), &preparation);
            let (whole, read) = match (whole, read) {
                (Ok(whole), Ok(read)) => (whole, read),
                (whole, read) => {
                    prop_assert_eq!(read.err().map(|why| why.to_string()), whole.err().map(|why| why.to_string()));
                    return Ok(());
                }
            };
            prop_assert_eq!(&read.sets, &whole.sets);
            let lacking = (0..40).filter(|&word| warm && whole.word_counts[word as usize] == 0);
            let kept: Vec<(u32, u32, u32)> = lacking.map(|word| (word, word % 5, 7)).collect();
            let blocks = whole.blocks.len() as u32;
            let made = |problem| {
                let (maker, shards) = PartMaker::new(problem, topics, kept.clone(), follow).unwrap();
                let shards = shards.into_iter().map(|shard| to_bytes(&maker.shard(shard).unwrap()));
                (shards.collect::<Vec<_>>(), (0..blocks).map(|block| maker.rows(block)).collect::<Vec<_>>())
            };
            let (whole, read) = (made(whole), made(read));
            prop_assert_eq!(&read.1, &whole.1);
            prop_assert!(read.0 == whole.0, "the bytes of shards");
        }
    }
}
