//! Assigns documents to shards and words to blocks, balanced by tokens.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use raddle::random::Stream;
use raddle::schedule::even_parts;
use raddle_datasets::Corpus;

use super::carried::{Assignment, Carried};
use super::place::Place;
use super::shard::{DocumentShard, MOST_DOCUMENTS};
use super::source::CorpusSource;
use crate::error::LdaError;
use raddle_kernels::topics::counts::packing::Packing;
use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::counts::tokens::{Slice, Visit};

/// Tokens of a task, of which a shard has one per block: enough for a fraction of a millisecond, so that
/// scheduling pays off.
const TASK: u64 = 4_000;

/// Limit on the default number of shards, unless more are needed to number the documents.
const MOST_SHARDS: usize = 8;

/// Up to this many shards, [`TASK`] alone determines the number; more shards need [`SHARD`] tokens each, as
/// the overhead per word grows with the number of shards: with four shards instead of eight, 2 M tokens took
/// 0.90 of the time, 9 M tokens 1.06.
const FEW_SHARDS: usize = 4;

/// Tokens of a shard if there are more than [`FEW_SHARDS`] shards.
const SHARD: u64 = 500_000;

/// Limit on the tokens of a word: counts in `f32` are exact below it.
pub(crate) const MOST_TOKENS: u64 = 1 << 24;

/// Returns the default number of shards for this number of tokens.
pub(crate) fn shards_for(tokens: u64) -> usize {
    let side = (tokens / TASK / 2).isqrt() as usize;
    let power = 1 << side.max(1).ilog2();
    let most = if tokens < MOST_SHARDS as u64 * SHARD { FEW_SHARDS } else { MOST_SHARDS };
    most.min(power)
}

/// The assignment of documents and words.
pub(crate) struct Layout {
    pub(crate) shards: Vec<DocumentShard>,
    /// Words of each block, ascending.
    pub(crate) blocks: Vec<Vec<u32>>,
    /// Number of tokens of each word in the training documents.
    pub(crate) word_counts: Vec<u64>,
    pub(crate) places: Vec<Place>,
    pub(crate) tokens: u64,
}

impl Layout {
    /// Assigns the documents `train` of a corpus to about `shards` shards in an order drawn from `seed`, and
    /// its words to `blocks` blocks. Sizes are checked before memory is allocated.
    pub(crate) fn new(
        corpus: CorpusSource<'_>,
        train: Vec<u32>,
        shards: usize,
        blocks: usize,
        seed: u64,
    ) -> Result<Self, LdaError> {
        let mut order = train;
        Stream::new(&[seed, ORDER]).shuffle(&mut order);
        let lengths: Vec<u64> = order.iter().map(|&document| corpus.length(document)).collect();
        let ranges = cut(&lengths, shards);
        let word_counts = counted(corpus, &order)?;
        let (blocks, places) = assign_blocks(&word_counts, blocks);
        let documents = ranges.into_iter().map(|range| order[range].to_vec()).collect();
        Self::of(corpus, Assignment { documents, blocks, places }, word_counts)
    }

    /// Assigns the documents `train` and the words as in an earlier version of the corpus.
    pub(crate) fn carried(
        corpus: CorpusSource<'_>,
        train: Vec<u32>,
        carried: &Carried,
    ) -> Result<Self, LdaError> {
        let word_counts = counted(corpus, &train)?;
        let length = |document: u32| corpus.length(document);
        Self::of(corpus, Assignment::new(carried, &train, length, &word_counts), word_counts)
    }

    /// Lays out the tokens of documents that are assigned to shards. If the corpus is read on demand, each
    /// shard does this where it is placed.
    fn of(
        corpus: CorpusSource<'_>,
        Assignment { documents, blocks, places }: Assignment,
        word_counts: Vec<u64>,
    ) -> Result<Self, LdaError> {
        let tokens = word_counts.iter().sum();
        let mut scratch = Scratch::new(corpus.words());
        let shards = documents.into_iter().map(|documents| {
            let mut end = 0;
            let ends = documents.iter().map(|&document| {
                end += corpus.length(document);
                end
            });
            let ends = ends.collect();
            let slices = match corpus {
                CorpusSource::Memory(corpus) => slices(corpus, &documents, &blocks, &places, &mut scratch)?,
                CorpusSource::Stored(_) => Vec::new(),
            };
            Ok(DocumentShard { documents, ends, slices, ..DocumentShard::default() })
        });
        let shards = shards.collect::<Result<_, LdaError>>()?;
        Ok(Self { shards, blocks, tokens, word_counts, places })
    }
}

