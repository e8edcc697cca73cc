//! [`Stage`]: the files of a finished run become visible together, or none of them does.
//!
//! Files are gathered under `.raddle-staging`. Once all are there, it becomes `.next`; then
//! `.next/model.json` replaces `model.json`, which is the commit: before it the folder holds the whole old
//! model, after it the whole new one. After the commit the other files are moved from `.next` to the folder,
//! and those of the earlier run are removed. A process that finds a `.next` without a `model.json` has to
//! finish that ([`recover`]); readers find a file in either place by its digest.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::atomic::stream;
use super::manifest::{self, Files, Head, Own, digest_of};
use super::out::Out;
use crate::base::store::Store;

/// Folder in which files are gathered; files that a new run finds there were abandoned.
const STAGING: &str = ".raddle-staging";
/// Folder in which files wait for the commit, and then to be moved.
pub const NEXT: &str = ".next";
/// The program's part of `model.json`.
const OWN: &str = "model.own";
/// Files that the commit replaces.
const REPLACED: &str = "replaced.json";
/// Files of a run that `model.json` does not list: they describe the run, not the model, and hold times.
const UNLISTED: [&str; 3] = ["report.json", "summary.json", "run.json"];

/// Files of the earlier run that are in the folder.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Replaced {
    /// Files that may be replaced. Another of the same name is not ours, and is set aside.
    owned: BTreeSet<String>,
    /// Owned files that the new run does not have: a commit removes them.
    stale: BTreeSet<String>,
}

/// The files of a run before they are visible.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    store: Arc<dyn Store>,
    files: Files,
    has_own: bool,
    begun: bool,
}

impl Stage {
    pub(crate) fn new(folder: &Path, store: Arc<dyn Store>) -> Self {
        Self { folder: folder.into(), store, files: Files::new(), has_own: false, begun: false }
    }

    /// Streams a file. The content given as `model.json` is the program's object about its model.
    pub(crate) fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Out) -> io::Result<()>,
    ) -> io::Result<()> {
        let staging = self.folder.join(STAGING);
        if !self.begun {
            self.store.make_folder(&staging)?;
            self.begun = true;
        }
        let is_own = name == manifest::NAME;
        let path = staging.join(if is_own { OWN } else { name });
        stream(&self.store, &path, write)?;
        match is_own {
            true => self.has_own = true,
            false => drop(self.files.insert(name.into(), digest_of(&path)?)),
        }
        Ok(())
    }

    /// Makes all files visible in place of those of the earlier run, which are `owned`.
    pub(crate) fn commit(mut self, program: &str, version: &str, owned: BTreeSet<String>) -> io::Result<()> {
        let Self { folder, store, .. } = &self;
        let (folder, store) = (folder.clone(), Arc::clone(store));
        self.gather(program, version, owned)?;
        let (staging, next) = (folder.join(STAGING), folder.join(NEXT));
        store.sync_folder(&staging)?;
        store.rename(&staging, &next)?;
        store.sync_folder(&folder)?;
        store.rename(&next.join(manifest::NAME), &folder.join(manifest::NAME))?;
        store.sync_folder(&folder)?;
        complete(&folder, &*store)
    }

    /// Writes the manifest and the list that a commit needs in addition to the files.
    fn gather(&mut self, program: &str, version: &str, owned: BTreeSet<String>) -> io::Result<()> {
        let stale = owned.iter().filter(|name| !self.files.contains_key(*name)).cloned().collect();
        let replaced = serde_json::to_vec(&Replaced { owned, stale })?;
        self.write(REPLACED, |out| out.write_all(&replaced))?;
        let mut listed = self.files.clone();
        listed.retain(|name, _| name != REPLACED && !UNLISTED.contains(&name.as_str()));
        let staging = self.folder.join(STAGING);
        let file = staging.join(OWN);
        let own = if self.has_own { Own::new(&file)? } else { Own::none() };
        let head = Head::new(program, version, listed);
        stream(&self.store, &staging.join(manifest::NAME), |out| head.write(&own, out))?;
        if self.has_own {
            self.store.remove(&file)?;
        }
        Ok(())
    }
}

/// Removes the files of a stage that was not committed.
impl Drop for Stage {
    fn drop(&mut self) {
        if self.begun {
            // Best effort: the next run in the folder does the same.
            let _ = recover(&self.folder, &*self.store);
        }
    }
}

/// Finishes a commit in which a run was killed, and removes files that a run had gathered before a commit.
pub(crate) fn recover(folder: &Path, store: &dyn Store) -> io::Result<()> {
    clear(&folder.join(STAGING), store)?;
    let next = folder.join(NEXT);
    if !next.exists() {
        return Ok(());
    }
    if !next.join(REPLACED).exists() {
        // Not ours, unless it is empty.
        let left = store.remove_folder(&next);
        return left.map_err(|_| io::Error::other("there is a folder `.next` in it that no run wrote"));
    }
    if next.join(manifest::NAME).exists() {
        // Without its first file it would look like a commit: it gets the other name before any file goes.
        store.rename(&next, &folder.join(STAGING))?;
        return clear(&folder.join(STAGING), store);
    }
    complete(folder, store)
}

/// Moves the files of `.next` to their places after the commit. This can be repeated after it was interrupted
/// at any point.
fn complete(folder: &Path, store: &dyn Store) -> io::Result<()> {
    let next = folder.join(NEXT);
    let note = next.join(REPLACED);
    let replaced: Replaced = serde_json::from_slice(&fs::read(&note)?)?;
    for entry in fs::read_dir(&next)? {
        let name = entry?.file_name();
        let place = folder.join(&name);
        let owned = name.to_str().is_some_and(|name| replaced.owned.contains(name));
        if name == REPLACED {
            continue;
        }
        if !owned && place.exists() {
            store.rename(&place, &free(&place))?;
        }
        store.rename(&next.join(&name), &place)?;
    }
    for name in &replaced.stale {
        match store.remove(&folder.join(name)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
    }
    store.sync_folder(folder)?;
    store.remove(&note)?;
    store.remove_folder(&next)
}

/// Returns an unused name next to this path.
fn free(path: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}

/// Removes a folder of plain files.
fn clear(folder: &Path, store: &dyn Store) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        store.remove(&entry?.path())?;
    }
    store.remove_folder(folder)
}

#[cfg(test)]
mod tests;
