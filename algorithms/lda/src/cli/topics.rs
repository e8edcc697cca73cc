//! `lda topics`: shows the topics of a fitted model.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, Table, UseOptions, between, count, number};
use raddle_lda::files::Saved;

use super::by::SharesBy;
use super::data::{self, FormatArgs, ReadOptions, TextArgs};
use super::describe::Listing;
use super::infer::matched;

/// Topics on the screen without --top.
const TOP: usize = 100;

/// Limit on the topics and words to show.
const MOST: usize = u32::MAX as usize;

/// The options of `lda topics`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Folder of a fitted model, written by --out.
    model: PathBuf,
    /// Documents to measure coherence on, or to group with --by. Any source that `lda fit` reads will do.
    data: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
    /// List, for each topic, the N training documents with the largest share of it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    documents: usize,
    /// Compare the topics of groups of documents. Give a column or field of DATA, such as year. Mean shares,
    /// and their differences from all other documents, are shown with 95 % intervals.
    #[arg(long, value_name = "NAME", requires = "data", conflicts_with = "documents")]
    by: Option<String>,
    /// Put the numbers of --by into N bins of about equally many documents.
    #[arg(long, value_name = "N", requires = "by", value_parser = between::<2, MOST>)]
    bins: Option<usize>,
    #[command(flatten)]
    texts: TextArgs,
    /// List the N top words of each topic (--top is for topics).
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = between::<1, MOST>)]
    words: usize,
    /// List the N largest topics. Default: 100, or all with --json.
    #[arg(long, value_name = "N", value_parser = between::<1, MOST>)]
    top: Option<usize>,
    #[command(flatten)]
    with: UseOptions,
}

const EXAMPLES: &str = "Examples:
  lda fit pydoc --epochs 50 --out run
  lda topics run
  lda topics run pydoc --words 15 --json
  lda topics run --documents 3

The topics of groups of documents, of a table with texts and years:
  lda topics run news.csv --text body --by year";

/// Runs the verb.
pub(crate) fn topics(options: &Options) -> Result<ExitStatus, Error> {
    if options.data.is_none() && options.texts.is_given() {
        let why = "--text, --id and --encoding are for reading documents: name the documents, too, as in \
             `lda topics MODEL DATA`";
        return Err(Error::usage(why));
    }
    let saved = Saved::open(&options.model)?;
    let Saved { model, counts, .. } = &saved;
    let corpus = match &options.data {
        None => None,
        Some(source) => {
            let given = options.format.given(&options.texts, model);
            let given = ReadOptions { by: options.by.as_deref(), ..given };
            let corpus = data::read(source, given, 1)?;
            corpus.notes.iter().for_each(|note| options.with.note(note));
            let (corpus, unknown) = matched(corpus, model, source)?;
            let unknown = unknown.iter().sum();
            if unknown > 0 {
                options.with.note(&format!("{} of {source} unknown to the model", count(unknown, "token")));
            }
            Some(corpus)
        }
    };
    let listing = Listing::new(counts, corpus.as_ref());
    let title = format!("{} topics of {} words from {} tokens", model.topics, model.words, model.tokens);
    let mut text =
        format!("{title}\n\n{}", listing.text(counts, model, options.top.unwrap_or(TOP), options.words));
    if let Some(mean) = listing.mean_coherence() {
        let (u_mass, npmi) = (number(mean.u_mass), number(mean.npmi));
        text += &format!("\nmean coherence of 10 words: u_mass {u_mass}, npmi {npmi}");
    }
    let mut summary = listing.summary(title, counts, model, options.words);
    let top = options.top.unwrap_or(usize::MAX);
    summary.tables.iter_mut().for_each(|table| table.rows.truncate(top));
    if options.documents > 0 {
        let (below, table) = documents(options, &saved, &listing)?;
        text = format!("{}\n\n{below}", text.trim_end());
        if model.held_out_documents > 0 {
            let held_out = count(model.held_out_documents, "document");
            options.with.note(&format!(
                "{held_out} held out of the fit: not among these; lda infer finds their topics"
            ));
        }
        summary = summary.table(table);
    }
    if let Some((by, corpus)) = options.by.as_ref().zip(corpus) {
        let shares = SharesBy::new(&saved, corpus, by, options.bins)?;
        shares.notes().iter().for_each(|note| options.with.note(note));
        text = shares.text(options.top);
        summary = summary.table(shares.table());
        summary.pictures.extend(shares.picture());
    }
    options.with.say(&text, &summary)?;
    Ok(ExitStatus::Done)
}

/// Lists the documents with the largest share of each topic, as text and as a table.
fn documents(options: &Options, saved: &Saved, listing: &Listing) -> Result<(String, Table), Error> {
    let found = saved.documents()?;
    let mut text = format!("{:>6}  documents with the largest share\n", "topic");
    let mut table = Table::new("documents", &["topic", "document", "name", "share"]);
    for topic in listing.filled().take(options.top.unwrap_or(TOP)) {
        let top = found.top(topic, options.documents);
        let said: Vec<String> =
            top.iter().map(|&(document, share)| format!("{} {share:.3}", found.name(document))).collect();
        text += &format!("{:>6}  {}\n", topic + 1, said.join(", "));
        for (document, share) in top {
            let (number, name) = (document as u64 + 1, found.name(document));
            table.row(vec![(topic as u64 + 1).into(), number.into(), name.into(), share.into()]);
        }
    }
    Ok((text, table))
}
