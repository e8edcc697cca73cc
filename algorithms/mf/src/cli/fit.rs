//! `mf fit`.

use std::path::PathBuf;
use std::sync::Arc;

use raddle::{Ending, Metric};
use raddle_cli::{Error, ExitStatus, Session, Timed, combine};
use raddle_datasets::{PartOfRatings, Ratings, RatingsOptions, StoredRatings};
use raddle_mf::files::Saved;
use raddle_mf::{Fit, Mf, Problem, RatingsSource};

use super::data::{self, StartRows};
use super::fit_options::{Options, identity};
use super::report_data::ReportData;
use super::runner::{InSession, refuse};
use super::split::Split;
use super::versions;

/// Fits, and writes the model and the report.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, .. } = options;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), &model.limits(train))?;
    if options.refit {
        session.refuse_distributed("--refit")?;
    }
    let mut mf = model.mf(train)?;
    options.check()?;
    let mut start = train.init.as_deref().map(Saved::open).transpose()?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session, mf);
    }
    let (mut ratings, mut source) = read(options, &mut session)?;
    if let Some(least) = options.min_count {
        source = source.at_least(least).map_err(Error::input)?;
        options.refuse_emptied(source.len())?;
    }
    let described = data::describe(&ratings, source.len());
    let init = start.as_ref().map_or_else(|| "random".to_owned(), |start| start.model.digest());
    // The pairs that the model to start from has seen are stored with those of the data.
    let is_known = start.as_ref().is_none_or(|start| start.seen.is_some());
    let earlier = start.as_mut().and_then(|start| start.seen.take());
    let kept = start.as_ref().map(|start| StartRows::behind(start, &mut ratings, &mut source));
    if let Some(start) = start {
        mf = mf.init(start.model);
    }
    let keeps_seen = is_known && session.folder().path().is_some();
    let Split { problem, whole, measured_on, aside } = session
        .timed(Timed::Prepare, || Split::new(options, &ratings, source, earlier.as_ref(), keeps_seen))?;
    drop(earlier);
    let identity = identity(options, &described.digest, &init, measured_on)?;
    let prepared = ReportData::new(options, described, &ratings, &problem, aside, kept)?;
    let mut runner = InSession { session: &mut session, identity: identity.clone(), is_last: false };
    let mut fit = mf.fit_owned(problem, &mut runner)?;
    let goes_on =
        matches!(fit.report.ending, Ending::Target | Ending::Converged) && !session.is_interrupted();
    if let Some(whole) = whole.filter(|_| goes_on) {
        let problem = Problem::new(ratings.users.len(), ratings.items.len(), whole).map_err(refuse)?;
        session.screen().stage("again on training and validation data together");
        let identity = format!("{identity} again on all ratings");
        let runner = InSession { session: &mut session, identity, is_last: true };
        fit = refit(&mf, &problem.less(ratings.offset), fit, runner)?;
    }
    if !fit.model.is_finite() {
        let report = session.report(options, prepared.bare(), String::new(), &fit.report, &fit.trace)?;
        let text =
            format!("{}\nno model is written: try a smaller --step, or more --reg", report.conclusion());
        return session.finish_without_model(report, &text);
    }
    let (report, summary, text) = prepared.write(&mut session, options, &ratings, &fit, None)?;
    session.finish(report, &summary, &text)
}

/// Reads the ratings into memory, or opens those stored in a folder to be read by parts; returns their ids
/// and notes, and the ratings.
fn read(options: &Options, session: &mut Session) -> Result<(Ratings, RatingsSource), Error> {
    let [validation, test] = options.held_out()?;
    let (train, times) = (&options.train, validation.is_latest() || test.is_latest());
    let reading = options.reading.options(train.format.as_deref(), train.worker_count())?;
    let reading = RatingsOptions { times, offset: options.model.offset(), ..reading };
    let source = train.data.as_deref().unwrap_or(data::DEFAULT);
    let folder = folder(options, session)?;
    session.timed(Timed::Read, || match folder {
        Some(folder) => {
            let stored = StoredRatings::open(source, &reading, &folder).map_err(Error::input)?;
            Ok((stored.described().clone(), PartOfRatings::all(Arc::new(stored)).into()))
        }
        None => {
            let mut ratings = options.model.read(Some(source), reading)?;
            let triples = Arc::new(std::mem::take(&mut ratings.triples));
            let times = ratings.times.take();
            Ok((ratings, RatingsSource::Memory(triples, times)))
        }
    })
}

/// Returns the folder in which ratings are stored to be read by parts, if they are: the folder of `--cache`,
/// or one that the processes of a run share. With other files or a model to start from, for a second fit, or
/// to be weighed by age, ratings are read into memory.
fn folder(options: &Options, session: &Session) -> Result<Option<PathBuf>, Error> {
    let [validation, test] = options.held_out()?;
    let in_memory = options.refit
        || options.train.init.is_some()
        || options.model.half_life.is_some()
        || options.train.data.as_deref() == Some("-")
        || test.file().is_some()
        || validation.file().is_some();
    let folder = options.cache.clone().or_else(|| session.shared_folder());
    Ok(folder.filter(|_| !in_memory))
}

/// Fits again on all ratings, for the best length. If this is cut short, the first fit is returned.
fn refit(mf: &Mf, problem: &Problem, mut first: Fit, mut runner: InSession<'_>) -> Result<Fit, Error> {
    let again = mf.clone().repeat(&first).fit_on(problem, &mut runner)?;
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
