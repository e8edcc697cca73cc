//! [`RunFolder`]: an `--out` folder *is* a run, and belongs to one process at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::{fs, io};

use raddle::EpochRecord;
use raddle::command_line_support::{
    ATTEMPTS, CHANGES_LOG, CHECKPOINT, Disk, EXPLAINED, EarlierRun, Store, TRACE, lock, remove_checkpoint,
    remove_if_empty,
};
use raddle::files::{FileError, ModelFiles, NewModel, Out, write_atomic};

use super::begun::{self, Begun, RecordedEnd};
use crate::exit::Error;
use crate::report::trace::Trace;

/// Files left by a run that was killed while it wrote them.
const LEFTOVERS: [&str; 4] =
    ["checkpoint.partial", "run.json.partial", "trace.jsonl.earlier", "explain.jsonl.earlier"];

/// Fate of a run that is in a folder already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// The earlier run stays, and the new one is refused: the folder is for a new run.
    Refused,
    /// The earlier run is replaced, once the new run has a model: `--force`.
    Replaced,
    /// The earlier run is continued: `--resume`.
    Resumed,
}

/// The folder a run writes to, or none.
///
/// A file that is [written](ModelFiles::write) stays out of sight until [`commit`](Self::commit) replaces the
/// earlier model by all new files at once. A folder whose run is alive is refused.
#[derive(Debug, Default)]
pub struct RunFolder {
    held: Option<HeldFolder>,
}

#[derive(Debug)]
struct HeldFolder {
    model: NewModel,
    /// `true` if trace and checkpoint are this run's.
    trains: bool,
    trace: Arc<Mutex<Trace>>,
}

impl HeldFolder {
    fn new(model: NewModel) -> Self {
        let trace = Arc::new(Mutex::new(Trace::new(model.path())));
        Self { model, trains: false, trace }
    }

    /// Removes the checkpoints or changes that an earlier run left.
    fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.model.path().join(name);
        remove_checkpoint(&path, self.model.store()).map_err(|why| Error::write(&path, why))
    }
}

impl RunFolder {
    /// Makes a run without a folder: nothing is written.
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes the folder, if need be, and locks it until dropped. A commit in which an earlier run was killed
    /// is completed.
    ///
    /// # Errors
    /// If a process that is alive holds it, it holds another run or a `model.json` that no run wrote, or it
    /// cannot be made.
    pub fn hold(path: &Path, earlier: Earlier) -> Result<Self, Error> {
        Self::hold_in(path, earlier, Arc::new(Disk))
    }

    pub(super) fn hold_in(path: &Path, earlier: Earlier, store: Arc<dyn Store>) -> Result<Self, Error> {
        let accept = |found: &EarlierRun| match earlier {
            Earlier::Refused if !found.is_none() => {
                Err(format!("{found}: add --force to replace it, --resume to continue it"))
            }
            _ => Ok(()),
        };
        // A signal waits meanwhile: it finds the folder complete and marked as new, or finds none.
        let mut new = lock(&NEW);
        let model = NewModel::hold(path, store, accept).map_err(|why| {
            Error::usage(format!("{}: {why}, or give another folder with --out", path.display()))
        })?;
        if model.is_new() {
            *new = Some(path.into());
        }
        drop(new);
        for leftover in LEFTOVERS {
            // Best effort: the file does no harm.
            let _ = fs::remove_file(path.join(leftover));
        }
        Ok(Self { held: Some(HeldFolder::new(model)) })
    }

