//! `lda topics`.

use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, say};

use super::describe::Listing;
use super::infer::matched;
use super::{data, files};

/// The options of `lda topics`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// Documents to measure coherence on: as for fit.
    data: Option<String>,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The words of the data, one a line; else the file beside it that is named alike.
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    /// Top words of each topic.
    #[arg(long, value_name = "N", default_value_t = 10)]
    words: usize,
    /// Topics listed, the largest first.
    #[arg(long, value_name = "N", default_value_t = 100)]
    top: usize,
    /// All topics as one line of JSON: share, alpha, effective words, exclusivity, coherence, top words.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lda fit pydoc --epochs 50 --out run
  lda topics run
  lda topics run pydoc --words 15 --json";

/// Lists the topics.
pub(crate) fn topics(options: &Options) -> Result<ExitStatus, Error> {
    let (model, counts) = files::read(&options.model)?;
    let corpus = match &options.data {
        None => None,
        Some(source) => {
            let corpus = data::read(source, options.format.as_deref(), options.vocab.as_deref(), 1)?;
            Some(matched(corpus, &model, source)?.0)
        }
    };
    let listing = Listing::new(&counts, corpus.as_ref());
    let title = format!("{} topics of {} words from {} tokens", model.topics, model.words, model.tokens);
    if options.json {
        let summary = listing.summary(title, &counts, &model, options.words);
        say(&serde_json::to_string(&summary).map_err(Error::failed)?)?;
        return Ok(ExitStatus::Done);
    }
    let mut text = format!("{title}\n\n{}", listing.text(&counts, &model, options.top, options.words));
    if let Some(mean) = listing.mean_coherence() {
        text += &format!("\nmean coherence of 10 words: u_mass {:.3}, npmi {:.3}", mean.u_mass, mean.npmi);
    }
    say(&text)?;
    Ok(ExitStatus::Done)
}
