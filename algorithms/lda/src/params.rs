//! [`Lda`]: parameters, unchecked until [`Lda::fit`] checks them once.

/// The most topics: tokens name theirs by 16 bits.
pub const MOST_TOPICS: usize = 1 << 16;

/// When a shard sees how other shards have changed the topic counts n_k. Its own changes it sees with its
/// next task; at once with one shard, with more than 256 topics, and where it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncInterval {
    /// At the boundary: once an epoch, as the word rotation of STRADS does. No task waits for another.
    #[default]
    Epoch,
    /// After every round: for small corpora, and to see what the other costs in quality.
    Round,
    /// At the boundary; but every draw sees all moves of its shard before it, for any number of topics.
    Token,
}

/// A topic model to be fitted: its parameters, with defaults that suit all data.
///
/// | name | default | range | what it does |
/// |---|---|---|---|
/// | `topics` | 20 | 1 to 65,536 | K |
/// | `alpha` | 50 / K | > 0 | prior of every topic in a document, where it starts if it is optimised |
/// | `beta` | 0.01 | > 0 | prior of every word in a topic, where it starts if it is optimised |
/// | `fixed_priors` | false | | keeps alpha and beta as they are; else alpha becomes asymmetric, beta stays symmetric |
/// | `to_carry` | false | | of a run on several processes, the tokens come to the first one with the model, for [`Fit::carried`](crate::Fit::carried) |
/// | `word_priors` | none | weights > 0 | (word, topic, what is added to beta): seeded topics |
/// | `epochs` | none | >= 1 | the run's length; without it the held-out perplexity ends the run |
/// | `target` | none | > 1 | the run is done at this held-out perplexity |
/// | `evaluate_every` | 5; before a target as it falls | >= 1 | epochs from one evaluation to the next |
/// | `progressive` | true | | the first epochs run on a part of the documents, which grows |
/// | `beta_anneal` | from the data | >= 1 | beta is multiplied by this at first; the factor falls to 1; 1 turns annealing off |
/// | `sync` | `Epoch` | | when shards see each other's changes of the topic counts |
/// | `workers` | 1 | >= 1 | threads; never changes the model |
/// | `seed` | 42 | | names the streams from which topics are drawn |
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

/// Counts of a model to start from: (word, topic, tokens).
pub(crate) type Init = Vec<(u32, u32, u32)>;

impl Lda {
    /// The defaults.
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

    /// Sets K.
    pub fn topics(mut self, topics: usize) -> Self {
        self.topics = topics;
        self
    }

    /// Sets alpha, the same for each topic.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// Sets beta.
    pub fn beta(mut self, beta: f64) -> Self {
        self.beta = beta;
        self
    }

    /// Keeps alpha and beta as they are, or optimises them.
    pub fn fixed_priors(mut self, fixed: bool) -> Self {
        self.fixed_priors = fixed;
        self
    }

    /// Keeps the tokens where a run on several processes ends, so that [`Fit::carried`](crate::Fit::carried)
    /// has them; else the first process gets the model alone.
    pub fn to_carry(mut self, to_carry: bool) -> Self {
        self.to_carry = to_carry;
        self
    }

    /// Seeds topics: (word, topic, what is added to beta), numbers from 0.
    pub fn word_priors(mut self, priors: Vec<(u32, u32, f32)>) -> Self {
        self.word_priors = priors;
        self
    }

    /// Sets the run's length.
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.epochs = Some(epochs);
        self
    }

    /// Sets the held-out perplexity at which the run is done.
    pub fn target(mut self, perplexity: f64) -> Self {
        self.target = Some(perplexity);
        self
    }

    /// Sets how many epochs lie between evaluations. Without it they are 5; before a target as many as it
    /// takes to be met at the pace of the last two evaluations, at most 20.
    pub fn evaluate_every(mut self, epochs: u64) -> Self {
        self.every = Some(epochs);
        self
    }

    /// Runs the first epochs on a part of the documents, or on all.
    pub fn progressive(mut self, progressive: bool) -> Self {
        self.progressive = progressive;
        self
    }

    /// Sets the factor by which beta is multiplied at first.
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

    /// Starts from the counts of a model: (word, topic, tokens), numbers from 0. In the first epoch every
    /// token's topic is drawn as if the model's tokens were there too. Words that the model does not have
    /// start without counts; words that the training documents lack keep theirs, as tokens whose topics stay.
    pub fn init(mut self, counts: Vec<(u32, u32, u32)>) -> Self {
        self.init = Some(counts);
        self
    }
}