/// Counts the tokens of each word in these documents; an error if they are too many to count or to store.
fn counted(corpus: CorpusSource<'_>, documents: &[u32]) -> Result<Vec<u64>, LdaError> {
    let mut word_counts = vec![0u64; corpus.words()];
    corpus.each(documents, |word, count| word_counts[word as usize] += u64::from(count))?;
    let lengths = documents.iter().map(|&document| corpus.length(document));
    if let Some(word) = word_counts.iter().position(|&count| count >= MOST_TOKENS) {
        let (word, tokens) = (corpus.described().word(word as u32), word_counts[word]);
        return Err(LdaError::Word { word, tokens, most: MOST_TOKENS });
    }
    let (longest, fewest) = (lengths.max().unwrap_or(0), 1 << Packing::of(1).bits());
    let most = u64::from(Packing::of(fewest).most());
    if longest > most {
        return Err(LdaError::Document { tokens: longest, most, topics: fewest });
    }
    let tokens = word_counts.iter().sum();
    if !has_room(tokens) {
        return Err(LdaError::Memory { tokens });
    }
    Ok(word_counts)
}

/// Returns `true` if the system has memory for these tokens, four bytes each.
fn has_room(tokens: u64) -> bool {
    let tokens = usize::try_from(tokens).ok();
    tokens.is_some_and(|tokens| Vec::<[u16; 2]>::new().try_reserve_exact(tokens).is_ok())
}

/// Key of the stream that orders the documents.
const ORDER: u64 = 0x6f72_6465;

/// Cuts documents into ranges with equal numbers of tokens, none with more documents than a shard can number.
fn cut(lengths: &[u64], shards: usize) -> Vec<std::ops::Range<usize>> {
    let mut shards = shards.clamp(1, lengths.len().max(1)).max(lengths.len().div_ceil(MOST_DOCUMENTS));
    loop {
        // A document without tokens has a small cost, so that not all of these fall into one shard.
        let costs: Vec<u64> = lengths.iter().map(|length| length + 1).collect();
        let ranges = even_parts(&costs, shards);
        if ranges.iter().all(|range| range.len() <= MOST_DOCUMENTS) {
            return ranges;
        }
        shards += 1;
    }
}

/// Assigns words to blocks, in descending order of frequency, each to the block with the fewest tokens so
/// far.
fn assign_blocks(counts: &[u64], blocks: usize) -> (Vec<Vec<u32>>, Vec<Place>) {
    let blocks = blocks.clamp(1, counts.len().max(1));
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_by_key(|&word| (Reverse(counts[word as usize]), word));
    let mut loads: BinaryHeap<_> = (0..blocks).map(|block| Reverse((0u64, block))).collect();
    let mut assigned = vec![Vec::new(); blocks];
    for word in order {
        if let Some(Reverse((load, block))) = loads.pop() {
            assigned[block].push(word);
            // A word without tokens counts as one, so that such words are balanced, too.
            loads.push(Reverse((load + counts[word as usize].max(1), block)));
        }
    }
    let mut places = vec![Place::default(); counts.len()];
    for (block, words) in assigned.iter_mut().enumerate() {
        words.sort_unstable();
        for (at, &word) in words.iter().enumerate() {
            places[word as usize] = Place { block: block as u32, at: at as u32 };
        }
    }
    (assigned, places)
}

/// Distributes (word, topic, weight) to the blocks of the words.
pub(crate) fn assign_priors(entries: &[(u32, u32, f32)], places: &[Place], blocks: usize) -> Vec<WordPriors> {
    let mut assigned = vec![Vec::new(); blocks];
    for &(word, topic, weight) in entries {
        let Place { block, at } = places[word as usize];
        assigned[block as usize].push((at, topic, weight));
    }
    let word_priors = |mut entries: Vec<(u32, u32, f32)>| {
        entries.sort_by_key(|&(at, topic, _)| (at, topic));
        WordPriors::new(&entries)
    };
    assigned.into_iter().map(word_priors).collect()
}

/// Returns the sum of the weights for each topic; empty without entries.
pub(crate) fn sums_by_topic(entries: &[(u32, u32, f32)], topics: usize) -> Vec<f64> {
    let mut sums = vec![0.0; if entries.is_empty() { 0 } else { topics }];
    entries.iter().for_each(|&(_, topic, weight)| sums[topic as usize] += f64::from(weight));
    sums
}

/// Memory for one entry per word, reused for each shard.
pub(super) struct Scratch {
    count: Vec<u32>,
    next: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(words: usize) -> Self {
        Self { count: vec![0; words], next: vec![0; words] }
    }
}

