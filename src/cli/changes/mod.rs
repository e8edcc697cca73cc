//! [`ChangeOptions`] and [`ChangeStream`]: the versions of data that change, from a file or a stream, and
//! their log.

mod lines;
mod log;
mod source;
mod versions;

use std::path::PathBuf;

use clap::Args;
use raddle::command_line_support::CHANGES_LOG;
use serde::Serialize;

use super::environment;
use super::exit::Error;
use super::options::TrainOptions;
use super::run_folder::folder::Earlier;
use super::session::Session;

use self::lines::Lines;
use self::log::Log;
use self::source::{File, Source, Standard};

pub use self::lines::{ChangeLine, Version};
pub use self::versions::{VersionEnd, Versions, fit_versions, is_short};

/// Returns the help of `--changes` of a program whose records have these lines.
pub fn changes_help(lines: &str) -> String {
    format!(
        "Insert and retract records after the fit, and refit from the model after each version. Lines of the \
         file (- for stdin) are {lines}, and `=` ends a version. Needs --out"
    )
}

/// The options of data that change; flatten them into those of a verb that follows them.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Data that change")]
pub struct ChangeOptions {
    /// Insert and retract records after the fit, and refit from the model after each version. Lines of the
    /// file (- for stdin) start with + to insert and with - to retract, and `=` ends a version. Needs --out.
    #[arg(long, value_name = "FILE|-")]
    pub changes: Option<String>,
    /// Fit every version from scratch, as `fit` does on the data of that version. Needs --changes.
    #[arg(long)]
    pub cold: bool,
    /// Write the data of the last version to this file. Needs --changes.
    #[arg(long, value_name = "FILE")]
    pub save_data: Option<PathBuf>,
}

impl ChangeOptions {
    /// Checks that the options make sense together with those of training.
    ///
    /// # Errors
    /// A usage error that names the option at fault.
    pub fn check(&self, train: &TrainOptions) -> Result<(), Error> {
        let Some(changes) = &self.changes else {
            let given = [("--cold", self.cold), ("--save-data", self.save_data.is_some())];
            let alone = given.into_iter().find(|(_, is_given)| *is_given);
            return alone.map_or(Ok(()), |(option, _)| {
                Err(Error::usage(format!("{option} says what --changes does: give --changes FILE")))
            });
        };
        let why = if train.folder().is_none() {
            "--changes needs a folder for the log of versions: give --out DIR"
        } else if train.resume.is_some() && train.earlier() != Earlier::Resumed {
            "--changes continues in the folder of its run: leave out --out with --resume, or name the same \
             folder"
        } else if train.init.is_some() {
            "--changes continues from the model of its own run: leave out --init"
        } else if changes == "-" && train.data.as_deref() == Some("-") {
            "data and --changes are both standard input: give one of them as a file"
        } else if changes == "-" && environment::workers().is_some() {
            "--changes -: the processes of raddle launch have no standard input: give the changes as a file"
        } else {
            return Ok(());
        };
        Err(Error::usage(why))
    }
}

/// Versions of a run's data, in order: first those of its log, then those of the file or of standard
/// input.
///
/// For each version the caller either [accepts](Self::accept) or [refuses](Self::refuse) it.
#[derive(Debug)]
pub struct ChangeStream {
    /// The file of the changes, or `-`.
    name: String,
    folder: PathBuf,
    data: String,
    /// Source and log; `None` in a process that does not keep the log.
    kept: Option<Kept>,
    /// Versions of the log that have not been handed out.
    logged: std::vec::IntoIter<Version>,
    /// Versions accepted so far.
    accepted: u64,
}

/// Source of new versions, and the log that they are added to.
#[derive(Debug)]
struct Kept {
    source: Source,
    log: Log,
}

impl ChangeStream {
    /// Opens the changes that the options name, and the log in the session's folder: a new one, or that of
    /// the run that is resumed. `data` is the digest of the data to begin with. Among several processes the
    /// first one keeps the log, and the others read it.
    ///
    /// # Errors
    /// If either cannot be read, the log is of other data, or a file does not begin with the versions of the
    /// log.
    pub fn open(options: &ChangeOptions, session: &mut Session, data: &str) -> Result<Self, Error> {
        let name = options.changes.as_deref().unwrap_or("-");
        let folder = session.folder().path().map(PathBuf::from);
        let folder = folder.ok_or_else(|| Error::usage("--changes needs a folder: give --out DIR"))?;
        session.begin_training()?;
        let (name, data, logged) = (name.to_owned(), data.to_owned(), Vec::new().into_iter());
        let mut stream = Self { name, folder, data, kept: None, logged, accepted: 0 };
        let versions = match session.leads() {
            true => stream.keep(session.program(), session.is_resumed())?,
            false => Log::versions(&stream.folder, session.program(), &stream.data)?,
        };
        Ok(Self { logged: versions.into_iter(), ..stream })
    }

