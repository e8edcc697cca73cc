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
/// | `beta_anneal` | from the data | >= 1 | initial factor of beta, which falls to 1; 1 turns annealing off |
/// | `sync` | `Epoch` | | when shards see each other's changes of the topic counts |
/// | `workers` | 1 | >= 1 | threads; never changes the model |
/// | `seed` | 42 | | seed of the random numbers |
#[derive(Debug, Clone)]
pub struct Lda {
    pub(crate) topics: usize,
    pub(crate) alpha: Option<f64>,
    pub(crate) beta: f64,
    pub(crate) fixed_priors: bool,
    pub(crate) to_carry: bool,
    pub(crate) word_priors: Vec<(u32, u32, f32)>,
    pub(crate) epochs: Option<u64>,
    pub(crate) target: Option<f64>,
    pub(crate) every: Option<u64>,
    pub(crate) progressive: bool,
    pub(crate) beta_anneal: Option<f64>,
    pub(crate) sync: SyncInterval,
    pub(crate) workers: usize,
    pub(crate) seed: u64,
    pub(crate) init: Option<Init>,
}

/// Counts of an initial model: (word, topic, tokens).
pub(crate) type Init = Vec<(u32, u32, u32)>;

impl Lda {
    /// Returns the defaults.
    pub fn params() -> Self {
        Self {
            topics: 20,
            alpha: None,
            beta: 0.01,
            fixed_priors: false,
            to_carry: false,
            word_priors: Vec::new(),
            epochs: None,
            target: None,
            every: None,
            progressive: true,
            beta_anneal: None,
            sync: SyncInterval::Epoch,
            workers: 1,
            seed: 42,
            init: None,
        }
    }

    /// Sets the number of topics, K.
    pub fn topics(mut self, topics: usize) -> Self {
        self.topics = topics;
        self
    }

    /// Sets alpha, equal for all topics.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// Sets beta.
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// Keeps alpha and beta fixed, or optimises them.
    pub fn fixed_priors(mut self, fixed: bool) -> Self {
        self.fixed_priors = fixed;
        self
    }

    /// Keeps the tokens when a run on several processes ends, so that [`Fit::carried`](crate::Fit::carried)
    /// has them; otherwise the first process gets only the model.
    pub fn to_carry(mut self, to_carry: bool) -> Self {
        self.to_carry = to_carry;
        self
    }

    /// Seeds topics with (word, topic, addition to beta), numbered from 0.
    pub fn word_priors(mut self, priors: Vec<(u32, u32, f32)>) -> Self {
        self.word_priors = priors;
        self
    }

    /// Sets the length of the run in epochs.
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.epochs = Some(epochs);
        self
    }

    /// Sets the held-out perplexity that ends the run.
    pub fn target(mut self, perplexity: f64) -> Self {
        self.target = Some(perplexity);
        self
    }

    /// Sets the number of epochs between evaluations. The default is 5; with a target, as many as the
    /// perplexity should take to reach it at the pace of the last two evaluations, at most 20.
    pub fn evaluate_every(mut self, epochs: u64) -> Self {
        self.every = Some(epochs);
        self
    }

    /// Runs the first epochs on a part of the documents, or on all of them.
    pub fn progressive(mut self, progressive: bool) -> Self {
        self.progressive = progressive;
        self
    }

    /// Sets the initial factor of beta.
    pub fn beta_anneal(mut self, factor: f64) -> Self {
        self.beta_anneal = Some(factor);
        self
    }

    /// Sets when shards see each other's changes of the topic counts.
    pub fn sync(mut self, interval: SyncInterval) -> Self {
        self.sync = interval;
        self
    }

    /// Sets the number of worker threads.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Starts from the counts of a model: (word, topic, tokens), numbered from 0. In the first epoch, every
    /// token's topic is drawn as if the model's tokens were there, too. Words that the model lacks start
    /// without counts; words that the training documents lack keep their counts, as tokens whose topics do
    /// not change.
    pub fn init(mut self, counts: Vec<(u32, u32, u32)>) -> Self {
        self.init = Some(counts);
        self
    }
}
