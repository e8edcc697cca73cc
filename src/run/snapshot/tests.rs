//! Properties of checkpoints, which are there whole or not at all: with a store that fails at each operation,
//! one that loses all that was not synced, and files that are damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::base::identity::Identity;
use crate::base::store::{Disk, Store};
use crate::checkpoint::part::Records;
use crate::checkpoint::{SubmittedParts, commit_parts, last_generation};
use crate::engine::{Engine, Parts};
use crate::program::context::{Aggregate, Conclude, Evaluate, TaskOf};
use crate::program::restore::{RestoreByShard, Restoring};
use crate::program::verbs::Update;
use crate::program::verdict::{Metric, Verdict};
use crate::schedule::{Cyclic, Variables};

pub(super) fn identity() -> Identity {
    let (run, schedule) = ("a run".into(), "a schedule".into());
    Identity { run, schedule, staleness: 0, guard: true, costs: vec![1, 2] }
}

/// Writes a boundary of a few records in two parts, as the generation after all before.
pub(super) fn write(folder: &Path, store: Arc<dyn Store>, epoch: u64) -> io::Result<()> {
    let number = last_generation(folder) + 1;
    let checkpoints = CheckpointWriter::new(folder.to_owned(), Arc::clone(&store), 0);
    checkpoints.begin_generation(number);
    for shard in 0..2 {
        let bytes = vec![epoch as u8; 3 + shard as usize];
        let part = checkpoints.write_part(epoch, |add| {
            add(Kind::Shard(shard), &bytes);
            Ok(())
        });
        assert_eq!(part, Ok(()));
    }
    let SubmittedParts { parts, failed, .. } = checkpoints.submit_parts();
    let parts = failed.map_or(Ok(parts), |why| Err(io::Error::other(why)));
    commit_parts(&store, &folder.join(format!("{epoch}.{number}")), &identity(), parts).map(drop)
}

/// The last checkpoint, or the path and reason of its refusal.
fn find(folder: &Path, identity: &Identity) -> Result<Checkpoint, (PathBuf, String)> {
    Checkpoint::read(folder, identity).map_err(|error| match error {
        EngineError::Checkpoint { path, why } => (path, why),
        other => panic!("{other}"),
    })
}

/// The epoch of the last checkpoint, whose records are all there.
fn last(folder: &Path) -> Result<u64, String> {
    let found = find(folder, &identity()).map_err(|(_, why)| why)?;
    let records = found.manifest.parts.iter().flat_map(|part| Records::open(&found.folder, part).unwrap());
    let records: Vec<(Kind, Vec<u8>)> = records.map(Result::unwrap).collect();
    let epoch = records[0].1[0];
    let expected = [(Kind::Shard(0), vec![epoch; 3]), (Kind::Shard(1), vec![epoch; 4])];
    assert_eq!(records, expected);
    Ok(epoch.into())
}

/// Store that fails after a number of operations, and does none any more. It notes the content that survives
/// a loss of power.
#[derive(Debug, Default)]
struct Mortal {
    root: PathBuf,
    left: AtomicUsize,
    /// Content of files as they were last synced, and entries of folders, by inode.
    files: Mutex<BTreeMap<u64, Vec<u8>>>,
    folders: Mutex<BTreeMap<u64, BTreeMap<String, u64>>>,
    /// Paths at which files were made, by inode.
    paths: Mutex<BTreeMap<u64, PathBuf>>,
    state: Mutex<Vec<File>>,
}

impl Mortal {
    fn new(root: &Path, operations: usize) -> Arc<Self> {
        let store = Self { root: root.to_owned(), left: AtomicUsize::new(operations), ..Self::default() };
        store.note_folder(root);
        Arc::new(store)
    }

    fn step<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let taken = self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken.is_ok() { work() } else { Err(io::Error::other("power is lost")) }
    }

    fn note_folder(&self, path: &Path) {
        let entries = fs::read_dir(path).unwrap().flatten();
        let entries =
            entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().ino()));
        self.folders.lock().unwrap().insert(fs::metadata(path).unwrap().ino(), entries.collect());
    }

    /// Notes a new file or folder, and keeps it open, so that its inode is not used again once it is removed.
    fn hold(&self, path: &Path) -> io::Result<()> {
        self.state.lock().unwrap().push(File::open(path)?);
        Ok(())
    }

    /// Copies to another folder all that survives the loss.
    fn survivors(&self, into: &Path) {
        self.restore(fs::metadata(&self.root).unwrap().ino(), into);
    }

    fn restore(&self, folder: u64, into: &Path) {
        fs::create_dir_all(into).unwrap();
        let entries = self.folders.lock().unwrap().get(&folder).cloned();
        for (name, inode) in entries.unwrap_or_default() {
            let is_file = self.paths.lock().unwrap().contains_key(&inode);
            let content = self.files.lock().unwrap().get(&inode).cloned();
            match content {
                Some(bytes) => fs::write(into.join(name), bytes).unwrap(),
                // A name whose content was never synced: the worst is nothing.
                None if is_file => fs::write(into.join(name), b"").unwrap(),
                None => self.restore(inode, &into.join(name)),
            }
        }
    }
}

