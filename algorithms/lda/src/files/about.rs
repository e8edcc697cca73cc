//! [`Model`]: `model.json`, the metadata of a model.

use raddle::files::VersionOf;
use raddle_datasets::{Corpus, Phrases, Tokenizer, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::model::Fit;
use crate::topic_words::TopicWords;

/// The metadata of a model, `model.json`: what inference needs besides the counts, and how the model was
/// made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Model {
    /// Number of topics, K.
    pub topics: usize,
    /// Number of words, V.
    pub words: usize,
    /// Number of documents of the corpus.
    pub documents: usize,
    /// Number of tokens with a topic.
    pub tokens: u64,
    /// alpha of every topic. The file has one number if all are equal; otherwise they are in `alpha.npy`.
    #[serde(rename = "alpha", with = "short_alpha")]
    pub alpha: Vec<f64>,
    /// beta.
    pub beta: f64,
    /// Priors (word, topic, addition to beta), numbered from 0.
    pub word_priors: Vec<(u32, u32, f32)>,
    /// How the run ended, as in its report.
    pub ending: String,
    /// Epoch of the last evaluation.
    pub evaluated_epoch: Option<u64>,
    /// Perplexity of the validation documents at that epoch, if there are any.
    pub validation_perplexity: Option<f64>,
    /// Perplexity of the test documents at that epoch, if there are any.
    pub test_perplexity: Option<f64>,
    /// The words as texts, if known.
    pub vocabulary: Option<Vec<String>>,
    /// The rule that split texts into words; `None` for bags of words. Old models do not name a rule.
    #[serde(default = "old_rule")]
    pub tokenizer: Option<Tokenizer>,
    /// Pairs of neighbouring words of texts that are read as one, each with a blank between its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// Number of documents that were held out, so that `doc_topic.npz` has no topics of them.
    #[serde(default)]
    pub held_out_documents: u64,
    /// `true` if `documents.txt` has the documents' names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named_documents: bool,
    /// Version of the corpus that the model was fitted to, if the corpus changes.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionOf>,
}

fn old_rule() -> Option<Tokenizer> {
    Some(Tokenizer::of_old_models())
}

/// Returns the number that all elements are equal to, if they are.
pub fn symmetric(alpha: &[f64]) -> Option<f64> {
    alpha.first().copied().filter(|first| alpha.iter().all(|other| other == first))
}

/// Stores a list of equal numbers as one number.
mod short_alpha {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(alpha: &[f64], to: S) -> Result<S::Ok, S::Error> {
        super::symmetric(alpha).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.into_iter().collect())
    }
}

impl Model {
    /// Returns the metadata of a fit with these [counts](Fit::topic_words), with the words of its corpus.
    pub fn new(fit: &Fit, counts: &TopicWords, vocabulary: Option<&Vocabulary>) -> Self {
        let last = fit.evaluations().last();
        Self {
            topics: fit.topics(),
            words: fit.words(),
            documents: fit.documents(),
            tokens: fit.totals().iter().map(|&total| total.unsigned_abs()).sum(),
            alpha: fit.alpha().to_vec(),
            beta: fit.beta(),
            word_priors: counts.priors.clone(),
            ending: fit.report.ending.name().into(),
            evaluated_epoch: last.map(|last| last.epoch),
            validation_perplexity: last.and_then(|last| last.validation),
            test_perplexity: last.and_then(|last| last.test),
            vocabulary: vocabulary.map(|words| words.iter().map(str::to_owned).collect()),
            tokenizer: None,
            phrases: Vec::new(),
            held_out_documents: 0,
            named_documents: false,
            version: None,
        }
    }

    /// Returns the metadata of a fit, with those of the documents in its corpus.
    pub(super) fn of(fit: &Fit, counts: &TopicWords, corpus: &Corpus) -> Self {
        Self {
            tokenizer: corpus.tokenizer,
            phrases: corpus.phrases.clone(),
            held_out_documents: fit.held_out_documents() as u64,
            named_documents: names(corpus).is_some(),
            ..Self::new(fit, counts, corpus.vocabulary.as_ref())
        }
    }

    /// Returns what is wrong with metadata that no model can have, or `None`.
    pub(super) fn fault(&self) -> Option<String> {
        let Self { topics, words, alpha, beta, word_priors, vocabulary, .. } = self;
        let is_prior = |prior: f64| prior.is_finite() && prior > 0.0;
        if *topics == 0 || alpha.len() != *topics || !alpha.iter().chain([beta]).all(|&prior| is_prior(prior))
        {
            return Some(format!("alpha and beta are not {topics} numbers and one, all above 0"));
        }
        if self.tokenizer.is_some_and(|rule| !rule.is_known()) {
            return Some(
                "its texts were divided into words by a rule of a newer version of this program".into(),
            );
        }
        let known = vocabulary.as_ref().map_or(*words, Vec::len);
        if known != *words {
            return Some(format!("the vocabulary has {known} words, not {words}"));
        }
        let is_outside = |&&(word, topic, weight): &&(u32, u32, f32)| {
            word as usize >= *words || topic as usize >= *topics || !is_prior(weight.into())
        };
        let (word, topic, weight) = word_priors.iter().find(is_outside)?;
        Some(format!("the word prior ({word}, {topic}, {weight}) is outside of the model, or not above 0"))
    }

    /// Returns the pairs of words that texts for this model are read with.
    pub fn known_phrases(&self) -> Phrases {
        if self.phrases.is_empty() { Phrases::None } else { Phrases::Known(self.phrases.clone()) }
    }

    /// Returns a word as text, or its number from 1.
    pub fn word(&self, word: u32) -> String {
        let text = self.vocabulary.as_ref().and_then(|words| words.get(word as usize));
        text.cloned().unwrap_or_else(|| format!("word {}", u64::from(word) + 1))
    }
}

/// Returns the names of a corpus's documents, if each has one.
pub(super) fn names(corpus: &Corpus) -> Option<&Vocabulary> {
    corpus.document_names.as_ref().filter(|names| names.len() == corpus.documents())
}
