//! Checks of a checkpoint before the run continues: counts must match the topics of tokens.

use raddle::state::StateError;
use raddle::{Boundary, RestoreByShard, Restoring};

use super::messages::Sums;
use super::pinned::Record;
use super::program::LdaProgram;
use super::replica::Replica;
use super::spec::Spec;
use crate::data::block::WordBlock;
use crate::data::shard::DocumentShard;

/// Limit on the epochs of a run.
const MOST_EPOCHS: u64 = 1 << 48;

fn ensure(holds: bool, what: &'static str) -> Result<(), StateError> {
    if holds { Ok(()) } else { Err(StateError::new(what)) }
}

/// A question to the parts of a restored run.
#[derive(Debug)]
pub enum TopicsQuestion {
    /// Checks the topics of documents; the documents with this fraction of the tokens have topics.
    Documents(f64),
    /// Asks for the topics of a block's words.
    Words(WordsQuestion),
    /// Tells shards to gather the rows of the last block, which has this number.
    Gather(u32, Box<WordBlock>),
}

/// A question about the topics of a block's words.
#[derive(Debug)]
pub struct WordsQuestion {
    /// Fraction of the tokens whose documents have topics.
    part: f64,
    /// Number of the block.
    block: u32,
    /// Tokens of each topic in the blocks before.
    sums: Vec<i64>,
    /// The block before, if shards gather its rows.
    gathered: Option<Box<WordBlock>>,
}

/// The answer to a [`TopicsQuestion`].
#[derive(Debug)]
pub enum TopicsAnswer {
    /// No error was found.
    Fits,
    /// Topics of a block's words in a shard.
    Words(ShardWords),
    /// The block.
    Block(Box<WordBlock>),
}

/// The topics of a block's words in the tokens of a shard.
#[derive(Debug, Default)]
pub struct ShardWords {
    /// Width of the full rows of frequent words, in units of sixteen topics.
    width: usize,
    /// `true` if rows of words are to be gathered.
    is_gathered: bool,
    /// Words, ascending; then the number of tokens of each, and the end of its counts.
    words: Vec<u32>,
    tokens: Vec<u64>,
    ends: Vec<u64>,
    /// Topics of the tokens, word by word.
    topics: Vec<u16>,
    counts: Vec<u32>,
}

raddle::state!(
    enum TopicsQuestion {
        Documents(part),
        Words(words),
        Gather(number, block),
    }
);
raddle::state!(WordsQuestion { part, block, sums, gathered });
raddle::state!(
    enum TopicsAnswer {
        Fits,
        Words(words),
        Block(block),
    }
);
raddle::state!(ShardWords { width, is_gathered, words, tokens, ends, topics, counts });

/// All parts must belong to a run on this data and agree with each other: first the documents are checked,
/// then the words, block by block. If the boundary is concluded again, the rows that its scores need are
/// gathered again.
impl RestoreByShard for LdaProgram {
    type Question = TopicsQuestion;
    type Answer = TopicsAnswer;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<TopicsQuestion>, StateError> {
        let Restoring { boundary, is_concluded, pinned, replica: totals, question, shards, blocks, .. } = run;
        let spec = &self.spec;
        match question {
            None => {
                spec.check_rest(boundary, is_concluded, pinned, totals)?;
                // The documents whose tokens have topics.
                let part = match boundary.epoch.checked_sub(1) {
                    Some(last) => spec.course.pass(last).has,
                    // In a run that continues an earlier fit, they have topics before the first epoch.
                    None => spec.course.pass(0).had,
                };
                Ok(Some(TopicsQuestion::Documents(part)))
            }
            Some(TopicsQuestion::Documents(part)) => {
                let (sums, gathered) = (vec![0; spec.topics], None);
                Ok(Some(TopicsQuestion::Words(WordsQuestion { part, block: 0, sums, gathered })))
            }
            Some(TopicsQuestion::Words(WordsQuestion { part, block: number, mut sums, .. })) => {
                let shards = raddle::answers!(shards, TopicsAnswer::Words);
                let block = blocks.into_iter().find_map(|(of, answer)| match answer {
                    TopicsAnswer::Block(block) if of == number => Some(block),
                    _ => None,
                });
                let block = block.ok_or(StateError::new("the words of the blocks"))?;
                let shards: Vec<ShardWords> = shards.into_iter().collect();
                spec.check_block(number, &block, &shards)?;
                let rows = (0..block.words.len()).flat_map(|word| block.rows.of(word));
                rows.for_each(|(topic, count)| sums[topic as usize] += i64::from(count));
                let is_gathered = !is_concluded && shards.iter().any(|shard| shard.is_gathered);
                let gathered = is_gathered.then_some(block);
                if (number as usize) + 1 < spec.blocks.len() {
                    let block = number + 1;
                    return Ok(Some(TopicsQuestion::Words(WordsQuestion { part, block, sums, gathered })));
                }
                ensure(sums == totals.topics, "the totals of topics")?;
                Ok(gathered.map(|block| TopicsQuestion::Gather(number, block)))
            }
            Some(TopicsQuestion::Gather(..)) => Ok(None),
        }
    }

