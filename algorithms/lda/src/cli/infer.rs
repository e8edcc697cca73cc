//! `lda infer`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use raddle::cli::{Error, ExitStatus, count, npy, say, write_atomic};
use raddle_datasets::Corpus;
use raddle_lda::Inference;

use super::data;
use super::files::{self, Model};
use super::fit::refuse;

/// Documents at a time: what is held of their topics is this times K.
const BATCH: usize = 4096;

/// The options of `lda infer`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The documents: {}", data::known()))), after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The documents.
    data: String,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The words of the data, one a line; else the file beside it that is named alike.
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    /// Threads that compute; the cores unless given. Never changes the result.
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Write the topics to this file rather than to stdout: a NAME.npy is a matrix of documents by topics, f32.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// In text, leave out topics with a smaller share of a document.
    #[arg(long, value_name = "X", default_value_t = 0.01, allow_negative_numbers = true)]
    least: f32,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lda fit pydoc --epochs 50 --out run
  lda infer run pydoc --out topics.tsv
  lda infer run pydoc --out topics.npy

A line of text is a document: its number from 1, then topic:share, the largest first, topics from 1. The same document
has the same topics whatever else is in the data. Words are matched by their text where model and data have it, else by
number; words that the model does not have are left out.";

/// Infers the topics of every document.
pub(crate) fn infer(options: &Options) -> Result<ExitStatus, Error> {
    if options.workers == Some(0) {
        return Err(Error::usage("--workers 0: give 1 or more"));
    }
    if !(0.0..=1.0).contains(&options.least) {
        return Err(Error::usage(format!("--least {}: give a share from 0 to 1", options.least)));
    }
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let (model, counts) = files::read(&options.model)?;
    let corpus = data::read(&options.data, options.format.as_deref(), options.vocab.as_deref(), workers)?;
    let (corpus, unknown) = matched(corpus, &model, &options.data)?;
    let corpus = Arc::new(corpus);
    let inference = Arc::new(Inference::new(&counts, model.alpha.clone()).map_err(refuse)?);
    drop(counts);
    let mut failed = None;
    let mut each = |take: &mut dyn FnMut(usize, &[f32]) -> io::Result<()>| -> io::Result<()> {
        for start in (0..corpus.documents()).step_by(BATCH) {
            let documents = start..(start + BATCH).min(corpus.documents());
            match inference.thetas(&corpus, documents, workers) {
                Ok(thetas) => {
                    let mut rows = (start..).zip(thetas.chunks_exact(inference.topics()));
                    rows.try_for_each(|(document, theta)| take(document, theta))?;
                }
                Err(error) => {
                    failed = Some(error);
                    return Err(io::Error::other("the inference failed"));
                }
            }
        }
        Ok(())
    };
    let written = match &options.out {
        Some(file) if file.extension().is_some_and(|ending| ending == "npy") => write_atomic(file, |out| {
            npy::header(out, "<f4", &[corpus.documents(), inference.topics()])?;
            each(&mut |_, theta| npy::f32s(out, theta))
        }),
        Some(file) => {
            write_atomic(file, |out| each(&mut |document, theta| line(out, document, theta, options.least)))
        }
        None => {
            let mut out = io::stdout().lock();
            match each(&mut |document, theta| line(&mut out, document, theta, options.least)) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    Err(Error::failed(format!("stdout: {error}")))
                }
                _ => Ok(()),
            }
        }
    };
    if let Some(error) = failed {
        return Err(refuse(error));
    }
    written?;
    let told = format!("{}; {unknown} unknown to the model", count(corpus.documents() as u64, "document"));
    match options.out {
        Some(_) => say(&told)?,
        // Nobody is left to tell if stderr is closed.
        None => drop(writeln!(io::stderr(), "{told}")),
    }
    Ok(ExitStatus::Done)
}

fn line(out: &mut impl Write, document: usize, theta: &[f32], least: f32) -> io::Result<()> {
    let mut order: Vec<(usize, f32)> =
        theta.iter().copied().enumerate().filter(|&(_, share)| share >= least).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    write!(out, "{}", document + 1)?;
    order.iter().try_for_each(|(topic, share)| write!(out, "\t{}:{share:.4}", topic + 1))?;
    writeln!(out)
}

/// The corpus over the model's words, and what was left out, in words.
pub(crate) fn matched(corpus: Corpus, model: &Model, source: &str) -> Result<(Corpus, String), Error> {
    let place: Vec<Option<u32>> = match (&model.vocabulary, &corpus.vocabulary) {
        (Some(known), Some(words)) => {
            let numbers: HashMap<&str, u32> = known.iter().map(String::as_str).zip(0..).collect();
            words.iter().map(|word| numbers.get(word).copied()).collect()
        }
        _ if corpus.words() == model.words => (0..model.words as u32).map(Some).collect(),
        _ => {
            return Err(Error::input(format!(
                "{source} has {} words, the model {}, and they cannot be matched by text: give the words with --vocab FILE",
                corpus.words(),
                model.words
            )));
        }
    };
    let mut tokens = 0u64;
    let documents: Vec<Vec<(u32, u64)>> = (0..corpus.documents())
        .map(|document| {
            let words = corpus.document(document);
            let known = words.filter_map(|(word, times)| match place[word as usize] {
                Some(word) => Some((word, u64::from(times))),
                None => {
                    tokens += u64::from(times);
                    None
                }
            });
            known.collect()
        })
        .collect();
    let matched = Corpus::from_documents(model.words, documents).map_err(Error::input)?;
    Ok((matched, count(tokens, "token")))
}
