//! [`CheckpointWriter`]: the folder of a run's checkpoints. Each is a folder of its own, `EPOCH.GENERATION`.
//! The generations of a resumed run have higher numbers than all before, so it never writes to a folder that
//! an earlier run wrote.
//!
//! Workers write the parts of a boundary at the same time, before it is evaluated. Each process
//! [submits](CheckpointWriter::submit_parts) the parts that its workers wrote, or gives them up; the
//! coordinator makes a checkpoint of them ([`commit_parts`]). The last two are kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use super::manifest::{self, Manifest};
use super::part::{Kind, Part, PartWriter};
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::base::store::Store;
use crate::base::sync::lock;

/// Number of checkpoints that are kept.
const KEPT: usize = 2;

#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    folder: PathBuf,
    store: Arc<dyn Store>,
    generation: AtomicU64,
    process: u32,
    pending: Mutex<Option<PendingCheckpoint>>,
}

/// Parts of a boundary that a process has written, their cost, and the failure, if there was one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SubmittedParts {
    pub(crate) parts: Vec<Part>,
    /// Seconds.
    pub(crate) cost: f64,
    pub(crate) failed: Option<String>,
}

crate::state!(SubmittedParts { parts, cost, failed });

/// How often a folder is made again that other processes have removed before a part was in it.
const RETRIES: usize = 1000;

/// Parts of a boundary that are not yet a checkpoint.
#[derive(Debug)]
struct PendingCheckpoint {
    folder: PathBuf,
    parts: Vec<Part>,
    /// Number of parts that were started.
    begun: usize,
    /// The longest time that a part took.
    cost: Duration,
    failed: Option<io::Error>,
}

impl CheckpointWriter {
    /// Makes the writer of the process with this number; [`begin_generation`](Self::begin_generation) must be
    /// called for every generation.
    pub(crate) fn new(folder: PathBuf, store: Arc<dyn Store>, process: u32) -> Self {
        Self { folder, store, generation: AtomicU64::new(0), process, pending: Mutex::new(None) }
    }

    /// Starts a generation, to which parts belong from here on; parts that were not submitted are given up.
    pub(crate) fn begin_generation(&self, number: u64) {
        self.give_up();
        self.generation.store(number, Ordering::Release);
    }