    fn answer(
        &self,
        question: &TopicsQuestion,
        _: u32,
        shard: &mut DocumentShard,
        _: &Replica,
    ) -> Result<TopicsAnswer, StateError> {
        let joined =
            |part: f64, shard: &DocumentShard| if part > 0.0 { shard.first_documents(part) } else { 0 };
        match question {
            TopicsQuestion::Documents(part) => {
                let joined = joined(*part, shard);
                ensure(self.spec.documents_agree(shard, joined), "the topics of documents")?;
                Ok(TopicsAnswer::Fits)
            }
            TopicsQuestion::Words(WordsQuestion { part, block, gathered, .. }) => {
                if let Some((before, rows)) = block.checked_sub(1).zip(gathered.as_ref()) {
                    gather(shard, before, rows);
                }
                Ok(TopicsAnswer::Words(ShardWords::of(shard, joined(*part, shard), *block as usize)))
            }
            TopicsQuestion::Gather(number, rows) => {
                gather(shard, *number, rows);
                Ok(TopicsAnswer::Fits)
            }
        }
    }

    fn answer_of_block(
        &self,
        question: &TopicsQuestion,
        number: u32,
        block: &mut WordBlock,
        _: &Replica,
    ) -> Result<Option<TopicsAnswer>, StateError> {
        let is_asked = matches!(question, TopicsQuestion::Words(words) if words.block == number);
        Ok(is_asked.then(|| TopicsAnswer::Block(Box::new(block.clone()))))
    }
}

/// Gathers the rows of a block, if the shard needs rows.
fn gather(shard: &mut DocumentShard, number: u32, block: &WordBlock) {
    if shard.held_out.is_gathered {
        shard.held_out.gather(number, block);
    }
}

impl ShardWords {
    /// Counts the topics of a block's words in the first `joined` documents; the numbers of tokens are of all
    /// documents.
    fn of(shard: &DocumentShard, joined: usize, block: usize) -> Self {
        let (width, is_gathered) = (shard.full_width(), shard.held_out.is_gathered);
        let mut all = Self { width, is_gathered, ..Self::default() };
        let Some(slice) = shard.slices.get(block) else { return all };
        for visit in slice.by_word() {
            let range = slice.tokens(visit);
            all.words.push(slice.visits[visit].word);
            all.tokens.push(range.len() as u64);
            let tokens = slice.documents[range.clone()].iter().zip(&slice.topics[range]);
            let joined = tokens.filter(|&(&document, _)| usize::from(document) < joined);
            let mut topics: Vec<u16> = joined.map(|(_, &topic)| topic).collect();
            topics.sort_unstable();
            for run in topics.chunk_by(|a, b| a == b) {
                all.topics.push(run[0]);
                all.counts.push(run.len() as u32);
            }
            all.ends.push(all.topics.len() as u64);
        }
        all
    }

