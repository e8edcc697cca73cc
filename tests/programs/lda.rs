//! Latent Dirichlet allocation by collapsed Gibbs sampling: documents are shards, word ranges are blocks,
//! topic totals are the replica. A second rotation an epoch measures the perplexity of the training words.

use raddle::random::Stream;
use raddle::schedule::Rotation;
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Evaluate, Fold, Metric, Parts, Program, Task, UpdateBlock, Verdict,
    Visibility,
};

/// Purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Train,
    Measure,
}

raddle::state!(
    enum Phase {
        Train,
        Measure,
    }
);
const ALPHA: f64 = 0.5;
const BETA: f64 = 0.1;

pub(crate) struct Lda {
    pub(crate) topics: usize,
    pub(crate) words: usize,
    pub(crate) seed: u64,
    pub(crate) visibility: Visibility,
}

pub(crate) struct Documents {
    /// For each block, (document here, word there) of its tokens, and the topic of each.
    pub(crate) tokens: Vec<Vec<(u32, u32)>>,
    pub(crate) topics: Vec<Vec<u32>>,
    /// Number of each document's tokens here that have each topic.
    pub(crate) counts: Vec<u32>,
}

/// Number of tokens of each of the block's words that have each topic.
pub(crate) struct Words {
    pub(crate) counts: Vec<u32>,
}

/// Topic totals, or how they change, with log likelihoods and how many words they are of.
#[derive(Clone)]
pub(crate) struct Totals {
    pub(crate) topics: Vec<i64>,
    pub(crate) log_likelihood: f64,
    pub(crate) measured: u64,
}

raddle::state!(Documents { tokens, topics, counts });
raddle::state!(Words { counts });
raddle::state!(Totals { topics, log_likelihood, measured });

impl Totals {
    fn zero(topics: usize) -> Self {
        Self { topics: vec![0; topics], log_likelihood: 0.0, measured: 0 }
    }
    fn add(&mut self, other: &Self) {
        for (sum, part) in self.topics.iter_mut().zip(&other.topics) {
            *sum += part;
        }
        self.log_likelihood += other.log_likelihood;
        self.measured += other.measured;
    }
}

impl Lda {
    fn sample(
        &self,
        task: &Task<Phase>,
        shard: &mut Documents,
        words: &mut Words,
        replica: &Totals,
    ) -> Totals {
        let block = task.block.unwrap();
        let mut stream = task.stream(self.seed);
        let mut totals = replica.topics.clone();
        let mut mass = vec![0.0; self.topics];
        let tokens = shard.tokens[block as usize].iter().zip(&mut shard.topics[block as usize]);
        for (&(document, word), topic) in tokens {
            let documents = &mut shard.counts[document as usize * self.topics..][..self.topics];
            let words = &mut words.counts[word as usize * self.topics..][..self.topics];
            let mut count = |topic: u32, by: i64| {
                let topic = topic as usize;
                documents[topic] = documents[topic].wrapping_add_signed(by as i32);
                words[topic] = words[topic].wrapping_add_signed(by as i32);
                totals[topic] += by;
            };
            count(*topic, -1);
            let mut sum = 0.0;
            for k in 0..self.topics {
                let total = totals[k] as f64 + self.words as f64 * BETA;
                sum += (f64::from(documents[k]) + ALPHA) * (f64::from(words[k]) + BETA) / total;
                mass[k] = sum;
            }
            let point = stream.unit() * sum;
            *topic = mass.iter().position(|&mass| point < mass).unwrap_or(self.topics - 1) as u32;
            let mut count = |topic: u32| {
                let topic = topic as usize;
                documents[topic] += 1;
                words[topic] += 1;
                totals[topic] += 1;
            };
            count(*topic);
        }
        let moved = totals.iter().zip(&replica.topics).map(|(after, before)| after - before);
        Totals { topics: moved.collect(), ..Totals::zero(0) }
    }

