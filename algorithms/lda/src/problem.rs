//! [`Problem`]: a corpus dealt to shards and blocks, with the documents that are held out.

use raddle_datasets::{Completion, Corpus, is_test_document, is_validation_document};

use crate::error::LdaError;
use crate::held_out::HeldOut;
use crate::layout::{Layout, Place, shards_for};
use crate::rows::{DENSE, DocumentRows, Packing, WordRows};
use crate::shard::DocumentShard;

/// Of a held-out set, so many documents are scored: the first ones that have something to score.
const SCORED: usize = 1_000;

/// Tokens of one word that a count kept as `f32` tells apart.
const MOST_TOKENS: u64 = 1 << 24;

/// Documents that are not trained on.
#[derive(Debug, Clone, Default)]
pub enum Held {
    /// None.
    #[default]
    None,
    /// The part of the documents that a hash of their numbers takes.
    Fraction(f64),
    /// The test documents of the split that comparisons share: [`is_test_document`].
    Split,
    /// Those of another corpus over the same words.
    Corpus(Box<Corpus>),
}

/// How a corpus is prepared.
#[derive(Debug, Clone)]
pub struct Preparation {
    /// Documents whose perplexity ends the run.
    pub validation: Held,
    /// Documents whose perplexity is measured, and ends the run if it has a target.
    pub test: Held,
    /// How many shards the documents are dealt to; from the number of tokens unless given. A shard has at most 65,536
    /// documents: where that needs more shards, there are more.
    pub shards: Option<usize>,
    /// How many blocks the words are dealt to; twice the shards unless given.
    pub blocks: Option<usize>,
    /// Names the order in which documents are dealt.
    pub seed: u64,
}

impl Default for Preparation {
    fn default() -> Self {
        Self { validation: Held::Fraction(0.05), test: Held::None, shards: None, blocks: None, seed: 42 }
    }
}

/// A corpus dealt to shards and blocks: what [`Lda::fit`](crate::Lda::fit) takes.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) shards: Vec<DocumentShard>,
    /// The words of each block.
    pub(crate) blocks: Vec<Vec<u32>>,
    pub(crate) word_counts: Vec<u64>,
    pub(crate) places: Vec<Place>,
    pub(crate) tokens: u64,
    /// Names of the held-out sets, in the order of their numbers.
    pub(crate) sets: Vec<&'static str>,
    documents: usize,
    longest: u64,
}

impl Problem {
    /// Deals a corpus out.
    ///
    /// # Errors
    /// If no token is left to train on, a held-out corpus has other words, or a word or a document has more tokens than
    /// can be counted.
    pub fn new(corpus: &Corpus, preparation: &Preparation) -> Result<Self, LdaError> {
        let Preparation { validation, test, shards, blocks, seed } = preparation;
        let (mut sets, mut held_out) = (Vec::new(), Vec::new());
        for (name, held) in [("validation documents", validation), ("test documents", test)] {
            if !matches!(held, Held::None) {
                let documents = scored(corpus, held, test)?;
                held_out.extend(documents.into_iter().map(|halves| (sets.len() as u8, halves)));
                sets.push(name);
            }
        }
        let is_train = |&document: &u32| !is_held(validation, document) && !is_held(test, document);
        let train: Vec<u32> = (0..corpus.documents() as u32).filter(is_train).collect();
        let tokens: u64 = train.iter().map(|&document| corpus.length(document as usize)).sum();
        if tokens == 0 {
            return Err(LdaError::Empty {
                documents: corpus.documents(),
                held_out: corpus.documents() - train.len(),
            });
        }
        let shards = shards.unwrap_or_else(|| shards_for(tokens));
        let blocks = blocks.unwrap_or(2 * shards);
        let Layout { mut shards, blocks, word_counts, places, tokens } =
            Layout::new(corpus, train, shards, blocks, *seed);
        if let Some(word) = word_counts.iter().position(|&count| count >= MOST_TOKENS) {
            return Err(LdaError::Word {
                word: corpus.word(word as u32),
                tokens: word_counts[word],
                most: MOST_TOKENS,
            });
        }
        let count = shards.len();
        for (number, shard) in shards.iter_mut().enumerate() {
            // Dealt in turn, so that every shard has as many to score.
            let some: Vec<(u8, Completion)> = held_out.iter().skip(number).step_by(count).cloned().collect();
            shard.held_out = HeldOut::new(&some, &places, blocks.len());
        }
        let longest = shards.iter().flat_map(|shard| (0..shard.documents.len()).map(|at| shard.length(at)));
        let longest = longest.max().unwrap_or(0);
        Ok(Self { shards, blocks, word_counts, places, tokens, sets, documents: corpus.documents(), longest })
    }

    /// Number of documents of the corpus, held-out ones included.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Number of words of the corpus, V.
    pub fn words(&self) -> usize {
        self.word_counts.len()
    }

    /// Number of tokens that are trained on.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Number of shards.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Makes room for the topic counts of every document and word.
    pub(crate) fn make_rows(&mut self, topics: usize) -> Result<Vec<WordRows>, LdaError> {
        // A dense row counts with 16 bits.
        let dense = topics <= DENSE && self.longest <= u64::from(u16::MAX);
        let most = u64::from(Packing::of(topics).most());
        if !dense && self.longest > most {
            return Err(LdaError::Document { tokens: self.longest, most, topics });
        }
        for shard in &mut self.shards {
            let lengths: Vec<u64> = (0..shard.documents.len()).map(|at| shard.length(at)).collect();
            let rows = DocumentRows::new(lengths.into_iter(), topics, dense);
            shard.rows = rows.ok_or(LdaError::Shard { documents: shard.documents.len() })?;
        }
        let counts = |words: &Vec<u32>| {
            let counts: Vec<u64> = words.iter().map(|&word| self.word_counts[word as usize]).collect();
            WordRows::new(counts.into_iter(), topics)
        };
        Ok(self.blocks.iter().map(counts).collect())
    }
}

/// Whether a document of the corpus is held out.
fn is_held(held: &Held, document: u32) -> bool {
    match held {
        Held::Fraction(fraction) => is_validation_document(document as usize, *fraction),
        Held::Split => is_test_document(document as usize),
        Held::None | Held::Corpus(_) => false,
    }
}

/// The halves of a set's documents; what belongs to the test set is not validated on.
fn scored(corpus: &Corpus, held: &Held, test: &Held) -> Result<Vec<Completion>, LdaError> {
    let from = match held {
        Held::Corpus(other) if other.words() != corpus.words() => {
            return Err(LdaError::Words { words: other.words(), expected: corpus.words() });
        }
        Held::Corpus(other) => other,
        _ => corpus,
    };
    let belongs = |&document: &usize| match held {
        Held::Corpus(_) => true,
        Held::Fraction(_) => is_held(held, document as u32) && !is_held(test, document as u32),
        _ => is_held(held, document as u32),
    };
    let halves = (0..from.documents())
        .filter(belongs)
        .take(SCORED)
        .map(|document| Completion::of(from.document(document)));
    Ok(halves.filter(|halves| !halves.scored.is_empty()).collect())
}
