//! [`RunFolder`]: an `--out` folder *is* a run, and belongs to one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use super::atomic::{Out, write_atomic};
use super::exit::Error;
use super::trace::Trace;
use crate::record::EpochRecord;

/// Holds the number of the process that has the run. The system drops its lock with the process, however that ends.
const LOCK: &str = ".lock";

/// The folder a run writes to, or none.
///
/// A finished run in it is replaced file by file; one that is alive is refused.
#[derive(Debug, Default)]
pub struct RunFolder {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    path: PathBuf,
    lock: File,
    new: bool,
    trace: Arc<Mutex<Trace>>,
}

impl RunFolder {
    /// No folder: nothing is written.
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes the folder, if need be, and takes hold of it until dropped.
    ///
    /// # Errors
    /// If a process that is alive holds it, or it cannot be made.
    pub fn hold(path: &Path) -> Result<Self, Error> {
        let refuse = |why: &dyn std::fmt::Display| {
            Error::usage(format!("{}: {why}, or give another folder with --out", path.display()))
        };
        if path.exists() && !path.is_dir() {
            return Err(refuse(&"a run needs a folder and this is a file: remove it"));
        }
        let new = !path.exists();
        fs::create_dir_all(path).map_err(|why| refuse(&why))?;
        let mut options = OpenOptions::new();
        let lock = options.create(true).truncate(false).read(true).write(true).open(path.join(LOCK));
        let mut lock = lock.map_err(|why| refuse(&why))?;
        match lock.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => {
                let holder = io::read_to_string(&lock).unwrap_or_default();
                let holder = if holder.is_empty() { "another process" } else { holder.trim() };
                return Err(refuse(&format!("its run is alive ({holder}): wait for it or stop it")));
            }
            // A file system without locks: better unguarded than unusable.
            Err(TryLockError::Error(why)) if why.kind() == ErrorKind::Unsupported => (),
            Err(TryLockError::Error(why)) => return Err(refuse(&why)),
        }
        let named = lock.set_len(0).and_then(|()| writeln!(lock, "process {}", process::id()));
        named.map_err(|why| refuse(&why))?;
        let trace = Arc::new(Mutex::new(Trace::new(&path.join("trace.jsonl"))));
        Ok(Self { held: Some(Held { path: path.into(), lock, new, trace }) })
    }

    /// The folder's path, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.held.as_ref().map(|held| held.path.as_path())
    }

    /// Streams a file into the folder; it is there whole or not at all. Does nothing without a folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
        self.path().map_or(Ok(()), |path| write_atomic(&path.join(name), write))
    }

    /// Lets the trace keep what an earlier part of the same run wrote.
    pub fn resume_trace(&self) {
        self.with_trace(Trace::keep_earlier);
    }

    /// What adds records to the trace, from whichever thread.
    pub fn tracer(&self) -> impl FnMut(&EpochRecord) + Send + use<> {
        let trace = self.held.as_ref().map(|held| Arc::clone(&held.trace));
        move |record| {
            if let Some(trace) = &trace {
                trace.lock().unwrap_or_else(PoisonError::into_inner).add(record);
            }
        }
    }

    /// Whether the trace was written whole.
    ///
    /// # Errors
    /// If it was not.
    pub fn check_trace(&self) -> Result<(), Error> {
        self.with_trace(Trace::check).unwrap_or(Ok(()))
    }

    fn with_trace<T>(&self, act: impl FnOnce(&mut Trace) -> T) -> Option<T> {
        let held = self.held.as_ref()?;
        Some(act(&mut held.trace.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// A folder that was made for a run that then wrote nothing does not stay.
impl Drop for Held {
    fn drop(&mut self) {
        let mut entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        if self.new && entries.all(|entry| entry.file_name() == LOCK) {
            // Best effort; whatever is put there meanwhile keeps the folder.
            let _ = fs::remove_file(self.path.join(LOCK));
            let _ = fs::remove_dir(&self.path);
        }
        let _ = self.lock.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ExitStatus;
    use super::*;

    #[test]
    fn a_folder_belongs_to_one_run_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/run");
        let first = RunFolder::hold(&path).unwrap();
        let error = RunFolder::hold(&path).unwrap_err();
        assert_eq!(error.status(), ExitStatus::Usage);
        let holder = format!("its run is alive (process {})", process::id());
        assert!(error.to_string().contains(&holder), "{error}");
        first.write("model", |out| out.write_all(b"1")).unwrap();
        drop(first);
        let second = RunFolder::hold(&path).unwrap();
        assert_eq!(fs::read(path.join("model")).unwrap(), b"1");
        second.write("model", |out| out.write_all(b"2")).unwrap();
        assert_eq!(fs::read(path.join("model")).unwrap(), b"2");
    }

    #[test]
    fn a_lock_left_by_a_killed_run_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK), "process 1\n").unwrap();
        RunFolder::hold(folder.path()).unwrap();
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = RunFolder::hold(&file).unwrap_err();
        assert!(error.to_string().contains("this is a file"), "{error}");
    }

    #[test]
    fn a_run_that_wrote_nothing_leaves_no_new_folder() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        drop(RunFolder::hold(&path).unwrap());
        assert!(!path.exists());
        drop(RunFolder::hold(parent.path()).unwrap());
        assert!(parent.path().exists());
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let none = RunFolder::none();
        none.write("model", |_| Err(io::Error::other("never called"))).unwrap();
        none.tracer()(&EpochRecord::default());
        none.check_trace().unwrap();
        assert_eq!(none.path(), None);
    }

    #[test]
    fn the_trace_is_written_from_another_thread() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::hold(folder.path()).unwrap();
        let mut tracer = run.tracer();
        std::thread::spawn(move || tracer(&EpochRecord::default())).join().unwrap();
        run.check_trace().unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("trace.jsonl")).unwrap().lines().count(), 1);
    }
}
