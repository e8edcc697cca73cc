//! [`NewModel`]: a folder that receives a model, and is locked by one process meanwhile.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, process};

use super::commit::{self, Stage};
use super::error::FileError;
use super::manifest::{self, Head};
use super::out::Out;
use crate::base::store::{Disk, Store};

/// Name of the lock file, which holds the id of the process that has the folder. The system releases its lock
/// when the process ends, for whatever reason.
pub const LOCK: &str = ".lock";
/// Name of the folder of checkpoints, or of the file of the checkpoint if several runs make one model.
pub const CHECKPOINT: &str = "checkpoint";
/// Log of the changes that a run has accepted.
pub const CHANGES_LOG: &str = "changes.log";
/// Generations of all attempts of a launched run.
pub const ATTEMPTS: &str = "attempts.jsonl";
/// Trace of a run, with a record for each epoch.
pub const TRACE: &str = "trace.jsonl";
/// Log of the rounds of a run with `--explain`.
pub const EXPLAINED: &str = "explain.jsonl";

/// Files that every run may have in addition to those of its model: a folder with one of them holds a run.
const RUN_FILES: [&str; 10] = [
    manifest::NAME,
    "report.json",
    "summary.json",
    "run.json",
    TRACE,
    EXPLAINED,
    CHECKPOINT,
    CHANGES_LOG,
    ATTEMPTS,
    "generation.json",
];
/// Files of the list above that a commit does not replace.
const LIVE: [&str; 7] =
    [manifest::NAME, TRACE, EXPLAINED, CHECKPOINT, CHANGES_LOG, ATTEMPTS, "generation.json"];

/// Destination of a model's files.
pub trait ModelFiles {
    /// Streams a file. The content given as `model.json` is the program's object about its model: program,
    /// version and the digest of every file are put in front of it.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), FileError>;
}

/// Model that is being written into a folder.
///
/// A file that is [written](ModelFiles::write) stays out of sight until [`commit`](Self::commit) replaces the
/// earlier model by all new files at once. Until this value is dropped, the folder is refused to other
/// processes. A folder that was made for it and received no file is then removed.
#[derive(Debug)]
pub struct NewModel {
    path: PathBuf,
    /// The lock; `None` if the launcher of several processes has it.
    lock: Option<File>,
    is_new: bool,
    store: Arc<dyn Store>,
    /// The files of the earlier run, which this one replaces.
    owned: BTreeSet<String>,
    stage: Option<Stage>,
}

/// Run that is in a folder already; empty if the folder has no file of a run.
#[derive(Debug, Default)]
pub struct EarlierRun {
    program: Option<String>,
    /// The files by which the run was recognised.
    shown_by: Vec<&'static str>,
    /// The files that a commit may replace.
    owned: BTreeSet<String>,
}

impl NewModel {
    /// Makes the folder, if need be, for a model of its own.
    ///
    /// # Errors
    /// If the folder holds a model or a run, another process is writing to it, or it cannot be made.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let refuse = |found: &EarlierRun| match found.is_none() {
            true => Ok(()),
            false => Err(format!("{found}: replace it, or name another folder")),
        };
        Self::hold(path, Arc::new(Disk), refuse).map_err(|why| FileError::refused(path, why))
    }

    /// Makes the folder, if need be, for a model that replaces the one that may be there, which stays until
    /// the [`commit`](Self::commit).
    ///
    /// # Errors
    /// If another process is writing to it, it holds a `model.json` that no run wrote, or it cannot be made.
    pub fn replace(path: &Path) -> Result<Self, FileError> {
        Self::hold(path, Arc::new(Disk), |_| Ok(())).map_err(|why| FileError::refused(path, why))
    }

    /// Locks a folder whose earlier run is accepted. A commit in which an earlier run was killed is
    /// completed.
    #[doc(hidden)]
    pub fn hold(
        path: &Path,
        store: Arc<dyn Store>,
        accept: impl FnOnce(&EarlierRun) -> Result<(), String>,
    ) -> Result<Self, String> {
        if path.exists() && !path.is_dir() {
            return Err("a run needs a folder and this is a file: remove it".into());
        }
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|why| why.to_string())?;
        let lock = Some(hold_lock(path)?);
        // From here on the folder, if it was made here, is removed with the value.
        let mut held = Self { path: path.into(), lock, is_new, store, owned: BTreeSet::new(), stage: None };
        held.recover().map_err(|why| why.to_string())?;
        let found = EarlierRun::find(path)?;
        accept(&found)?;
        held.owned = found.owned;
        Ok(held)
    }

    /// Opens the folder of a run on several processes, which their launcher has checked and holds locked.
    #[doc(hidden)]
    pub fn share(path: &Path) -> Result<Self, FileError> {
        let found = EarlierRun::find(path).map_err(|why| FileError::refused(path, why))?;
        let (path, store, owned) = (path.into(), Arc::new(Disk), found.owned);
        Ok(Self { path, lock: None, is_new: false, store, owned, stage: None })
    }

    /// Completes a commit in which another process was killed.
    #[doc(hidden)]
    pub fn recover(&self) -> io::Result<()> {
        commit::recover(&self.path, &*self.store)
    }

    /// Replaces the earlier model by the files written: all of them, or none if this fails. Files of the
    /// earlier run that this one does not have are removed, other files never.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn commit(&mut self, program: &str, version: &str) -> Result<(), FileError> {
        self.commit_with(program, version, &[])
    }

    /// Commits as [`commit`](Self::commit) does, and replaces these files, too.
    #[doc(hidden)]
    pub fn commit_with(
        &mut self,
        program: &str,
        version: &str,
        also_owned: &[&str],
    ) -> Result<(), FileError> {
        let stage = self.stage.take().unwrap_or_else(|| Stage::new(&self.path, Arc::clone(&self.store)));
        let mut owned = self.owned.clone();
        owned.extend(also_owned.iter().map(|&name| name.to_owned()));
        let committed = stage.commit(program, version, owned).map_err(|why| why.to_string());
        // A run may commit again, and replace its own earlier commit.
        let found = committed.and_then(|()| EarlierRun::find(&self.path));
        self.owned = found.map_err(|why| FileError::write(&self.path.join(manifest::NAME), why))?.owned;
        Ok(())
    }

    /// Lets the next commit replace a file.
    #[doc(hidden)]
    pub fn own(&mut self, name: &str) {
        self.owned.insert(name.into());
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[doc(hidden)]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    #[doc(hidden)]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }
}

