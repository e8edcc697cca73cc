//! [`Lda`]: parameters, unchecked until [`Lda::fit`] checks them once.

use std::sync::Arc;

use raddle::{Engine, Parts, Visibility};

use crate::block::WordBlock;
use crate::course::Course;
use crate::error::LdaError;
use crate::layout::MOST_TOKENS;
use crate::model::Fit;
use crate::problem::Problem;
use crate::program::LdaProgram;
use crate::record::Record;
use crate::schedule::LdaSchedule;
use crate::seeds::Seeds;
use crate::totals::Totals;

/// The most topics: tokens name theirs by 16 bits.
pub const MOST_TOPICS: usize = 1 << 16;

/// When a shard sees how other shards have changed the topic counts n_k. Its own changes it sees with its next task; at
/// once with one shard, with more than 256 topics, and where it is asked for.
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
/// | `word_priors` | none | weights > 0 | (word, topic, what is added to beta): seeded topics |
/// | `epochs` | none | >= 1 | the run's length; without it the held-out perplexity ends the run |
/// | `target` | none | > 1 | the run is done at this held-out perplexity |
/// | `evaluate_every` | 5 | >= 1 | epochs from one evaluation to the next |
/// | `progressive` | true | | the first epochs run on a part of the documents, which grows |
/// | `beta_anneal` | from the data | >= 1 | beta is multiplied by this at first; the factor falls to 1; 1 turns annealing off |
/// | `sync` | `Epoch` | | when shards see each other's changes of the topic counts |
/// | `workers` | 1 | >= 1 | threads; never changes the model |
/// | `seed` | 42 | | names the streams from which topics are drawn |
#[derive(Debug, Clone)]
pub struct Lda {
    topics: usize,
    alpha: Option<f64>,
    beta: f64,
    fixed_priors: bool,
    word_priors: Vec<(u32, u32, f32)>,
    epochs: Option<u64>,
    target: Option<f64>,
    every: u64,
    progressive: bool,
    beta_anneal: Option<f64>,
    sync: SyncInterval,
    workers: usize,
    seed: u64,
    init: Option<Init>,
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
            word_priors: Vec::new(),
            epochs: None,
            target: None,
            every: 5,
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

