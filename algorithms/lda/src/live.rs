//! [`LiveCorpus`]: documents that are inserted and retracted, version by version.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug, Formatter};

use raddle::changes::{Delta, Done, Key, Record, Refused, Roster, Rules, Taken, View};
use raddle_datasets::corpus::WITHOUT_WORDS;
use raddle_datasets::{Corpus, Filter, Frequency, RecordCounts, Vocabulary};
use serde::{Deserialize, Serialize};

/// Words that a corpus may have: larger numbers of words without texts are taken for mistakes.
const MOST_WORDS: usize = 1 << 24;

/// A document as the view knows it: its number, and its words with how often they occur.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bag {
    /// The document's number.
    pub document: u32,
    /// (word, count), words ascending.
    pub words: Vec<(u32, u64)>,
}

impl Record for Bag {
    type Id = u32;

    fn id(&self) -> u32 {
        self.document
    }

    fn keys(&self) -> Vec<(Key, u64)> {
        self.words.iter().map(|&(word, count)| (Key::new(0, word), count)).collect()
    }
}

/// One change, by the ids of documents. Those of the corpus to begin with have their numbers from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChange {
    /// A document comes.
    Insert {
        /// Its id, which no document that is there has.
        id: String,
        /// Its words, as texts or, where the corpus has no vocabulary, as numbers from 1; and how often each
        /// occurs.
        words: Vec<(String, u64)>,
    },
    /// A document goes.
    Retract {
        /// Its id.
        id: String,
    },
}

/// Documents that come and go. They and the words keep their numbers; what is new comes behind. Words that
/// too few or too many documents have are left out, and come and go with the documents.
pub struct LiveCorpus {
    /// Without documents.
    base: Corpus,
    texts: Option<Vec<String>>,
    words: HashMap<String, u32>,
    width: usize,
    stop_words: HashSet<String>,
    bags: Vec<Bag>,
    roster: Roster,
    view: View<Bag>,
    is_admitted: Vec<bool>,
    width_before: usize,
}

impl Debug for LiveCorpus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "LiveCorpus({} documents, {:?})", self.roster.count(), self.view)
    }
}

impl LiveCorpus {
    /// From the corpus to begin with, and the words to leave out: by the number of documents that have them,
    /// and by name.
    pub fn new(base: &Corpus, filter: &Filter) -> Self {
        let (least, most) = (filter.min_df, filter.max_df);
        let rules = Rules::default().within(0, move |frequency, all| {
            let frequency = frequency as f64;
            least.is_none_or(|least| frequency >= number(least, all))
                && most.is_none_or(|most| frequency <= number(most, all))
        });
        let texts: Option<Vec<String>> =
            base.vocabulary.as_ref().map(|words| words.iter().map(str::to_owned).collect());
        let mut live = Self {
            words: texts.iter().flatten().cloned().zip(0..).collect(),
            texts,
            width: base.words(),
            stop_words: filter.stop_words.clone(),
            bags: Vec::new(),
            roster: Roster::default(),
            view: View::new(rules),
            is_admitted: Vec::new(),
            width_before: base.words(),
            base: named_as(Corpus::default(), base),
        };
        for document in 0..base.documents() {
            let words = base.document(document).map(|(word, count)| (word, u64::from(count))).collect();
            live.insert((document + 1).to_string(), words);
        }
        live.advance();
        live
    }

    /// Takes changes in, in order: all of them or, where one is refused, none.
    ///
    /// # Errors
    /// If a document is retracted that is not there, one is inserted whose id is, or a word is no number
    /// where the corpus has no vocabulary.
    pub fn apply(&mut self, changes: &[DocumentChange]) -> Result<Taken<Bag>, Refused> {
        self.roster.begin();
        self.width_before = self.width;
        if let Err(refused) = Refused::first(changes, |change| self.change(change)) {
            self.take_back();
            return Err(refused);
        }
        let (inserted, retracted) = self.roster.counts();
        Ok(Taken { inserted, retracted, delta: self.advance() })
    }

    /// Takes the changes back that were taken in last.
    pub fn undo(&mut self) {
        self.take_back();
        self.advance();
    }

    /// The corpus as it is: with all numbers that there ever were, of which those of retracted documents have
    /// no words.
    pub fn corpus(&self) -> Corpus {
        let mut corpus = self.with(
            (0..self.bags.len())
                .map(|at| if self.roster.is_there(at) { self.admitted(at) } else { Vec::new() }),
        );
        // Numbers of retracted documents are no records.
        corpus.records = RecordCounts::of(self.roster.count());
        let without = self.roster.there().filter(|&at| self.admitted(at).is_empty());
        corpus.records.leave_out(WITHOUT_WORDS, without.count());
        corpus
    }

    /// The corpus as it is read from a file of the documents that are there, in their order.
    pub fn as_in_file(&self) -> Corpus {
        self.with(self.roster.there().map(|at| self.admitted(at)))
    }

    /// Corpus with the words that are left out.
    pub fn whole(&self) -> Corpus {
        self.with(self.roster.there().map(|at| self.bags[at].words.clone()))
    }

    /// The ids of all documents that there ever were, by number.
    pub fn ids(&self) -> &[String] {
        self.roster.ids()
    }

    /// The corpus is plain text, so that documents come as text.
    pub fn is_text(&self) -> bool {
        self.base.is_text
    }

