//! `lda fit --changes`: a fit, and then the versions of its corpus, each with a model of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle::cli::{
    ChangeLine, ChangeStream, Error, ExitStatus, ModelFolder, Report, Session, Timed, Version, write_atomic,
};
use raddle::state::{Reader, Writer};
use raddle::{Ending, State as _};
use raddle_datasets::{Corpus, tokens};
use raddle_lda::{Carried, DocumentChange, Fit, LiveCorpus, Preparation, Problem, Taken};

use super::data;
use super::files::{Model, VersionOf};
use super::fit::{Options, refuse, written};

/// What a fit leaves for the next version, in the run's folder.
const CARRIED: &str = "carried.bin";

struct Run<'a> {
    options: &'a Options,
    live: LiveCorpus,
    carried: Option<Carried>,
    /// The report and the text of the last model that was committed.
    last: Option<(Report, String)>,
}

/// A version of the corpus, ready to be fitted.
struct Laid {
    corpus: Corpus,
    problem: Problem,
    notes: Vec<String>,
}

/// How the fit of a version ended.
enum Ended {
    Committed,
    /// The run was asked to end: the model before stays.
    Short(Box<Report>),
}

/// Fits, and goes on from version to version.
pub(super) fn fit(options: &Options, mut session: Session) -> Result<ExitStatus, Error> {
    session.refuse_among("--changes", true)?;
    let train = &options.train;
    let (base, filter) = session.timed(Timed::Read, || {
        options.corpus.read_whole(train.data.as_deref(), train.format.as_deref(), train.worker_count())
    })?;
    let digest = base.digest.clone();
    let live = session.timed(Timed::Prepare, || LiveCorpus::new(&base, &filter));
    drop(base);
    let mut run = Run { options, live, carried: None, last: None };
    let done = run.resume(&mut session)?;
    if done.is_none() {
        let laid = run.lay_out(&mut session)?;
        if let Ended::Short(report) = run.version(&mut session, 0, laid)? {
            return end_short(session, *report);
        }
        if run.last.as_ref().is_some_and(|(report, _)| !is_whole(report.ending.name())) {
            return run.finish(session);
        }
    }
    let mut changes = ChangeStream::open(&options.changes, &mut session, &digest)?;
    while let Some(version) = changes.next(&session)? {
        let taken = match run.take(&version) {
            Ok(taken) => taken,
            Err((at, why)) => {
                changes.refuse(&version, Some(at), &why, &session)?;
                continue;
            }
        };
        if done.is_some_and(|done| version.number <= done) {
            changes.pass(&version);
            continue;
        }
        let laid = match run.lay_out(&mut session) {
            Ok(laid) => laid,
            Err(why) => {
                run.live.undo();
                changes.refuse(&version, None, &why.to_string(), &session)?;
                continue;
            }
        };
        changes.accept(&version, (taken.inserted, taken.retracted), &mut session)?;
        if let Ended::Short(report) = run.version(&mut session, version.number, laid)? {
            run.save_data()?;
            return end_short(session, *report);
        }
    }
    run.finish(session)
}

