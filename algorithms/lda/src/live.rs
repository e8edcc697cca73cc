//! [`LiveCorpus`]: documents that are inserted and retracted, version by version.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug, Formatter};

use raddle::changes::{Delta, Done, Key, Record, Refused, Roster, Rules, Taken, View};
use raddle_datasets::corpus::WITHOUT_WORDS;
use raddle_datasets::{Corpus, Filter, Frequency, RecordCounts, Vocabulary};
use serde::{Deserialize, Serialize};

/// Limit on the words of a corpus: a word without text that has a larger number is taken for a mistake.
const MOST_WORDS: usize = 1 << 24;

/// A document as the view has it: its number, and the counts of its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bag {
    /// Number of the document.
    pub document: u32,
    /// Pairs (word, count), with ascending words.
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

/// A change to a document, given by its id. Documents of the initial corpus have their numbers from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChange {
    /// Inserts a document.
    Insert {
        /// Id, which no current document has.
        id: String,
        /// Words with their counts; a word is a text or, if the corpus has no vocabulary, a number from 1.
        words: Vec<(String, u64)>,
    },
    /// Retracts a document.
    Retract {
        /// Id of the document.
        id: String,
    },
}

/// A corpus whose documents are inserted and retracted. Documents and words keep their numbers, and new ones
/// get the next. Words in too few or too many documents are left out, which may change with the documents.
pub struct LiveCorpus {
    /// The initial corpus without its documents.
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
    /// Starts with a corpus; `filter` leaves words out, by the number of documents that have them and by
    /// name.
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

    /// Applies changes in order: all of them, or none if one is refused.
    ///
    /// # Errors
    /// If a retracted document does not exist, an inserted one has an id in use, or a word is not a number
    /// although the corpus has no vocabulary.
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

    /// Undoes the last changes.
    pub fn undo(&mut self) {
        self.take_back();
        self.advance();
    }

    /// Returns the current corpus with the numbers of all documents that ever existed; retracted ones have no
    /// words.
    pub fn corpus(&self) -> Corpus {
        let mut corpus = self.with(
            (0..self.bags.len())
                .map(|at| if self.roster.is_there(at) { self.admitted(at) } else { Vec::new() }),
        );
        // Retracted documents are no records.
        corpus.records = RecordCounts::of(self.roster.count());
        let without = self.roster.there().filter(|&at| self.admitted(at).is_empty());
        corpus.records.leave_out(WITHOUT_WORDS, without.count());
        corpus
    }

    /// Returns the corpus that a reader would make of a file with the current documents, in order.
    pub fn as_in_file(&self) -> Corpus {
        self.with(self.roster.there().map(|at| self.admitted(at)))
    }

    /// Returns the current corpus without leaving words out.
    pub fn whole(&self) -> Corpus {
        self.with(self.roster.there().map(|at| self.bags[at].words.clone()))
    }

    /// Returns the ids of all documents that ever existed, by number.
    pub fn ids(&self) -> &[String] {
        self.roster.ids()
    }

    /// Returns `true` if the corpus is plain text, so that documents are inserted as text.
    pub fn is_text(&self) -> bool {
        self.base.is_text
    }

    fn with(&self, documents: impl Iterator<Item = Vec<(u32, u64)>>) -> Corpus {
        // Never fails, as all words are below the width.
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

    /// Returns the number of a word, adding the word if it is new; `None` for a stop word.
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

    /// Undoes the last changes, in the view, too.
    fn take_back(&mut self) {
        for done in self.roster.take_back() {
            match done {
                Done::Inserted(number) => {
                    // The document is the last one.
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

/// Returns the number of documents that a frequency means.
fn number(frequency: Frequency, documents: u64) -> f64 {
    match frequency {
        Frequency::Documents(number) => number as f64,
        Frequency::Fraction(fraction) => fraction * documents as f64,
    }
}

/// Returns a corpus with the name and source of another.
fn named_as(mut corpus: Corpus, other: &Corpus) -> Corpus {
    corpus.name.clone_from(&other.name);
    (corpus.is_text, corpus.tokenizer) = (other.is_text, other.tokenizer);
    corpus.digest.clone_from(&other.digest);
    corpus.path.clone_from(&other.path);
    corpus.format.clone_from(&other.format);
    corpus
}
