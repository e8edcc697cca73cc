//! [`Carried`]: what a fit passes on to the next version of its corpus: every document with the topics of its
//! tokens.

use std::collections::HashMap;

use raddle::random::Stream;
use raddle::state::StateError;

use super::place::Place;
use super::shard::{DocumentShard, MOST_DOCUMENTS};
use raddle_kernels::topics::counts::words::WordRows;

/// Key of the streams from which new tokens draw their first topics.
const FIRST: u64 = 0x6669_7273;

/// State that a fit passes on to a fit of the same corpus after documents were inserted or retracted: the
/// shards of documents, the blocks of words, the topic of every token, and the priors.
/// [`State`](raddle::State) writes it as bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Carried {
    pub(crate) topics: usize,
    /// Documents of each shard, in its order; then the words of each block.
    pub(crate) documents: Vec<Vec<u32>>,
    pub(crate) blocks: Vec<Vec<u32>>,
    /// End of each document's tokens, shard by shard.
    ends: Vec<u64>,
    /// Words of the tokens, which ascend within a document; then their topics.
    words: Vec<u32>,
    names: Vec<u16>,
    pub(crate) alpha: Vec<f64>,
    pub(crate) beta: f64,
}

raddle::state!(Carried { topics, documents, blocks, ends, words, names, alpha, beta });

/// Count of each topic among some tokens.
type Counts = HashMap<u16, u32>;

impl Carried {
    /// Collects the state from the shards of a run and the words of its blocks.
    pub(crate) fn of(shards: &[DocumentShard], blocks: Vec<Vec<u32>>, alpha: Vec<f64>, beta: f64) -> Self {
        let documents = shards.iter().map(|shard| shard.documents.clone()).collect();
        let mut carried = Self { topics: alpha.len(), documents, alpha, beta, ..Self::default() };
        for shard in shards {
            let mut tokens = Vec::new();
            for (slice, words) in shard.slices.iter().zip(&blocks) {
                for visit in 0..slice.visits.len() {
                    let word = words[slice.visits[visit].word as usize];
                    let range = slice.tokens(visit);
                    let named = slice.documents[range.clone()].iter().zip(&slice.topics[range]);
                    tokens.extend(named.map(|(&document, &topic)| (document, word, topic)));
                }
            }
            tokens.sort_unstable();
            let mut rest = tokens.into_iter().peekable();
            for document in 0..shard.documents.len() {
                while let Some((_, word, topic)) = rest.next_if(|token| usize::from(token.0) == document) {
                    carried.words.push(word);
                    carried.names.push(topic);
                }
                carried.ends.push(carried.words.len() as u64);
            }
        }
        carried.blocks = blocks;
        carried
    }

    /// Checks that all parts fit together.
    ///
    /// # Errors
    /// If they do not: no fit has written this.
    pub fn check(&self) -> Result<(), StateError> {
        let count = self.documents.iter().map(Vec::len).sum::<usize>();
        let mut words: Vec<u32> = self.blocks.iter().flatten().copied().collect();
        words.sort_unstable();
        let is_whole = self.ends.len() == count
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or(0) == self.words.len() as u64
            && self.words.len() == self.names.len()
            && self.names.iter().all(|&topic| usize::from(topic) < self.topics)
            && words.iter().copied().eq(0..words.len() as u32)
            && self.words.iter().all(|&word| (word as usize) < words.len())
            && self.alpha.len() == self.topics
            && self.alpha.iter().chain([&self.beta]).all(|prior| prior.is_finite() && *prior > 0.0);
        if is_whole { Ok(()) } else { Err(StateError::new("what a fit carries over")) }
    }

