//! [`WordArgs`]: options for splitting texts into words, and the rule of a model.

use clap::Args;
use raddle_cli::{Error, between};
use raddle_datasets::{Corpus, Tokenizer, Words};
use serde::Serialize;

/// Limit on the minimum of letters in a word.
const MOST: usize = 50;

/// Options for splitting texts into words.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub(crate) struct WordArgs {
    /// Split texts into words: at the word boundaries of Unicode's Annex 29, or at blanks only, for texts
    /// that are segmented already, as by jieba, MeCab or PyThaiNLP. Default: unicode; with a fitted model,
    /// its rule, which cannot be changed.
    #[arg(long, value_name = "unicode|blanks", value_parser = str::parse::<Words>)]
    words: Option<Words>,
    /// Leave out words with fewer than N letters. Default: 2, but 1 with --words blanks and for words in
    /// Chinese, Japanese, Korean, Thai and similar scripts; with a fitted model, its rule, which cannot be
    /// changed.
    #[arg(long, value_name = "N", value_parser = between::<1, MOST>)]
    min_letters: Option<usize>,
}

impl WordArgs {
    /// Returns `true` if an option was given.
    pub(crate) fn is_given(&self) -> bool {
        self.words.is_some() || self.min_letters.is_some()
    }

    /// Returns the rule: the model's, which no option may change, or that of the options.
    pub(crate) fn rule(&self, model: Option<Tokenizer>) -> Result<Tokenizer, Error> {
        let asked =
            Tokenizer::new(self.words.unwrap_or_default(), self.min_letters.map(|least| least as u32));
        match model {
            None => Ok(asked),
            Some(rule) if !self.is_given() || rule == asked => Ok(rule),
            Some(rule) => Err(Error::usage(format!(
                "the model's texts were split into words by `{rule}`, which applies to other texts, too: \
                 leave --words and --min-letters out"
            ))),
        }
    }

    /// Refuses the options if there is no text to split.
    pub(crate) fn check(&self, corpus: &Corpus) -> Result<(), Error> {
        match self.is_given() && corpus.tokenizer.is_none() {
            true => Err(Error::usage(format!(
                "--words and --min-letters are for texts, but {} is a bag of words: leave them out",
                corpus.name
            ))),
            false => Ok(()),
        }
    }
}

/// Returns the rule's name in the identity of a run; `none` for a bag of words.
pub(crate) fn identity(corpus: &Corpus) -> String {
    let rule = corpus.tokenizer.as_ref().and_then(|rule| serde_json::to_string(rule).ok());
    rule.unwrap_or_else(|| "none".into())
}
