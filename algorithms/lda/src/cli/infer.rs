//! `lda infer`: finds the topics of documents.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use raddle_cli::{
    Error, ExitStatus, MOST_WORKERS, Records, UseOptions, between, count, refuse_without_effect, write_atomic,
};
use raddle_common::to_stdout;
use raddle_datasets::{Corpus, Field, npy};
use raddle_lda::files::{Model, Saved};
use raddle_lda::{Inference, LdaError};
use serde_json::json;

use super::data::{self, FormatArgs, ReadOptions, TextArgs};
use super::fit_options::refuse;
use super::words::WordArgs;

/// Limit on the documents without words that a message names.
const NAMED: usize = 5;

/// Documents per batch: memory holds K topic shares for each of them.
const BATCH: usize = 4096;

/// The options of `lda infer`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(data::known("Documents"))), after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Folder of a fitted model, written by --out.
    model: PathBuf,
    /// The documents.
    data: String,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    words: WordArgs,
    /// Number of worker threads. Never changes the result. Default: the number of cores.
    #[arg(short, long, value_name = "N", value_parser = between::<1, MOST_WORKERS>)]
    workers: Option<usize>,
    /// Write the topics to this file. NAME.npy gets a matrix of documents by topics (f32). Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Leave out topics with a smaller share of a document than X (0 to 1), in text and JSON. Default: 0.01.
    #[arg(long, value_name = "X")]
    least: Option<f32>,
    #[command(flatten)]
    with: UseOptions,
}

const EXAMPLES: &str = "Examples:
  lda fit pydoc --epochs 50 --out run
  lda infer run pydoc --out topics.tsv
  lda infer run pydoc --out topics.npy

The text output has one line per document: its name, or its number from 1, then
`topic:share` for each topic, the largest share first. Topics are numbered from
1. A document's topics do not depend on other documents.

Words are matched by their text if model and data both have it, else by their
number. Words that the model lacks are left out. A document without any word of
the model gets the topics of the prior: a message names the document, and JSON
marks it by \"prior\": true. JSON also has, for each document, the numbers of
tokens that the model knows and does not know.";

/// The output format.
#[derive(Clone, Copy)]
enum Form {
    /// A matrix of documents by topics, f32.
    Array,
    /// A line per document, with the topics of at least this share.
    Lines(f32),
    /// One line of JSON, with the topics of at least this share.
    Json(f32),
}

/// Runs the verb.
pub(crate) fn infer(options: &Options) -> Result<ExitStatus, Error> {
    let form = options.form()?;
    #[allow(clippy::disallowed_methods, reason = "nothing is trained: results are the same on any number")]
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let Saved { model, counts, .. } = Saved::open(&options.model)?;
    let tokenizer = options.words.rule(model.tokenizer)?;
    // Every document gets a line of output, whatever it contains.
    let given = options.format.given(&options.texts, &model);
    let given = ReadOptions { tokenizer, may_be_empty: true, ..given };
    let corpus = data::read(&options.data, given, workers)?;
    options.words.check(&corpus)?;
    let notes = corpus.notes.clone();
    let (corpus, unknown) = matched(corpus, &model, &options.data)?;
    let records = Records::new(corpus.records.read, BTreeMap::new());
    notes.iter().for_each(|note| options.with.note(note));
    let inference = Arc::new(Inference::new(&counts, model.alpha.clone()).map_err(refuse)?);
    drop(counts);
    let total = corpus.documents();
    let mut documents = Documents {
        corpus: Arc::new(corpus),
        unknown,
        records,
        notes,
        inference,
        workers,
        failed: Cell::default(),
    };
    let without = documents.without_words();
    documents.notes.extend(without.strip_prefix("; ").map(str::to_owned));
    let written = match &options.out {
        Some(file) => write_atomic(file, |out| documents.write(out, form)).map_err(Error::from),
        None => {
            to_stdout(|out| documents.write(out, form)).map_err(|why| Error::failed(format!("stdout: {why}")))
        }
    };
    if let Some(error) = documents.failed.take() {
        return Err(refuse(error));
    }
    written?;
    let unknown: u64 = documents.unknown.iter().sum();
    let (counted, tokens) = (count(total as u64, "document"), count(unknown, "token"));
    let told = format!("{counted}; {tokens} unknown to the model{without}");
    match &options.out {
        Some(file) => {
            let Documents { records, notes, .. } = &documents;
            let value = json!({
                "out": file, "documents": total, "unknown_tokens": unknown, "records": records, "notes": notes
            });
            options.with.say(&told, &value)?;
        }
        None => options.with.note(&told),
    }
    Ok(ExitStatus::Done)
}

impl Options {
    /// Checks the options; returns the output format.
    fn form(&self) -> Result<Form, Error> {
        let least = self.least.unwrap_or(0.01);
        if !(0.0..=1.0).contains(&least) {
            return Err(Error::usage(format!("--least {least}: give a share from 0 to 1")));
        }
        let ending = self.out.as_deref().and_then(Path::extension);
        match &self.out {
            Some(_) if ending.is_some_and(|ending| ending == "npy") => {
                refuse_without_effect(&[("--least", self.least.is_some())], "on a matrix of all topics")?;
                Ok(Form::Array)
            }
            None if self.with.json => Ok(Form::Json(least)),
            _ => Ok(Form::Lines(least)),
        }
    }
}