    /// Iterates over all tokens: document, word and topic.
    pub fn tokens(&self) -> impl Iterator<Item = (u32, u32, u16)> + '_ {
        let of = move |(document, range): (u32, std::ops::Range<usize>)| {
            range.map(move |at| (document, self.words[at], self.names[at]))
        };
        self.ranges().flat_map(of)
    }

    /// Iterates over the documents, each with the range of its tokens.
    fn ranges(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + '_ {
        let starts = std::iter::once(&0).chain(&self.ends);
        let ranges = starts.zip(&self.ends).map(|(&start, &end)| start as usize..end as usize);
        self.documents.iter().flatten().copied().zip(ranges)
    }

    /// Assigns topics to tokens: tokens that existed before keep theirs, and the others draw one from the
    /// counts, word by word. Returns the number of tokens of each topic.
    pub(crate) fn give_topics(
        &self,
        shards: &mut [DocumentShard],
        blocks: &[Vec<u32>],
        rows: &mut [WordRows],
        seed: u64,
    ) -> Vec<i64> {
        let new = self.give_old(shards, blocks);
        let (mut totals, mut of_documents) = self.kept(shards, &new);
        let words: usize = blocks.iter().map(Vec::len).sum();
        for (number, block) in blocks.iter().enumerate() {
            let mut draws = Stream::new(&[seed, FIRST, number as u64]);
            let mut visits: Vec<Vec<usize>> =
                shards.iter().map(|shard| shard.slices[number].by_word()).collect();
            visits.iter_mut().for_each(|visits| visits.reverse());
            for word in 0..block.len() {
                let mut counts = vec![0_u32; self.topics];
                let mut here = Vec::new();
                for (at, visits) in visits.iter_mut().enumerate() {
                    let slice = &shards[at].slices[number];
                    let Some(visit) = visits.pop_if(|visit| slice.visits[*visit].word as usize == word)
                    else {
                        continue;
                    };
                    let range = slice.tokens(visit);
                    for token in range.clone() {
                        counts[usize::from(slice.topics[token])] += u32::from(!new[at][number][token]);
                    }
                    here.push((at, range));
                }
                for (at, range) in here {
                    for token in range.filter(|&token| new[at][number][token]) {
                        let document = shards[at].slices[number].documents[token];
                        let of_document = of_documents[at][usize::from(document)].get_or_insert_default();
                        let topic = self.draw(&counts, of_document, &totals, words, draws.unit());
                        counts[usize::from(topic)] += 1;
                        totals[usize::from(topic)] += 1;
                        *of_document.entry(topic).or_default() += 1;
                        shards[at].slices[number].topics[token] = topic;
                    }
                }
                let row = (0..).zip(counts).filter(|&(_, count)| count > 0);
                rows[number].put(word, row);
            }
        }
        for shard in shards {
            count_documents(shard, self.topics);
        }
        totals
    }

    /// Counts the topics that are kept: of all tokens, and, shard by shard, of each document that has new
    /// tokens, too.
    fn kept(&self, shards: &[DocumentShard], new: &[Vec<Vec<bool>>]) -> (Vec<i64>, Vec<Vec<Option<Counts>>>) {
        let mut totals = vec![0_i64; self.topics];
        let of_shard = |(shard, new): (&DocumentShard, &Vec<Vec<bool>>)| {
            let tokens = || {
                let slices = shard.slices.iter().zip(new);
                slices.flat_map(|(slice, new)| slice.documents.iter().zip(&slice.topics).zip(new))
            };
            let mut of_documents = vec![None; shard.documents.len()];
            for ((&document, _), _) in tokens().filter(|(_, is_new)| **is_new) {
                of_documents[usize::from(document)].get_or_insert_with(Counts::new);
            }
            for ((&document, &topic), _) in tokens().filter(|(_, is_new)| !**is_new) {
                totals[usize::from(topic)] += 1;
                if let Some(counts) = &mut of_documents[usize::from(document)] {
                    *counts.entry(topic).or_default() += 1;
                }
            }
            of_documents
        };
        let of_documents = shards.iter().zip(new).map(of_shard).collect();
        (totals, of_documents)
    }

    /// Assigns to tokens the topics that they had; returns which tokens are new. If a document has fewer
    /// tokens of a word than before, the lowest topics are kept.
    fn give_old(&self, shards: &mut [DocumentShard], blocks: &[Vec<u32>]) -> Vec<Vec<Vec<bool>>> {
        let places: HashMap<u32, std::ops::Range<usize>> = self.ranges().collect();
        let give = |shard: &mut DocumentShard| -> Vec<Vec<bool>> {
            let DocumentShard { documents, slices, .. } = shard;
            let of_slice =
                |(slice, words): (&mut raddle_kernels::topics::counts::tokens::Slice, &Vec<u32>)| {
                    let mut new = vec![true; slice.topics.len()];
                    for visit in 0..slice.visits.len() {
                        let word = words[slice.visits[visit].word as usize];
                        let range = slice.tokens(visit);
                        let (mut at, end) = (range.start, range.end);
                        while at < end {
                            let document = slice.documents[at];
                            let run = slice.documents[at..end]
                                .iter()
                                .take_while(|&&other| other == document)
                                .count();
                            if let Some(own) = places.get(&documents[usize::from(document)]) {
                                let tokens = &self.words[own.clone()];
                                let first = own.start + tokens.partition_point(|&other| other < word);
                                let had = tokens.partition_point(|&other| other <= word) + own.start - first;
                                for token in 0..run.min(had) {
                                    slice.topics[at + token] = self.names[first + token];
                                    new[at + token] = false;
                                }
                            }
                            at += run;
                        }
                    }
                    new
                };
            slices.iter_mut().zip(blocks).map(of_slice).collect()
        };
        shards.iter_mut().map(give).collect()
    }

    /// Draws a topic with probability proportional to `(n_dk + alpha_k) (n_kw + beta) / (n_k + V beta)`, by a
    /// number from 0 to 1.
    fn draw(&self, of_word: &[u32], of_document: &Counts, totals: &[i64], words: usize, unit: f64) -> u16 {
        let norm = words as f64 * self.beta;
        let weight = |topic: usize| {
            let own = of_document.get(&(topic as u16)).copied().unwrap_or(0);
            let phi = (f64::from(of_word[topic]) + self.beta) / (totals[topic] as f64 + norm);
            (f64::from(own) + self.alpha[topic]) * phi
        };
        let mut sums = Vec::with_capacity(self.topics);
        let mut sum = 0.0;
        for topic in 0..self.topics {
            sum += weight(topic);
            sums.push(sum);
        }
        sums.partition_point(|&below| below <= unit * sum).min(self.topics - 1) as u16
    }
}

