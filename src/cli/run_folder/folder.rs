//! [`RunFolder`]: an `--out` folder *is* a run, and belongs to one process at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex};

use super::atomic::write_atomic;
use super::begun::{self, Begun, RecordedEnd};
use super::commit::{self, Stage};
use super::manifest::{self, Head};
use super::store::{Disk, Out, Store};
use crate::base::sync::lock;
use crate::checkpoint;
use crate::cli::exit::Error;
use crate::cli::report::trace::Trace;
use crate::run::record::EpochRecord;

/// Holds the number of the process that has the run. The system drops its lock with the process, however that
/// ends.
pub(crate) const LOCK: &str = ".lock";
/// The name of the checkpoints' folder; of the checkpoint's file, where several runs make one model.
pub(crate) const CHECKPOINT: &str = "checkpoint";

/// Log of the changes that a run has taken in.
pub(crate) const CHANGES_LOG: &str = "changes.log";
/// Files that every run may have beside those of its model: a folder with one of them is a run's.
const RUN_FILES: [&str; 8] = [
    manifest::NAME,
    "report.json",
    "summary.json",
    "run.json",
    "trace.jsonl",
    CHECKPOINT,
    CHANGES_LOG,
    "generation.json",
];
/// Files that a run leaves which was killed while it wrote one of them.
const LEFTOVERS: [&str; 3] = ["checkpoint.partial", "run.json.partial", "trace.jsonl.earlier"];

/// Fate of a run that is in a folder already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// It is refused: the folder is for a new run.
    Refused,
    /// It is replaced, once the new run has a model: `--force`.
    Replaced,
    /// It goes on: `--resume`.
    Resumed,
}

/// The folder a run writes to, or none.
///
/// A file that is [written](Self::write) stays out of sight until [`commit`](Self::commit) puts all of them
/// in the place of the earlier model at once. A folder whose run is alive is refused.
#[derive(Debug, Default)]
pub struct RunFolder {
    held: Option<HeldFolder>,
}

#[derive(Debug)]
struct HeldFolder {
    path: PathBuf,
    /// None where the launcher of several processes has it.
    lock: Option<File>,
    new: bool,
    store: Arc<dyn Store>,
    /// The files of the earlier run, which this one replaces.
    owned: BTreeSet<String>,
    stage: Option<Stage>,
    /// `true` if trace and checkpoint are this run's.
    trains: bool,
    trace: Arc<Mutex<Trace>>,
}

impl RunFolder {
    /// No folder: nothing is written.
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes the folder, if need be, and takes hold of it until dropped. A commit that an earlier run was
    /// killed in is completed.
    ///
    /// # Errors
    /// If a process that is alive holds it, it holds another run or a `model.json` that no run wrote, or it
    /// cannot be made.
    pub fn hold(path: &Path, earlier: Earlier) -> Result<Self, Error> {
        Self::hold_in(path, earlier, Arc::new(Disk))
    }

    pub(super) fn hold_in(path: &Path, earlier: Earlier, store: Arc<dyn Store>) -> Result<Self, Error> {
        let refuse = |why: &dyn std::fmt::Display| {
            Error::usage(format!("{}: {why}, or give another folder with --out", path.display()))
        };
        if path.exists() && !path.is_dir() {
            return Err(refuse(&"a run needs a folder and this is a file: remove it"));
        }
        let new = !path.exists();
        fs::create_dir_all(path).map_err(|why| refuse(&why))?;
        let file = hold_lock(path).map_err(|why| refuse(&why))?;
        let trace = Arc::new(Mutex::new(Trace::new(&path.join("trace.jsonl"))));
        let owned = BTreeSet::new();
        // From here on the folder, if it was made here, is removed with the value.
        let (stage, trains) = (None, false);
        let mut held =
            HeldFolder { path: path.into(), lock: Some(file), new, store, owned, stage, trains, trace };
        if new {
            *lock(&NEW) = Some(path.into());
        }
        commit::recover(path, &*held.store).map_err(|why| refuse(&why))?;
        held.owned = owned_by_earlier(path, earlier).map_err(|why| refuse(&why))?;
        for leftover in LEFTOVERS {
            // Best effort: the file is in the way of nothing.
            let _ = fs::remove_file(path.join(leftover));
        }
        Ok(Self { held: Some(held) })
    }

