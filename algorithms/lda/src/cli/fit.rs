//! `lda fit`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use raddle::cli::{Error, ExitStatus, Phase, Report, Session, TrainOptions, choose};
use raddle_datasets::Corpus;
use raddle_lda::{Fit, Held, Lda, LdaError, Merging, Preparation, Problem};
use serde::Serialize;

use super::data::{self, CorpusArgs};
use super::describe::Listing;
use super::files::{self, Model};
use super::priors;

/// Topics listed on the screen, and their words.
const LISTED: usize = 20;
const WORDS: usize = 10;

const EXAMPLES: &str = "Examples, which work as they stand:
  lda fit pydoc --topics 30 --epochs 100
  lda fit pydoc --stop-words english --min-df 5 --coherence --out run
  lda fit pydoc --init run --epochs 10";

/// The options of `lda fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto or rotation: word blocks rotate round document shards")))]
#[command(mut_arg("epochs", |arg| arg.help("The run's length; else the perplexity of held-out documents ends it")))]
pub(crate) struct Options {
    /// Number of topics, K; 20 unless given, or those of --init.
    #[arg(long, value_name = "K")]
    topics: Option<usize>,
    /// Prior of each topic in a document; 50 / K unless given. Where alpha starts if it is optimised.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Prior of each word in a topic. Where beta starts if it is optimised.
    #[arg(long, value_name = "X", default_value_t = 0.01, allow_negative_numbers = true)]
    beta: f64,
    /// Keep alpha and beta as they are; else alpha becomes asymmetric, and both are optimised.
    #[arg(long)]
    fixed_priors: bool,
    /// Seed topics: a file of `topic word weight` lines, topics from 1; weights are added to beta.
    #[arg(long, value_name = "FILE")]
    word_priors: Option<PathBuf>,
    /// Documents held out to end the run: a fraction of them, a file, or none.
    #[arg(long, value_name = "FRACTION|FILE|none", default_value = "0.05", allow_hyphen_values = true)]
    validation: String,
    /// Documents held out to measure: the split that comparisons share, a file, or none.
    #[arg(long, value_name = "split|FILE|none", default_value = "none")]
    test: String,
    /// Done at this perplexity: of the test documents if there are some, else of the validation documents.
    #[arg(long, value_name = "PERPLEXITY", allow_negative_numbers = true)]
    target: Option<f64>,
    /// Score held-out documents after every N epochs.
    #[arg(long, value_name = "N", default_value_t = 5)]
    evaluate_every: u64,
    /// Start on a part of the documents, or on all.
    #[arg(long, value_name = "NAME", default_value = "staged")]
    start: Start,
    /// What beta is multiplied by at first, falling to 1; from the data unless given, 1 turns it off.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    heat: Option<f64>,
    /// When the topics' totals are brought up to date: once an epoch, as STRADS does, or after every round.
    #[arg(long, value_name = "WHEN", default_value = "epoch")]
    totals: When,
    /// Measure the coherence of the topics' top words on the corpus.
    #[arg(long)]
    coherence: bool,
    /// Write pyldavis.json too, for `pyLDAvis.prepare(**json.load(file))`.
    #[arg(long)]
    pyldavis: bool,
    #[command(flatten)]
    #[serde(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Where topics are started.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Start {
    /// On a part of the documents, then on more.
    Staged,
    /// On all documents.
    Full,
}

