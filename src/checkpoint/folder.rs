//! [`Checkpoints`]: the folder of a run's checkpoints. Each is a folder of its own, `EPOCH.SITTING`; a run that goes on is
//! a new sitting, so it never writes to what an earlier one wrote.
//!
//! Workers write the parts of a boundary side by side before it is certified. What they wrote becomes a checkpoint by
//! [`commit`](Checkpoints::commit), or is given up. The last two are kept.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::manifest::{self, Manifest};
use super::part::{Kind, Part, PartWriter};
use crate::identity::Identity;
use crate::store::Store;

/// Checkpoints that stay.
const KEPT: usize = 2;

#[derive(Debug)]
pub(crate) struct Checkpoints {
    folder: PathBuf,
    store: Arc<dyn Store>,
    sitting: u64,
    draft: Mutex<Option<Draft>>,
}

/// A checkpoint that is not one yet.
#[derive(Debug)]
struct Draft {
    folder: PathBuf,
    parts: Vec<Part>,
    /// Parts that were begun.
    begun: usize,
    /// The longest time that a part took.
    cost: Duration,
    failed: Option<io::Error>,
}

impl Checkpoints {
    pub(crate) fn new(folder: PathBuf, store: Arc<dyn Store>) -> Self {
        let sitting = 1 + list(&folder).iter().map(|name| name.sitting).max().unwrap_or(0);
        Self { folder, store, sitting, draft: Mutex::new(None) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a part of the boundary after this number of epochs: all that `write` adds. What fails is told by the commit.
    pub(super) fn write_part(
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
        let mut draft = self.lock();
        if let Some(draft) = draft.as_mut() {
            match closed {
                Ok(part) => draft.parts.extend(part),
                Err(why) => failed = Some(why),
            }
            draft.cost = draft.cost.max(began.elapsed());
            draft.failed = draft.failed.take().or(failed);
        }
        Ok(())
    }

    fn begin_part(&self, epoch: u64) -> io::Result<PartWriter> {
        let folder = self.folder.join(format!("{epoch}.{}", self.sitting));
        let mut draft = self.lock();
        if draft.as_ref().is_none_or(|draft| draft.folder != folder) {
            if let Some(before) = draft.take() {
                clear(&*self.store, &before.folder);
            }
            // What an attempt at the same boundary has left, such as one on a full disk.
            clear(&*self.store, &folder);
            let failed = self.make_folders(&folder).err();
            let (parts, cost) = (Vec::new(), Duration::ZERO);
            *draft = Some(Draft { folder: folder.clone(), parts, begun: 0, cost, failed });
        }
        let number = draft.as_mut().map_or(0, |draft| {
            draft.begun += 1;
            draft.begun - 1
        });
        drop(draft);
        PartWriter::create(&self.store, &folder, format!("part.{number}"))
    }

    fn make_folders(&self, folder: &Path) -> io::Result<()> {
        if !self.folder.is_dir() {
            self.store.make_folder(&self.folder)?;
            let parent = self.folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            self.store.sync_folder(parent.unwrap_or(Path::new(".")))?;
        }
        self.store.make_folder(folder)
    }

    /// Gives up what was written of a boundary.
    pub(crate) fn give_up(&self) {
        if let Some(draft) = self.lock().take() {
            clear(&*self.store, &draft.folder);
        }
    }

    /// Makes a checkpoint of the parts that were written. Returns what it cost, and its bytes.
    pub(super) fn commit(&self, identity: &Identity) -> io::Result<(Duration, u64)> {
        let began = Instant::now();
        let Some(draft) = self.lock().take() else { return Err(io::Error::other("nothing was written")) };
        let Draft { folder, mut parts, cost, failed, .. } = draft;
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        let bytes = parts.iter().map(|part| part.length).sum();
        let manifest = Manifest { identity: identity.clone(), parts };
        let committed = failed.map_or(Ok(()), Err).and_then(|()| manifest.commit(&self.store, &folder));
        if let Err(why) = committed {
            clear(&*self.store, &folder);
            return Err(why);
        }
        self.retain();
        Ok((cost + began.elapsed(), bytes))
    }

    /// Removes all but the last checkpoints, and what never became one. Best effort: it is only in nobody's way.
    fn retain(&self) {
        let mut kept = 0;
        for name in list(&self.folder) {
            let folder = self.folder.join(name.to_string());
            kept += usize::from(folder.join(manifest::NAME).exists());
            if kept > KEPT || !folder.join(manifest::NAME).exists() {
                clear(&*self.store, &folder);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Draft>> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A checkpoint to go on from.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    /// Later ones that do not fit, and why.
    pub(super) unfit: Vec<(PathBuf, String)>,
}

/// Finds the last checkpoint that is whole and of the run with this identity. An error names the last one of all.
pub(super) fn find(folder: &Path, identity: &Identity) -> Result<Found, (PathBuf, String)> {
    let refuse = |why: String| Err((folder.to_owned(), why));
    if folder.is_file() {
        let version =
            fs::read(folder).map_err(|why| why.to_string()).and_then(|bytes| manifest::check_version(&bytes));
        return refuse(version.err().unwrap_or_else(manifest::damaged));
    }
    if let Err(why) = fs::read_dir(folder) {
        return refuse(format!("it cannot be read: {why}"));
    }
    // A checkpoint itself, or the folder of several.
    let candidates = match folder.join(manifest::NAME).exists() {
        true => vec![folder.to_owned()],
        false => list(folder).iter().map(|name| folder.join(name.to_string())).collect(),
    };
    let mut unfit = Vec::new();
    for folder in candidates.into_iter().filter(|folder| folder.join(manifest::NAME).exists()) {
        match Manifest::read(&folder, identity) {
            Ok(manifest) => return Ok(Found { folder, manifest, unfit }),
            Err(why) => unfit.push((folder, why)),
        }
    }
    match unfit.into_iter().next() {
        Some(last) => Err(last),
        None => refuse("there is no whole checkpoint in it: begin the run anew".into()),
    }
}

/// Whether there is a checkpoint in the folder, from which [`Engine::resume`](crate::Engine::resume) can go on; or a file,
/// as earlier versions wrote it, which is refused by name.
pub fn has_checkpoint(folder: impl AsRef<Path>) -> bool {
    let path = folder.as_ref();
    path.is_file() || list(path).iter().any(|name| path.join(name.to_string()).join(manifest::NAME).exists())
}

/// Removes the checkpoints of a run.
pub(crate) fn remove(path: &Path, store: &dyn Store) -> io::Result<()> {
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
struct Name {
    sitting: u64,
    epoch: u64,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.sitting)
    }
}

/// The names in a folder, the last first.
fn list(folder: &Path) -> Vec<Name> {
    let parse = |name: &str| {
        let (epoch, sitting) = name.split_once('.')?;
        let parsed = Name { epoch: epoch.parse().ok()?, sitting: sitting.parse().ok()? };
        // Another spelling of the same numbers is not ours.
        (parsed.to_string() == name).then_some(parsed)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<Name> = entries.filter_map(|entry| parse(entry.file_name().to_str()?)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names
}

/// Removes a checkpoint, the manifest first: without it the rest is none. Best effort.
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