fn end_short(session: Session, report: Report) -> Result<ExitStatus, Error> {
    let text = format!(
        "{}\nthe model of the version before stays; --resume fits this one again",
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}

fn is_whole(ending: &str) -> bool {
    [Ending::Target, Ending::Converged].iter().any(|whole| whole.name() == ending)
}

impl Run<'_> {
    /// Takes the model of a run up that goes on: the number of its version, or nothing where its first fit is to be done.
    fn resume(&mut self, session: &mut Session) -> Result<Option<u64>, Error> {
        let folder = session.folder().path().filter(|_| session.is_resumed());
        let Some(folder) = folder.filter(|folder| folder.join("model.json").exists()).map(Path::to_owned)
        else {
            return Ok(None);
        };
        let model = ModelFolder::open(&folder, "lda")?;
        let about: Model = model.about()?;
        let Some(of) = about.version.filter(|_| is_whole(&about.ending)) else { return Ok(None) };
        if !self.options.changes.cold {
            let bytes = model.read(CARRIED)?;
            let place = folder.join(CARRIED);
            let carried =
                Carried::load(&mut Reader::new(&bytes)).and_then(|carried| carried.check().map(|()| carried));
            self.carried = Some(carried.map_err(|why| Error::input(format!("{}: {why}", place.display())))?);
        }
        session.resume_behind(of.data_version, of.epochs);
        Ok(Some(of.data_version))
    }

    /// Takes the lines of a version in, all or none; tells which is wrong.
    fn take(&mut self, version: &Version) -> Result<Taken, (usize, String)> {
        let parse = |(at, line): (usize, &ChangeLine)| self.parse(line).map_err(|why| (at, why));
        let changes: Vec<DocumentChange> =
            version.lines.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))
    }

    /// `id word:count ...`, or `id text` where the corpus is text; `id` where it retracts.
    fn parse(&self, line: &ChangeLine) -> Result<DocumentChange, String> {
        let (id, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
        let id = id.to_owned();
        let words: Vec<(String, u64)> = match (line.inserts, self.live.is_text()) {
            (false, _) if rest.trim().is_empty() => return Ok(DocumentChange::Retract { id }),
            (false, _) => return Err("more than an id: write `- id`".into()),
            (true, true) => {
                let mut words = Vec::new();
                tokens(rest, |word| words.push((word.to_owned(), 1)));
                words
            }
            (true, false) => rest.split_whitespace().map(counted).collect::<Result<_, _>>()?,
        };
        match words.is_empty() {
            true => Err(format!(
                "document {id} has no words: write `+ id word:count ...`, or `+ id text` of plain text"
            )),
            false => Ok(DocumentChange::Insert { id, words }),
        }
    }

    /// This version, dealt to shards and blocks.
    fn lay_out(&self, session: &mut Session) -> Result<Laid, Error> {
        let options = self.options;
        let corpus = if options.changes.cold { self.live.as_in_file() } else { self.live.corpus() };
        if corpus.tokens() == 0 {
            return Err(Error::input("it leaves no words to train on"));
        }
        let mut notes = Vec::new();
        let preparation: Preparation = options.preparation(&corpus, &mut notes)?;
        let problem = session.timed(Timed::Prepare, || match &self.carried {
            Some(carried) => Problem::going_on(&corpus, &preparation, carried),
            None => Problem::new(&corpus, &preparation),
        });
        Ok(Laid { corpus, problem: problem.map_err(refuse)?, notes })
    }

    /// Fits one version and puts its model in the place of the one before.
    fn version(&mut self, session: &mut Session, number: u64, laid: Laid) -> Result<Ended, Error> {
        let options = self.options;
        let Laid { corpus, problem, mut notes } = laid;
        let about = data::with_training(data::describe(&corpus), problem.tokens());
        let lda = options.lda(&corpus, None, &mut notes)?;
        let read = [("data", about.digest.as_str()), ("init", "none")];
        let identity = raddle::cli::identity("lda", options, super::FREE, &read)?;
        let engine = session.timed(Timed::Fit, || match &self.carried {
            Some(carried) => lda.going_on(problem, carried),
            None => lda.engine(problem),
        });
        let fit = Fit::new(session.run(engine.map_err(refuse)?.identity(identity))?, corpus.documents());
        if number > 0 && !is_whole(fit.report.ending.name()) {
            let report = session.report(options, about, String::new(), &fit.report, &fit.trace)?;
            return Ok(Ended::Short(Box::new(report)));
        }
        if !options.changes.cold {
            let carried = fit.carried();
            let mut out = Writer::default();
            carried.save(&mut out);
            session.write(CARRIED, |to| to.write_all(&out.into_bytes()))?;
            self.carried = Some(carried);
        }
        let of = VersionOf { data_version: number, epochs: session.epochs() };
        let (mut report, summary, text) =
            written(session, options, &fit, (&corpus, about, &notes), Some(of))?;
        report = report.result("data_version", number);
        session.commit(&mut report, &summary, &text)?;
        self.last = Some((report, text));
        Ok(Ended::Committed)
    }

    /// The documents that are left, as a UCI docword file, with their words beside it.
    fn save_data(&self) -> Result<(), Error> {
        let Some(path) = &self.options.changes.save_data else { return Ok(()) };
        let corpus = self.live.whole();
        write_atomic(path, |out| {
            writeln!(out, "{}\n{}\n{}", corpus.documents(), corpus.words(), corpus.nonzeros())?;
            for document in 0..corpus.documents() {
                for (word, count) in corpus.document(document) {
                    writeln!(out, "{} {} {count}", document + 1, word + 1)?;
                }
            }
            Ok(())
        })?;
        let Some(words) = &corpus.vocabulary else { return Ok(()) };
        let mut beside: PathBuf = path.clone();
        beside.as_mut_os_string().push(".vocab");
        write_atomic(&beside, |out| words.iter().try_for_each(|word| writeln!(out, "{word}")))
    }

    fn finish(self, session: Session) -> Result<ExitStatus, Error> {
        self.save_data()?;
        let is_interrupted = session.is_interrupted();
        let status = match &self.last {
            Some((report, text)) => session.finish_committed(report, text)?,
            None => session.finish_again()?,
        };
        Ok(if is_interrupted { ExitStatus::Interrupted } else { status })
    }
}

/// `word:count`, or a word that occurs once.
fn counted(word: &str) -> Result<(String, u64), String> {
    match word.rsplit_once(':') {
        None => Ok((word.into(), 1)),
        Some((word, count)) => {
            let number = count.parse().ok().filter(|&count| count > 0 && !word.is_empty());
            let number =
                number.ok_or_else(|| format!("`{word}:{count}`: write word:count, the count from 1"))?;
            Ok((word.into(), number))
        }
    }
}