    fn measure(&self, task: &Task<Phase>, shard: &Documents, words: &Words, replica: &Totals) -> Totals {
        let mut measured = Totals::zero(self.topics);
        for &(document, word) in &shard.tokens[task.block.unwrap() as usize] {
            let documents = &shard.counts[document as usize * self.topics..][..self.topics];
            let words = &words.counts[word as usize * self.topics..][..self.topics];
            let length: u32 = documents.iter().sum();
            let likelihood: f64 = (0..self.topics)
                .map(|k| {
                    let in_document =
                        (f64::from(documents[k]) + ALPHA) / (f64::from(length) + self.topics as f64 * ALPHA);
                    let total = replica.topics[k] as f64 + self.words as f64 * BETA;
                    in_document * (f64::from(words[k]) + BETA) / total
                })
                .sum();
            measured.log_likelihood += likelihood.ln();
            measured.measured += 1;
        }
        measured
    }
}

impl Program for Lda {
    raddle::program!(
        Shard = Documents, Block = Words, Replica = Totals, Partial = Totals, Phase = Phase;
        update_block, fold
    );

    fn visibility(&self) -> Visibility {
        self.visibility
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Totals {
        let mut sum = Totals::zero(self.topics);
        for partial in at.partials {
            sum.add(&partial);
        }
        sum
    }

    fn commit(&self, change: &Totals, replica: &mut Totals) {
        // A measure of an earlier state is out of date.
        if self.visibility == Visibility::AtBoundary || change.measured == 0 {
            (replica.log_likelihood, replica.measured) = (0.0, 0);
        }
        replica.add(change);
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Totals {
        Totals::zero(0)
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Totals> {
        if at.replica.measured == 0 {
            return Verdict::unmeasured("perplexity", "training data");
        }
        let perplexity = (-at.replica.log_likelihood / at.replica.measured as f64).exp();
        Verdict::new(Metric::new("perplexity", perplexity, "training data"))
    }
}

impl UpdateBlock for Lda {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Totals {
        let BlockTaskOf { task, shard, block: words, replica, .. } = at;
        match task.phase {
            Phase::Measure => self.measure(task, shard, words, replica),
            Phase::Train => self.sample(task, shard, words, replica),
        }
    }
}

impl Fold for Lda {
    fn fold(&self, so_far: &mut Totals, next: Totals) {
        so_far.add(&next);
    }
}

/// Documents about one or two of four themes, each theme with words of its own.
pub(crate) struct Problem {
    pub(crate) shards: u32,
    pub(crate) blocks: u32,
    pub(crate) seed: u64,
    pub(crate) visibility: Visibility,
}

const THEMES: usize = 4;
const WORDS_PER_BLOCK: usize = 10;
pub(crate) const DOCUMENTS_PER_SHARD: usize = 8;
const LENGTH: usize = 30;

impl Problem {
    pub(crate) fn parts(&self) -> (Lda, Parts<Lda>) {
        let (topics, blocks) = (THEMES + 1, self.blocks as usize);
        let words = WORDS_PER_BLOCK * blocks;
        let mut stream = Stream::new(&[self.seed]);
        let mut totals = Totals::zero(topics);
        let mut held: Vec<Words> =
            (0..blocks).map(|_| Words { counts: vec![0; WORDS_PER_BLOCK * topics] }).collect();
        let mut shard = |_| {
            let mut shard = Documents {
                tokens: vec![Vec::new(); blocks],
                topics: vec![Vec::new(); blocks],
                counts: vec![0; DOCUMENTS_PER_SHARD * topics],
            };
            for document in 0..DOCUMENTS_PER_SHARD {
                let themes = [stream.below(THEMES), stream.below(THEMES)];
                for _ in 0..LENGTH {
                    let theme = themes[stream.below(2)];
                    let word = theme + THEMES * stream.below(words / THEMES);
                    let (block, word, topic) =
                        (word / WORDS_PER_BLOCK, word % WORDS_PER_BLOCK, stream.below(topics));
                    shard.tokens[block].push((document as u32, word as u32));
                    shard.topics[block].push(topic as u32);
                    shard.counts[document * topics + topic] += 1;
                    held[block].counts[word * topics + topic] += 1;
                    totals.topics[topic] += 1;
                }
            }
            shard
        };
        let shards = (0..self.shards).map(&mut shard).collect();
        let program = Lda { topics, words, seed: self.seed, visibility: self.visibility };
        (program, Parts { shards, blocks: held, pinned: (), replica: totals })
    }

    pub(crate) fn schedule(&self) -> Rotation<Phase> {
        Rotation::new(self.shards, self.blocks).phase(Phase::Train).then(Phase::Measure)
    }
}
