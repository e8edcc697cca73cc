//! `lda fit`: fits a topic model.

use std::path::PathBuf;
use std::sync::Arc;

use raddle_cli::{Data, Error, ExitStatus, Session, Timed};
use raddle_datasets::{Corpus, StoredCorpus};
use raddle_lda::{CorpusSource, Fit, Problem};

use super::finished::{CorpusFacts, finished, held_out};
use super::fit_options::{ModelOptions, Options, refuse};
use super::initial_model::{InitialCounts, InitialModel};
use super::{data, versions};

/// The corpus of a fit, as it was read.
struct Input {
    corpus: OpenCorpus,
    about: Data,
    start: Option<InitialCounts>,
    notes: Vec<String>,
}

/// A corpus in memory, or in a file of which each process reads only its own documents.
enum OpenCorpus {
    Memory(Box<Corpus>),
    Stored(Arc<StoredCorpus>),
}

impl OpenCorpus {
    fn source(&self) -> CorpusSource<'_> {
        match self {
            Self::Memory(corpus) => CorpusSource::Memory(corpus),
            Self::Stored(stored) => stored.into(),
        }
    }

    /// Returns the corpus, if it is in memory.
    fn into_memory(self) -> Option<Corpus> {
        if let Self::Memory(corpus) = self { Some(*corpus) } else { None }
    }
}

/// Runs the verb.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    options.model.check()?;
    let mut session = Session::begin("lda", env!("CARGO_PKG_VERSION"), &options.model.train)?;
    if options.model.changes.changes.is_some() {
        return versions::fit(options, session);
    }
    let input = match stored(&options.model, &mut session)? {
        Some(input) => input,
        None => in_memory(&options.model, options.topics, &mut session)?,
    };
    let Input { corpus: open, about, start, mut notes } = input;
    let corpus = open.source().described();
    let tokenizer = corpus.tokenizer.or(start.as_ref().and_then(|start| start.tokenizer));
    let preparation = options.model.preparation(corpus, &mut notes)?;
    let init = start.as_ref().map_or("none", |start| &start.digest);
    let identity = options.identity(corpus, init)?;
    let lda = options.lda(corpus, start, &mut notes)?;
    let problem = session.timed(Timed::Prepare, || Problem::new(open.source(), &preparation));
    let problem = problem.map_err(refuse)?;
    notes.extend(held_out(&preparation, &problem));
    drop(preparation);
    let (documents, held_out_documents) = (problem.documents(), problem.held_out_documents() as u64);
    let about = Data { notes, ..data::with_training(about, problem.tokens()) };
    // Parts of the corpus that are no longer needed are dropped before the run needs their memory.
    let (vocabulary, names) = (corpus.vocabulary.clone(), corpus.document_names.clone());
    let phrases = corpus.phrases.clone();
    let names = names.filter(|names| names.len() == documents);
    let corpus = open.into_memory().filter(|_| options.model.measures_corpus());
    let engine = session.timed(Timed::Fit, || lda.engine(problem)).map_err(refuse)?;
    let fit = Fit::new(session.run(engine.identity(identity))?, documents);
    let facts = CorpusFacts {
        about,
        tokenizer,
        phrases,
        vocabulary,
        names,
        held_out_documents,
        version: None,
        corpus,
    };
    let (report, summary, text) = finished(&mut session, &options.model, options, &fit, facts)?;
    session.finish(report, &summary, &text)
}

/// Opens the corpus in the folder of `--cache`, or in that which the processes of a run share, and makes its
/// file if needed. `None` if there is no such folder, the source is not a file with a bag of words, or an
/// option needs the whole corpus in memory: options that leave words out, name other files or an initial
/// model, or measure the whole corpus.
fn stored(options: &ModelOptions, session: &mut Session) -> Result<Option<Input>, Error> {
    let train = &options.train;
    let names_a_file = |held: &String| !["none", "split"].contains(&&**held) && held.parse::<f64>().is_err();
    let in_memory = train.init.is_some()
        || options.measures_corpus()
        || options.corpus.leaves_out()
        || [&options.validation, &options.test].into_iter().any(names_a_file);
    let folder: Option<PathBuf> = options.cache.clone().or_else(|| session.shared_folder());
    let Some(folder) = folder.filter(|_| !in_memory) else { return Ok(None) };
    session.timed(Timed::Read, || {
        let reading = options.corpus.options(train, None)?;
        let stored = StoredCorpus::open(data::source(train), &reading, &folder).map_err(Error::input)?;
        let Some(stored) = stored.map(Arc::new) else { return Ok(None) };
        options.corpus.words.check(stored.described())?;
        let notes = data::unnamed(stored.described()).into_iter().collect();
        let about = data::describe((&stored).into());
        Ok(Some(Input { corpus: OpenCorpus::Stored(stored), about, start: None, notes }))
    })
}

/// Reads the corpus into memory, and converts the initial model to it.
fn in_memory(options: &ModelOptions, topics: Option<usize>, session: &mut Session) -> Result<Input, Error> {
    let train = &options.train;
    let init = train.init.as_deref().map(InitialModel::read).transpose()?;
    let model = init.as_ref().map(|init| &init.model);
    let read = session.timed(Timed::Read, || options.corpus.read(train, model));
    let data::ReadCorpus { mut corpus, left_out, mut notes } = read?;
    let about = data::describe((&corpus).into());
    let start = init.map(|init| init.over(&mut corpus, &left_out, topics)).transpose()?;
    notes.extend(options.cache.as_ref().map(|folder| {
        format!("not kept in {}: other options need the corpus in memory (README, --cache)", folder.display())
    }));
    notes.extend(start.as_ref().and_then(|start| start.note.clone()));
    Ok(Input { corpus: OpenCorpus::Memory(Box::new(corpus)), about, start, notes })
}
