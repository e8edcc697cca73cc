//! A naive sampler for the start of a version of a corpus: plain loops over every token, dense counts.

use std::collections::BTreeMap;

use raddle::random::Stream;

use crate::data::carried::Carried;

/// Documents as (word, count) pairs, by number; no document has a word twice.
pub(super) type Documents = Vec<Vec<(u32, u64)>>;

/// The shards, the blocks, and the topics of all tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Naive {
    pub(super) shards: Vec<Vec<u32>>,
    pub(super) blocks: Vec<Vec<u32>>,
    /// Topics of each word of each document, ascending.
    pub(super) topics: BTreeMap<(u32, u32), Vec<u16>>,
    pub(super) alpha: Vec<f64>,
    pub(super) beta: f64,
}

/// The fates of the tokens of old documents.
#[derive(Debug, Default)]
pub(super) struct Fates {
    pub(super) kept: usize,
    pub(super) gone: usize,
    pub(super) drawn: usize,
    pub(super) drawn_in_new_documents: usize,
}

impl Naive {
    pub(super) fn of(carried: &Carried) -> Self {
        let mut topics: BTreeMap<(u32, u32), Vec<u16>> = BTreeMap::new();
        for (document, word, topic) in carried.tokens() {
            topics.entry((document, word)).or_default().push(topic);
        }
        topics.values_mut().for_each(|topics| topics.sort_unstable());
        let (shards, blocks) = (carried.documents.clone(), carried.blocks.clone());
        Self { shards, blocks, topics, alpha: carried.alpha.clone(), beta: carried.beta }
    }

    /// Counts each topic among the tokens for which `is_asked(document, word)` returns `true`.
    pub(super) fn count(&self, is_asked: impl Fn(u32, u32) -> bool) -> Vec<i64> {
        let mut counts = vec![0; self.alpha.len()];
        for (&(document, word), topics) in &self.topics {
            if is_asked(document, word) {
                topics.iter().for_each(|&topic| counts[usize::from(topic)] += 1);
            }
        }
        counts
    }

    /// Returns the start of the next version, with the documents for which `is_trained` returns `true` and
    /// `width` words.
    pub(super) fn next(
        &self,
        documents: &Documents,
        width: usize,
        is_trained: impl Fn(u32) -> bool,
        seed: u64,
    ) -> (Self, Fates) {
        let length = |document: u32| documents[document as usize].iter().map(|pair| pair.1).sum::<u64>();
        let is_there = |document: u32| is_trained(document) && length(document) > 0;
        let mut next = Self { topics: BTreeMap::new(), ..self.clone() };
        // Documents stay in their shards; new ones go to the shard with the fewest tokens, the first of equal
        // ones.
        next.shards.iter_mut().for_each(|shard| shard.retain(|&document| is_there(document)));
        for document in (0..documents.len() as u32).filter(|&document| is_there(document)) {
            if !next.shards.iter().flatten().any(|&other| other == document) {
                let load = |shard: &Vec<u32>| shard.iter().map(|&document| length(document)).sum::<u64>();
                next.shards.iter_mut().min_by_key(|shard| load(shard)).unwrap().push(document);
            }
        }
        // The same goes for words; a new word without tokens counts as one token.
        let mut tokens = vec![0; width];
        for &document in next.shards.iter().flatten() {
            documents[document as usize].iter().for_each(|&(word, count)| tokens[word as usize] += count);
        }
        let known = self.blocks.iter().flatten().count();
        for word in known..width {
            let one = |&word: &u32| match (word as usize) < known {
                true => tokens[word as usize],
                false => tokens[word as usize].max(1),
            };
            let load = |block: &Vec<u32>| block.iter().map(one).sum::<u64>();
            next.blocks.iter_mut().min_by_key(|block| load(block)).unwrap().push(word as u32);
        }
        let fates = next.keep(self, documents);
        next.draw(documents, width, seed);
        (next, fates)
    }

    /// Old tokens keep their topics. If a document has fewer tokens of a word now, the lowest topics are
    /// kept.
    fn keep(&mut self, before: &Self, documents: &Documents) -> Fates {
        let mut fates = Fates::default();
        for &document in self.shards.iter().flatten() {
            let was_there = before.shards.iter().flatten().any(|&other| other == document);
            for &(word, count) in &documents[document as usize] {
                let had = before.topics.get(&(document, word)).cloned().unwrap_or_default();
                let kept = had[..had.len().min(count as usize)].to_vec();
                fates.kept += kept.len();
                let drawn = count as usize - kept.len();
                fates.drawn += if was_there { drawn } else { 0 };
                fates.drawn_in_new_documents += if was_there { 0 } else { drawn };
                self.topics.insert((document, word), kept);
            }
        }
        let stays = |document: u32| self.shards.iter().flatten().any(|&other| other == document);
        let had = before.topics.iter().filter(|((document, _), _)| stays(*document));
        fates.gone = had.map(|(_, topics)| topics.len()).sum::<usize>() - fates.kept;
        fates
    }

    /// All other tokens draw a topic from the counts of those that have one: block by block, each from its
    /// own stream, word by word, and for each word by shard and document.
    fn draw(&mut self, documents: &Documents, width: usize, seed: u64) {
        let first = u64::from(u32::from_be_bytes(*b"firs"));
        let mut all = self.count(|_, _| true);
        for (number, block) in (0..).zip(self.blocks.clone()) {
            let mut stream = Stream::new(&[seed, first, number]);
            for word in block {
                for document in self.shards.concat() {
                    let pair = documents[document as usize].iter().find(|pair| pair.0 == word);
                    let missing =
                        pair.map_or(0, |pair| pair.1 as usize - self.topics[&(document, word)].len());
                    for _ in 0..missing {
                        let of_word = self.count(|_, other| other == word);
                        let of_document = self.count(|other, _| other == document);
                        let weights: Vec<f64> = (0..self.alpha.len())
                            .map(|k| {
                                let phi = (of_word[k] as f64 + self.beta)
                                    / (all[k] as f64 + width as f64 * self.beta);
                                (of_document[k] as f64 + self.alpha[k]) * phi
                            })
                            .collect();
                        let mut left = stream.unit() * weights.iter().sum::<f64>();
                        let mut topic = 0;
                        while topic + 1 < weights.len() && left >= weights[topic] {
                            left -= weights[topic];
                            topic += 1;
                        }
                        all[topic] += 1;
                        let topics = self.topics.get_mut(&(document, word)).unwrap();
                        topics.push(topic as u16);
                        topics.sort_unstable();
                    }
                }
            }
        }
    }
}