/// Counts the topics of a shard's documents.
fn count_documents(shard: &mut DocumentShard, topics: usize) {
    let tokens = shard
        .slices
        .iter()
        .flat_map(|slice| slice.documents.iter().copied().zip(slice.topics.iter().copied()));
    let mut pairs: Vec<(u16, u16)> = tokens.collect();
    pairs.sort_unstable();
    for own in pairs.chunk_by(|a, b| a.0 == b.0) {
        let row = own.chunk_by(|a, b| a == b).map(|same| (u32::from(same[0].1), same.len() as u32));
        shard.rows.put(usize::from(own[0].0), topics, row);
    }
}

/// The documents of each shard, the words of each block, and the place of each word.
pub(crate) struct Assignment {
    pub(crate) documents: Vec<Vec<u32>>,
    pub(crate) blocks: Vec<Vec<u32>>,
    pub(crate) places: Vec<Place>,
}

impl Assignment {
    /// Assigns documents and words: old ones stay where they were, and new ones (training documents with
    /// tokens, and words) go to the shard or block with the fewest tokens.
    pub(crate) fn new(
        carried: &Carried,
        train: &[u32],
        length: impl Fn(u32) -> u64,
        word_counts: &[u64],
    ) -> Self {
        let there = train.iter().copied().filter(|&document| length(document) > 0);
        let mut is_left: HashMap<u32, bool> = there.map(|document| (document, true)).collect();
        let mut take = |document: &u32| is_left.get_mut(document).is_some_and(std::mem::take);
        let mut documents: Vec<Vec<u32>> = carried.documents.clone();
        documents.iter_mut().for_each(|documents| documents.retain(&mut take));
        let tokens = |documents: &Vec<u32>| documents.iter().map(|&document| length(document)).sum::<u64>();
        let mut loads: Vec<u64> = documents.iter().map(tokens).collect();
        for &document in train.iter().filter(|document| is_left.get(document).copied().unwrap_or(false)) {
            let roomy = (0..loads.len()).filter(|&shard| documents[shard].len() < MOST_DOCUMENTS);
            let shard = roomy.min_by_key(|&shard| loads[shard]).unwrap_or_else(|| {
                documents.push(Vec::new());
                loads.push(0);
                loads.len() - 1
            });
            documents[shard].push(document);
            loads[shard] += length(document);
        }
        let mut blocks = carried.blocks.clone();
        let of_block = |words: &Vec<u32>| words.iter().map(|&word| word_counts[word as usize]).sum::<u64>();
        let mut loads: Vec<u64> = blocks.iter().map(of_block).collect();
        let known: usize = blocks.iter().map(Vec::len).sum();
        for (word, &count) in (0..).zip(word_counts).skip(known) {
            let block = (0..loads.len()).min_by_key(|&block| loads[block]).unwrap_or(0);
            // Words ascend within a block, and this one is greater than the old ones.
            blocks[block].push(word);
            loads[block] += count.max(1);
        }
        let mut places = vec![Place::default(); word_counts.len()];
        for (block, words) in (0..).zip(&blocks) {
            for (at, &word) in (0..).zip(words) {
                places[word as usize] = Place { block, at };
            }
        }
        Self { documents, blocks, places }
    }
}
