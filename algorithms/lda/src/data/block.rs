//! [`WordBlock`]: words with their topic counts.

use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::counts::words::WordRows;

/// Words that travel together, with the count of each topic for each word.
#[derive(Clone, Debug, Default)]
pub struct WordBlock {
    /// Numbers of the words in the corpus.
    pub(crate) words: Vec<u32>,
    pub(crate) rows: WordRows,
    /// Additions of word priors to beta.
    pub(crate) word_priors: WordPriors,
    /// Additions of the initial model, in the first epoch.
    pub(crate) warm: WordPriors,
}

raddle::state!(WordBlock { words, rows, word_priors, warm });