    /// Returns the number of tokens of a word, and its (topic, count) pairs, if the word is the one at
    /// `next`.
    fn of_word(
        &self,
        word: usize,
        next: &mut usize,
    ) -> Option<(u64, impl Iterator<Item = (usize, u32)> + '_)> {
        let at = *next;
        self.words.get(at).filter(|&&there| there as usize == word)?;
        *next += 1;
        let range = at.checked_sub(1).map_or(0, |before| self.ends[before]) as usize..self.ends[at] as usize;
        let counts = self.topics[range.clone()].iter().zip(&self.counts[range]);
        Some((self.tokens[at], counts.map(|(&topic, &count)| (usize::from(topic), count))))
    }
}

impl Spec {
    /// Checks the state at the aggregation of rounds, and the replica.
    fn check_rest(
        &self,
        boundary: Boundary,
        is_concluded: bool,
        record: &Record,
        totals: &Replica,
    ) -> Result<(), StateError> {
        let is_prior = |prior: &f64| (1e-6..=1e3).contains(prior);
        let priors = totals.alpha.len() == self.topics && totals.alpha.iter().all(is_prior);
        ensure(priors && is_prior(&totals.beta), "the priors")?;
        // A conclusion starts the next epoch.
        let begun = if is_concluded { boundary.epoch } else { boundary.epoch.saturating_sub(1) };
        ensure(begun < MOST_EPOCHS, "how far the run has come")?;
        let epochs = record.evaluations.iter().map(|one| one.epoch);
        let ascend =
            epochs.clone().is_sorted_by(|a, b| a < b) && epochs.max().is_none_or(|last| last <= begun);
        ensure(ascend, "the evaluations")?;
        let last = boundary.epoch.checked_sub(1).filter(|_| !is_concluded);
        ensure(self.are_sums(&record.sums, last), "the sums of an epoch")
    }

    /// Checks a block by itself and against the topics that shards have of its words.
    fn check_block(&self, number: u32, block: &WordBlock, shards: &[ShardWords]) -> Result<(), StateError> {
        ensure(self.blocks.get(number as usize) == Some(&block.words), "the words of the blocks")?;
        let words = block.words.len();
        let width = shards.first().map_or(0, |shard| shard.width);
        ensure(block.rows.are_sound(words, self.topics, width), "the rows of words")?;
        let mut word_priors = [&block.word_priors, &block.warm].into_iter();
        ensure(word_priors.all(|word_priors| word_priors.are_sound(words, self.topics)), "the word priors")?;
        ensure(self.words_agree(shards, block), "the topics of words")
    }

    /// Returns `true` if the sums belong to an epoch that is to be concluded, or to none.
    fn are_sums(&self, sums: &Sums, epoch: Option<u64>) -> bool {
        let optimises = epoch.is_some_and(|epoch| self.optimise && self.course.optimises(epoch));
        let is_sum = |sum: &f64| sum.is_finite() && *sum >= 0.0;
        sums.scores.is_empty()
            && sums.alpha.len() == if optimises { self.topics } else { 0 }
            && sums.alpha.iter().chain([&sums.alpha_all, &sums.beta]).all(is_sum)
            && (!optimises || sums.alpha_all > 0.0)
    }

    /// Returns `true` if the rows of a shard's documents count the topics of its tokens; those of the first
    /// `joined` documents have topics.
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

    /// Returns `true` if a block's rows count the topics of its words' tokens. Words without tokens keep
    /// their initial counts.
    fn words_agree(&self, shards: &[ShardWords], block: &WordBlock) -> bool {
        let mut next = vec![0; shards.len()];
        let mut counts = vec![0u32; self.topics];
        (0..block.words.len()).all(|word| {
            let mut tokens = 0;
            for (shard, next) in shards.iter().zip(&mut next) {
                let Some((here, topics)) = shard.of_word(word, next) else { continue };
                tokens += here;
                topics.for_each(|(topic, count)| counts[topic] += count);
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
