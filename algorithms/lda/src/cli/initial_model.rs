//! The initial model, which `--init` names.

use std::collections::HashMap;
use std::path::Path;

use raddle_cli::{Error, count};
use raddle_datasets::{Corpus, Tokenizer};
use raddle_lda::TopicWords;
use raddle_lda::files::{Model, Saved};

use super::left_out::LeftOut;

/// The initial model, converted to the words of the corpus.
pub(crate) struct InitialCounts {
    /// Number of topics, K.
    pub(crate) topics: usize,
    /// The rule that split its texts into words.
    pub(crate) tokenizer: Option<Tokenizer>,
    /// Counts (word, topic, tokens).
    pub(crate) counts: Vec<(u32, u32, u32)>,
    pub(crate) digest: String,
    /// Note on words of the model that the documents lack.
    pub(crate) note: Option<String>,
}

/// The initial model as it was read.
pub(crate) struct InitialModel<'a> {
    folder: &'a Path,
    pub(crate) model: Model,
    counts: TopicWords,
    digest: String,
}

impl<'a> InitialModel<'a> {
    pub(crate) fn read(folder: &'a Path) -> Result<Self, Error> {
        let opened = Saved::open(folder)?;
        let digest = opened.folder().digest().to_owned();
        Ok(Self { folder, model: opened.model, counts: opened.counts, digest })
    }

    /// Converts the model to the corpus. Words that only the model has are added to the corpus, except those
    /// that options left out of it.
    pub(crate) fn over(
        self,
        corpus: &mut Corpus,
        left_out: &LeftOut,
        asked: Option<usize>,
    ) -> Result<InitialCounts, Error> {
        let Self { folder, model, counts, digest } = self;
        let refuse = |why: &str| Error::input(format!("--init {}: {why}", folder.display()));
        if let Some(asked) = asked.filter(|&asked| asked != model.topics) {
            let (folder, has) = (folder.display(), model.topics);
            return Err(Error::usage(format!(
                "--topics {asked}: the model of --init {folder} has {has}; leave the option out"
            )));
        }
        let before = corpus.words();
        let places = places(&model, corpus, left_out).map_err(|why| refuse(&why))?;
        if !places.iter().flatten().any(|&place| (place as usize) < before) {
            return Err(refuse("the corpus has no word of that model"));
        }
        let (mut known, mut tokens) = (Vec::with_capacity(counts.counts.len()), 0);
        for topic in 0..counts.topics() {
            for (word, count) in counts.topic(topic) {
                if let Some(place) = places[word as usize] {
                    known.push((place, topic as u32, count));
                    tokens += if place as usize >= before { u64::from(count) } else { 0 };
                }
            }
        }
        let kept = (corpus.words() - before) as u64;
        let note = (kept > 0).then(|| {
            let (words, tokens) = (count(kept, "word"), count(tokens, "token"));
            format!("kept from {}: {words} that these documents lack, with {tokens}", folder.display())
        });
        Ok(InitialCounts { topics: model.topics, tokenizer: model.tokenizer, counts: known, digest, note })
    }
}

/// Returns the corpus's number of each word of the model; `None` for a word that was left out.
fn places(model: &Model, corpus: &mut Corpus, left_out: &LeftOut) -> Result<Vec<Option<u32>>, String> {
    let all = 0..model.words as u32;
    let text = |word: u32| model.vocabulary.as_ref().and_then(|words| words.get(word as usize));
    if model.vocabulary.is_none() || corpus.vocabulary.is_none() {
        let one_has = model.vocabulary.is_some() || corpus.vocabulary.is_some();
        if one_has && corpus.words() != model.words {
            return Err(format!(
                "it has {} words, the corpus {}, and they cannot be matched by text: give the words with \
                 --vocab FILE",
                model.words,
                corpus.words()
            ));
        }
        if let Some(words) = &model.vocabulary {
            corpus.vocabulary = Some(words.iter().map(String::as_str).collect());
        }
        corpus.add_words((corpus.words()..model.words).map(|_| ""));
        return Ok(all.map(|word| Some(word).filter(|&word| !left_out.has(word, None))).collect());
    }
    let mut numbers: HashMap<String, u32> =
        corpus.vocabulary.iter().flat_map(|words| words.iter().map(str::to_owned).zip(0..)).collect();
    let mut place = |word: u32| {
        let text = text(word)?;
        if left_out.has(word, Some(text)) {
            return None;
        }
        let next = corpus.words() as u32;
        Some(*numbers.entry(text.clone()).or_insert_with(|| {
            corpus.add_words([text.as_str()]);
            next
        }))
    };
    Ok(all.map(&mut place).collect())
}