    /// Submits the parts that this process has written of a boundary. They and their names survive a loss of
    /// power of its machine: the coordinator, on another machine, relies on them.
    pub(crate) fn submit_parts(&self) -> SubmittedParts {
        let Some(pending) = lock(&self.pending).take() else { return SubmittedParts::default() };
        let PendingCheckpoint { folder, parts, cost, failed, .. } = pending;
        let began = Instant::now();
        let sync = || self.store.sync_folder(&folder).and_then(|()| self.store.sync_folder(&self.folder));
        let failed = failed.or_else(|| sync().err()).map(|why| why.to_string());
        SubmittedParts { parts, cost: (cost + began.elapsed()).as_secs_f64(), failed }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a part of the boundary after this number of epochs: all that `write` adds. A failure is
    /// reported by the commit.
    pub(crate) fn write_part(
        &self,
        epoch: u64,
        write: impl FnOnce(&mut dyn FnMut(Kind, &[u8])) -> Result<(), String>,
    ) -> Result<(), String> {
        let began = Instant::now();
        let mut failed = None;
        let mut part = match self.begin_part(epoch) {
            Ok(part) => Some(part),
            Err(why) => {
                failed = Some(why);
                None
            }
        };
        write(&mut |kind, bytes| {
            if let Some(Err(why)) = part.as_mut().map(|part| part.add(kind, bytes)) {
                (part, failed) = (None, Some(why));
            }
        })?;
        let closed = part.map(PartWriter::close).transpose();
        let mut pending = lock(&self.pending);
        if let Some(pending) = pending.as_mut() {
            match closed {
                Ok(part) => pending.parts.extend(part),
                Err(why) => failed = Some(why),
            }
            pending.cost = pending.cost.max(began.elapsed());
            pending.failed = pending.failed.take().or(failed);
        }
        Ok(())
    }

    fn begin_part(&self, epoch: u64) -> io::Result<PartWriter> {
        let folder = self.folder.join(format!("{epoch}.{}", self.generation.load(Ordering::Acquire)));
        let mut pending = lock(&self.pending);
        if pending.as_ref().is_none_or(|pending| pending.folder != folder) {
            if let Some(before) = pending.take() {
                self.drop_pending(&before);
            }
            let failed = self.make_folders(&folder).err();
            let (parts, cost) = (Vec::new(), Duration::ZERO);
            *pending = Some(PendingCheckpoint { folder: folder.clone(), parts, begun: 0, cost, failed });
        }
        let number = pending.as_mut().map_or(0, |pending| {
            pending.begun += 1;
            pending.begun - 1
        });
        drop(pending);
        let create = || PartWriter::create(&self.store, &folder, self.part_name(number));
        let mut part = create();
        // Another process that gives up its parts removes a folder in which no others are yet, as a process
        // does once for each boundary.
        for _ in 0..RETRIES {
            match part {
                Err(why) if why.kind() == io::ErrorKind::NotFound => {
                    self.make_folders(&folder)?;
                    part = create();
                }
                _ => break,
            }
        }
        part
    }

    fn part_name(&self, number: usize) -> String {
        format!("part.{}.{number}", self.process)
    }

    fn make_folders(&self, folder: &Path) -> io::Result<()> {
        // Another process may have been faster.
        let make = |folder: &Path| match self.store.make_folder(folder) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        if !self.folder.is_dir() {
            make(&self.folder)?;
            let parent = self.folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            self.store.sync_folder(parent.unwrap_or(Path::new(".")))?;
        }
        make(folder)
    }

    /// Removes the parts that this process has written of a boundary. Best effort.
    fn drop_pending(&self, pending: &PendingCheckpoint) {
        for number in 0..pending.begun {
            let _ = self.store.remove(&pending.folder.join(self.part_name(number)));
        }
        let _ = self.store.remove_folder(&pending.folder);
    }

    /// Gives up the parts written of a boundary.
    pub(crate) fn give_up(&self) {
        if let Some(pending) = lock(&self.pending).take() {
            self.drop_pending(&pending);
        }
    }
}

/// Makes a checkpoint of the parts in a folder, if all were written. Returns their bytes.
///
/// # Errors
/// If it cannot be written; nothing is left of it then.
pub(crate) fn commit_parts(
    store: &Arc<dyn Store>,
    folder: &Path,
    identity: &Identity,
    parts: io::Result<Vec<Part>>,
) -> io::Result<u64> {
    let committed = parts.and_then(|mut parts| {
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        let bytes = parts.iter().map(|part| part.length).sum();
        Manifest { identity: identity.clone(), parts }.commit(store, folder)?;
        Ok(bytes)
    });
    match committed {
        Ok(_) => folder.parent().into_iter().for_each(|all| retain(&**store, all)),
        Err(_) => clear(&**store, folder),
    }
    committed
}

/// Removes all but the last checkpoints, and parts that never became one. Best effort: leftovers do no harm.
fn retain(store: &dyn Store, all: &Path) {
    let mut kept = 0;
    for name in list(all) {
        let folder = all.join(name.to_string());
        kept += usize::from(folder.join(manifest::NAME).exists());
        if kept > KEPT || !folder.join(manifest::NAME).exists() {
            clear(store, &folder);
        }
    }
}

/// Returns the number of the last generation that has left something in the folder; 0 if none has.
pub(crate) fn last_generation(folder: &Path) -> u64 {
    list(folder).iter().map(|name| name.generation).max().unwrap_or(0)
}

/// Returns the epoch in the name of a checkpoint.
pub(super) fn epoch_of(folder: &Path) -> Option<u64> {
    Some(Name::parse(folder.file_name()?.to_str()?)?.epoch)
}

/// `true` if the folder holds a checkpoint from which [`Engine::resume`](crate::Engine::resume) can continue,
/// or a file of an earlier version, which is refused by name.
pub fn has_checkpoint(folder: impl AsRef<Path>) -> bool {
    let path = folder.as_ref();
    path.is_file() || list(path).iter().any(|name| path.join(name.to_string()).join(manifest::NAME).exists())
}

/// Removes the checkpoints of a run.
///
/// # Errors
/// If they cannot be removed.
pub fn remove(path: &Path, store: &dyn Store) -> io::Result<()> {
    if !path.is_dir() {
        return if path.exists() { store.remove(path) } else { Ok(()) };
    }
    for name in list(path) {
        clear(store, &path.join(name.to_string()));
    }
    store.remove_folder(path)
}

/// The name of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    generation: u64,
    epoch: u64,
}

impl Name {
    fn parse(name: &str) -> Option<Self> {
        let (epoch, generation) = name.split_once('.')?;
        let parsed = Self { epoch: epoch.parse().ok()?, generation: generation.parse().ok()? };
        // Another spelling of these numbers is not a name of ours.
        (parsed.to_string() == name).then_some(parsed)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.generation)
    }
}

/// Lists the names in a folder, the last first.
pub(super) fn list(folder: &Path) -> Vec<Name> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<Name> = entries.filter_map(|entry| Name::parse(entry.file_name().to_str()?)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names
}

/// Removes a checkpoint, the manifest first: without it the rest is no checkpoint. Best effort.
fn clear(store: &dyn Store, folder: &Path) {
    if !folder.is_dir() {
        return;
    }
    let _ = store.remove(&folder.join(manifest::NAME));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = store.remove(&entry.path());
    }
    let _ = store.remove_folder(folder);
}

/// Returns the error that a new checkpoint could not be written to the folder.
pub(crate) fn unwritten(folder: &Path, why: &io::Error) -> EngineError {
    let left = if has_checkpoint(folder) { "; the one before is still there" } else { "" };
    refuse(folder, format!("it cannot be written: {why}{left}"))
}

/// Returns the error of the checkpoint at this path.
pub(crate) fn refuse(path: &Path, why: String) -> EngineError {
    EngineError::Checkpoint { path: path.to_owned(), why }
}
