//! [`RunFolder`]: an `--out` folder *is* a run, and belongs to one process at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use super::commit::{self, Stage};
use super::exit::Error;
use super::manifest::{self, Head};
use super::store::{Disk, Out, Store};
use super::trace::Trace;
use crate::record::EpochRecord;

/// Holds the number of the process that has the run. The system drops its lock with the process, however that ends.
const LOCK: &str = ".lock";
/// The checkpoint's name.
pub(super) const CHECKPOINT: &str = "checkpoint";
/// What every run may have beside the files of its model. Where one of them is, a run is.
const RUN_FILES: [&str; 6] =
    [manifest::NAME, "report.json", "summary.json", "run.json", "trace.jsonl", CHECKPOINT];
/// What a run that was killed while it wrote one of them leaves.
const LEFTOVERS: [&str; 2] = ["checkpoint.partial", "trace.jsonl.earlier"];

/// What may become of a run that is in a folder already.
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
/// What [`write`](Self::write) is given stays out of sight until [`commit`](Self::commit) puts all of it in the place of
/// the earlier model at once. A folder whose run is alive is refused.
#[derive(Debug, Default)]
pub struct RunFolder {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    path: PathBuf,
    lock: File,
    new: bool,
    store: Arc<dyn Store>,
    /// The files of the earlier run, which this one replaces.
    owned: BTreeSet<String>,
    stage: Option<Stage>,
    trace: Arc<Mutex<Trace>>,
}

