//! `lda fit --changes`: fits the versions of a corpus, each with its own model.

use std::cell::Cell;
use std::io::Write as _;
use std::path::Path;

use raddle::State as _;
use raddle::state::Reader;
use raddle_cli::{
    ChangeLine, Data, Error, ExitStatus, ModelFolder, Session, Timed, Version, VersionEnd, Versions, count,
    fit_versions, is_place_of_a_file, is_short, write_atomic,
};
use raddle_datasets::{Corpus, Tokenizer, TokensLeftOut};
use raddle_lda::{Carried, DocumentChange, Fit, LiveCorpus, Preparation, Problem};

use super::data;
use super::finished::{CorpusFacts, finished, held_out};
use super::fit_options::{Options, refuse};

struct Run<'a> {
    options: &'a Options,
    live: LiveCorpus,
    /// The rule that splits texts; `None` for a bag of words.
    tokenizer: Option<Tokenizer>,
    /// Tokens of the changes that are not words.
    left_out: Cell<TokensLeftOut>,
    /// Notes on the changes of the next version.
    changed: Vec<String>,
    carried: Option<Carried>,
    /// Notes on how the corpus was read.
    notes: Vec<String>,
}

/// A version of the corpus, ready to be fitted.
struct Prepared {
    corpus: Corpus,
    problem: Problem,
    notes: Vec<String>,
}

/// Fits the corpus, then version after version.
pub(super) fn fit(options: &Options, mut session: Session) -> Result<ExitStatus, Error> {
    options.model.corpus.check_changes()?;
    let (base, filter) =
        session.timed(Timed::Read, || options.model.corpus.read_whole(&options.model.train, None))?;
    let (digest, tokenizer) = (base.digest.clone(), base.tokenizer);
    let live = session.timed(Timed::Prepare, || LiveCorpus::new(&base, &filter));
    let mut notes: Vec<String> = data::unnamed(&base).into_iter().chain(base.notes.iter().cloned()).collect();
    let stopped = base.tokens() - live.whole().tokens();
    if stopped > 0 {
        notes.push(format!("left out: stop words with {}", count(stopped, "token")));
    }
    drop(base);
    let mut run = Run {
        options,
        live,
        tokenizer,
        left_out: Cell::default(),
        changed: Vec::new(),
        carried: None,
        notes,
    };
    fit_versions(&mut run, &options.model.changes, &digest, session)
}

impl Run<'_> {
    /// Parses `id word:count ...`, or `id text` if the corpus is text; only `id` if the document is
    /// retracted.
    fn parse(&self, line: &ChangeLine) -> Result<DocumentChange, String> {
        let (id, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
        let id = id.to_owned();
        let rule = self.tokenizer.filter(|_| self.live.is_text());
        let words: Vec<(String, u64)> = match (line.inserts, rule) {
            (false, _) if rest.trim().is_empty() => return Ok(DocumentChange::Retract { id }),
            (false, _) => return Err("more than an id: write `- id`".into()),
            (true, Some(rule)) => {
                let mut words = Vec::new();
                let mut left_out = self.left_out.get();
                left_out += rule.tokens(rest, |word| words.push((word.to_owned(), 1)));
                self.left_out.set(left_out);
                words
            }
            (true, None) => rest.split_whitespace().map(counted).collect::<Result<_, _>>()?,
        };
        match words.is_empty() {
            true => Err(format!(
                "document {id} has no words: write `+ id word:count ...`, or `+ id text` for plain text"
            )),
            false => Ok(DocumentChange::Insert { id, words }),
        }
    }
}

impl Versions for Run<'_> {
    type Prepared = Prepared;

    fn take_up(&mut self, model: &ModelFolder) -> Result<(), Error> {
        if !self.options.model.changes.cold {
            let load = |from: &mut Reader<'_>| {
                let carried = Carried::load(from)?;
                carried.check().map(|()| carried)
            };
            self.carried = Some(model.carried(load)?);
        }
        Ok(())
    }

    fn take(&mut self, version: &Version) -> Result<(u64, u64), (usize, String)> {
        self.left_out.take();
        let changes = version.changes(|line| self.parse(line))?;
        let taken = self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))?;
        self.changed = self.tokenizer.map_or_else(Vec::new, |rule| self.left_out.take().notes(&rule));
        Ok((taken.inserted, taken.retracted))
    }

    fn undo(&mut self) {
        self.live.undo();
    }

    fn prepare(&mut self, session: &mut Session, _: u64) -> Result<Prepared, Error> {
        let options = self.options;
        let corpus = if options.model.changes.cold { self.live.as_in_file() } else { self.live.corpus() };
        if corpus.tokens() == 0 {
            return Err(Error::input("it leaves no words to train on"));
        }
        let mut notes = self.notes.clone();
        let tokens = self.live.whole().tokens() - corpus.tokens();
        if tokens > 0 {
            notes.push(format!(
                "left out: words in too few or too many documents, with {}",
                count(tokens, "token")
            ));
        }
        notes.append(&mut self.changed);
        let preparation: Preparation = options.model.preparation(&corpus, &mut notes)?;
        let problem = session.timed(Timed::Prepare, || match &self.carried {
            Some(carried) => Problem::going_on(&corpus, &preparation, carried),
            None => Problem::new(&corpus, &preparation),
        });
        let problem = problem.map_err(refuse)?;
        notes.extend(held_out(&preparation, &problem));
        Ok(Prepared { corpus, problem, notes })
    }

    fn fit(&mut self, session: &mut Session, number: u64, prepared: Prepared) -> Result<VersionEnd, Error> {
        let options = self.options;
        let Prepared { corpus, problem, mut notes } = prepared;
        let about = data::with_training(data::describe((&corpus).into()), problem.tokens());
        let held_out = problem.held_out_documents() as u64;
        let lda = options.lda(&corpus, None, &mut notes)?.to_carry(!options.model.changes.cold);
        let identity = options.identity(&corpus, "none")?;
        let engine = session.timed(Timed::Fit, || match &self.carried {
            Some(carried) => lda.going_on(problem, carried),
            None => lda.engine(problem),
        });
        let fit = Fit::new(session.run(engine.map_err(refuse)?.identity(identity))?, corpus.documents());
        if is_short(number, &fit.report) {
            return VersionEnd::short(session, options, about, &fit.report, &fit.trace);
        }
        if !options.model.changes.cold {
            let carried = fit.carried();
            session.write_carried(&carried)?;
            self.carried = Some(carried);
        }
        let facts = CorpusFacts {
            about: Data { notes, ..about },
            tokenizer: corpus.tokenizer,
            phrases: Vec::new(),
            vocabulary: corpus.vocabulary.clone(),
            names: None,
            held_out_documents: held_out,
            version: Some(session.version_of()),
            corpus: options.model.measures_corpus().then_some(corpus),
        };
        let (report, summary, text) = finished(session, &options.model, options, &fit, facts)?;
        Ok(VersionEnd::Fitted(Box::new(report), summary, text))
    }

    /// Writes the remaining documents as a UCI docword file, with their words next to it.
    fn save_data(&self, path: &Path) -> Result<(), Error> {
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
        if !is_place_of_a_file(path) {
            if !self.options.model.train.quiet {
                eprintln!("lda: the words are not written: --save-data {} is no file", path.display());
            }
            return Ok(());
        }
        let mut beside = path.to_owned();
        beside.as_mut_os_string().push(".vocab");
        Ok(write_atomic(&beside, |out| words.iter().try_for_each(|word| writeln!(out, "{word}")))?)
    }
}

/// Parses `word:count`, or a word that occurs once.
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