    fn with(&self, documents: impl Iterator<Item = Vec<(u32, u64)>>) -> Corpus {
        // All words are below the width.
        let mut corpus =
            named_as(Corpus::from_documents(self.width, documents).unwrap_or_default(), &self.base);
        let texts = self.texts.as_ref();
        corpus.vocabulary = texts.map(|texts| texts.iter().map(String::as_str).collect::<Vocabulary>());
        corpus
    }

    fn admitted(&self, at: usize) -> Vec<(u32, u64)> {
        let is_in = |&&(word, _): &&(u32, u64)| self.is_admitted.get(word as usize).copied().unwrap_or(false);
        self.bags[at].words.iter().filter(is_in).copied().collect()
    }

    fn change(&mut self, change: &DocumentChange) -> Result<(), String> {
        match change {
            DocumentChange::Insert { id, .. } if self.roster.contains(id) => {
                Err(format!("document {id} is there already: retract it first"))
            }
            DocumentChange::Insert { id, words } => {
                let mut bag: HashMap<u32, u64> = HashMap::new();
                for (word, count) in words {
                    if let Some(word) = self.word(word)? {
                        let sum = bag.entry(word).or_default();
                        *sum = sum.saturating_add(*count);
                    }
                }
                let mut bag: Vec<(u32, u64)> = bag.into_iter().filter(|&(_, count)| count > 0).collect();
                if let Some((_, count)) = bag.iter().find(|&&(_, count)| count > u64::from(u32::MAX)) {
                    return Err(format!("the count {count} is beyond 4294967295"));
                }
                bag.sort_unstable();
                self.insert(id.clone(), bag);
                Ok(())
            }
            DocumentChange::Retract { id } => {
                let number = self.roster.retract(id);
                let number =
                    number.ok_or_else(|| format!("there is no document {id} that could be retracted"))?;
                self.view.retract(number.into(), self.bags[number as usize].clone());
                Ok(())
            }
        }
    }

    /// The number of a word, a new one if it has none; none of a stop word.
    fn word(&mut self, word: &str) -> Result<Option<u32>, String> {
        if self.stop_words.contains(word) {
            return Ok(None);
        }
        match &mut self.texts {
            Some(texts) => {
                let next = texts.len() as u32;
                let number = *self.words.entry(word.into()).or_insert_with(|| {
                    texts.push(word.into());
                    next
                });
                self.width = texts.len();
                Ok(Some(number))
            }
            None => {
                let number = word.parse().ok().filter(|number| (1..=MOST_WORDS).contains(number));
                let number = number.ok_or_else(|| {
                    format!(
                        "`{word}` is no word: words have no texts here, but numbers from 1 to {MOST_WORDS}"
                    )
                })?;
                self.width = self.width.max(number);
                Ok(Some(number as u32 - 1))
            }
        }
    }

    fn insert(&mut self, id: String, words: Vec<(u32, u64)>) {
        let stop = |&(word, _): &(u32, u64)| {
            let text = self.texts.as_ref().and_then(|texts| texts.get(word as usize));
            !text.is_some_and(|text| self.stop_words.contains(text))
        };
        let mut merged: Vec<(u32, u64)> = Vec::with_capacity(words.len());
        for (word, count) in words.into_iter().filter(stop) {
            match merged.last_mut() {
                Some((last, sum)) if *last == word => *sum += count,
                _ => merged.push((word, count)),
            }
        }
        let document = self.roster.insert(id);
        let bag = Bag { document, words: merged };
        self.view.insert(document.into(), bag.clone());
        self.bags.push(bag);
    }

    /// Undoes what was done, and tells the view.
    fn take_back(&mut self) {
        for done in self.roster.take_back() {
            match done {
                Done::Inserted(number) => {
                    // It is the last one.
                    if let Some(bag) = self.bags.pop() {
                        self.view.retract(number.into(), bag);
                    }
                }
                Done::Retracted(number) => {
                    self.view.insert(number.into(), self.bags[number as usize].clone());
                }
            }
        }
        self.width = self.width_before;
        if let Some(texts) = &mut self.texts {
            for text in texts.drain(self.width..) {
                self.words.remove(&text);
            }
        }
    }

    fn advance(&mut self) -> Delta<Bag> {
        let delta = self.view.advance();
        self.is_admitted.resize(self.width.max(self.is_admitted.len()), false);
        delta.dropped.iter().for_each(|key| self.is_admitted[key.number as usize] = false);
        delta.admitted.iter().for_each(|key| self.is_admitted[key.number as usize] = true);
        delta
    }
}

/// A frequency as a number of documents, of all there are.
fn number(frequency: Frequency, documents: u64) -> f64 {
    match frequency {
        Frequency::Documents(number) => number as f64,
        Frequency::Fraction(fraction) => fraction * documents as f64,
    }
}

/// A corpus with the name of another, and where that came from.
fn named_as(mut corpus: Corpus, other: &Corpus) -> Corpus {
    corpus.name.clone_from(&other.name);
    (corpus.is_text, corpus.tokenizer) = (other.is_text, other.tokenizer);
    corpus.digest.clone_from(&other.digest);
    corpus.path.clone_from(&other.path);
    corpus.format.clone_from(&other.format);
    corpus
}
