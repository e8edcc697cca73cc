//! [`Versions`]: a fit, and then the versions of its data, each with a model of its own. All programs share
//! this loop.

use std::path::Path;

use raddle::files::{ModelFolder, VersionOf};
use raddle::{Ending, EpochRecord, RunReport};
use serde::{Deserialize, Serialize};

use super::{ChangeOptions, ChangeStream, Version};
use crate::exit::{Error, ExitStatus};
use crate::report::summary::Summary;
use crate::report::{Data, Report};
use crate::run_folder::begun::Begun;
use crate::session::Session;

/// Part of `model.json` that says if versions may continue from the model.
#[derive(Deserialize)]
struct Fitted {
    ending: String,
    #[serde(flatten)]
    version: Option<VersionOf>,
}

/// End of the fit of a version.
#[derive(Debug)]
pub enum VersionEnd {
    /// The fit is complete and its files are written, to be committed with this report, this summary and
    /// this text for the screen.
    Fitted(Box<Report>, Summary, String),
    /// The fit was cut short, or diverged: the model of the version before stays.
    Short(Box<Report>),
}

impl VersionEnd {
    /// Makes the end of a version that has no model, from the options, the data, the report of its run and
    /// the trace of that run.
    ///
    /// # Errors
    /// If the options have no form as JSON.
    pub fn short(
        session: &Session,
        options: &impl Serialize,
        data: Data,
        run: &RunReport,
        trace: &[EpochRecord],
    ) -> Result<Self, Error> {
        Ok(Self::Short(Box::new(session.report(options, data, String::new(), run, trace)?)))
    }
}

/// A program whose data change.
pub trait Versions {
    /// A version of the data, ready to be fitted.
    type Prepared;

    /// Loads the model of a run that is resumed.
    ///
    /// # Errors
    /// If the model cannot be read.
    fn take_up(&mut self, model: &ModelFolder) -> Result<(), Error>;

    /// Applies the lines of a version to the data, all or none. Returns the number of records that it
    /// inserts, and of those that it retracts.
    ///
    /// # Errors
    /// The line that is wrong, counted from 0, and why.
    fn take(&mut self, version: &Version) -> Result<(u64, u64), (usize, String)>;

    /// Undoes the version that was taken last.
    fn undo(&mut self);

    /// Prepares the data of this version.
    ///
    /// # Errors
    /// If the data cannot be fitted, as when no record is left.
    fn prepare(&mut self, session: &mut Session, number: u64) -> Result<Self::Prepared, Error>;

    /// Fits this version and writes the files of its model.
    ///
    /// # Errors
    /// If the version cannot be fitted or the files cannot be written.
    fn fit(
        &mut self,
        session: &mut Session,
        number: u64,
        prepared: Self::Prepared,
    ) -> Result<VersionEnd, Error>;

    /// Writes the data of the last version to this file.
    ///
    /// # Errors
    /// If they cannot be written.
    fn save_data(&self, path: &Path) -> Result<(), Error>;
}

/// `true` if a run leaves this version without a model: later versions need a fit that was not cut short.
pub fn is_short(number: u64, run: &RunReport) -> bool {
    number > 0 && !is_whole(run.ending.name())
}

/// `true` if versions may continue from a fit with this ending.
fn is_whole(ending: &str) -> bool {
    [Ending::Target, Ending::Converged].iter().any(|whole| whole.name() == ending)
}

/// Fits the data and then version after version; `digest` is that of the data before any change.
///
/// # Errors
/// The errors of the program, or if the changes cannot be read or the log cannot be written.
pub fn fit_versions(
    program: &mut impl Versions,
    options: &ChangeOptions,
    digest: &str,
    mut session: Session,
) -> Result<ExitStatus, Error> {
    // The report and the text of the last model that was committed.
    let mut last = None;
    let done = take_up(program, &mut session)?;
    if done.is_none() {
        let prepared = program.prepare(&mut session, 0)?;
        match commit(program, &mut session, 0, prepared)? {
            Ok(committed) => last = Some(committed),
            Err(short) => return end_short(session, *short),
        }
        if last.as_ref().is_some_and(|(report, _)| !is_whole(report.ending.name())) {
            return finish(program, options, session, last);
        }
    }
    let mut changes = ChangeStream::open(options, &mut session, digest)?;
    while let Some(version) = changes.next(&session)? {
        let (inserted, retracted) = match program.take(&version) {
            Ok(counts) => counts,
            Err((at, why)) => {
                changes.refuse(&version, Some(at), &why, &session)?;
                continue;
            }
        };
        if done.is_some_and(|done| version.number <= done) {
            changes.pass(&version);
            continue;
        }
        let prepared = match program.prepare(&mut session, version.number) {
            Ok(prepared) => prepared,
            Err(why) => {
                program.undo();
                changes.refuse(&version, None, &why.to_string(), &session)?;
                continue;
            }
        };
        changes.accept(&version, inserted, retracted, &mut session)?;
        match commit(program, &mut session, version.number, prepared)? {
            Ok(committed) => last = Some(committed),
            Err(short) => {
                save_data(program, options)?;
                return end_short(session, *short);
            }
        }
    }
    finish(program, options, session, last)
}

/// Loads the model in the folder, if the run is resumed, and returns the number of its version.
fn take_up(program: &mut impl Versions, session: &mut Session) -> Result<Option<u64>, Error> {
    let folder = session.folder().path().filter(|_| session.is_resumed());
    let Some(folder) = folder.filter(|folder| folder.join("model.json").exists()).map(Path::to_owned) else {
        return Ok(None);
    };
    // The model may be that of a run that this one replaces.
    if Begun::read(&folder)?.is_none_or(|begun| begun.ended.is_none()) {
        return Ok(None);
    }
    let model = ModelFolder::open(&folder, session.program())?;
    let fitted: Fitted = model.about()?;
    let Some(of) = fitted.version.filter(|_| is_whole(&fitted.ending)) else { return Ok(None) };
    program.take_up(&model)?;
    session.resume_behind(of.data_version, of.epochs);
    Ok(Some(of.data_version))
}

/// Fits one version, whose model replaces the one before; or reports how the fit was cut short.
fn commit<P: Versions>(
    program: &mut P,
    session: &mut Session,
    number: u64,
    prepared: P::Prepared,
) -> Result<Result<(Report, String), Box<Report>>, Error> {
    match program.fit(session, number, prepared)? {
        VersionEnd::Short(report) => Ok(Err(report)),
        VersionEnd::Fitted(report, summary, text) => {
            let mut report = report.result("data_version", number);
            session.commit(&mut report, &summary, &text)?;
            Ok(Ok((report, text)))
        }
    }
}

fn end_short(session: Session, report: Report) -> Result<ExitStatus, Error> {
    let text = format!(
        "{}\nthe model of the version before stays; --resume fits this one again",
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}

fn save_data(program: &impl Versions, options: &ChangeOptions) -> Result<(), Error> {
    options.save_data.as_deref().map_or(Ok(()), |path| program.save_data(path))
}

fn finish(
    program: &impl Versions,
    options: &ChangeOptions,
    session: Session,
    last: Option<(Report, String)>,
) -> Result<ExitStatus, Error> {
    save_data(program, options)?;
    let is_interrupted = session.is_interrupted();
    let status = match last {
        Some((report, text)) => session.finish_committed(&report, &text)?,
        None => session.finish_again()?,
    };
    Ok(if is_interrupted { ExitStatus::Interrupted } else { status })
}
