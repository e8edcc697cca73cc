//! `lda topics`.

use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, UseOptions, count, number};

use super::data::{self, EncodingArgs, Given};
use super::describe::Listing;
use super::files;
use super::infer::matched;

/// Topics listed on the screen unless --top says otherwise.
const TOP: usize = 100;

/// The options of `lda topics`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// Documents to measure coherence on: as for fit.
    data: Option<String>,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME", requires = "data")]
    format: Option<String>,
    /// The words of the data, one a line; else the file beside it that is named alike.
    #[arg(long, value_name = "FILE", requires = "data")]
    vocab: Option<PathBuf>,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Top words of each topic.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    words: usize,
    /// Topics listed, the largest first; 100 unless given, with --json all.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<usize>,
    #[command(flatten)]
    with: UseOptions,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lda fit pydoc --epochs 50 --out run
  lda topics run
  lda topics run pydoc --words 15 --json";

/// Lists the topics.
pub(crate) fn topics(options: &Options) -> Result<ExitStatus, Error> {
    let (model, counts, _) = files::read(&options.model)?;
    let corpus = match &options.data {
        None => None,
        Some(source) => {
            let (format, vocab) = (options.format.as_deref(), options.vocab.as_deref());
            let corpus = data::read(source, Given { format, vocab, encoding: options.encoding }, 1)?;
            let (corpus, unknown) = matched(corpus, &model, source)?;
            if unknown > 0 {
                options.with.note(&format!("{} of {source} unknown to the model", count(unknown, "token")));
            }
            Some(corpus)
        }
    };
    let listing = Listing::new(&counts, corpus.as_ref());
    let title = format!("{} topics of {} words from {} tokens", model.topics, model.words, model.tokens);
    let mut text =
        format!("{title}\n\n{}", listing.text(&counts, &model, options.top.unwrap_or(TOP), options.words));
    if let Some(mean) = listing.mean_coherence() {
        let (u_mass, npmi) = (number(mean.u_mass), number(mean.npmi));
        text += &format!("\nmean coherence of 10 words: u_mass {u_mass}, npmi {npmi}");
    }
    let mut summary = listing.summary(title, &counts, &model, options.words);
    let top = options.top.unwrap_or(usize::MAX);
    summary.tables.iter_mut().for_each(|table| table.rows.truncate(top));
    options.with.say(&text, &summary)?;
    Ok(ExitStatus::Done)
}