impl ModelFiles for NewModel {
    fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), FileError> {
        let stage = self.stage.get_or_insert_with(|| Stage::new(&self.path, Arc::clone(&self.store)));
        stage.write(name, write).map_err(|why| FileError::write(&self.path.join(name), why))
    }
}

/// Removes a folder that was made for a run that then wrote nothing.
impl Drop for NewModel {
    fn drop(&mut self) {
        self.stage = None;
        if self.is_new {
            remove_if_empty(&self.path);
        }
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

impl EarlierRun {
    /// Finds the run in the folder, or the reason that the folder may not be changed.
    fn find(folder: &Path) -> Result<Self, String> {
        let shown_by: Vec<&str> = RUN_FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
        let replaced = shown_by.iter().filter(|name| !LIVE.contains(name));
        let mut owned: BTreeSet<String> = replaced.map(|&name| name.to_owned()).collect();
        let text = match fs::read(folder.join(manifest::NAME)) {
            Ok(text) => text,
            Err(why) if why.kind() == ErrorKind::NotFound => {
                return Ok(Self { program: None, shown_by, owned });
            }
            Err(why) => return Err(format!("model.json: {why}")),
        };
        let unknown = "it has a model.json that no run of this version wrote: move it away";
        let head = Head::of(&text).ok_or(unknown)?;
        // A name is one of this folder, whatever a file claims.
        let is_inside = |name: &String| Path::new(name).file_name() == Some(name.as_ref());
        owned.extend(head.files.into_keys().filter(is_inside));
        Ok(Self { program: Some(head.program), shown_by, owned })
    }

    /// `true` if the folder has no file of a run.
    pub fn is_none(&self) -> bool {
        self.shown_by.is_empty()
    }
}

impl fmt::Display for EarlierRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = self.program.as_ref().map(|program| format!(" of {program}")).unwrap_or_default();
        write!(f, "it holds a run{whose} ({})", self.shown_by.join(", "))
    }
}

/// Removes a folder with no file but its lock. Best effort; one in which a file appears meanwhile is kept.
pub fn remove_if_empty(path: &Path) {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    if entries.all(|entry| entry.file_name() == LOCK) {
        let _ = fs::remove_file(path.join(LOCK));
        let _ = fs::remove_dir(path);
    }
}

/// Takes the folder's lock.
///
/// # Errors
/// A text that names the process that has it, or why the lock cannot be taken.
pub fn hold_lock(folder: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    let lock = options.create(true).truncate(false).read(true).write(true).open(folder.join(LOCK));
    let mut lock = lock.map_err(|why| why.to_string())?;
    match lock.try_lock() {
        Ok(()) => (),
        Err(TryLockError::WouldBlock) => {
            let holder = io::read_to_string(&lock).unwrap_or_default();
            let holder = if holder.is_empty() { "another process" } else { holder.trim() };
            return Err(format!("its run is alive ({holder}): wait for it or stop it"));
        }
        // A file system without locks: better unguarded than unusable.
        Err(TryLockError::Error(why)) if why.kind() == ErrorKind::Unsupported => (),
        Err(TryLockError::Error(why)) => return Err(why.to_string()),
    }
    let named = lock.set_len(0).and_then(|()| writeln!(lock, "process {}", process::id()));
    named.map_err(|why| why.to_string())?;
    Ok(lock)
}
