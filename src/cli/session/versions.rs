//! A session over several versions of its data, each with a model of its own.

use std::io::Write as _;

use raddle::EpochRecord;
use raddle::command_line_support::CARRIED;
use raddle::files::{ModelFiles as _, VersionOf};
use raddle::state::{State, to_bytes};

use super::super::environment::is_again;
use super::super::exit::{Error, ExitStatus};
use super::super::report::Report;
use super::{NEXT_VERSION, Session};
use crate::options::subcommand::repeat;
use crate::report::summary::Summary;
use crate::run_folder::begun::Begun;
use crate::run_folder::folder::Earlier;

impl Session {
    /// Returns the name of the program.
    pub(crate) fn program(&self) -> &'static str {
        self.program
    }

    /// `true` if the run in the folder is continued: with `--resume` or, among several processes, after a
    /// loss or with the next version of the data.
    pub fn is_resumed(&self) -> bool {
        self.options.earlier() == Earlier::Resumed || self.is_launched() && is_again()
    }

    /// `true` if a launcher has started this process.
    pub(crate) fn is_launched(&self) -> bool {
        self.cluster.is_some()
    }

    /// `true` if this process keeps what the processes of a run have only once: the first process, or the one
    /// that has the model at the end.
    pub(crate) fn leads(&self) -> bool {
        self.has_model || self.cluster.as_ref().is_none_or(|cluster| cluster.index() == 0)
    }

    /// Ends this process, which has logged the next version of the data.
    pub(crate) fn end_for_next_version(&self) -> ! {
        self.screen.clear();
        std::process::exit(NEXT_VERSION)
    }

    /// Waits until the coordinator ends this process, which it does once the process that keeps the log has a
    /// next version, or there is none.
    pub(crate) fn await_end(&self) -> ! {
        loop {
            std::thread::park();
        }
    }

    /// Returns the version of the data that the session has reached.
    pub fn version_of(&self) -> VersionOf {
        VersionOf { data_version: self.data_version, epochs: self.epochs() }
    }

    /// Writes the state that a fit of this version leaves for the next one, to go with the model.
    ///
    /// # Errors
    /// If the state cannot be written.
    pub fn write_carried(&mut self, carried: &impl State) -> Result<(), Error> {
        Ok(self.write(CARRIED, |out| out.write_all(&to_bytes(carried)))?)
    }

    /// Returns the epochs completed so far, by engines of this session and by the run that it continues.
    pub fn epochs(&self) -> u64 {
        self.before.epochs
    }

    /// Continues after the version of the data whose model is in the folder, and after this number of epochs.
    pub fn resume_behind(&mut self, data_version: u64, epochs: u64) {
        (self.data_version, self.before.epochs) = (data_version, epochs);
    }

    /// Starts a version of the data, and reports that, with this text, on stderr and in the trace.
    ///
    /// # Errors
    /// If a checkpoint of the version before cannot be removed: a coordinator would resume from it.
    pub(crate) fn begin_version(&mut self, data_version: u64, text: &str) -> Result<(), Error> {
        self.data_version = data_version;
        if !self.leads() {
            return Ok(());
        }
        if self.is_launched() {
            self.folder.forget_checkpoints()?;
        }
        self.screen.note(text);
        self.screen.stage(&format!("version {data_version}"));
        let (epoch, note) = (self.before.epochs, Some(text.to_owned()));
        self.folder.tracer()(&EpochRecord { epoch, data_version, note, ..EpochRecord::default() });
        Ok(())
    }

    /// Replaces model, summary and report by the new ones. The session continues, and may write another
    /// model.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn commit(&mut self, report: &mut Report, summary: &Summary, text: &str) -> Result<(), Error> {
        self.save(report, summary, text)
    }

    /// Prints the report in the folder again, if there was nothing to do.
    ///
    /// # Errors
    /// If there is no report, or stdout cannot be written.
    pub fn finish_again(self) -> Result<ExitStatus, Error> {
        self.screen.clear();
        let folder = self.folder.path().map(std::path::PathBuf::from).unwrap_or_default();
        let begun = Begun::read(&folder)?.and_then(|begun| begun.ended);
        let ended = begun.ok_or_else(|| Error::failed("the run has no model to tell of"))?;
        repeat(&folder, &ended, self.options.json)?;
        Ok(ExitStatus::from_code(ended.status))
    }

    /// Writes the result that was [committed](Self::commit) last to stdout.
    ///
    /// # Errors
    /// If stdout cannot be written.
    pub fn finish_committed(self, report: &Report, text: &str) -> Result<ExitStatus, Error> {
        self.print(report, text)?;
        Ok(report.status())
    }
}
