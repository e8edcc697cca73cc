//! [`Lda`]: the parameters of a model, which [`Lda::fit`] checks.

/// Limit on the number of topics, which tokens store in 16 bits.
pub const MOST_TOPICS: usize = 1 << 16;

/// When a shard sees the changes of the topic counts n_k by other shards. It sees its own changes in its next
/// task, and at once with one shard, with more than 256 topics, or with [`Token`](Self::Token).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncInterval {
    /// At the boundary, once per epoch, as in the word rotation of STRADS. No task waits for another.
    #[default]
    Epoch,
    /// After every round: for small corpora, and to measure what [`Epoch`](Self::Epoch) costs in quality.
    Round,
    /// At the boundary, but every draw sees all earlier moves of its shard, for any number of topics.
    Token,
}

raddle_common::params! {
    /// The parameters of a topic model, with defaults that suit all data.
    ///
    /// | name | default | range | meaning |
    /// |---|---|---|---|
    /// | `topics` | 20 | 1 to 65,536 | K |
    /// | `alpha` | 50 / K | > 0 | prior of every topic in a document; the initial value if optimised |
    /// | `beta` | 0.01 | > 0 | prior of every word in a topic; the initial value if optimised |
    /// | `fixed_priors` | false | | keep alpha and beta; else alpha becomes asymmetric |
    /// | `to_carry` | false | | see [`to_carry`](Self::to_carry) |
    /// | `word_priors` | none | weights > 0 | (word, topic, addition to beta): seeded topics |
    /// | `epochs` | none | >= 1 | length of the run; `none`: the held-out perplexity ends it |
    /// | `target` | none | > 1 | held-out perplexity that ends the run |
    /// | `evaluate_every` | 5; varies with a target | >= 1 | epochs from one evaluation to the next |
    /// | `progressive` | true | | run the first epochs on a growing part of the documents |
    /// | `beta_anneal` | from the data | >= 1 | first factor of beta, which falls to 1; 1: no annealing |
    /// | `sync` | `Epoch` | | when shards see each other's changes of the topic counts |
    /// | `workers` | 1 | >= 1 | threads; never changes the model |
    /// | `seed` | 42 | | seed of the random numbers |
    pub struct Lda {
        /// Sets the number of topics, K.
        topics(topics: usize) = 20;
        /// Sets alpha, equal for all topics.
        alpha(alpha: f64);
        /// Sets beta.
        beta(beta: f64) = 0.01;
        /// Keeps alpha and beta fixed, or optimises them.
        fixed_priors(fixed: bool) = false;
        /// Keeps the tokens when a run on several processes ends, so that
        /// [`Fit::carried`](crate::Fit::carried) has them; otherwise the first process gets only the model.
        to_carry(to_carry: bool) = false;
        /// Seeds topics with (word, topic, addition to beta), numbered from 0.
        word_priors(priors: Vec<(u32, u32, f32)>) = Vec::new();
        /// Sets the length of the run in epochs.
        epochs(epochs: u64);
        /// Sets the held-out perplexity that ends the run.
        target(perplexity: f64);
        /// Sets the number of epochs between evaluations. The default is 5; with a target, as many as the
        /// perplexity should take to reach it at the pace of the last two evaluations, at most 20.
        evaluate_every(epochs: u64);
        /// Runs the first epochs on a part of the documents, or on all of them.
        progressive(progressive: bool) = true;
        /// Sets the initial factor of beta.
        beta_anneal(factor: f64);
        /// Sets when shards see each other's changes of the topic counts.
        sync(interval: SyncInterval) = SyncInterval::Epoch;
        /// Sets the number of worker threads.
        workers(workers: usize) = 1;
        /// Sets the seed.
        seed(seed: u64) = 42;
        /// Starts from the counts of a model: (word, topic, tokens), numbered from 0. In the first epoch,
        /// every token's topic is drawn as if the model's tokens were there, too. Words that the model lacks
        /// start without counts; words that the training documents lack keep their counts, as tokens whose
        /// topics do not change.
        init(counts: Vec<(u32, u32, u32)>);
    }
}

/// Counts of an initial model: (word, topic, tokens).
pub(crate) type Init = Vec<(u32, u32, u32)>;