    /// Completes a commit that another process was killed in.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn recover(&self) -> Result<(), Error> {
        let Some(held) = &self.held else { return Ok(()) };
        commit::recover(&held.path, &*held.store).map_err(|why| Error::write(&held.path, why))
    }

    /// The folder of a run of several processes, which their launcher holds and has checked.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn share(path: &Path) -> Result<Self, Error> {
        let owned = owned_by_earlier(path, Earlier::Replaced);
        let owned = owned.map_err(|why| Error::usage(format!("{}: {why}", path.display())))?;
        let mut trace = Trace::new(&path.join("trace.jsonl"));
        // The process that takes over from the first one goes on in its trace.
        trace.keep_earlier();
        let (store, trace): (Arc<dyn Store>, _) = (Arc::new(Disk), Arc::new(Mutex::new(trace)));
        let (path, lock, new, stage, trains) = (path.into(), None, false, None, false);
        Ok(Self { held: Some(HeldFolder { path, lock, new, store, owned, stage, trains, trace }) })
    }

    /// The folder's path, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.held.as_ref().map(|held| held.path.as_path())
    }

    /// Streams a file of the model, which becomes visible with the [`commit`](Self::commit). The content
    /// given as `model.json` is the program's object about its model: the commit puts program, version and
    /// the digest of every file in front of it. Does nothing without a folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let stage = held.stage.get_or_insert_with(|| Stage::new(&held.path, Arc::clone(&held.store)));
        stage.write(name, write).map_err(|why| Error::write(&held.path.join(name), why))
    }

    /// Puts the files written in the place of the earlier model: all of them, or nothing where this fails.
    /// Files of the earlier run that this one does not have are removed, others never. Does nothing without a
    /// folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn commit(&mut self, program: &str, version: &str) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let stage = held.stage.take().unwrap_or_else(|| Stage::new(&held.path, Arc::clone(&held.store)));
        let mut owned = held.owned.clone();
        if !held.trains {
            owned.insert("trace.jsonl".to_owned());
        }
        let committed = stage.commit(program, version, owned);
        let refuse = |why: &dyn std::fmt::Display| Error::write(&held.path.join(manifest::NAME), why);
        committed.map_err(|why| refuse(&why))?;
        // A run may commit again, in the place of its own earlier commit.
        held.owned = owned_by_earlier(&held.path, Earlier::Resumed).map_err(|why| refuse(&why))?;
        let checkpoints = held.path.join(CHECKPOINT);
        match held.trains {
            true => Ok(()),
            false => {
                checkpoint::remove(&checkpoints, &*held.store).map_err(|why| Error::write(&checkpoints, why))
            }
        }
    }

    /// Marks the start of training, of a new run or one that goes on: from now on `--resume` finds it. The
    /// checkpoint of an earlier run is no way back to a new one.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn begin(&mut self, begun: &Begun, is_new: bool) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        held.trains = true;
        held.owned.insert(begun::NAME.into());
        let about = held.path.join(begun::NAME);
        if !is_new && about.exists() {
            return Ok(());
        }
        for live in [CHECKPOINT, CHANGES_LOG].map(|name| held.path.join(name)) {
            if is_new {
                checkpoint::remove(&live, &*held.store).map_err(|why| Error::write(&live, why))?;
            }
        }
        write_atomic(&about, |out| Ok(serde_json::to_writer_pretty(out, begun)?))
    }

    /// Goes on in a folder in which another process of the run has begun it.
    pub(crate) fn take_over(&mut self) -> Result<(), Error> {
        if let Some(held) = &mut self.held {
            held.trains = true;
            held.owned.insert(begun::NAME.into());
        }
        Ok(())
    }

    /// Writes the run's end, to be committed with its model.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_end(&mut self, begun: Begun, ended: RecordedEnd) -> Result<(), Error> {
        let Some(path) = self.path() else { return Ok(()) };
        // A run that was resumed may have been given another target meanwhile.
        let mut kept = Begun::read(path)?.unwrap_or_else(|| begun.clone());
        if kept.verb == begun.verb {
            kept.options.extend(begun.options);
        }
        let begun = Begun { ended: Some(ended), ..kept };
        self.write(begun::NAME, |out| Ok(serde_json::to_writer_pretty(out, &begun)?))
    }

    /// Lets the trace keep the lines of an earlier part of the same run.
    pub fn resume_trace(&self) {
        self.with_trace(Trace::keep_earlier);
    }

    /// Function that adds records to the trace, from any thread.
    pub fn tracer(&self) -> impl FnMut(&EpochRecord) + Send + use<> {
        let trace = self.held.as_ref().map(|held| Arc::clone(&held.trace));
        move |record| {
            if let Some(trace) = &trace {
                lock(trace).add(record);
            }
        }
    }

    /// Check that the trace was written whole.
    ///
    /// # Errors
    /// If it was not.
    pub fn check_trace(&self) -> Result<(), Error> {
        self.with_trace(Trace::check).unwrap_or(Ok(()))
    }

    fn with_trace<T>(&self, act: impl FnOnce(&mut Trace) -> T) -> Option<T> {
        let held = self.held.as_ref()?;
        Some(act(&mut lock(&held.trace)))
    }
}

