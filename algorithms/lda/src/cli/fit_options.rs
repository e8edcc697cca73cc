//! The options of `lda fit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use raddle_cli::{
    ChangeOptions, ENGINE_HEADING, Error, Free, ROUND_OPTIONS, Switch, TrainOptions, changes_help, choose,
    count, hide_idle, refuse_without_effect,
};
use raddle_datasets::{Corpus, Phrases};
use raddle_lda::{HoldOut, Lda, LdaError, Preparation, SyncInterval};
use serde::Serialize;

use super::data::{self, CorpusArgs, ReadOptions, TextArgs};
use super::initial_model::InitialCounts;
use super::{priors, words};

/// A resumed run may be given other values of these options: they measure or check, and never change the
/// chain.
pub(super) const FREE: Free<'_> =
    Free { neutral: &["coherence", "pyldavis", "target", "changes", "save-data"], limits: &[] };

const EXAMPLES: &str = "Examples:
  lda fit pydoc --topics 30 --epochs 100
  lda fit pydoc --stop-words english --min-df 5 --coherence --out run
  lda fit pydoc --init run --epochs 10";

/// Help texts of options that all programs share.
pub(super) const SCHEDULE: &str = "Rule for choosing the blocks to update: rotation (the same as \
    auto), in which blocks of words rotate among shards of documents";
const EPOCHS: &str =
    "Stop after N epochs. Default: when the perplexity of held-out documents hardly falls any more";