/// When totals are brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum When {
    /// At the boundary.
    Epoch,
    /// After every round.
    Round,
}

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    choose("--schedule", &train.schedule, &[("auto", ()), ("rotation", ())])?;
    let mut session = Session::begin("lda", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("perplexity");
    let (source, format) = (train.data.as_deref(), train.format.as_deref());
    let read = session.timed(Phase::Read, || options.corpus.read(source, format, train.worker_count()));
    let (corpus, removed) = read?;
    let held = [options.held(&options.validation, "--validation")?, options.held(&options.test, "--test")?];
    let (lda, init) = options.lda(&corpus)?;
    let [validation, test] = held;
    let preparation =
        Preparation { validation, test, shards: train.shards, seed: train.seed, ..Preparation::default() };
    let problem = session.timed(Phase::Prepare, || Problem::new(&corpus, &preparation)).map_err(refuse)?;
    drop(preparation);
    let about = data::describe(&corpus, problem.tokens());
    let documents = problem.documents();
    // What is not asked for again is let go before the run needs its memory.
    let vocabulary = corpus.vocabulary.clone();
    let corpus = (options.coherence || options.pyldavis).then_some(corpus);
    let identity = options.identity(&about.digest, &init);
    let engine = session.timed(Phase::Fit, || lda.engine(problem)).map_err(refuse)?;
    let fit = Fit::new(session.run(engine.identity(identity))?, documents);
    let counts = fit.topic_words();
    let model = Model::new(&fit, &counts, vocabulary.as_ref());
    files::write(&mut session, &fit, &counts, &model)?;
    if let Some(corpus) = corpus.as_ref().filter(|_| options.pyldavis) {
        files::write_pyldavis(&mut session, &fit, &counts, (corpus, &model))?;
    }
    let listing = Listing::new(&counts, corpus.as_ref().filter(|_| options.coherence));
    let report = session.report(options, about, files::digest(&fit, &counts), &fit.report, &fit.trace)?;
    let report = results(report, &fit, &listing);
    let title = format!("{} topics of {}", fit.topics(), report.data.path);
    let mut text = format!("{title}\n\n{}", listing.text(&counts, &model, LISTED, WORDS));
    removed.into_iter().for_each(|removed| text += &format!("\n{removed}"));
    text += &format!("\n{}", conclusion(&report, &fit));
    let summary = listing.summary(title, &counts, &model, WORDS);
    session.finish(report, &summary, &text)
}

/// What the report adds.
fn results(report: Report, fit: &Fit, listing: &Listing) -> Report {
    let evaluations: Vec<serde_json::Value> =
        fit.evaluations().iter().filter_map(|evaluation| serde_json::to_value(evaluation).ok()).collect();
    let mut report = report
        .result("staleness", fit.worst_staleness())
        .result(
            "state_bytes_per_token",
            fit.state_bytes() as f64 / fit.totals().iter().sum::<i64>().max(1) as f64,
        )
        .result("alpha", fit.alpha().to_vec())
        .result("beta", fit.beta())
        .result("level", raddle::level::Level::current().name())
        .result("evaluations", evaluations);
    if let Some(last) = fit.evaluations().last() {
        report = report.result("joint_log_likelihood", last.joint).result("word_log_likelihood", last.words);
    }
    match listing.mean_coherence() {
        Some(mean) => report.result("u_mass", mean.u_mass).result("npmi", mean.npmi),
        None => report,
    }
}

/// How the run ended, in a line or two.
fn conclusion(report: &Report, fit: &Fit) -> String {
    let Some(last) = fit.evaluations().last() else { return report.conclusion() };
    let old = match last.epoch == report.epochs {
        true => String::new(),
        false => format!("; evaluated after epoch {}", last.epoch),
    };
    format!(
        "{}{old}; joint log-likelihood {:.4} a token; totals stale by {:.4}",
        report.conclusion(),
        last.joint,
        fit.worst_staleness()
    )
}

impl Options {
    /// The documents that `--validation` or `--test` names.
    fn held(&self, name: &str, option: &str) -> Result<Held, Error> {
        if name == "none" {
            return Ok(Held::None);
        }
        if option == "--test" && name == "split" {
            return Ok(Held::Split);
        }
        if let Ok(fraction) = name.parse::<f64>() {
            let is_one = option == "--validation" && (0.0..1.0).contains(&fraction);
            let what = if option == "--test" {
                "split, a file or none"
            } else {
                "a fraction from 0 to below 1, a file or none"
            };
            return match is_one {
                true if fraction > 0.0 => Ok(Held::Fraction(fraction)),
                true => Ok(Held::None),
                false => Err(Error::usage(format!("{option} {name}: give {what}"))),
            };
        }
        let corpus = data::read(name, self.train.format.as_deref(), None, self.train.worker_count())?;
        Ok(Held::Corpus(Box::new(corpus)))
    }

