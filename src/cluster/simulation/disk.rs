//! [`FaultyDisk`]: a simulated machine's access to the shared disk. Syncing takes no time; bytes that were
//! not synced are lost when the machine loses power; the disk may be full for a while; and the machine may
//! die at any operation.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::base::store::{Disk, Store};
use crate::base::sync::lock;

/// Shared folder of all machines of a run.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// Folder entries that are not durable yet: the machine that made them, the folder to sync, and the
    /// entry.
    entries: Mutex<Vec<(u64, PathBuf, Entry)>>,
    /// Files whose content is not durable yet, by inode: the machine that wrote them, and the path.
    contents: Mutex<BTreeMap<u64, (u64, PathBuf)>>,
    full: AtomicBool,
    machines: Mutex<u64>,
}

#[derive(Debug)]
enum Entry {
    File(PathBuf),
    Folder(PathBuf),
    /// Old path, new path, and the content that the new path had before.
    Renamed(PathBuf, PathBuf, Option<Vec<u8>>),
}

/// One machine's access to the folder.
#[derive(Debug)]
pub(super) struct FaultyDisk {
    machine: u64,
    folder: Arc<Folder>,
    /// Number of operations until the machine dies.
    left: AtomicUsize,
}

impl Folder {
    /// Access for one more machine.
    pub(super) fn reach(self: &Arc<Self>) -> Arc<FaultyDisk> {
        let mut machines = lock(&self.machines);
        *machines += 1;
        Arc::new(FaultyDisk {
            machine: *machines,
            folder: Arc::clone(self),
            left: AtomicUsize::new(usize::MAX),
        })
    }

    pub(super) fn fill(&self, full: bool) {
        self.full.store(full, Ordering::Relaxed);
    }
}

impl FaultyDisk {
    /// Lets the machine die after so many operations.
    pub(super) fn die_after(&self, operations: usize) {
        self.left.store(operations, Ordering::Relaxed);
    }

    pub(super) fn is_dead(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Takes the machine's power: its operations since the last sync are undone.
    pub(super) fn lose_power(&self) {
        self.die_after(0);
        let mut entries = lock(&self.folder.entries);
        let (lost, others) =
            std::mem::take(&mut *entries).into_iter().partition(|entry| entry.0 == self.machine);
        *entries = others;
        let lost: Vec<(u64, PathBuf, Entry)> = lost;
        for (_, _, entry) in lost.into_iter().rev() {
            // Another machine may have removed it since.
            let _ = match entry {
                Entry::File(path) => fs::remove_file(path),
                Entry::Folder(path) => fs::remove_dir_all(path),
                Entry::Renamed(from, to, before) => fs::rename(&to, from)
                    .and_then(|()| before.map_or(Ok(()), |before| fs::write(&to, before))),
            };
        }
        lock(&self.folder.contents).retain(|inode, (machine, path)| {
            let is_lost = *machine == self.machine;
            // The path may hold another file by now.
            if is_lost && fs::metadata(&*path).is_ok_and(|found| found.ino() == *inode) {
                // The worst case: all content is lost.
                let _ = fs::write(path, b"");
            }
            !is_lost
        });
    }

    fn step<T>(&self, grows: bool, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(io::Error::other("the machine is gone"));
        }
        if left < usize::MAX {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        match grows && self.folder.full.load(Ordering::Relaxed) {
            true => Err(io::Error::other("no space left")),
            false => work(),
        }
    }

    fn note(&self, path: &Path, entry: Entry) {
        let around = path.parent().unwrap_or(path).to_owned();
        lock(&self.folder.entries).push((self.machine, around, entry));
    }
}

impl Store for FaultyDisk {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step(true, || {
            Disk.make_folder(path)?;
            self.note(path, Entry::Folder(path.to_owned()));
            Ok(())
        })
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.step(true, || {
            let is_new = !path.exists();
            let file = Disk.create(path)?;
            if is_new {
                self.note(path, Entry::File(path.to_owned()));
            }
            let inode = file.metadata()?.ino();
            lock(&self.folder.contents).insert(inode, (self.machine, path.to_owned()));
            Ok(file)
        })
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        self.step(true, || Disk.write(file, bytes))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.step(false, || {
            lock(&self.folder.contents).remove(&file.metadata()?.ino());
            Ok(())
        })
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(false, || {
            lock(&self.folder.entries).retain(|(_, around, _)| around != path);
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(true, || {
            let before = fs::read(to).ok();
            Disk.rename(from, to)?;
            self.note(to, Entry::Renamed(from.to_owned(), to.to_owned(), before));
            Ok(())
        })
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        self.step(false, || Disk.remove(file))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step(false, || Disk.remove_folder(path))
    }
}
