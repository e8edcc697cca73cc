//! `lda fit`: fits a topic model.

use raddle_cli::{Error, ExitStatus, Session, Timed};
use raddle_lda::files::Model;
use raddle_lda::{Fit, Problem, TopicWords};

use super::data;
use super::finished::{finished, held_out};
use super::fit_options::{FREE, Options, refuse};
use super::start;
use super::stored;
use super::versions;
use super::words;

/// Runs the verb.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    options.check()?;
    let mut session = Session::begin("lda", env!("CARGO_PKG_VERSION"), train)?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session);
    }
    let folder = stored::folder(options, &session);
    if let Some(opened) = session.timed(Timed::Read, || stored::open(options, folder.as_deref()))? {
        return stored::fit(options, session, opened);
    }
    in_memory(options, session)
}

/// Fits a model to a corpus in memory.
fn in_memory(options: &Options, mut session: Session) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let (source, format) = (train.data.as_deref(), train.format.as_deref());
    let init = train.init.as_deref().map(start::InitialModel::read).transpose()?;
    let rule = init.as_ref().and_then(|init| init.model.tokenizer);
    let read = session.timed(Timed::Read, || options.corpus.read(source, format, train.worker_count(), rule));
    let data::Read { mut corpus, left_out, mut notes } = read?;
    let about = data::describe(&corpus);
    let start = init.map(|init| init.over(&mut corpus, &left_out, options.topics)).transpose()?;
    let tokenizer = corpus.tokenizer.or(rule);
    notes.extend(options.cache.as_ref().map(|folder| {
        format!("not kept in {}: other options need the corpus in memory (README, --cache)", folder.display())
    }));
    notes.extend(start.as_ref().and_then(|start| start.note.clone()));
    let preparation = options.preparation(&corpus, &mut notes)?;
    let init = start.as_ref().map_or("none", |start| &start.digest);
    let words = words::identity(&corpus);
    let read = [("data", about.digest.as_str()), ("init", init), ("words", &words)];
    let identity = raddle_cli::identity("lda", options, FREE, &read)?;
    let lda = options.lda(&corpus, start, &mut notes)?;
    let problem = session.timed(Timed::Prepare, || Problem::new(&corpus, &preparation)).map_err(refuse)?;
    notes.extend(held_out(&preparation, &problem));
    let held_out = problem.held_out_documents() as u64;
    let about = data::with_training(about, problem.tokens());
    drop(preparation);
    let documents = problem.documents();
    // Parts of the corpus that are no longer needed are dropped before the run needs their memory.
    let (vocabulary, names) = (corpus.vocabulary.clone(), corpus.document_names.clone());
    let names = names.filter(|names| names.len() == documents);
    let corpus = (options.coherence || options.pyldavis).then_some(corpus);
    let engine = session.timed(Timed::Fit, || lda.engine(problem)).map_err(refuse)?;
    let fit = Fit::new(session.run(engine.identity(identity))?, documents);
    let names = names.as_ref();
    let model = |counts: &TopicWords| Model {
        named_documents: names.is_some(),
        tokenizer,
        held_out_documents: held_out,
        ..Model::new(&fit, counts, vocabulary.as_ref())
    };
    let (report, summary, text) =
        finished(&mut session, options, &fit, (model, names), (corpus, about, &notes))?;
    session.finish(report, &summary, &text)
}
