//! [`WordBlock`]: words with their topic counts.

use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::counts::words::WordRows;

/// Words that travel together, with how often each topic occurs in them.
#[derive(Clone, Debug, Default)]
pub struct WordBlock {
    /// The words' numbers in the corpus.
    pub(crate) words: Vec<u32>,
    pub(crate) rows: WordRows,
    /// Additions of word priors to beta.
    pub(crate) word_priors: WordPriors,
    /// Additions of the model to start from, in the first epoch.
    pub(crate) warm: WordPriors,
}

raddle::state!(WordBlock { words, rows, word_priors, warm });
