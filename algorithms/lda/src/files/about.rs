//! [`Model`]: `model.json`, the facts of a model beside its counts.

use raddle::files::VersionOf;
use raddle_datasets::{Corpus, Tokenizer, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::model::Fit;
use crate::topic_words::TopicWords;

/// Facts about a model, `model.json`: those that inference needs beside the counts, and how the model came
/// about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Model {
    /// Number of topics, K.
    pub topics: usize,
    /// Number of words, V.
    pub words: usize,
    /// Number of documents of the corpus.
    pub documents: usize,
    /// Tokens that have a topic.
    pub tokens: u64,
    /// alpha of every topic; in the file one number if it is the same, else nothing, and `alpha.npy` has
    /// them.
    #[serde(rename = "alpha", with = "short_alpha")]
    pub alpha: Vec<f64>,
    /// beta.
    pub beta: f64,
    /// (word, topic, what was added to beta), from 0.
    pub word_priors: Vec<(u32, u32, f32)>,
    /// End of the run, as in its report.
    pub ending: String,
    /// Epoch after which it was evaluated last.
    pub evaluated_epoch: Option<u64>,
    /// Perplexity of the validation documents then, if there are some.
    pub validation_perplexity: Option<f64>,
    /// Perplexity of the test documents then, if there are some.
    pub test_perplexity: Option<f64>,
    /// The words as text, if they are known.
    pub vocabulary: Option<Vec<String>>,
    /// The rule that divided texts into words; none of bags of words. Models before there was a choice name
    /// none.
    #[serde(default = "old_rule")]
    pub tokenizer: Option<Tokenizer>,
    /// Documents that were not trained on, so that `doc_topic.npz` has no topics of them.
    #[serde(default)]
    pub held_out_documents: u64,
    /// `documents.txt` has the documents' names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named_documents: bool,
    /// Of a corpus that changes: which version of it the model is of.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionOf>,
}

fn old_rule() -> Option<Tokenizer> {
    Some(Tokenizer::of_old_models())
}

/// Number that all of a list are, if they are.
pub fn symmetric(alpha: &[f64]) -> Option<f64> {
    alpha.first().copied().filter(|first| alpha.iter().all(|other| other == first))
}

/// A list of equal numbers as one.
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
    /// That of a fit with these [counts](Fit::topic_words), by the words of its corpus.
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
            held_out_documents: 0,
            named_documents: false,
            version: None,
        }
    }

    /// That of a fit of a corpus, with all that this says of its documents.
    pub(super) fn of(fit: &Fit, counts: &TopicWords, corpus: &Corpus) -> Self {
        Self {
            tokenizer: corpus.tokenizer,
            held_out_documents: fit.held_out_documents() as u64,
            named_documents: names(corpus).is_some(),
            ..Self::new(fit, counts, corpus.vocabulary.as_ref())
        }
    }

    /// Flaw of a description that no model can have, if there is one.
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

    /// A word as text, or its number from 1.
    pub fn word(&self, word: u32) -> String {
        let text = self.vocabulary.as_ref().and_then(|words| words.get(word as usize));
        text.cloned().unwrap_or_else(|| format!("word {}", u64::from(word) + 1))
    }
}

/// Names of a corpus's documents, if each has one.
pub(super) fn names(corpus: &Corpus) -> Option<&Vocabulary> {
    corpus.document_names.as_ref().filter(|names| names.len() == corpus.documents())
}
