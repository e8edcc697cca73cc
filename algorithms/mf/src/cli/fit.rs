//! `mf fit`.

use std::path::Path;

use raddle::{Ending, Metric};
use raddle_cli::{Error, ExitStatus, Session, Timed, combine};
use raddle_datasets::{Ratings, Triples};
use raddle_mf::files::Saved;
use raddle_mf::{Fit, Mf, Problem, at_least};

use super::data::{self, Kept};
use super::fit_options::{Options, identity};
use super::prepared::Prepared;
use super::rated::Rated;
use super::runner::{InSession, refuse};
use super::split::Split;
use super::stored::{self, Stored};
use super::versions;

/// Fits, and writes the model and the report.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, .. } = options;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), train)?;
    session.refuse_distributed("--refit", options.refit)?;
    let mf = model.mf(train)?;
    options.check()?;
    let start = train.init.as_deref().map(Saved::open).transpose()?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session, mf);
    }
    let Given { ratings, problem, whole, prepared, identity, mf } = match stored::folder(options, &session) {
        Some(folder) => by_parts(options, &mut session, &folder, mf)?,
        None => in_memory(options, &mut session, start, mf)?,
    };
    let mut runner = InSession { session: &mut session, identity: identity.clone(), is_last: false };
    let mut fit = mf.fit_owned(problem, &mut runner)?;
    let goes_on =
        matches!(fit.report.ending, Ending::Target | Ending::Converged) && !session.is_interrupted();
    if let Some(whole) = whole.filter(|_| goes_on) {
        fit = refit(&mf, (&ratings, whole), fit, (&mut session, &identity))?;
    }
    if !fit.model.is_finite() {
        let report = session.report(options, prepared.described, String::new(), &fit.report, &fit.trace)?;
        let text =
            format!("{}\nno model is written: try a smaller --step, or more --reg", report.conclusion());
        return session.finish_without_model(report, &text);
    }
    let (report, summary, text) = prepared.write(&mut session, options, &ratings, &fit, None)?;
    session.finish(report, &summary, &text)
}

/// Input of a fit.
struct Given {
    /// The ratings' ids and notes, without the ratings themselves.
    ratings: Ratings,
    problem: Problem,
    /// Training and validation data together, if the model is refitted.
    whole: Option<Triples>,
    /// Data for the measures after the fit, so that the fit can free the ratings.
    prepared: Prepared,
    identity: String,
    mf: Mf,
}

/// Reads all ratings, and splits them.
fn in_memory(
    options: &Options,
    session: &mut Session,
    start: Option<Saved>,
    mut mf: Mf,
) -> Result<Given, Error> {
    let Options { train, reading, .. } = options;
    let is_timed = [&options.validation, &options.test].iter().any(|name| name.starts_with(data::LATEST));
    let mut ratings = session.timed(Timed::Read, || {
        let (source, format) = (train.data.as_deref(), train.format.as_deref());
        reading.read(source, format, train.worker_count(), (is_timed, options.model.offset()))
    })?;
    if let Some(least) = options.min_count {
        let triples = std::mem::take(&mut ratings.triples);
        ratings.triples = at_least(triples, least);
        options.leaves_some(ratings.triples.len())?;
    }
    let described = data::describe(&ratings, ratings.triples.len());
    let mut kept = None;
    let mut init = String::from("random");
    // Pairs that the model to start from has seen.
    let (mut earlier, mut is_known) = (None, true);
    if let Some(mut start) = start {
        init = start.model.digest();
        is_known = start.seen.is_some();
        earlier = start.seen.take();
        kept = Some(Kept::behind(&start, &mut ratings));
        mf = mf.init(start.model);
    }
    let keeps_seen = is_known && session.folder().path().is_some();
    let split =
        session.timed(Timed::Prepare, || Split::new(options, &mut ratings, earlier.as_ref(), keeps_seen))?;
    let (Split { problem, whole, test, on_test, cold }, rated) = split;
    let identity = identity(options, (&described.digest, &init), on_test)?;
    let prepared = Prepared::new(options, described, (&ratings, &problem), (test, cold), rated, kept)?;
    Ok(Given { ratings, problem, whole, prepared, identity, mf })
}

/// Opens the ratings stored in this folder, or stores them there, to be read by parts, and splits them.
fn by_parts(options: &Options, session: &mut Session, folder: &Path, mf: Mf) -> Result<Given, Error> {
    let stored = session.timed(Timed::Read, || stored::open(options, folder))?;
    let split = session.timed(Timed::Prepare, || Stored::split(options, stored))?;
    let Stored { ratings, count, problem, train, known, measured, test, cold } = split;
    let described = data::describe(&ratings, count);
    let on_test = test.is_some() && options.model.target.is_some();
    let identity = identity(options, (&described.digest, "random"), on_test)?;
    let rated = Rated::of_part(known, ratings.users.len(), !options.model.no_seen)?;
    let prepared = Prepared::of_parts(
        options,
        described,
        (&ratings, &problem),
        (&train, measured),
        (test, cold),
        rated,
    )?;
    Ok(Given { ratings, problem, whole: None, prepared, identity, mf })
}

/// Fits again on all ratings, for the best length. If this is cut short, the first fit is returned.
fn refit(
    mf: &Mf,
    (ratings, whole): (&Ratings, Triples),
    mut first: Fit,
    (session, identity): (&mut Session, &str),
) -> Result<Fit, Error> {
    let problem = Problem::new(ratings.users.len(), ratings.items.len(), whole).map_err(refuse)?;
    let problem = problem.less(ratings.offset);
    session.screen().stage("again on training and validation data together");
    let identity = format!("{identity} again on all ratings");
    let mut runner = InSession { session, identity, is_last: true };
    let again = mf.clone().repeat(&first).fit_on(&problem, &mut runner)?;
    let Fit { model, learned, trace, report: second, .. } = again;
    let (ending, metric) = (first.report.ending, first.report.metric.clone());
    combine(&mut first.report, &second);
    first.trace.extend(trace);
    match second.ending {
        Ending::Target | Ending::Converged => {
            // The metric on held-out ratings belongs to the first fit.
            let on = format!("{}, before the fit on all ratings", metric.on);
            (first.report.ending, first.report.metric) = (ending, Metric { on, ..metric });
            (first.model, first.learned) = (model, learned);
        }
        cut => (first.report.ending, first.report.metric) = (cut, metric),
    }
    Ok(first)
}
