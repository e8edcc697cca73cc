//! [`WordArgs`]: how the words of texts are divided, and the rule that a model brings.

use clap::Args;
use raddle::cli::{Error, between};
use raddle_datasets::{Corpus, Tokenizer, Words};
use serde::Serialize;

/// The most letters that a word may be asked to have.
const MOST: usize = 50;

/// How the words of texts are divided.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub(crate) struct WordArgs {
    /// Divider of words in texts: unicode, as Unicode's Annex 29 has it, or blanks alone, for texts that are
    /// cut into words already (by jieba, MeCab, PyThaiNLP). Default: unicode, or as the model's texts were
    /// divided.
    #[arg(long, value_name = "unicode|blanks", value_parser = str::parse::<Words>)]
    words: Option<Words>,
    /// Leave out words of fewer letters. Default: 2, but 1 for words of Chinese, Japanese, Korean, Thai and
    /// their like, and with --words blanks.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = between::<1, MOST>)]
    min_letters: Option<usize>,
}

impl WordArgs {
    /// `true` if an option was given.
    pub(crate) fn is_given(&self) -> bool {
        self.words.is_some() || self.min_letters.is_some()
    }

    /// The rule: that of the model, which no option may change, or as asked.
    pub(crate) fn rule(&self, model: Option<Tokenizer>) -> Result<Tokenizer, Error> {
        let asked =
            Tokenizer::new(self.words.unwrap_or_default(), self.min_letters.map(|least| least as u32));
        match model {
            None => Ok(asked),
            Some(rule) if !self.is_given() || rule == asked => Ok(rule),
            Some(rule) => Err(Error::usage(format!(
                "the model's texts were divided into words by `{rule}`, and others are divided alike: leave \
                 --words and --min-letters out"
            ))),
        }
    }

    /// Refuses the options where there is no text to divide.
    pub(crate) fn check(&self, corpus: &Corpus) -> Result<(), Error> {
        match self.is_given() && corpus.tokenizer.is_none() {
            true => Err(Error::usage(format!(
                "--words and --min-letters divide texts, and {} is a bag of words: leave them out",
                corpus.name
            ))),
            false => Ok(()),
        }
    }
}

/// Name of the rule in the identity of a run; nothing of a bag of words.
pub(crate) fn identity(corpus: &Corpus) -> String {
    let rule = corpus.tokenizer.as_ref().and_then(|rule| serde_json::to_string(rule).ok());
    rule.unwrap_or_else(|| "none".into())
}