/// The folder that was made for the run of this process, as long as nothing else is in it.
static NEW: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the folder that was made for a run that ends before it has written anything.
pub(crate) fn abandon() {
    if let Some(path) = lock(&NEW).take() {
        remove_if_empty(&path);
    }
}

/// Best effort; a folder in which a file appears meanwhile is kept.
fn remove_if_empty(path: &Path) {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    if entries.all(|entry| entry.file_name() == LOCK) {
        let _ = fs::remove_file(path.join(LOCK));
        let _ = fs::remove_dir(path);
    }
}

/// Takes the folder's lock, or names the process that has it.
pub(crate) fn hold_lock(folder: &Path) -> Result<File, String> {
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

/// The files of the run that is in the folder, or the reason that it may not be touched.
fn owned_by_earlier(folder: &Path, earlier: Earlier) -> Result<BTreeSet<String>, String> {
    let there: Vec<&str> = RUN_FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    let mut owned: BTreeSet<String> = there.iter().map(|name| (*name).to_owned()).collect();
    for live in [manifest::NAME, "trace.jsonl", CHECKPOINT, CHANGES_LOG, "generation.json"] {
        owned.remove(live);
    }
    let mut whose = String::new();
    match fs::read(folder.join(manifest::NAME)) {
        Ok(text) => {
            let Some(head) = Head::of(&text) else {
                return Err("it has a model.json that no run of this version wrote: move it away".into());
            };
            whose = format!(" of {}", head.program);
            // A name is one of this folder, whatever a file claims.
            owned.extend(
                head.files.into_keys().filter(|name| Path::new(name).file_name() == Some(name.as_ref())),
            );
        }
        Err(why) if why.kind() == ErrorKind::NotFound => (),
        Err(why) => return Err(format!("model.json: {why}")),
    }
    match earlier {
        Earlier::Refused if !there.is_empty() => Err(format!(
            "it holds a run{whose} ({}): add --force to replace it, --resume to go on with it",
            there.join(", ")
        )),
        _ => Ok(owned),
    }
}

/// A folder that was made for a run that then wrote nothing does not stay.
impl Drop for HeldFolder {
    fn drop(&mut self) {
        self.stage = None;
        if self.new {
            remove_if_empty(&self.path);
        }
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

#[cfg(test)]
mod tests;
