//! [`Versions`]: a fit, and then the versions of its data, each with a model of its own. The loop is every program's.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ChangeOptions, ChangeStream, Version};
use crate::cli::exit::{Error, ExitStatus};
use crate::cli::report::Report;
use crate::cli::report::summary::Summary;
use crate::cli::session::Session;
use crate::run::record::Ending;

/// Which version of its data a model is of, as `model.json` has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VersionOf {
    /// The number of the version; 0 before any change.
    pub data_version: u64,
    /// Epochs of the run up to it.
    pub epochs: u64,
}

/// How the fit of a version ended.
#[derive(Debug)]
pub enum VersionEnd {
    /// Its files are written, to be committed with this report, this summary and this text for the screen.
    Fitted(Box<Report>, Summary, String),
    /// It was cut short, or has diverged: the model before stays.
    Short(Box<Report>),
}

/// What a program does for data that change.
pub trait Versions {
    /// A version of the data, ready to be fitted.
    type Laid;

    /// Takes the model in the folder up, of a run that goes on: which version it is of, or nothing where the first fit
    /// has not come to its end.
    ///
    /// # Errors
    /// If the model cannot be read.
    fn take_up(&mut self, folder: &Path) -> Result<Option<VersionOf>, Error>;

    /// Takes the lines of a version in, all or none: how many records it inserts, and how many it retracts.
    ///
    /// # Errors
    /// Which line, from 0, is wrong, and why.
    fn take(&mut self, version: &Version) -> Result<(u64, u64), (usize, String)>;

    /// Undoes what was taken in last.
    fn undo(&mut self);

    /// Lays out the data of this version.
    ///
    /// # Errors
    /// If they cannot be fitted, such as where nothing is left.
    fn lay_out(&mut self, session: &mut Session, number: u64) -> Result<Self::Laid, Error>;

    /// Fits this version and writes the files of its model.
    ///
    /// # Errors
    /// If it cannot be fitted or written.
    fn fit(&mut self, session: &mut Session, number: u64, laid: Self::Laid) -> Result<VersionEnd, Error>;

    /// Writes the data of the last version, where that is asked for.
    ///
    /// # Errors
    /// If they cannot be written.
    fn save_data(&self) -> Result<(), Error>;
}

/// Whether a fit that ended so is one that versions go on from.
pub fn is_whole(ending: &str) -> bool {
    [Ending::Target, Ending::Converged].iter().any(|whole| whole.name() == ending)
}

/// Fits, and goes on from version to version. `digest` is that of the data before any change.
///
/// # Errors
/// Those of the program, or if the changes cannot be read or the log cannot be written.
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
        let laid = program.lay_out(&mut session, 0)?;
        match commit(program, &mut session, 0, laid)? {
            Ok(committed) => last = Some(committed),
            Err(short) => return end_short(session, *short),
        }
        if last.as_ref().is_some_and(|(report, _)| !is_whole(report.ending.name())) {
            return finish(program, session, last);
        }
    }
    let mut changes = ChangeStream::open(options, &mut session, digest)?;
    while let Some(version) = changes.next(&session)? {
        let counts = match program.take(&version) {
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
        let laid = match program.lay_out(&mut session, version.number) {
            Ok(laid) => laid,
            Err(why) => {
                program.undo();
                changes.refuse(&version, None, &why.to_string(), &session)?;
                continue;
            }
        };
        changes.accept(&version, counts, &mut session)?;
        match commit(program, &mut session, version.number, laid)? {
            Ok(committed) => last = Some(committed),
            Err(short) => {
                program.save_data()?;
                return end_short(session, *short);
            }
        }
    }
    finish(program, session, last)
}

/// The number of the version whose model is in the folder, where the run goes on.
fn take_up(program: &mut impl Versions, session: &mut Session) -> Result<Option<u64>, Error> {
    let folder = session.folder().path().filter(|_| session.is_resumed());
    let Some(folder) = folder.filter(|folder| folder.join("model.json").exists()).map(Path::to_owned) else {
        return Ok(None);
    };
    let Some(of) = program.take_up(&folder)? else { return Ok(None) };
    session.resume_behind(of.data_version, of.epochs);
    Ok(Some(of.data_version))
}

/// Fits one version and puts its model in the place of the one before; or tells how it was cut short.
fn commit<P: Versions>(
    program: &mut P,
    session: &mut Session,
    number: u64,
    laid: P::Laid,
) -> Result<Result<(Report, String), Box<Report>>, Error> {
    match program.fit(session, number, laid)? {
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

fn finish(
    program: &impl Versions,
    session: Session,
    last: Option<(Report, String)>,
) -> Result<ExitStatus, Error> {
    program.save_data()?;
    let is_interrupted = session.is_interrupted();
    let status = match last {
        Some((report, text)) => session.finish_committed(&report, &text)?,
        None => session.finish_again()?,
    };
    Ok(if is_interrupted { ExitStatus::Interrupted } else { status })
}