/// The documents, with everything needed to infer their topics.
struct Documents {
    corpus: Arc<Corpus>,
    /// For each document, the number of tokens that were left out.
    unknown: Vec<u64>,
    /// Record counts, in which no document is left out.
    records: Records,
    /// Notes on the documents.
    notes: Vec<String>,
    inference: Arc<Inference>,
    workers: usize,
    /// The error of the inference, if any.
    failed: Cell<Option<LdaError>>,
}

impl Documents {
    fn write(&self, mut out: &mut dyn Write, form: Form) -> io::Result<()> {
        match form {
            Form::Array => {
                npy::header(&mut out, "<f4", &[self.corpus.documents(), self.inference.topics()])?;
                self.each(|_, theta| npy::f32s(&mut out, theta))
            }
            Form::Lines(least) => self.each(|document, theta| {
                write!(out, "{}", Field(&name(&self.corpus, document)))?;
                let topics = shares(theta, least);
                topics.iter().try_for_each(|(topic, share)| write!(out, "\t{}:{share:.4}", topic + 1))?;
                writeln!(out)
            }),
            Form::Json(least) => {
                let unknown: u64 = self.unknown.iter().sum();
                let (records, notes) = (json!(self.records), json!(self.notes));
                write!(out, "{{\"records\":{records},\"notes\":{notes},\"unknown_tokens\":{unknown},")?;
                write!(out, "\"documents\":[")?;
                self.each(|document, theta| {
                    write!(out, "{}", if document > 0 { "," } else { "" })?;
                    let names = self.corpus.document_names.as_ref();
                    let topics = shares(theta, least).into_iter();
                    let topics = topics.map(|(topic, share)| json!({ "topic": topic + 1, "share": share }));
                    let tokens = self.corpus.length(document);
                    let mut value = json!({
                        "document": document + 1,
                        "tokens": tokens,
                        "unknown_tokens": self.unknown[document],
                        "topics": topics.collect::<Vec<_>>(),
                    });
                    if tokens == 0 {
                        value["prior"] = true.into();
                    }
                    if let Some(name) = names.and_then(|names| names.get(document)) {
                        value["name"] = name.into();
                    }
                    Ok(serde_json::to_writer(&mut *out, &value)?)
                })?;
                writeln!(out, "]}}")
            }
        }
    }

    /// Formats the documents without a word that the model knows.
    fn without_words(&self) -> String {
        let all = (0..self.corpus.documents()).filter(|&document| self.corpus.length(document) == 0);
        let first: Vec<String> =
            all.clone().take(NAMED).map(|document| name(&self.corpus, document)).collect();
        let more = if first.len() < NAMED { 0 } else { all.count() - NAMED };
        match first.len() + more {
            0 => String::new(),
            1 => format!("; document {} has no word of the model, and gets the prior's topics", first[0]),
            _ => format!(
                "; documents without a word of the model, which get the topics of the prior: {}{}",
                first.join(", "),
                if more > 0 { format!(" and {more} more") } else { String::new() }
            ),
        }
    }

    /// Every document with its theta, in order.
    fn each(&self, mut take: impl FnMut(usize, &[f32]) -> io::Result<()>) -> io::Result<()> {
        let total = self.corpus.documents();
        for start in (0..total).step_by(BATCH) {
            let documents = start..(start + BATCH).min(total);
            match self.inference.thetas(&self.corpus, documents, self.workers) {
                Ok(thetas) => {
                    let mut rows = (start..).zip(thetas.chunks_exact(self.inference.topics()));
                    rows.try_for_each(|(document, theta)| take(document, theta))?;
                }
                Err(error) => {
                    self.failed.set(Some(error));
                    return Err(io::Error::other("the inference failed"));
                }
            }
        }
        Ok(())
    }
}

/// Name of a document, or its number from 1.
fn name(corpus: &Corpus, document: usize) -> String {
    let name = corpus.document_names.as_ref().and_then(|names| names.get(document));
    let name = name.filter(|name| !name.is_empty());
    // A name that held a tab would be two fields.
    name.map_or_else(|| (document + 1).to_string(), |name| name.replace(char::is_control, " "))
}

/// (topic, share) of at least `least`, the largest first.
fn shares(theta: &[f32], least: f32) -> Vec<(usize, f32)> {
    let mut order: Vec<(usize, f32)> =
        theta.iter().copied().enumerate().filter(|&(_, share)| share >= least).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order
}

/// The corpus over the model's words, and how many tokens of each document were left out.
pub(crate) fn matched(mut corpus: Corpus, model: &Model, source: &str) -> Result<(Corpus, Vec<u64>), Error> {
    if let Some(words) = model.vocabulary.as_ref().filter(|_| corpus.vocabulary.is_some()) {
        let words = words.iter().map(String::as_str).collect();
        let unknown = corpus.match_words_by_document(words).map_err(Error::input)?;
        return Ok((corpus, unknown));
    }
    match corpus.words() == model.words {
        true => {
            let unknown = vec![0; corpus.documents()];
            Ok((corpus, unknown))
        }
        false => Err(Error::input(format!(
            "{source} has {} words, the model {}, and they cannot be matched by text: give the words with \
             --vocab FILE",
            corpus.words(),
            model.words
        ))),
    }
}
