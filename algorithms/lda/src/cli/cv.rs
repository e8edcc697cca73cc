//! `lda cv`: chooses the number of topics by cross-validation, and fits it.

use std::collections::BTreeSet;

use clap::Args;
use raddle::state::{from_bytes, to_bytes};
use raddle::{Ending, Limit};
use raddle_cli::{
    CutShort, Data, Error, ExitStatus, PartEnd, PartRun, ROUND_OPTIONS, Report, Session, Timed, choose,
    combine, ended_as, hide_idle,
};
use raddle_datasets::Corpus;
use raddle_lda::{
    Fit, HoldOut, Lda, MOST_TOPICS, Preparation, Problem, TopicCurve, TopicRule, TopicScore, fold_documents,
};
use serde::Serialize;

use super::curve::Choice;
use super::data;
use super::describe::Listing;
use super::finished::{CorpusFacts, finished, held_out};
use super::fit_options::{ModelOptions, SCHEDULE, identity, refuse};

const EXAMPLES: &str = "Examples:
  lda cv pydoc --topics 5,10,20 --folds 3
  lda cv pydoc --topics 5,10,20 --rule 1se --out run

Each number of topics is fitted without each fold, all in parallel on the \
workers. Then the chosen number is fitted to all documents, as by `lda fit`.";

/// The options of `lda cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "on the rotation of lda")))]
#[command(mut_args(hide_idle(&["init"], "in lda cv, as a model to start from has seen what a fold holds out")))]
#[command(mut_args(hide_idle(&["test", "target"], "in lda cv, whose folds hold out the documents that measure")))]
#[command(mut_args(hide_idle(&["cache"], "in lda cv, which needs the corpus in memory")))]
#[command(mut_args(hide_idle(&["changes", "cold", "save_data"], "in lda cv, whose documents do not change")))]
#[command(mut_args(hide_idle(&["slowdown"], "on a run of several parts")))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("epochs", |arg| arg.help("Stop each fit after N epochs. Default: when the perplexity of held-out \
    documents hardly falls any more")))]
#[command(mut_arg("checkpoint_every", |arg| arg.help("Write a checkpoint to the run's folder after every N epochs \
    of a fit. auto writes the first after 5 seconds, and then spends about a thirtieth of the time on checkpoints. \
    Default: none")))]
#[command(mut_arg("time_limit", |arg| arg.help("Stop the whole run after this time. No model is written if nothing \
    is chosen yet")))]
#[command(mut_arg("evaluate_every", |arg| arg.help("Evaluate held-out documents every N epochs. Default: 5")))]
#[command(mut_arg("words", |arg| arg.help("Split texts into words: at the word boundaries of Unicode's Annex 29, or \
    at blanks only, for texts that are segmented already, as by jieba, MeCab or PyThaiNLP. Default: unicode")))]
#[command(mut_arg("min_letters", |arg| arg.help("Leave out words with fewer than N letters. Default: 2, but 1 with \
    --words blanks and for words in Chinese, Japanese, Korean, Thai and similar scripts")))]
pub(crate) struct Options {
    /// Numbers of topics to choose from.
    #[arg(
        long = "topics",
        id = "topics",
        value_name = "K,...",
        value_delimiter = ',',
        default_value = "5,10,20,40,80"
    )]
    #[serde(rename = "topics")]
    numbers: Vec<usize>,
    /// Number of folds, parts of the documents. Each is held out once.
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    /// Rule for choosing the number of topics. npmi takes the topics whose top words occur together most, min
    /// the lowest perplexity of held-out documents, and 1se the fewest topics within one standard error of
    /// min.
    #[arg(long, value_name = "npmi|min|1se", default_value = "npmi")]
    rule: String,
    #[command(flatten)]
    #[serde(flatten)]
    model: ModelOptions,
}

impl Options {
    /// Returns the numbers of topics, ascending.
    fn topics(&self) -> Result<Vec<usize>, Error> {
        let refused = |why: String| Err(Error::usage(format!("--topics: {why}")));
        let topics: BTreeSet<usize> = self.numbers.iter().copied().collect();
        if let Some(wrong) = topics.iter().find(|&&topics| topics == 0 || topics > MOST_TOPICS) {
            return refused(format!("it names {wrong}: give numbers from 1 to {MOST_TOPICS}"));
        }
        if topics.len() < self.numbers.len() {
            return refused("it names a number twice".into());
        }
        match topics.first() {
            Some(one) if topics.len() == 1 => refused(format!(
                "there is nothing to choose from: name several, as in --topics {one},{}, or give `lda fit \
                 --topics {one}`",
                2 * one
            )),
            _ => Ok(topics.into_iter().collect()),
        }
    }
}

/// The corpus cut into folds, and the fits to try on each of them.
struct Grid<'a> {
    options: &'a Options,
    corpus: &'a Corpus,
    folds: Vec<Vec<u32>>,
    topics: Vec<usize>,
    /// The parameters with each number of topics.
    fits: Vec<Lda>,
}