    /// Opens source and log: a new log, or that of the run that is resumed, after the versions that it holds.
    fn keep(&mut self, program: &str, goes_on: bool) -> Result<Vec<Version>, Error> {
        let (log, versions) = match goes_on {
            true => Log::resume(&self.folder, program, &self.data)?,
            false => (Log::new(&self.folder, program, &self.data)?, Vec::new()),
        };
        let mut source = match self.name.as_str() {
            "-" => Source::Standard(Standard::begin()),
            file => Source::File(File::read(file)?),
        };
        if let Source::File(file) = &mut source {
            file.skip(&versions)?;
        }
        self.kept = Some(Kept { source, log });
        Ok(versions)
    }

    /// The next version; none at the end of the changes, or when the run is asked to end. Waits where changes
    /// stream in and none have arrived: a version is then all that has. A process of several that does not
    /// keep the log waits for its end where the log has no other version: it is started anew with the next
    /// one.
    ///
    /// # Errors
    /// If the changes cannot be read, or a line of a file is no change.
    pub fn next(&mut self, session: &Session) -> Result<Option<Version>, Error> {
        if let Some(version) = self.logged.next() {
            return Ok(Some(version));
        }
        if self.kept.is_none() {
            if !session.leads() {
                session.await_end();
            }
            // The process that kept the log has left the run, and this one has the model.
            self.keep(session.program(), true)?;
        }
        loop {
            let Some(Kept { source, .. }) = &mut self.kept else { return Ok(None) };
            let Some(text) = source.next(|| session.is_interrupted())? else { return Ok(None) };
            let Lines { lines, end, wrong } = Lines::of(&text);
            let version = Version { number: self.accepted + 1, lines, end, is_logged: false };
            match wrong {
                Some((line, why)) => self.refused(&version, line, &why, session)?,
                None if version.lines.is_empty() => {}
                None => return Ok(Some(version)),
            }
        }
    }

    /// Accepts a version: writes its lines to the log, so that they survive a loss of power, and then
    /// acknowledges it on stderr and in the trace. Among several processes a new version ends this process:
    /// the launcher starts all processes again, and they fit the version.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn accept(
        &mut self,
        version: &Version,
        inserted: u64,
        retracted: u64,
        session: &mut Session,
    ) -> Result<(), Error> {
        if let Some(Kept { log, .. }) = self.kept.as_mut().filter(|_| !version.is_logged) {
            log.add(version, inserted, retracted)?;
            if session.is_launched() {
                session.end_for_next_version();
            }
        }
        self.accepted = version.number;
        let text = format!("version {}: {inserted} in, {retracted} out", version.number);
        session.begin_version(version.number, &text)
    }

    /// Skips a version of the log whose model is there already.
    pub fn pass(&mut self, version: &Version) {
        self.accepted = version.number;
    }

    /// Refuses a whole version, for the change at this position in it, or for its end. For a version of a
    /// file this is an error; else the refusal is shown on stderr, and the stream continues.
    ///
    /// # Errors
    /// The refusal itself, with file and line.
    pub fn refuse(
        &mut self,
        version: &Version,
        at: Option<usize>,
        why: &str,
        session: &Session,
    ) -> Result<(), Error> {
        let line = at.and_then(|at| version.lines.get(at)).map_or(version.end, |line| line.number);
        self.refused(version, line, why, session)
    }

    fn refused(&self, version: &Version, line: u64, why: &str, session: &Session) -> Result<(), Error> {
        let number = version.number;
        let source = self.kept.as_ref().map(|kept| &kept.source).filter(|_| !version.is_logged);
        let log = || self.folder.join(CHANGES_LOG).display().to_string();
        let place = source.map_or_else(log, Source::name);
        let text = format!("{place}:{line}: {why}; version {number} is refused, the model before it stays");
        match source {
            Some(Source::Standard(_)) => {
                session.screen().note(&text);
                Ok(())
            }
            _ => Err(Error::input(text)),
        }
    }
}
