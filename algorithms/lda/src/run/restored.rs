//! Checks of a checkpoint before the run goes on: counts must be those of the topics that tokens have.

use raddle::Restored;
use raddle::state::StateError;

use super::messages::Sums;
use super::program::LdaProgram;
use super::spec::Spec;
use crate::data::block::WordBlock;
use crate::data::shard::DocumentShard;

/// Epochs that no run comes to.
const MOST_EPOCHS: u64 = 1 << 48;

fn ensure(holds: bool, what: &'static str) -> Result<(), StateError> {
    if holds { Ok(()) } else { Err(StateError::new(what)) }
}

impl Spec {
    /// Check that all parts are those of a run on this data, and agree with each other.
    pub(crate) fn check(&self, run: &Restored<'_, LdaProgram>) -> Result<(), StateError> {
        let Restored {
            boundary,
            is_concluded,
            ref shards,
            ref blocks,
            pinned: ref record,
            replica: ref totals,
            ..
        } = *run;
        let is_prior = |prior: &f64| (1e-6..=1e3).contains(prior);
        let priors = totals.alpha.len() == self.topics && totals.alpha.iter().all(is_prior);
        ensure(priors && is_prior(&totals.beta), "the priors")?;
        // A conclusion begins the next epoch.
        let begun = if is_concluded { boundary.epoch } else { boundary.epoch.saturating_sub(1) };
        ensure(begun < MOST_EPOCHS, "how far the run has come")?;
        let epochs = record.evaluations.iter().map(|one| one.epoch);
        let ascend =
            epochs.clone().is_sorted_by(|a, b| a < b) && epochs.max().is_none_or(|last| last <= begun);
        ensure(ascend, "the evaluations")?;
        let last = boundary.epoch.checked_sub(1).filter(|_| !is_concluded);
        ensure(self.are_sums(&record.sums, last), "the sums of an epoch")?;
        let words = blocks.iter().map(|block| &block.words);
        ensure(words.eq(&self.blocks), "the words of the blocks")?;
        for block in blocks.iter() {
            let words = block.words.len();
            let width = shards.first().map_or(0, DocumentShard::full_width);
            ensure(block.rows.are_sound(words, self.topics, width), "the rows of words")?;
            let word_priors = [&block.word_priors, &block.warm];
            ensure(
                word_priors.iter().all(|word_priors| word_priors.are_sound(words, self.topics)),
                "the word priors",
            )?;
        }
        // The documents whose tokens have topics.
        let part = boundary.epoch.checked_sub(1).map_or(0.0, |last| self.course.pass(last).has);
        let joined: Vec<usize> =
            shards.iter().map(|shard| if part > 0.0 { shard.first_documents(part) } else { 0 }).collect();
        for (shard, &joined) in shards.iter().zip(&joined) {
            ensure(self.documents_agree(shard, joined), "the topics of documents")?;
        }
        for (number, block) in blocks.iter().enumerate() {
            ensure(self.words_agree(shards, &joined, number, block), "the topics of words")?;
        }
        let mut sums = vec![0i64; self.topics];
        let rows =
            blocks.iter().flat_map(|block| (0..block.words.len()).flat_map(|word| block.rows.of(word)));
        rows.for_each(|(topic, count)| sums[topic as usize] += i64::from(count));
        ensure(sums == totals.topics, "the totals of topics")
    }

    /// Check for sums of an epoch that is to be concluded, or of none.
    fn are_sums(&self, sums: &Sums, epoch: Option<u64>) -> bool {
        let optimises = epoch.is_some_and(|epoch| self.optimise && self.course.optimises(epoch));
        let is_sum = |sum: &f64| sum.is_finite() && *sum >= 0.0;
        sums.scores.is_empty()
            && sums.alpha.len() == if optimises { self.topics } else { 0 }
            && sums.alpha.iter().chain([&sums.alpha_all, &sums.beta]).all(is_sum)
            && (!optimises || sums.alpha_all > 0.0)
    }

    /// Check that the rows of a shard's documents count the topics of its tokens, of which those of the first
    /// `joined` documents have one.
    fn documents_agree(&self, shard: &DocumentShard, joined: usize) -> bool {
        let tokens = shard.slices.iter().flat_map(|slice| slice.documents.iter().zip(&slice.topics));
        let mut pairs: Vec<(u16, u16)> = tokens
            .filter(|&(&document, _)| usize::from(document) < joined)
            .map(|(&document, &topic)| (document, topic))
            .collect();
        pairs.sort_unstable();
        let mut expected = pairs.chunk_by(|a, b| a == b).map(|run| {
            let (document, topic) = run[0];
            (usize::from(document), u32::from(topic), run.len() as u32)
        });
        for document in 0..shard.documents.len() {
            let mut row: Vec<(u32, u32)> = shard.rows.of(document, self.topics).collect();
            row.sort_unstable();
            let is_counted = |(topic, count)| {
                (topic as usize) < self.topics && expected.next() == Some((document, topic, count))
            };
            if !row.into_iter().all(is_counted) {
                return false;
            }
        }
        expected.next().is_none()
    }

    /// Check that a block's rows count the topics of its words' tokens. Words without tokens keep what they
    /// were given.
    fn words_agree(
        &self,
        shards: &[DocumentShard],
        joined: &[usize],
        number: usize,
        block: &WordBlock,
    ) -> bool {
        // Each shard's visits by word, the last one first.
        let mut visits: Vec<Vec<usize>> = shards.iter().map(|shard| shard.slices[number].by_word()).collect();
        visits.iter_mut().for_each(|visits| visits.reverse());
        let mut counts = vec![0u32; self.topics];
        (0..block.words.len()).all(|word| {
            let mut tokens = 0;
            for ((shard, &joined), visits) in shards.iter().zip(joined).zip(&mut visits) {
                let slice = &shard.slices[number];
                let is_here = |visit: &mut usize| slice.visits[*visit].word as usize == word;
                let Some(visit) = visits.pop_if(is_here) else {
                    continue;
                };
                let range = slice.tokens(visit);
                tokens += range.len() as u64;
                for (&document, &topic) in slice.documents[range.clone()].iter().zip(&slice.topics[range]) {
                    if usize::from(document) < joined {
                        counts[usize::from(topic)] += 1;
                    }
                }
            }
            if tokens == 0 {
                return true;
            }
            let has_room = block.rows.room(word) >= tokens.min(self.topics as u64);
            let agree = block.rows.of(word).all(|(topic, count)| {
                let counted = std::mem::take(&mut counts[topic as usize]);
                counted == count
            });
            has_room && agree && counts.iter().all(|&count| count == 0)
        })
    }
}