/// Runs the verb.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, folds, .. } = options;
    let (topics, rule) = (options.topics()?, choose("--rule", &options.rule, &TopicRule::NAMES)?);
    model.check()?;
    let mut session = Session::begin("lda", env!("CARGO_PKG_VERSION"), &model.train)?;
    session.refuse_distributed("this command")?;
    let read = session.timed(Timed::Read, || model.corpus.read(&model.train, None))?;
    let (corpus, mut notes) = (read.corpus, read.notes);
    let mut lda = |&topics: &usize| model.lda(topics, &corpus, None, &mut notes);
    let fits = topics.iter().map(&mut lda).collect::<Result<Vec<_>, _>>()?;
    notes.dedup();
    let folds = fold_documents(&corpus, *folds, model.train.seed).map_err(refuse)?;
    let grid = Grid { options, corpus: &corpus, folds, topics, fits };
    let identity = identity(options, &corpus, "none")?;
    let about = data::describe((&corpus).into());

    let names = grid.names();
    let parts = session.parts(&identity, &names, |part| grid.fit(part, &identity))?;
    if parts.cut.is_some() {
        let (title, choice) = ("Cross-validation of topics", "number of topics");
        let words = CutShort { title, parts: "fits", names: &names, choice };
        return words.finish(session, options, Data { notes, ..about }, parts);
    }
    let scores = parts.done.iter().flatten().map(|bytes| from_bytes(bytes).map_err(Error::failed));
    let scores = scores.collect::<Result<Vec<TopicScore>, _>>()?;
    let scores: Vec<Vec<TopicScore>> = scores.chunks(grid.topics.len()).map(<[_]>::to_vec).collect();
    let choice = Choice { curve: TopicCurve::new(grid.topics.clone(), &scores), rule, scores };
    choice.write(&mut session)?;

    let (chosen, lda) = (choice.topics(), grid.fits[choice.position()].clone());
    session.screen().stage(&format!("all documents, {chosen} topics"));
    let preparation = model.preparation(&corpus, &mut notes)?;
    let problem = session.timed(Timed::Prepare, || Problem::new(&corpus, &preparation)).map_err(refuse)?;
    notes.extend(held_out(&preparation, &problem));
    let (tokens, held_out_documents) = (problem.tokens(), problem.held_out_documents() as u64);
    let engine = session.timed(Timed::Fit, || lda.engine(problem)).map_err(refuse)?;
    let outcome = session.run_last(engine.identity(format!("{identity} all documents")))?;
    let mut fit = Fit::new(outcome, corpus.documents());
    let mut run = parts.run.unwrap_or_else(|| fit.report.clone());
    combine(&mut run, &fit.report);
    fit.report = ended_as(run, &fit.report);
    fit.trace.splice(..0, parts.trace);

    let facts = CorpusFacts {
        about: Data { notes, ..data::with_training(about, tokens) },
        tokenizer: corpus.tokenizer,
        phrases: corpus.phrases.clone(),
        vocabulary: corpus.vocabulary.clone(),
        names: corpus.document_names.clone().filter(|names| names.len() == corpus.documents()),
        held_out_documents,
        version: None,
        corpus: model.measures_corpus().then_some(corpus),
    };
    let (report, mut summary, text) = finished(&mut session, model, options, &fit, facts)?;
    let report: Report = choice.reported(report);
    let (above, table) = choice.describe(&report.data.path);
    summary.pictures.splice(..0, choice.pictures());
    session.finish(report, &summary.table(table), &format!("{above}\n\n{text}"))
}

impl Grid<'_> {
    /// Returns the fold and the position of the number of topics of a part.
    fn place(&self, part: usize) -> (usize, usize) {
        (part / self.topics.len(), part % self.topics.len())
    }

    /// Returns the names of the parts: every number of topics on every fold.
    fn names(&self) -> Vec<String> {
        let name = |(fold, at): (usize, usize)| {
            format!("fold {} of {}, {} topics", fold + 1, self.folds.len(), self.topics[at])
        };
        (0..self.folds.len() * self.topics.len()).map(|part| name(self.place(part))).collect()
    }

    /// Fits a number of topics without a fold, and measures the fit.
    fn fit(&self, part: &mut PartRun<'_>, identity: &str) -> Result<PartEnd, Error> {
        let (fold, at) = self.place(part.number());
        let train = &self.options.model.train;
        let preparation = Preparation {
            validation: HoldOut::Documents(self.folds[fold].clone()),
            shards: train.shards,
            seed: train.seed,
            ..Preparation::default()
        };
        let problem = Problem::new(self.corpus, &preparation).map_err(refuse)?;
        let engine = self.fits[at].engine(problem).map_err(refuse)?;
        let identity = format!("{identity} fold {fold} of {} topics", self.topics[at]);
        let outcome = part.run(engine.identity(identity))?;
        if matches!(outcome.report.ending, Ending::Interrupted | Ending::Limit(Limit::Time)) {
            return Ok(PartEnd::Cut);
        }
        let fit = Fit::new(outcome, self.corpus.documents());
        let counts = fit.topic_words();
        let perplexity = fit.evaluations().last().and_then(|last| last.validation);
        let npmi = Listing::new(&counts, Some(self.corpus)).mean_coherence().map(|mean| mean.npmi);
        let score = TopicScore {
            documents: self.folds[fold].len() as u64,
            perplexity: perplexity.unwrap_or(f64::NAN),
            npmi: npmi.unwrap_or(f64::NAN),
            epochs: fit.report.epochs,
            digest: counts.digest(fit.alpha()),
        };
        Ok(PartEnd::Done(to_bytes(&score)))
    }
}
