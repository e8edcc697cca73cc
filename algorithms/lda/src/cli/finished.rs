//! Files, report and text of a finished fit.

use raddle_cli::{Data, Error, Report, Session, Summary, Timed, VersionOf, count};
use raddle_datasets::{Corpus, Tokenizer, Vocabulary};
use raddle_lda::files::{Model, ToSave};
use raddle_lda::{Fit, HoldOut, Preparation, Problem};
use serde::Serialize;

use super::describe::Listing;
use super::fit_options::ModelOptions;
use super::map::map;
use super::{outcome, pyldavis};

/// Topics on the screen; then words of each.
const LISTED: usize = 20;
const WORDS: usize = 10;

/// Facts about the corpus of a fit, for its model and its report.
pub(super) struct CorpusFacts {
    pub(super) about: Data,
    pub(super) tokenizer: Option<Tokenizer>,
    /// Pairs of words that are read as one.
    pub(super) phrases: Vec<String>,
    pub(super) vocabulary: Option<Vocabulary>,
    /// The documents' names, if the model stores them.
    pub(super) names: Option<Vocabulary>,
    pub(super) held_out_documents: u64,
    /// Version of a corpus with changes.
    pub(super) version: Option<VersionOf>,
    /// The corpus itself, if an option measures it.
    pub(super) corpus: Option<Corpus>,
}

/// Writes a model; returns its results for the report, as tables and as text. `parameters` are all options of
/// the line.
pub(super) fn finished(
    session: &mut Session,
    options: &ModelOptions,
    parameters: &impl Serialize,
    fit: &Fit,
    facts: CorpusFacts,
) -> Result<(Report, Summary, String), Error> {
    let CorpusFacts { about, tokenizer, phrases, vocabulary, names, held_out_documents, version, corpus } =
        facts;
    let counts = fit.topic_words();
    let model = Model {
        version,
        tokenizer,
        phrases,
        held_out_documents,
        named_documents: names.is_some(),
        ..Model::new(fit, &counts, vocabulary.as_ref())
    };
    let (rows, names) = (fit.document_topics(), names.as_ref());
    let topics_of = &|document| rows.of(document);
    ToSave { model: &model, counts: &counts, topics_of, names, evaluations: fit.evaluations() }
        .write(session)?;
    let is_written = options.train.folder().is_some();
    let map = session.timed(Timed::Write, || is_written.then(|| map(&model, &counts, topics_of, names)));
    drop(rows);
    if let Some(corpus) = corpus.as_ref().filter(|_| options.pyldavis) {
        pyldavis::write(session, fit, &counts, corpus, &model)?;
    }
    let listing = Listing::new(&counts, corpus.as_ref().filter(|_| options.coherence));
    let report = session.report(parameters, about, counts.digest(fit.alpha()), &fit.report, &fit.trace)?;
    let report = outcome::results(report, fit, &listing);
    let title = format!("{} topics of {}", fit.topics(), report.data.path);
    let mut text = format!("{title}\n\n{}", listing.text(&counts, &model, LISTED, WORDS));
    report.notes.iter().for_each(|note| text += &format!("\n{note}"));
    text += &format!("\n{}", outcome::conclusion(&report, fit));
    let mut summary = listing.summary(title, &counts, &model, WORDS);
    summary.pictures.extend(map.flatten());
    Ok((report, summary, text))
}

/// Returns a note on how many documents are held out and where their topics are; or, if a fraction was to be
/// held out and no document could be, that the training data end the run.
pub(super) fn held_out(preparation: &Preparation, problem: &Problem) -> Option<String> {
    let asked = matches!(preparation.validation, HoldOut::Fraction(_));
    let documents = problem.held_out_documents() as u64;
    if documents > 0 {
        return Some(format!(
            "held out: {documents} of {}; doc_topic.npz has no topics of these, but lda infer finds them",
            count(problem.documents() as u64, "document")
        ));
    }
    (asked && !problem.held_out().contains(&raddle_lda::VALIDATION)).then(|| {
        "no document is held out: that needs two documents with words, one of them of two words or more; \
         the joint perplexity of the training data ends the run"
            .into()
    })
}