    /// Completes a commit in which another process was killed.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn recover(&self) -> Result<(), Error> {
        let Some(HeldFolder { model, .. }) = &self.held else { return Ok(()) };
        model.recover().map_err(|why| Error::write(model.path(), why))
    }

    /// Opens the folder of a run on several processes, which their launcher has checked and holds locked.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn share(path: &Path) -> Result<Self, Error> {
        let folder = Self { held: Some(HeldFolder::new(NewModel::share(path)?)) };
        // The process that takes over from the first one continues its trace.
        folder.resume_trace();
        Ok(folder)
    }

    /// Returns the path of the folder, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.held.as_ref().map(|held| held.model.path())
    }

    /// Replaces the earlier model by the files written: all of them, or none if this fails. Files of the
    /// earlier run that this one does not have are removed, other files never. Does nothing without a folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn commit(&mut self, program: &str, version: &str) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let stale: &[&str] = if held.trains { &[] } else { &[TRACE, EXPLAINED] };
        held.model.commit_with(program, version, stale)?;
        if held.trains { Ok(()) } else { held.remove(CHECKPOINT) }
    }

    /// Marks the start of training, of a new run or a resumed one: from now on `--resume` finds it. For a new
    /// run the checkpoint of an earlier one is removed, as it does not belong to it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn begin(&mut self, begun: &Begun, is_new: bool) -> Result<(), Error> {
        self.take_over();
        let Some(held) = &self.held else { return Ok(()) };
        let about = held.model.path().join(begun::NAME);
        if !is_new && about.exists() {
            return Ok(());
        }
        if is_new {
            held.remove(CHECKPOINT)?;
            held.remove(CHANGES_LOG)?;
            held.remove(ATTEMPTS)?;
        }
        Ok(write_atomic(&about, |out| Ok(serde_json::to_writer_pretty(out, begun)?))?)
    }

    /// Removes the checkpoints of this run.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub(crate) fn forget_checkpoints(&self) -> Result<(), Error> {
        self.held.as_ref().map_or(Ok(()), |held| held.remove(CHECKPOINT))
    }

    /// Continues a run that another process has started in this folder.
    pub(crate) fn take_over(&mut self) {
        if let Some(held) = &mut self.held {
            held.trains = true;
            held.model.own(begun::NAME);
        }
    }

    /// Writes the end of the run, to be committed with its model.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_end(&mut self, begun: Begun, ended: RecordedEnd) -> Result<(), Error> {
        let Some(path) = self.path() else { return Ok(()) };
        // A resumed run may have been given another target.
        let mut kept = Begun::read(path)?.unwrap_or_else(|| begun.clone());
        if kept.verb == begun.verb {
            kept.options.extend(begun.options);
        }
        let begun = Begun { ended: Some(ended), ..kept };
        Ok(self.write(begun::NAME, |out| Ok(serde_json::to_writer_pretty(out, &begun)?))?)
    }

    /// Lets the trace keep the lines of an earlier part of the same run.
    pub fn resume_trace(&self) {
        self.with_trace(Trace::keep_earlier);
    }

    /// Returns a function that adds records to the trace, from any thread.
    pub fn tracer(&self) -> impl FnMut(&EpochRecord) + Send + use<> {
        let trace = self.held.as_ref().map(|held| Arc::clone(&held.trace));
        move |record| {
            if let Some(trace) = &trace {
                lock(trace).add(record);
            }
        }
    }

    /// Checks that the trace was written completely.
    ///
    /// # Errors
    /// The first failure to write it.
    pub fn check_trace(&self) -> Result<(), Error> {
        self.with_trace(Trace::check).unwrap_or(Ok(()))
    }

    /// Cuts the trace after a record that it has already.
    pub(crate) fn end_trace(&self, record: &EpochRecord) {
        let _ = self.with_trace(|trace| trace.end_with(record));
    }

    fn with_trace<T>(&self, act: impl FnOnce(&mut Trace) -> T) -> Option<T> {
        let held = self.held.as_ref()?;
        Some(act(&mut lock(&held.trace)))
    }
}

/// The folder that was made for the run of this process, as long as it is empty.
static NEW: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the folder that was made for a run that ends before it has written anything. No folder is made as
/// long as the result is held.
pub(crate) fn abandon() -> MutexGuard<'static, Option<PathBuf>> {
    let mut new = lock(&NEW);
    if let Some(path) = new.take() {
        remove_if_empty(&path);
    }
    new
}

/// Does nothing without a folder.
impl ModelFiles for RunFolder {
    fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), FileError> {
        self.held.as_mut().map_or(Ok(()), |held| held.model.write(name, write))
    }
}

#[cfg(test)]
mod tests;
