//! Corpora that are read on demand, from a file that is made once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use raddle_cli::{Error, ExitStatus, Session, Timed};
use raddle_datasets::StoredCorpus;
use raddle_lda::files::Model;
use raddle_lda::{Fit, Problem, TopicWords};

use super::data;
use super::finished::{finished, held_out};
use super::fit_options::{FREE, Options, refuse};
use super::words;

/// Returns the folder for the file if the corpus is read on demand: that of `--cache`, or the folder that the
/// processes of a run share. Options that need the whole corpus in memory prevent this: those that leave
/// words out, name other files or an initial model, or measure the whole corpus.
pub(super) fn folder(options: &Options, session: &Session) -> Option<PathBuf> {
    let in_memory = options.train.init.is_some()
        || options.coherence
        || options.pyldavis
        || options.corpus.leaves_out()
        || [&options.validation, &options.test].into_iter().any(|held| names_a_file(held));
    let folder = options.cache.clone().or_else(|| session.shared_folder());
    folder.filter(|_| !in_memory)
}

/// Opens the corpus in this folder, and makes its file if needed; also returns notes. `None` if the source is
/// not a file with a bag of words.
pub(super) fn open(
    options: &Options,
    folder: Option<&Path>,
) -> Result<Option<(StoredCorpus, Vec<String>)>, Error> {
    let Some(folder) = folder else { return Ok(None) };
    let train = &options.train;
    let source = train.data.as_deref().unwrap_or(data::DEFAULT);
    let reading = options.corpus.options(source, train.format.as_deref(), train.worker_count())?;
    let stored = StoredCorpus::open(source, &reading, folder).map_err(Error::input)?;
    let taken = |stored: StoredCorpus| {
        options.corpus.words.check(stored.described())?;
        let notes = data::unnamed(stored.described()).into_iter().collect();
        Ok((stored, notes))
    };
    stored.map(taken).transpose()
}

fn names_a_file(held: &str) -> bool {
    !["none", "split"].contains(&held) && held.parse::<f64>().is_err()
}

/// Fits a model to a corpus that is read on demand.
pub(super) fn fit(
    options: &Options,
    mut session: Session,
    (stored, mut notes): (StoredCorpus, Vec<String>),
) -> Result<ExitStatus, Error> {
    let about = data::describe_stored(&stored);
    let stored = Arc::new(stored);
    let corpus = stored.described();
    let preparation = options.preparation(corpus, &mut notes)?;
    let words = words::identity(corpus);
    let read = [("data", about.digest.as_str()), ("init", "none"), ("words", &words)];
    let identity = raddle_cli::identity("lda", options, FREE, &read)?;
    let lda = options.lda(corpus, None, &mut notes)?;
    let problem = session.timed(Timed::Prepare, || Problem::by_parts(Arc::clone(&stored), &preparation));
    let problem = problem.map_err(refuse)?;
    notes.extend(held_out(&preparation, &problem));
    let held_out_documents = problem.held_out_documents() as u64;
    let about = data::with_training(about, problem.tokens());
    let (documents, vocabulary) = (problem.documents(), corpus.vocabulary.clone());
    drop(stored);
    let engine = session.timed(Timed::Fit, || lda.engine(problem)).map_err(refuse)?;
    let fit = Fit::new(session.run(engine.identity(identity))?, documents);
    let model =
        |counts: &TopicWords| Model { held_out_documents, ..Model::new(&fit, counts, vocabulary.as_ref()) };
    let (report, summary, text) =
        finished(&mut session, options, &fit, (model, None), (None, about, &notes))?;
    session.finish(report, &summary, &text)
}
