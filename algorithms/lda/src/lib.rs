//! Latent Dirichlet allocation as a scheduled program of [`raddle`], judged by held-out perplexity.
//!
//! Each document is a mixture theta of K topics, drawn from Dirichlet(alpha); each topic phi is a
//! distribution over V words, drawn from Dirichlet(beta). The topics of tokens are sampled by collapsed Gibbs
//! steps, one token after the other within a shard, or four at once. Shards are ranges of documents, blocks
//! are sets of words and rotate round the shards, and the topic counts n_k are the replica. With one shard
//! every draw is from the exact conditional. With more, a shard does not see the changes that the others have
//! made to n_k since the last boundary, nor, for up to 256 topics, those of the current task
//! ([`Evaluation::count_drift`]). A run ends when the perplexity of held-out documents no longer falls.
//!
//! [`Lda`] has the parameters, [`Problem`] the prepared corpus, [`Fit`] the result; [`TopicCurve`] chooses
//! the number of topics, [`Inference`] finds the topics of new documents, [`group_shares()`] compares groups
//! of them, [`coherence()`] measures how well top words fit together, and [`topic_map()`] places topics on a
//! plane.
//!
//! ```
//! use raddle_lda::{Lda, Preparation, Problem};
//!
//! let corpus = raddle_datasets::embedded::pydoc();
//! let problem = Problem::new(&corpus, &Preparation::default())?;
//! let fit = Lda::params().topics(10).epochs(20).fit(problem)?;
//! let counts = fit.topic_words();
//! let words: Vec<String> = counts.top(0, 5).into_iter().map(|(word, _)| corpus.word(word)).collect();
//! assert_eq!(words.len(), 5);
//! # Ok::<(), raddle_lda::LdaError>(())
//! ```

mod cross_validation;
mod data;
mod error;
mod evaluate;
#[cfg(feature = "files")]
pub mod files;
mod fit;
mod group_shares;
mod infer;
mod live;
mod model;
mod params;
mod range;
mod run;
#[cfg(test)]
mod tests;
mod topic_map;
mod topic_words;

pub use cross_validation::{TopicCurve, TopicRule, TopicScore, fold_documents};
pub use data::block::WordBlock;
pub use data::carried::Carried;
pub use data::hold_out::HoldOut;
pub use data::problem::{Preparation, Problem, TEST, VALIDATION};
pub use data::shard::DocumentShard;
pub use data::source::CorpusSource;
pub use error::LdaError;
pub use evaluate::coherence::{Coherence, coherence};
pub use evaluate::perplexity::Score;
pub use group_shares::{GroupShare, Interval, group_shares};
pub use infer::Inference;
pub use live::{Bag, DocumentChange, LiveCorpus};
pub use model::{DocumentTopics, Fit};
pub use params::{Lda, MOST_TOPICS, SyncInterval};
pub use raddle::changes::{Refused, Taken};
pub use run::messages::{Change, Partial};
pub use run::pinned::{Evaluation, Record};
pub use run::program::LdaProgram;
pub use run::replica::Replica;
pub use run::restored::{ShardWords, TopicsAnswer, TopicsQuestion, WordsQuestion};
pub use run::schedule::{LdaSchedule, Phase};
pub use topic_map::{MOST_BY_ALL_WORDS, SALIENT_WORDS, topic_map};
pub use topic_words::TopicWords;
