//! A store that fails at each operation in turn, and one that dies there: the folder reads as the old model
//! whole or as the new one whole.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::super::error::FileError;
use super::super::model_folder::ModelFolder;
use super::super::new_model::{ModelFiles as _, NewModel};
use crate::base::store::{Disk, Store};

/// Fails at one operation, counted from 0; from there on too, if it dies. A write that fails is done by half.
#[derive(Debug)]
struct Failing {
    at: usize,
    dies: bool,
    done: AtomicUsize,
}

impl Failing {
    fn new(at: usize, dies: bool) -> Arc<Self> {
        Arc::new(Self { at, dies, done: AtomicUsize::new(0) })
    }

    fn never() -> Arc<Self> {
        Self::new(usize::MAX, false)
    }

    fn next(&self) -> io::Result<()> {
        let number = self.done.fetch_add(1, Ordering::Relaxed);
        let fails = if self.dies { number >= self.at } else { number == self.at };
        if fails { Err(io::Error::other("no space left")) } else { Ok(()) }
    }

    fn has_failed(&self) -> bool {
        self.done.load(Ordering::Relaxed) > self.at
    }
}

impl Store for Failing {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.next().and_then(|()| Disk.make_folder(path))
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.next().and_then(|()| Disk.create(path))
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        if let Err(why) = self.next() {
            let _ = file.write(&bytes[..bytes.len() / 2]);
            return Err(why);
        }
        Disk.write(file, bytes)
    }

    // No power is lost here: slow operations are only counted.
    fn sync(&self, _: &File) -> io::Result<()> {
        self.next()
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.next()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.next().and_then(|()| Disk.rename(from, to))
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        self.next().and_then(|()| Disk.remove(file))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.next().and_then(|()| Disk.remove_folder(path))
    }
}

/// The files of models that are called by their labels.
const OLD: (&str, &[&str]) = ("old", &["coef.tsv", "path.tsv", "summary.json", "report.json"]);
const NEW: (&str, &[&str]) = ("new", &["coef.tsv", "cv.tsv", "summary.json", "report.json"]);

fn hold(folder: &Path, store: Arc<dyn Store>) -> Result<NewModel, FileError> {
    NewModel::hold(folder, store, |_| Ok(())).map_err(|why| FileError::refused(folder, why))
}

#[derive(Deserialize)]
struct About {
    label: String,
}

fn write(folder: &Path, (label, names): (&str, &[&str]), store: Arc<dyn Store>) -> Result<(), FileError> {
    let mut run = hold(folder, store)?;
    for name in names {
        run.write(name, |out| out.write_all(label.as_bytes()))?;
    }
    run.write("model.json", |out| write!(out, "{{\"label\": \"{label}\"}}"))?;
    run.commit("lasso", "1.0")
}

/// A third model; it shares names with both.
const LATER: (&str, &[&str]) = ("later", &["coef.tsv", "cv.tsv", "path.tsv", "report.json"]);

/// The label of the model in the folder, all of whose files have it.
fn read(folder: &Path) -> Option<String> {
    if !folder.join("model.json").exists() {
        return None;
    }
    let model = ModelFolder::open(folder, "lasso").unwrap();
    let About { label } = model.about().unwrap();
    for name in ["coef.tsv", "path.tsv", "cv.tsv"].into_iter().filter(|name| model.has(name)) {
        assert_eq!(model.read(name).unwrap(), label.as_bytes(), "{name}");
    }
    assert!(model.has(if label == "old" { "path.tsv" } else { "cv.tsv" }));
    Some(label)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Another run in the folder, killed early: it completes the pending commit. Then nothing is left of another
/// model.
fn settled(folder: &Path, was: Option<String>) {
    drop(NewModel::replace(folder).unwrap());
    assert_eq!(read(folder), was);
    let expected: &[&str] = match was.as_deref() {
        Some("old") => OLD.1,
        Some(_) => NEW.1,
        None => &[],
    };
    let mut expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    for name in ["report.json", "summary.json"] {
        if let Some(label) = &was {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *label, "{name}");
            expected.insert("model.json".into());
        }
    }
    expected.insert(".lock".into());
    assert_eq!(names(folder), expected);
}

/// Runs `check` with a store that fails at each operation in turn, until one does not fail.
fn at_each(dies: bool, mut check: impl FnMut(&Arc<Failing>)) -> usize {
    for at in 0.. {
        let store = Failing::new(at, dies);
        check(&store);
        if !store.has_failed() {
            return at;
        }
    }
    0
}