impl RunFolder {
    /// No folder: nothing is written.
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes the folder, if need be, and takes hold of it until dropped. A commit that an earlier run was killed in is
    /// completed.
    ///
    /// # Errors
    /// If a process that is alive holds it, it holds another run or a `model.json` that no run wrote, or it cannot be made.
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
        let lock = lock(path).map_err(|why| refuse(&why))?;
        let trace = Arc::new(Mutex::new(Trace::new(&path.join("trace.jsonl"))));
        let owned = BTreeSet::new();
        // From here on what was made here goes with the value.
        let mut held = Held { path: path.into(), lock, new, store, owned, stage: None, trace };
        commit::recover(path, &*held.store).map_err(|why| refuse(&why))?;
        held.owned = owned_by_earlier(path, earlier).map_err(|why| refuse(&why))?;
        for leftover in LEFTOVERS {
            // Best effort: it is only in nobody's way.
            let _ = fs::remove_file(path.join(leftover));
        }
        Ok(Self { held: Some(held) })
    }

    /// The folder's path, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.held.as_ref().map(|held| held.path.as_path())
    }

    /// Streams a file of the model, which becomes visible with the [`commit`](Self::commit). What is given as `model.json`
    /// is an object, what the program says of its model: the commit puts program, version and the digest of every file in
    /// front of it. Does nothing without a folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, name: &str, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let stage = held.stage.get_or_insert_with(|| Stage::new(&held.path, Arc::clone(&held.store)));
        stage.write(name, write).map_err(|why| Error::write(&held.path.join(name), why))
    }

    /// Puts what was written in the place of the earlier model: all of it, or nothing where this fails. Files of the
    /// earlier run that this one does not have are removed, others never. Does nothing without a folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn commit(&mut self, program: &str, version: &str) -> Result<(), Error> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let stage = held.stage.take().unwrap_or_else(|| Stage::new(&held.path, Arc::clone(&held.store)));
        let committed = stage.commit(program, version, held.owned.clone());
        committed.map_err(|why| Error::write(&held.path.join(manifest::NAME), why))
    }

    /// Says that a new run begins to train: the checkpoint of an earlier one is no way back to it.
    ///
    /// # Errors
    /// If the checkpoint cannot be removed.
    pub(super) fn begin_anew(&self) -> Result<(), Error> {
        let Some(path) = self.path() else { return Ok(()) };
        let checkpoint = path.join(CHECKPOINT);
        match fs::remove_file(&checkpoint) {
            Err(why) if why.kind() != ErrorKind::NotFound => Err(Error::write(&checkpoint, why)),
            _ => Ok(()),
        }
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

/// Takes the folder's lock, or says who has it.
fn lock(folder: &Path) -> Result<File, String> {
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

/// The files of the run that is in the folder, or why it may not be touched.
fn owned_by_earlier(folder: &Path, earlier: Earlier) -> Result<BTreeSet<String>, String> {
    let there: Vec<&str> = RUN_FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    let mut owned: BTreeSet<String> = there.iter().map(|name| (*name).to_owned()).collect();
    for live in [manifest::NAME, "trace.jsonl", CHECKPOINT] {
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
impl Drop for Held {
    fn drop(&mut self) {
        self.stage = None;
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
        let mut first = RunFolder::hold(&path, Earlier::Refused).unwrap();
        let error = RunFolder::hold(&path, Earlier::Refused).unwrap_err();
        assert_eq!(error.status(), ExitStatus::Usage);
        let holder = format!("its run is alive (process {})", process::id());
        assert!(error.to_string().contains(&holder), "{error}");
        first.write("factors", |out| out.write_all(b"1")).unwrap();
        first.commit("mf", "1.0").unwrap();
        drop(first);
        let mut second = RunFolder::hold(&path, Earlier::Replaced).unwrap();
        assert_eq!(fs::read(path.join("factors")).unwrap(), b"1");
        second.write("factors", |out| out.write_all(b"2")).unwrap();
        assert_eq!(fs::read(path.join("factors")).unwrap(), b"1");
        second.commit("mf", "1.0").unwrap();
        assert_eq!(fs::read(path.join("factors")).unwrap(), b"2");
    }

    #[test]
    fn a_lock_left_by_a_killed_run_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK), "process 1\n").unwrap();
        RunFolder::hold(folder.path(), Earlier::Refused).unwrap();
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = RunFolder::hold(&file, Earlier::Refused).unwrap_err();
        assert!(error.to_string().contains("this is a file"), "{error}");
    }

    #[test]
    fn a_run_that_wrote_nothing_leaves_no_new_folder() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        drop(RunFolder::hold(&path, Earlier::Refused).unwrap());
        assert!(!path.exists());
        drop(RunFolder::hold(parent.path(), Earlier::Refused).unwrap());
        assert!(parent.path().exists());
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let mut none = RunFolder::none();
        none.write("model", |_| Err(io::Error::other("never called"))).unwrap();
        none.tracer()(&EpochRecord::default());
        none.check_trace().unwrap();
        none.commit("mf", "1.0").unwrap();
        assert_eq!(none.path(), None);
    }

    #[test]
    fn the_trace_is_written_from_another_thread() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::hold(folder.path(), Earlier::Refused).unwrap();
        let mut tracer = run.tracer();
        std::thread::spawn(move || tracer(&EpochRecord::default())).join().unwrap();
        run.check_trace().unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("trace.jsonl")).unwrap().lines().count(), 1);
    }

    fn finished(path: &Path, files: &[&str]) {
        let mut run = RunFolder::hold(path, Earlier::Replaced).unwrap();
        files.iter().for_each(|name| run.write(name, |out| out.write_all(b"x")).unwrap());
        run.commit("lasso", "1.0").unwrap();
    }

    fn names(path: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn another_run_is_refused_and_named() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path(), &["coef.tsv"]);
        let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
        assert_eq!(error.status(), ExitStatus::Usage);
        assert!(error.to_string().contains("it holds a run of lasso (model.json): add --force"), "{error}");
        RunFolder::hold(folder.path(), Earlier::Resumed).unwrap();
        // What a run leaves that was killed early is a run, too.
        for name in ["checkpoint", "trace.jsonl", "run.json", "report.json", "summary.json"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(name), "x").unwrap();
            let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
            assert!(error.to_string().contains(&format!("({name})")), "{error}");
            RunFolder::hold(folder.path(), Earlier::Replaced).unwrap();
        }
    }

    #[test]
    fn a_model_that_no_run_wrote_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let mine = r#"{"program": "lasso", "version": "mine"}"#;
        fs::write(folder.path().join("model.json"), mine).unwrap();
        for earlier in [Earlier::Refused, Earlier::Replaced, Earlier::Resumed] {
            let error = RunFolder::hold(folder.path(), earlier).unwrap_err();
            assert!(error.to_string().contains("a model.json that no run"), "{error}");
        }
        assert_eq!(fs::read_to_string(folder.path().join("model.json")).unwrap(), mine);
    }

    #[test]
    fn stale_files_go_and_foreign_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path(), &["coef.tsv", "path.tsv", "report.json"]);
        for name in ["notes.txt", "item_bias.npy", "checkpoint.partial"] {
            fs::write(folder.path().join(name), "mine").unwrap();
        }
        finished(folder.path(), &["coef.tsv", "item_bias.npy"]);
        let expected = [".lock", "coef.tsv", "item_bias.npy", "item_bias.npy.1", "model.json", "notes.txt"];
        assert_eq!(names(folder.path()), expected.map(str::to_owned).into());
        let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("item_bias.npy.1"), read("item_bias.npy")), ("mine".into(), "x".into()));
    }

    #[test]
    fn a_manifest_cannot_have_files_elsewhere_removed() {
        let parent = tempfile::tempdir().unwrap();
        let (path, mine) = (parent.path().join("run"), parent.path().join("mine"));
        fs::write(&mine, "mine").unwrap();
        finished(&path, &["coef.tsv"]);
        let text = fs::read_to_string(path.join("model.json")).unwrap();
        let text = text.replace("coef.tsv", "../mine").replace("lasso", &mine.display().to_string());
        fs::write(path.join("model.json"), text).unwrap();
        finished(&path, &[]);
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    }

    #[test]
    fn a_run_that_fails_leaves_the_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path(), &["coef.tsv"]);
        let before = names(folder.path());
        let mut run = RunFolder::hold(folder.path(), Earlier::Replaced).unwrap();
        run.write("path.tsv", |out| out.write_all(b"y")).unwrap();
        assert!(run.write("coef.tsv", |_| Err(io::Error::other("disk full"))).is_err());
        drop(run);
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn a_folder_of_others_by_our_names_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".next")).unwrap();
        fs::write(folder.path().join(".next/page"), "mine").unwrap();
        let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
        assert!(error.to_string().contains("`.next` in it that no run wrote"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join(".next/page")).unwrap(), "mine");
    }
}