impl Store for Mortal {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| {
            Disk.make_folder(path)?;
            self.hold(path)
        })
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.step(|| {
            let file = Disk.create(path)?;
            self.hold(path)?;
            self.paths.lock().unwrap().insert(file.metadata()?.ino(), path.to_owned());
            Ok(file)
        })
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        self.step(|| Disk.write(file, bytes))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.step(|| {
            let inode = file.metadata()?.ino();
            let path = self.paths.lock().unwrap()[&inode].clone();
            self.files.lock().unwrap().insert(inode, fs::read(path)?);
            Ok(())
        })
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| {
            self.note_folder(path);
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| Disk.rename(from, to))
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        self.step(|| Disk.remove(file))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.remove_folder(path))
    }
}

#[test]
fn after_a_loss_of_power_at_any_operation_the_last_checkpoint_or_the_one_before_is_whole() {
    for dies_at in 0.. {
        let place = tempfile::tempdir().unwrap();
        let (root, after) = (place.path().join("run"), place.path().join("after"));
        fs::create_dir(&root).unwrap();
        let store = Mortal::new(&root, dies_at);
        let folder = root.join("checkpoint");
        let written =
            (1..=4).take_while(|&epoch| write(&folder, store.clone(), epoch).is_ok()).count() as u64;
        store.survivors(&after);
        // A checkpoint that was acknowledged is there; one under way may be.
        for folder in [&root, &after] {
            let found = last(&folder.join("checkpoint")).unwrap_or(0);
            assert!(found == written || found == written + 1, "{dies_at}: {found} of {written}");
        }
        // The next process continues from there.
        write(&after.join("checkpoint"), Arc::new(Disk), 9).unwrap();
        assert_eq!(last(&after.join("checkpoint")), Ok(9));
        assert!(names(&after.join("checkpoint")).len() <= 2, "what was left over is removed");
        if written == 4 {
            assert!(dies_at > 40, "every operation had its turn: {dies_at}");
            return;
        }
    }
}

pub(super) fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn damage_anywhere_is_noticed_and_the_one_before_is_used() {
    let place = tempfile::tempdir().unwrap();
    let folder = &place.path().join("checkpoint");
    for epoch in 1..=3 {
        write(folder, Arc::new(Disk), epoch).unwrap();
    }
    assert_eq!(names(folder), ["2.2", "3.3"].map(str::to_owned).into());
    for name in ["manifest", "part.0.0", "part.0.1"] {
        let file = folder.join("3.3").join(name);
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for damaged in [&flipped[..], &whole[..at]] {
                fs::write(&file, damaged).unwrap();
                let found = find(folder, &identity()).unwrap();
                assert_eq!((last(folder), found.unfit.len()), (Ok(2), 1), "{name}, byte {at}");
                let unfit = format!("checkpoint {}: ", folder.join("3.3").display());
                assert!(found.unfit[0].starts_with(&unfit), "{:?}", found.unfit);
            }
        }
        fs::write(&file, &whole).unwrap();
    }
    fs::remove_file(folder.join("3.3/part.0.1")).unwrap();
    assert_eq!(last(folder), Ok(2));
    fs::remove_file(folder.join("2.2/part.0.0")).unwrap();
    let (path, why) = find(folder, &identity()).unwrap_err();
    assert_eq!(path, folder.join("3.3"));
    assert!(
        why.starts_with(&crate::checkpoint::manifest::damaged())
            && why.contains("the one before cannot be used either"),
        "{why}"
    );
    assert!(why.ends_with("start the run again, with the line that started it and --force"), "{why}");
    fs::remove_dir_all(folder.join("2.2")).unwrap();
    assert!(find(folder, &identity()).unwrap_err().1.contains("there is no other one"));
}