#[test]
fn whatever_fails_leaves_one_model_whole() {
    for dies in [false, true] {
        for earlier in [None, Some(OLD)] {
            let mut seen = BTreeSet::new();
            let operations = at_each(dies, |store| {
                let folder = tempfile::tempdir().unwrap();
                if let Some(earlier) = earlier {
                    write(folder.path(), earlier, Failing::never()).unwrap();
                }
                let written = write(folder.path(), NEW, Arc::<Failing>::clone(store));
                assert_eq!(written.is_err(), store.has_failed());
                let found = read(folder.path());
                assert!(found.is_some() || earlier.is_none());
                seen.insert(found.clone());
                settled(folder.path(), found);
            });
            // Both sides of the commit were met.
            assert_eq!(seen.len(), 2, "{seen:?}");
            assert!(operations > 30, "{operations}");
        }
    }
}

/// Number of operations that a third model over the first takes to its commit.
static COMMITTED: LazyLock<usize> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let committed = (0..).find(|&at| {
        let path = folder.path().join(at.to_string());
        write(&path, OLD, Failing::never()).unwrap();
        let _ = write(&path, LATER, Failing::new(at, true));
        read(&path).is_some_and(|label| label == "later")
    });
    committed.unwrap()
});

/// Events in a folder while a reader opens the model in it.
type Meanwhile = fn(&Path);

const MEANWHILE: [Meanwhile; 3] = [
    // The run that was writing goes on to its end.
    |path| drop(hold(path, Failing::never()).unwrap()),
    |path| write(path, LATER, Failing::never()).unwrap(),
    // One ends, and the next comes as far as between its commit and the places of its files.
    |path| {
        drop(hold(path, Failing::never()).unwrap());
        let _ = write(path, LATER, Failing::new(*COMMITTED + 2, true));
    },
];

#[test]
fn whoever_opens_a_model_while_it_is_replaced_gets_one_of_them_whole() {
    let mut met = BTreeSet::new();
    for meanwhile in MEANWHILE {
        // From the moment at which the files are gathered to the one at which the new model is in its place.
        for died in *COMMITTED - 4.. {
            let first = Failing::new(died, true);
            for turn in 0.. {
                let folder = tempfile::tempdir().unwrap();
                write(folder.path(), OLD, Failing::never()).unwrap();
                let _ = write(folder.path(), NEW, Failing::new(died, true));
                // At one look after the other of the reader.
                let mut looks = 0;
                let opened = ModelFolder::open_watched(folder.path(), "lasso", &mut || {
                    if looks == turn {
                        meanwhile(folder.path());
                    }
                    looks += 1;
                });
                let opened = opened.unwrap_or_else(|error| panic!("{died} {turn}: {error}"));
                let About { label } = opened.about().unwrap();
                // An open model stays, whatever comes after.
                write(folder.path(), OLD, Failing::never()).unwrap();
                for name in ["coef.tsv", "path.tsv", "cv.tsv"].into_iter().filter(|name| opened.has(name)) {
                    assert_eq!(opened.read(name).unwrap(), label.as_bytes(), "{name}");
                }
                met.insert(label);
                if looks <= turn {
                    break;
                }
            }
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), OLD, Failing::never()).unwrap();
            let _ = write(folder.path(), NEW, Arc::<Failing>::clone(&first));
            if !first.has_failed() {
                break;
            }
        }
    }
    assert_eq!(met.into_iter().collect::<Vec<_>>(), ["later", "new", "old"]);
}

#[test]
fn a_death_while_a_commit_is_completed_is_completed_again() {
    let mut met = 0;
    at_each(true, |first| {
        let folder = tempfile::tempdir().unwrap();
        at_each(true, |second| {
            let path = folder.path().join(format!("{}", second.at));
            write(&path, OLD, Failing::never()).unwrap();
            let _ = write(&path, NEW, Failing::new(first.at, true));
            let found = read(&path);
            let held = hold(&path, Arc::<Failing>::clone(second));
            met += usize::from(held.is_err());
            drop(held);
            assert_eq!(read(&path), found);
            settled(&path, found);
        });
        // Another operation to die at, if there is one.
        let _ = write(&folder.path().join("counted"), NEW, Arc::<Failing>::clone(first));
    });
    assert!(met > 100, "{met}");
}