/// The options of `lda fit`.
#[derive(Debug, Args, Serialize)]
#[command(mut_arg("changes", |arg| arg.help(changes_help("`+ ID WORD:COUNT ...`, `+ ID TEXT` for plain text, or `- \
    ID`"))))]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "on the rotation of lda")))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)), mut_arg("epochs", |arg| arg.help(EPOCHS)))]
pub(crate) struct Options {
    /// Number of topics, K. Default: 20; with --init, that of the model.
    #[arg(long, value_name = "K")]
    pub(super) topics: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) model: ModelOptions,
}

/// The options of a fit, apart from the number of topics.
#[derive(Debug, Args, Serialize)]
pub(crate) struct ModelOptions {
    /// Dirichlet prior of each topic in a document, not the sum over topics; the initial value if alpha is
    /// optimised. Default: 50 / K.
    #[arg(long, value_name = "X")]
    alpha: Option<f64>,
    /// Dirichlet prior of each word in a topic; the initial value if beta is optimised.
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    beta: f64,
    /// Keep alpha and beta fixed. By default both are optimised, and alpha becomes asymmetric.
    #[arg(long)]
    fixed_priors: bool,
    /// Seed topics with a file of lines `topic word weight`. Topics are numbered from 1, and weights are
    /// added to beta.
    #[arg(long, value_name = "FILE")]
    word_priors: Option<PathBuf>,
    /// Hold out documents to stop early. Give a fraction, a file, or none.
    #[arg(long, value_name = "FRACTION|FILE|none", default_value = "0.05", allow_hyphen_values = true)]
    pub(super) validation: String,
    /// Hold out documents as a test set. Give split (a fixed tenth, drawn by a hash of their numbers), a
    /// file, or none.
    #[arg(long, value_name = "split|FILE|none", default_value = "none")]
    pub(super) test: String,
    /// Stop at this perplexity of the test documents, or of the validation documents if there is no test set.
    #[arg(long, value_name = "PERPLEXITY")]
    target: Option<f64>,
    /// Evaluate held-out documents every N epochs. Default: 5; with --target, when the target may be met, and
    /// at least every 20 epochs.
    #[arg(long, value_name = "N")]
    evaluate_every: Option<u64>,
    /// Run the first epochs on a growing part of the documents. Default: on.
    #[arg(long, value_name = "on|off")]
    progressive: Option<Switch>,
    /// Anneal beta: multiply it by a factor that falls from X to 1. Default: from the data; 1 turns annealing
    /// off.
    #[arg(long, value_name = "X")]
    beta_anneal: Option<f64>,
    /// When shards share their changes of the topic totals n_k: after each epoch, after each round, or token
    /// (after each epoch, but a shard sees its own changes at once).
    #[arg(long, value_name = "WHEN", default_value = "epoch")]
    sync: Sync,
    /// Convert the corpus to a file in this folder; each process reads only its own part of it. Default: in
    /// memory; with several processes, in a file that they share until the run ends.
    #[arg(long, value_name = "DIR", help_heading = ENGINE_HEADING)]
    pub(super) cache: Option<PathBuf>,
    /// Measure the coherence of topics. It is u_mass and NPMI of each topic's top words on the corpus.
    #[arg(long)]
    pub(super) coherence: bool,
    /// Also write pyldavis.json, for `pyLDAvis.prepare(**json.load(file))`. Needs --out.
    #[arg(long)]
    pub(super) pyldavis: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) corpus: CorpusArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) changes: ChangeOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

/// When shards see each other's changes of the topic totals.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Sync {
    /// Once per epoch, as in STRADS.
    Epoch,
    /// After every round.
    Round,
    /// Once per epoch, but a shard sees its own changes after each token.
    Token,
}

impl Options {
    /// Returns the identity of a fit of this corpus, from an initial model with this digest.
    pub(super) fn identity(&self, corpus: &Corpus, init: &str) -> Result<String, Error> {
        identity(self, corpus, init)
    }

    /// Returns the parameters of the model.
    pub(super) fn lda(
        &self,
        corpus: &Corpus,
        start: Option<InitialCounts>,
        notes: &mut Vec<String>,
    ) -> Result<Lda, Error> {
        self.model.lda(self.topics.unwrap_or(20), corpus, start, notes)
    }
}

/// Returns the identity of a run of these options on this corpus, from an initial model with this digest.
pub(super) fn identity(options: &impl Serialize, corpus: &Corpus, init: &str) -> Result<String, Error> {
    let words = words::identity(corpus);
    let read = [("data", corpus.digest.as_str()), ("init", init), ("words", &words)];
    raddle_cli::identity("lda", options, FREE, &read)
}

impl ModelOptions {
    /// Refuses options that contradict each other or have no effect.
    pub(super) fn check(&self) -> Result<(), Error> {
        let train = &self.train;
        self.changes.check(train)?;
        choose("--schedule", &train.schedule, &[("auto", ()), ("rotation", ())])?;
        let at_start = [
            ("--progressive", self.progressive.is_some()),
            ("--beta-anneal", self.beta_anneal.is_some()),
            ("--phrases", self.corpus.phrases.is_some()),
        ];
        refuse_without_effect(
            &at_start.map(|(name, given)| (name, given && train.init.is_some())),
            "with --init",
        )?;
        let unwritten = self.pyldavis && train.folder().is_none();
        match unwritten {
            true => Err(Error::usage("--pyldavis writes a file: give the folder for it with --out DIR")),
            false => Ok(()),
        }
    }

    /// Returns how the corpus is prepared: which documents are held out, and how the others are assigned.
    pub(super) fn preparation(&self, corpus: &Corpus, notes: &mut Vec<String>) -> Result<Preparation, Error> {
        let validation = self.held(&self.validation, "--validation", corpus, notes)?;
        let test = self.held(&self.test, "--test", corpus, notes)?;
        let Self { train, .. } = self;
        Ok(Preparation { validation, test, shards: train.shards, seed: train.seed, ..Preparation::default() })
    }

    /// Returns the documents that `--validation` or `--test` names.
    fn held(
        &self,
        name: &str,
        option: &str,
        corpus: &Corpus,
        notes: &mut Vec<String>,
    ) -> Result<HoldOut, Error> {
        if name == "none" {
            return Ok(HoldOut::None);
        }
        if option == "--test" && name == "split" {
            return Ok(HoldOut::Split);
        }
        if let Ok(fraction) = name.parse::<f64>() {
            let is_one = option == "--validation" && (0.0..1.0).contains(&fraction);
            let what = if option == "--test" {
                "split, a file or none"
            } else {
                "a fraction from 0 to below 1, a file or none"
            };
            return match is_one {
                true if fraction > 0.0 => Ok(HoldOut::Fraction(fraction)),
                true => Ok(HoldOut::None),
                false => Err(Error::usage(format!("{option} {name}: give {what}"))),
            };
        }
        // A file is read with the same options as DATA.
        let (own, is_known) = (TextArgs::default(), data::is_known(name));
        // Its texts are split by the rule of the corpus.
        let tokenizer = corpus.tokenizer.map_or_else(|| self.corpus.words.rule(None), Ok)?;
        let (format, texts) = match is_known {
            true => (None, &own),
            false => (self.train.format.as_deref(), &self.corpus.texts),
        };
        let phrases = Phrases::Known(corpus.phrases.clone());
        let given =
            ReadOptions { format, vocab: None, texts, by: None, tokenizer, phrases, may_be_empty: false };
        let mut other = data::read(name, given, self.train.worker_count())
            .map_err(|why| Error::input(format!("{option}: {why}")))?;
        if let Some(words) = &corpus.vocabulary {
            // Without texts of their own, words are matched by number.
            if let Ok(unknown @ 1..) = other.match_words(words.clone()) {
                let tokens = count(unknown, "token");
                notes.push(format!("{option} {name}: {tokens} of words that the corpus lacks are left out"));
            }
        }
        Ok(HoldOut::Corpus(Box::new(other)))
    }

    /// Returns `true` if an option measures the whole corpus.
    pub(super) fn measures_corpus(&self) -> bool {
        self.coherence || self.pyldavis
    }

    /// Returns the parameters of the model with this number of topics, or that of the initial model.
    pub(super) fn lda(
        &self,
        mut topics: usize,
        corpus: &Corpus,
        start: Option<InitialCounts>,
        notes: &mut Vec<String>,
    ) -> Result<Lda, Error> {
        let Self { train, .. } = self;
        let mut lda = Lda::params()
            .beta(self.beta)
            .fixed_priors(self.fixed_priors)
            .progressive(self.progressive != Some(Switch::Off))
            .sync(match self.sync {
                Sync::Epoch => SyncInterval::Epoch,
                Sync::Round => SyncInterval::Round,
                Sync::Token => SyncInterval::Token,
            })
            .seed(train.seed)
            .given(self.evaluate_every, Lda::evaluate_every)
            .given(self.alpha, Lda::alpha)
            .given(self.beta_anneal, Lda::beta_anneal)
            .given(train.epochs, Lda::epochs)
            .given(self.target, Lda::target);
        if let Some(start) = start {
            topics = start.topics;
            lda = lda.init(start.counts);
        }
        if let Some(file) = &self.word_priors {
            let (priors, note) = priors::read(file, corpus, topics)?;
            lda = lda.word_priors(priors);
            notes.extend(note);
        }
        Ok(lda.topics(topics))
    }
}

/// A parameter out of range is bad usage, data that cannot be fitted bad input, the rest a failure.
pub(crate) fn refuse(error: LdaError) -> Error {
    match error {
        LdaError::Parameter { .. } => Error::usage(format!("--{error}")),
        LdaError::Engine(error) => Error::from(error),
        error => Error::input(error),
    }
}
