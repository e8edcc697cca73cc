//! Checks the ranges of parameters.

use crate::data::layout::MOST_TOKENS;
use crate::data::problem::Problem;
use crate::error::LdaError;
use crate::params::{Lda, MOST_TOPICS};

impl Lda {
    /// Checks that the parameters are in their ranges for this problem.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), LdaError> {
        let refuse = |name, value: String, range| Err(LdaError::Parameter { name, value, range });
        if !(1..=MOST_TOPICS).contains(&self.topics) {
            return refuse("topics", self.topics.to_string(), "give 1 to 65536");
        }
        for (name, value) in [("alpha", self.alpha.unwrap_or(1.0)), ("beta", self.beta)] {
            if !(1e-6..=1e3).contains(&value) {
                return refuse(name, short(value), "give a number from 1e-6 to 1000");
            }
        }
        if let Some(factor) = self.beta_anneal.filter(|factor| !(1.0..=1e3).contains(factor)) {
            return refuse("beta-anneal", short(factor), "give a number from 1 (no annealing) to 1000");
        }
        if let Some(target) = self.target.filter(|target| !(target.is_finite() && *target > 1.0)) {
            return refuse("target", short(target), "a perplexity is larger than 1");
        }
        if self.evaluate_every == Some(0) {
            return refuse("evaluate-every", "0".into(), "give 1 or more epochs");
        }
        if self.epochs == Some(0) {
            return refuse("epochs", "0".into(), "give 1 or more");
        }
        let is_outside =
            |word: u32, topic: u32| word as usize >= problem.words() || topic as usize >= self.topics;
        let place = |word: u32, topic: u32| format!("word {word}, topic {topic}");
        let expected = "give words of the corpus, and topics from 0 to below K";
        for &(word, topic, count) in self.init.iter().flatten() {
            if is_outside(word, topic) {
                return refuse("init", place(word, topic), expected);
            }
            if !(1..MOST_TOKENS).contains(&count.into()) {
                return refuse("init", count.to_string(), "a word has 1 to 16777215 tokens in a topic");
            }
        }
        for &(word, topic, weight) in &self.word_priors {
            if is_outside(word, topic) {
                return refuse("word-priors", place(word, topic), expected);
            }
            if !(weight.is_finite() && weight > 0.0) {
                return refuse("word-priors", short(weight.into()), "weights are numbers above 0");
            }
        }
        Ok(())
    }
}

/// Formats a number without hundreds of zeros.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}