#[test]
fn one_of_another_run_or_version_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (folder, store) = (place.path().join("checkpoint"), Arc::new(Disk));
    write(&folder, store.clone(), 5).unwrap();
    let other = Identity { staleness: 3, ..identity() };
    let (path, why) = find(&folder, &other).unwrap_err();
    assert_eq!(path, folder.join("5.1"));
    assert!(why.contains("staleness"), "{why}");
    // A later generation's checkpoint is the last, whatever its epoch.
    write(&folder, store, 2).unwrap();
    assert_eq!((last(&folder), names(&folder)), (Ok(2), ["5.1", "2.2"].map(str::to_owned).into()));
    // A checkpoint itself may be named, wherever it is.
    let copy = place.path().join("copy");
    fs::rename(folder.join("5.1"), &copy).unwrap();
    assert_eq!(last(&copy), Ok(5));
    let old = place.path().join("old");
    fs::write(&old, b"RADDLECK\x03\0\0\0and so on").unwrap();
    let (_, why) = find(&old, &identity()).unwrap_err();
    assert!(why.starts_with("it has version 3, and this program reads version 4"), "{why}");
}

/// Two shards count their tasks.
pub(super) struct Counting;

impl Program for Counting {
    crate::program!(Shard = u64, Replica = u64, Partial = u64; update, restore_by_shard);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        at.partials.sum()
    }
    fn commit(&self, change: &u64, sum: &mut u64) {
        *sum += change;
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> u64 {
        *at.shard
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        Verdict::new(Metric::new("sum", *at.replica as f64, "itself"))
    }
}

/// All shards say what they have counted: the second counts twice as fast.
impl RestoreByShard for Counting {
    type Question = ();
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        match run.question {
            None => Ok(Some(())),
            Some(()) if run.shards.iter().is_sorted() => Ok(None),
            Some(()) => Err(StateError::new("what the shards have counted")),
        }
    }

    fn answer(&self, (): &(), _: u32, shard: &mut u64, _: &u64) -> Result<u64, StateError> {
        Ok(*shard)
    }
}

impl Update for Counting {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        *at.shard += u64::from(at.task.shard) + 1;
        *at.shard
    }
}

pub(super) fn engine(folder: &Path) -> Engine<Counting> {
    let schedule = Cyclic::new(Variables::in_ranges(vec![1; 4], vec![0, 2, 4]), 4);
    let engine = Engine::new(Counting, schedule, Parts::new(vec![0, 0], 0)).identity("counting").workers(2);
    engine.epochs(6).checkpoint(2, folder.join("checkpoint"))
}

#[test]
fn a_store_that_refuses_is_a_warning_and_an_earlier_checkpoint_still_resumes() {
    /// Store that refuses a number of operations after the first ones.
    #[derive(Debug)]
    struct Refusing(AtomicUsize, usize);

    impl Refusing {
        fn step<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
            let refused = self.0.fetch_add(1, Ordering::Relaxed) == self.1;
            if refused { Err(io::Error::other("no space left")) } else { work() }
        }
    }

    impl Store for Refusing {
        fn make_folder(&self, path: &Path) -> io::Result<()> {
            self.step(|| Disk.make_folder(path))
        }
        fn create(&self, path: &Path) -> io::Result<File> {
            self.step(|| Disk.create(path))
        }
        fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
            self.step(|| Disk.write(file, bytes))
        }
        fn sync(&self, file: &File) -> io::Result<()> {
            self.step(|| Disk.sync(file))
        }
        fn sync_folder(&self, path: &Path) -> io::Result<()> {
            self.step(|| Disk.sync_folder(path))
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.step(|| Disk.rename(from, to))
        }
    }

    let place = tempfile::tempdir().unwrap();
    let whole = engine(place.path()).run().unwrap();
    assert_eq!((whole.report.checkpoints.count, whole.report.warnings.len()), (3, 0));
    for at in 0.. {
        let place = tempfile::tempdir().unwrap();
        let store = Arc::new(Refusing(AtomicUsize::new(0), at));
        let outcome = engine(place.path()).store(store.clone()).run().unwrap();
        assert_eq!(outcome.digest(), whole.digest(), "operation {at}");
        if store.0.load(Ordering::Relaxed) <= at {
            assert!(at > 20, "every operation had its turn: {at}");
            return;
        }
        let report = outcome.report;
        assert_eq!((report.checkpoints.count, report.warnings.len()), (2, 1), "{:?}", report.warnings);
        assert!(report.warnings[0].contains("it cannot be written: no space left"), "{:?}", report.warnings);
        let resumed = engine(place.path()).epochs(8).resume(place.path().join("checkpoint")).run().unwrap();
        let undisturbed = engine(tempfile::tempdir().unwrap().path()).epochs(8).run().unwrap();
        assert_eq!(resumed.digest(), undisturbed.digest(), "operation {at}");
    }
}