    /// Sets how many epochs lie between evaluations.
    pub fn evaluate_every(mut self, epochs: u64) -> Self {
        self.every = epochs;
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

    /// Starts from the counts of a model: (word, topic, tokens), numbers from 0. In the first epoch every token's topic
    /// is drawn as if the model's tokens were there too. Words that the model does not have start without counts; words
    /// that the training documents lack keep theirs, as tokens whose topics stay.
    pub fn init(mut self, counts: Vec<(u32, u32, u32)>) -> Self {
        self.init = Some(counts);
        self
    }

    /// Fits.
    ///
    /// # Errors
    /// If a parameter is out of its range, a document is too long for so many topics, or the run fails.
    pub fn fit(self, problem: Problem) -> Result<Fit, LdaError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may change: limits, rescaling, checkpoints, an observer.
    ///
    /// # Errors
    /// If a parameter is out of its range, a document is too long for so many topics, or the run fails.
    pub fn fit_with(
        self,
        problem: Problem,
        set: impl FnOnce(Engine<LdaProgram>) -> Engine<LdaProgram>,
    ) -> Result<Fit, LdaError> {
        let documents = problem.documents();
        let engine = self.engine(problem)?;
        Ok(Fit::new(set(engine).run()?, documents))
    }

    /// The run that [`fit`](Lda::fit) carries out.
    ///
    /// # Errors
    /// If a parameter is out of its range, or a document is too long for so many topics.
    pub fn engine(&self, problem: Problem) -> Result<Engine<LdaProgram>, LdaError> {
        let (program, schedule, parts) = self.parts(problem)?;
        let costs = parts.shards.iter().map(|shard| shard.ends.last().copied().unwrap_or(0) + 1).collect();
        let engine = Engine::new(program, schedule, parts).costs(costs).workers(self.workers).guard(false);
        Ok(match self.epochs {
            Some(epochs) => engine.epochs(epochs),
            None => engine,
        })
    }

    /// What the run is made of, for who drives it by hand.
    ///
    /// # Errors
    /// If a parameter is out of its range, or a document is too long for so many topics.
    pub fn parts(
        &self,
        mut problem: Problem,
    ) -> Result<(LdaProgram, LdaSchedule, Parts<LdaProgram>), LdaError> {
        self.check(&problem)?;
        let kept = self.kept(&problem);
        let rows = problem.make_rows(self.topics, &kept, self.sync == SyncInterval::Token)?;
        let mut course = match &self.init {
            Some(_) => Course::warm(self.epochs),
            None => Course::new(problem.tokens, self.topics, self.progressive, self.beta_anneal, self.epochs),
        };
        course.every = self.every;
        let course = Arc::new(course);
        let Problem { shards, blocks, places, tokens, sets, word_counts, .. } = problem;
        let place = |&(word, topic, weight): &(u32, u32, f32)| {
            let place = places[word as usize];
            (place.block, (place.at, topic, weight))
        };
        let dealt = |entries: &[(u32, u32, f32)]| {
            let mut dealt = vec![Vec::new(); blocks.len()];
            entries.iter().map(place).for_each(|(block, entry)| dealt[block as usize].push(entry));
            dealt.into_iter().map(|mut entries: Vec<_>| {
                entries.sort_by_key(|&(at, topic, _)| (at, topic));
                Seeds::new(&entries)
            })
        };
        let sums = |entries: &[(u32, u32, f32)]| {
            let mut sums = vec![0.0; if entries.is_empty() { 0 } else { self.topics }];
            entries.iter().for_each(|&(_, topic, weight)| sums[topic as usize] += f64::from(weight));
            sums
        };
        let init = self.init.iter().flatten().filter(|&&(word, ..)| word_counts[word as usize] > 0);
        let mut warm: Vec<(u32, u32, f32)> =
            init.map(|&(word, topic, count)| (word, topic, count as f32)).collect();
        let (seeded, warm_sums) = (sums(&self.word_priors), sums(&warm));
        if !warm.is_empty() {
            // Priors hold in the first epoch too.
            warm.extend(&self.word_priors);
        }
        let (seeds, warm) = (dealt(&self.word_priors), dealt(&warm));
        let words: Vec<WordBlock> = blocks
            .iter()
            .zip(rows)
            .zip(seeds.zip(warm))
            .map(|((words, rows), (seeds, warm))| WordBlock { words: words.clone(), rows, seeds, warm })
            .collect();
        let alpha = self.alpha.unwrap_or(50.0 / self.topics as f64);
        let mut topics = vec![0; self.topics];
        kept.iter().for_each(|&(_, topic, count)| topics[topic as usize] += i64::from(count));
        let totals = Totals { epoch: 0, topics, alpha: vec![alpha; self.topics], beta: self.beta };
        let schedule = LdaSchedule {
            shards: shards.len() as u32,
            blocks: words.len() as u32,
            course: Arc::clone(&course),
            held_out: !sets.is_empty(),
            optimise: !self.fixed_priors,
        };
        let program = LdaProgram {
            topics: self.topics,
            words: word_counts.len(),
            tokens,
            course,
            seed: self.seed,
            visibility: match self.sync {
                SyncInterval::Epoch | SyncInterval::Token => Visibility::AtBoundary,
                SyncInterval::Round => Visibility::EachRound,
            },
            optimise: !self.fixed_priors,
            seeded,
            warm: warm_sums,
            blocks,
            sets,
            target: self.target,
        };
        let parts = Parts { shards, blocks: words, pinned: Record::default(), replica: totals };
        Ok((program, schedule, parts))
    }

    /// The counts of the model to start from for words that the training documents lack, in order of words and topics,
    /// each pair once.
    fn kept(&self, problem: &Problem) -> Init {
        let lacks = |&&(word, ..): &&(u32, u32, u32)| problem.word_counts[word as usize] == 0;
        let mut kept: Init = self.init.iter().flatten().filter(lacks).copied().collect();
        kept.sort_unstable();
        kept.dedup_by(|next, sum| {
            let same = (next.0, next.1) == (sum.0, sum.1);
            if same {
                sum.2 = sum.2.saturating_add(next.2);
            }
            same
        });
        kept
    }

    fn check(&self, problem: &Problem) -> Result<(), LdaError> {
        let refuse = |name, value: String, range| Err(LdaError::Parameter { name, value, range });
        if !(1..=MOST_TOPICS).contains(&self.topics) {
            return refuse("topics", self.topics.to_string(), "give 1 to 65536");
        }
        for (name, value) in [("alpha", self.alpha.unwrap_or(1.0)), ("beta", self.beta)] {
            if !(1e-6..=1e3).contains(&value) {
                return refuse(name, value.to_string(), "give a number from 1e-6 to 1000");
            }
        }
        if let Some(factor) = self.beta_anneal.filter(|factor| !(1.0..=1e3).contains(factor)) {
            return refuse("beta-anneal", factor.to_string(), "give a number from 1 (no annealing) to 1000");
        }
        if let Some(target) = self.target.filter(|target| !(target.is_finite() && *target > 1.0)) {
            return refuse("target", target.to_string(), "a perplexity is larger than 1");
        }
        if self.every == 0 {
            return refuse("evaluate-every", "0".into(), "give 1 or more epochs");
        }
        if self.epochs == Some(0) {
            return refuse("epochs", "0".into(), "give 1 or more");
        }
        let is_outside =
            |word: u32, topic: u32| word as usize >= problem.words() || topic as usize >= self.topics;
        let place = |word: u32, topic: u32| format!("word {word}, topic {topic}");
        let expected = "name words of the corpus and topics below K, from 0";
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
                return refuse("word-priors", weight.to_string(), "weights are numbers above 0");
            }
        }
        Ok(())
    }
}