/// Returns the tokens of a shard's documents, one slice per block.
pub(super) fn slices(
    corpus: &Corpus,
    documents: &[u32],
    blocks: &[Vec<u32>],
    places: &[Place],
    scratch: &mut Scratch,
) -> Result<Vec<Slice>, LdaError> {
    let Scratch { count, next } = scratch;
    count.fill(0);
    for &document in documents {
        for (word, times) in corpus.document(document as usize) {
            count[word as usize] += u32::from(times);
        }
    }
    let slice = |words: &Vec<u32>| {
        let (mut visits, mut end) = (Vec::new(), 0u32);
        for (at, &word) in (0..).zip(words) {
            next[word as usize] = end;
            if count[word as usize] > 0 {
                let (what, documents) = ("tokens", documents.len());
                end = end.checked_add(count[word as usize]).ok_or(LdaError::Shard { what, documents })?;
                visits.push(Visit { word: at, end });
            }
        }
        visits.shrink_to_fit();
        let (documents, topics) = (vec![0; end as usize], vec![0; end as usize]);
        Ok(Slice { visits, documents, topics, streams: Vec::new() })
    };
    let mut slices = blocks.iter().map(slice).collect::<Result<Vec<Slice>, LdaError>>()?;
    for (number, &document) in documents.iter().enumerate() {
        for (word, times) in corpus.document(document as usize) {
            let start = next[word as usize] as usize;
            let tokens = &mut slices[places[word as usize].block as usize].documents;
            tokens[start..start + usize::from(times)].fill(number as u16);
            next[word as usize] += u32::from(times);
        }
    }
    Ok(slices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_common::testing::pairs;

    #[test]
    fn every_token_has_one_place() {
        let documents =
            (0..50u32).map(|d| (0..12).map(|w| ((w * 7 + d) % 30, u64::from((w + d) % 4))).collect());
        let corpus = Corpus::from_documents(31, documents).expect("words below 31");
        let train: Vec<u32> = (0..50).filter(|document| document % 7 != 0).collect();
        let layout = Layout::new(CorpusSource::Memory(&corpus), train.clone(), 4, 8, 1).expect("few tokens");
        assert_eq!((layout.shards.len(), layout.blocks.len()), (4, 8));
        let mut seen = Vec::new();
        for shard in &layout.shards {
            for (slice, words) in pairs(&shard.slices, &layout.blocks) {
                let mut start = 0;
                for visit in &slice.visits {
                    let part = &slice.documents[start..visit.end as usize];
                    assert!(part.is_sorted() && !part.is_empty());
                    seen.extend(
                        part.iter().map(|&d| (shard.documents[usize::from(d)], words[visit.word as usize])),
                    );
                    start = visit.end as usize;
                }
                assert_eq!(start, slice.documents.len());
            }
        }
        seen.sort_unstable();
        let expected: Vec<(u32, u32)> = train
            .iter()
            .flat_map(|&d| corpus.document(d as usize).flat_map(move |(w, c)| vec![(d, w); usize::from(c)]))
            .collect();
        assert_eq!(seen, expected);
        assert_eq!(layout.tokens, expected.len() as u64);
    }

    #[test]
    fn shards_and_blocks_have_equal_tokens() {
        let documents = (0..400u32).map(|d| vec![(d % 90, u64::from(1 + d % 60)), (90 + d % 10, 40)]);
        let corpus = Corpus::from_documents(100, documents).expect("words below 100");
        let layout =
            Layout::new(CorpusSource::Memory(&corpus), (0..400).collect(), 8, 5, 2).expect("few tokens");
        let tokens: Vec<u64> = layout.shards.iter().map(|shard| shard.ends[shard.ends.len() - 1]).collect();
        let spread = |of: &[u64]| of.iter().max().unwrap() - of.iter().min().unwrap();
        assert!(spread(&tokens) < 200, "{tokens:?}");
        let loads: Vec<u64> = layout
            .blocks
            .iter()
            .map(|words| words.iter().map(|&word| layout.word_counts[word as usize]).sum())
            .collect();
        assert!(spread(&loads) < 400, "{loads:?}");
    }

    #[test]
    fn weights_of_a_topic_add_up() {
        assert_eq!(sums_by_topic(&[(0, 1, 0.5), (3, 1, 1.0), (2, 0, 2.0)], 3), [2.0, 1.5, 0.0]);
    }

    #[test]
    fn shards_follow_from_the_tokens() {
        let tokens = [0, 10_000, 132_000, 390_000, 2_000_000, 4_000_000, 1 << 40];
        assert_eq!(tokens.map(shards_for), [1, 1, 4, 4, 4, 8, 8]);
    }
}