    /// The parameters, and the digest of the model to start from.
    fn lda(&self, corpus: &Corpus) -> Result<(Lda, String), Error> {
        let Self { train, .. } = self;
        let mut lda = Lda::params()
            .beta(self.beta)
            .fixed_priors(self.fixed_priors)
            .evaluate_every(self.evaluate_every)
            .staged(self.start == Start::Staged)
            .merging(if self.totals == When::Round { Merging::Round } else { Merging::Epoch })
            .seed(train.seed);
        if let Some(alpha) = self.alpha {
            lda = lda.alpha(alpha);
        }
        if let Some(heat) = self.heat {
            lda = lda.heat(heat);
        }
        if let Some(epochs) = train.epochs {
            lda = lda.epochs(epochs);
        }
        if let Some(target) = self.target {
            lda = lda.target(target);
        }
        let mut topics = self.topics.unwrap_or(20);
        let mut digest = String::new();
        if let Some(folder) = &train.init {
            let counts;
            (topics, counts, digest) = start(folder, corpus, self.topics)?;
            lda = lda.init(counts);
        }
        if let Some(file) = &self.word_priors {
            lda = lda.word_priors(priors::read(file, corpus, topics)?);
        }
        Ok((lda.topics(topics), digest))
    }

    /// What makes a checkpoint this run's.
    fn identity(&self, data: &str, init: &str) -> String {
        let Self {
            topics,
            alpha,
            beta,
            fixed_priors,
            word_priors,
            validation,
            test,
            heat,
            start,
            totals,
            ..
        } = self;
        format!(
            "lda {data} topics {topics:?} alpha {alpha:?} beta {beta} fixed {fixed_priors} priors {word_priors:?} \
             validation {validation} test {test} every {} heat {heat:?} start {start:?} totals {totals:?} init {init} \
             length {:?} {} {}",
            self.evaluate_every,
            self.train.epochs,
            self.corpus.identity(),
            self.train.identity()
        )
    }
}

/// (word, topic, count) of a model to start from, in a corpus's word numbers.
type Known = Vec<(u32, u32, u32)>;

/// K, the counts of the model to start from by this corpus's words, and a digest of them.
fn start(folder: &Path, corpus: &Corpus, asked: Option<usize>) -> Result<(usize, Known, String), Error> {
    let (model, counts) = files::read(folder)?;
    if let Some(asked) = asked.filter(|&asked| asked != model.topics) {
        let (folder, has) = (folder.display(), model.topics);
        return Err(Error::usage(format!(
            "--topics {asked}: the model of --init {folder} has {has}; leave the option out"
        )));
    }
    let place: Vec<Option<u32>> = match (&model.vocabulary, &corpus.vocabulary) {
        (Some(old), Some(new)) => {
            let numbers: HashMap<&str, u32> = new.iter().zip(0..).collect();
            old.iter().map(|word| numbers.get(word.as_str()).copied()).collect()
        }
        _ => (0..model.words as u32)
            .map(|word| Some(word).filter(|&word| (word as usize) < corpus.words()))
            .collect(),
    };
    let mut known = Vec::with_capacity(counts.counts.len());
    for topic in 0..counts.topics() {
        let words = counts.topic(topic);
        known.extend(words.filter_map(|(word, count)| Some((place[word as usize]?, topic as u32, count))));
    }
    let numbers: Vec<u32> = known.iter().flat_map(|&(word, topic, count)| [word, topic, count]).collect();
    let digest = raddle::cli::ModelDigest::default().u32s(&numbers).finish();
    match known.is_empty() {
        true => {
            Err(Error::input(format!("--init {}: the corpus has no word of that model", folder.display())))
        }
        false => Ok((model.topics, known, digest)),
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
