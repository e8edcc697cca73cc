//! Table of the reasons for which a checkpoint is refused: whole files with right digests that no run has
//! written.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io};

use sha2::{Digest as _, Sha256};

use super::tests::{Counting, engine, identity, names, write};
use super::*;
use crate::base::store::{Disk, Store};
use crate::checkpoint::manifest::Manifest;
use crate::checkpoint::part::{Kind, Part};
use crate::checkpoint::{SubmittedParts, has_checkpoint, last_generation};
use crate::program::restore::{PartsHere, RestHere, Restoration, by_shard};
use crate::run::hub::{HubState, Progress};
use crate::run::local_state::{LocalState, WholeState};
use crate::schedule::{Cyclic, Variables};

/// A record as its bytes: code, number, length, content.
fn record(code: u8, number: u32, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u64;
    [&[code][..], &number.to_le_bytes(), &length.to_le_bytes(), content].concat()
}

/// The records of a whole checkpoint of [`Counting`] after 4 epochs.
fn records() -> Vec<Vec<u8>> {
    let progress = Progress { epoch: 4, ..Progress::default() };
    vec![
        record(0, 0, &to_bytes(&4u64)),
        record(0, 1, &to_bytes(&8u64)),
        record(2, 0, &to_bytes(&30u64)),
        record(3, 0, &[]),
        record(4, 0, &to_bytes(&4usize)),
        record(5, 0, &to_bytes(&progress)),
    ]
}

fn progress(change: impl FnOnce(&mut Progress)) -> Vec<u8> {
    let mut progress = Progress { epoch: 4, ..Progress::default() };
    change(&mut progress);
    record(5, 0, &to_bytes(&progress))
}

/// Makes a checkpoint of parts with these names and bytes.
fn forge(folder: &Path, parts: &[(&str, Vec<u8>)]) {
    let _ = fs::create_dir_all(folder);
    let part = |(name, bytes): &(&str, Vec<u8>)| {
        fs::write(folder.join(name), bytes).unwrap();
        let hash = Sha256::digest(bytes).to_vec();
        Part { name: (*name).to_owned(), length: bytes.len() as u64, hash }
    };
    let parts = parts.iter().map(part).collect();
    Manifest { identity: identity(), parts }.commit(&(Arc::new(Disk) as Arc<dyn Store>), folder).unwrap();
}

/// Resumes from the last checkpoint in a folder: returns the counts of its shards then, or the reason of the
/// refusal.
fn resumed(folder: &Path) -> Result<Vec<u64>, String> {
    let state = WholeState { shards: vec![0, 0], blocks: Vec::new(), replica: 0 };
    let schedule = Cyclic::new(Variables::in_ranges(vec![1; 4], vec![0, 2, 4]), 4);
    let mut hub = HubState::new((), Box::new(schedule), 0);
    let read = Checkpoint::read(folder, &identity());
    let restored = read.and_then(|checkpoint| {
        let mut local = LocalState::from(state);
        checkpoint.load(&Counting, &mut local, Some(&mut hub))?;
        let mut restoration = by_shard::<Counting>();
        let boundary = hub.progress.boundary(2);
        let mut ask = |restoration: &mut Box<dyn Restoration<Counting>>, replica: &u64| {
            let pinned = &mut hub.pinned;
            let rest = RestHere { boundary, is_concluded: false, pinned, replica, weights: &[] };
            checkpoint.fits(|| restoration.ask(&Counting, rest).map_err(|why| why.to_string()))
        };
        while ask(&mut restoration, &local.replica)? {
            let LocalState { shards, blocks, replica } = &mut local;
            let here = PartsHere { shards, blocks, replica };
            checkpoint.fits(|| restoration.answer(&Counting, here))?;
        }
        Ok(local.whole().unwrap())
    });
    let state = restored.map_err(|why| why.to_string())?;
    assert_eq!((hub.progress.epoch, state.replica), (4, 30));
    Ok(state.shards)
}

/// The records with one of them replaced.
fn with(at: usize, other: Vec<u8>) -> Vec<Vec<u8>> {
    let mut records = records();
    records[at] = other;
    records
}

/// The records without one of them.
fn without(at: usize) -> Vec<Vec<u8>> {
    let mut records = records();
    records.remove(at);
    records
}

/// The records and one more.
fn and(more: Vec<u8>) -> Vec<Vec<u8>> {
    [records(), vec![more]].concat()
}

#[test]
fn a_record_that_no_run_has_written_is_refused_by_name() {
    let long = |content: &[u8]| [content, &[0]].concat();
    let counts = (1u64 << 62, 0u64, 0u64, 0u64);
    let totals =
        |value: (u64, u64, u64, u64)| -> crate::run::hub::Totals { from_bytes(&to_bytes(&value)).unwrap() };
    let claims = |length: u64| {
        let mut record = record(0, 0, &to_bytes(&4u64));
        record[5..13].copy_from_slice(&length.to_le_bytes());
        record
    };
    let counted = |shards, blocks| format!("it has {shards} shards and {blocks} blocks, the run has 2 and 0");
    let rows: Vec<(&str, Vec<Vec<u8>>, String)> = vec![
        ("a kind that there is not", and(record(6, 0, &[])), "a record that cannot be".into()),
        (
            "a replica with a number",
            with(2, record(2, 1, &to_bytes(&30u64))),
            "a record that cannot be".into(),
        ),
        ("a progress with a number", with(5, record(5, 7, &[])), "a record that cannot be".into()),
        ("a length beyond the file", with(0, claims(1 << 40)), "a record that cannot be".into()),
        ("a length beyond all numbers", with(0, claims(u64::MAX)), "a record that cannot be".into()),
        ("half a head", and(vec![0; 5]), "a record that cannot be".into()),
        ("a shard too many", and(record(0, 2, &to_bytes(&1u64))), "a shard of this run".into()),
        ("a block of a run without", and(record(1, 0, &[])), "a block of this run".into()),
        ("a shard cut short", with(0, record(0, 0, &[1, 2])), "u64: the bytes end early".into()),
        ("a shard with more behind it", with(0, record(0, 0, &long(&to_bytes(&4u64)))), "a shard".into()),
        ("a replica with more", with(2, record(2, 0, &long(&to_bytes(&30u64)))), "a value".into()),
        ("a pinned block with more", with(3, record(3, 0, &[0])), "the pinned block".into()),
        ("a schedule with more", with(4, record(4, 0, &long(&to_bytes(&4usize)))), "a schedule".into()),
        (
            "a schedule that grew",
            with(4, record(4, 0, &to_bytes(&5usize))),
            "the parallelism of this run".into(),
        ),
        ("a progress cut short", with(5, record(5, 0, &[1])), "u64: the bytes end early".into()),
        ("no first shard", without(0), counted(1, 0)),
        ("no second shard", without(1), counted(1, 0)),
        ("no replica", without(2), counted(2, 0)),
        ("no pinned block", without(3), counted(2, 0)),
        ("no schedule", without(4), counted(2, 0)),
        ("no progress", without(5), counted(2, 0)),
        ("a shard twice", and(record(0, 1, &to_bytes(&8u64))), counted(3, 0)),
        ("one shard for the other", with(0, record(0, 1, &to_bytes(&8u64))), counted(2, 0)),
        ("a replica twice", and(record(2, 0, &to_bytes(&30u64))), counted(2, 0)),
        (
            "epochs beyond counting",
            with(5, progress(|of| of.epoch = 1 << 62)),
            "how far the run has come".into(),
        ),
        (
            "rollbacks beyond counting",
            with(5, progress(|of| of.rollbacks_in_a_row = u64::MAX)),
            "how far the run has come".into(),
        ),
        (
            "rounds beyond counting",
            with(5, progress(|of| of.totals = totals(counts))),
            "how far the run has come".into(),
        ),
        (
            "more before the epoch than after it",
            with(5, progress(|of| of.before.0 = totals((0, 0, 1, 0)))),
            "how far the run has come".into(),
        ),
        (
            "what the program refuses",
            with(0, record(0, 0, &to_bytes(&9u64))),
            "what the shards have counted".into(),
        ),
    ];
    let place = tempfile::tempdir().unwrap();
    forge(&place.path().join("4.1"), &[("part.0", records().concat())]);
    assert_eq!(resumed(place.path()), Ok(vec![4, 8]), "what is not changed goes on");
    let mut others = Vec::new();
    for (what, records, why) in rows {
        let place = tempfile::tempdir().unwrap();
        forge(&place.path().join("4.1"), &[("part.0", records.concat())]);
        let refused = resumed(place.path()).expect_err(what);
        let whole = refused.contains("4.1: it does not fit this program")
            && refused.ends_with("; resume with the same");
        if !whole || !refused.contains(&why) {
            others.push((what, refused));
        }
    }
    assert_eq!(others, []);
}

/// Text of a manifest, and the bytes of the file.
type Change = fn(&Path, &mut Vec<u8>);

#[test]
fn a_manifest_that_no_run_has_written_is_refused() {
    let damaged = "it is damaged or not a checkpoint";
    fn sign(bytes: &mut Vec<u8>) {
        let hash = Sha256::digest(&*bytes);
        bytes.extend_from_slice(&hash);
    }
    let rows: [(&str, Change, &str); 10] = [
        ("nothing", |_, bytes| bytes.clear(), damaged),
        ("no hash", |_, bytes| bytes.truncate(12), damaged),
        (
            "another magic word, signed",
            |_, bytes| {
                bytes[0] = b'r';
                bytes.truncate(bytes.len() - 32);
                sign(bytes);
            },
            damaged,
        ),
        ("a later version", |_, bytes| bytes[8] = 5, "it has version 5, and this program reads version 4"),
        (
            "numbers as a big-endian machine has them",
            |_, bytes| bytes[8..12].reverse(),
            "it has version 67108864, and this program reads version 4",
        ),
        (
            "a length as a machine of 32 bits has it, signed",
            |_, bytes| {
                bytes.truncate(bytes.len() - 32);
                bytes.drain(16..20);
                sign(bytes);
            },
            damaged,
        ),
        (
            "more behind the parts, signed",
            |_, bytes| {
                bytes.truncate(bytes.len() - 32);
                bytes.push(0);
                sign(bytes);
            },
            damaged,
        ),
        (
            "less than the parts, signed",
            |_, bytes| {
                bytes.truncate(bytes.len() - 33);
                sign(bytes);
            },
            damaged,
        ),
        ("a part that is longer", |folder, _| fs::write(folder.join("part.0"), [0; 400]).unwrap(), damaged),
        ("a part that is gone", |folder, _| fs::remove_file(folder.join("part.0")).unwrap(), damaged),
    ];
    for (what, change, why) in rows {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("4.1");
        forge(&folder, &[("part.0", records().concat())]);
        let mut bytes = fs::read(folder.join("manifest")).unwrap();
        change(&folder, &mut bytes);
        fs::write(folder.join("manifest"), bytes).unwrap();
        let refused = resumed(place.path()).expect_err(what);
        assert!(refused.contains(why), "{what}: {refused}");
    }
    // A part lies in the checkpoint's own folder, whatever the manifest calls it.
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("4.1")).unwrap();
    for name in ["../part.0", "./part.0"] {
        forge(&place.path().join("4.1"), &[(name, records().concat())]);
        assert!(resumed(place.path()).expect_err(name).contains(damaged), "{name}");
    }
}

#[test]
fn a_folder_is_a_checkpoint_by_its_own_name_alone() {
    let place = tempfile::tempdir().unwrap();
    let all = place.path().join("all");
    assert!(resumed(&all).unwrap_err().contains("it cannot be read"));
    for name in ["04.1", "4.01", "+4.1", "4.+1", "4", "4.", ".1", "4.1.0", "4.1 ", "part.1"] {
        forge(&all.join(name), &[("part.0", records().concat())]);
        let refused = resumed(&all).expect_err(name);
        assert!(
            refused.contains("there is no whole checkpoint in it: start the run again"),
            "{name}: {refused}"
        );
        assert_eq!((has_checkpoint(&all), last_generation(&all)), (false, 0), "{name}");
    }
    forge(&all.join("4.1"), &[("part.0", records().concat())]);
    assert_eq!((resumed(&all), last_generation(&all)), (Ok(vec![4, 8]), 1));
    // A folder without a checkpoint's name is not removed either.
    write(&all, Arc::new(Disk), 5).unwrap();
    write(&all, Arc::new(Disk), 6).unwrap();
    assert!(names(&all).is_superset(&["5.2", "6.3", "04.1", "part.1"].map(str::to_owned).into()));
    assert!(!names(&all).contains("4.1"));
}

/// Refuses to sync folders of this name.
#[derive(Debug)]
struct Unsynced(&'static str);

impl Store for Unsynced {
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match path.ends_with(self.0) {
            true => Err(io::Error::other("the disk is gone")),
            false => Disk.sync_folder(path),
        }
    }
}

#[test]
fn parts_whose_names_may_be_lost_are_not_handed_in_as_written() {
    for (refused, failed) in
        [("another", None), ("3.7", Some("the disk is gone")), ("kept", Some("the disk is gone"))]
    {
        let place = tempfile::tempdir().unwrap();
        let checkpoints = CheckpointWriter::new(place.path().join("kept"), Arc::new(Unsynced(refused)), 2);
        checkpoints.begin_generation(7);
        let written = checkpoints.write_part(3, |add| {
            add(Kind::Shard(0), &[1]);
            Ok(())
        });
        assert_eq!(written, Ok(()));
        let submitted = checkpoints.submit_parts();
        assert_eq!((submitted.parts.len(), submitted.failed.as_deref()), (1, failed), "{refused}");
        assert_eq!(checkpoints.submit_parts(), SubmittedParts::default(), "it was handed in before");
    }
}

/// A folder that was just made is removed again so many times, as by processes that give up their parts.
#[derive(Debug)]
struct Removing(AtomicUsize);

impl Store for Removing {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        Disk.make_folder(path)?;
        let is_left = |left: usize| left.checked_sub(1);
        let removes = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_left).is_ok();
        if removes && path.ends_with("3.7") { Disk.remove_folder(path) } else { Ok(()) }
    }
}

#[test]
fn a_part_is_written_though_others_that_give_up_theirs_remove_the_folder() {
    // The first folder that is made is that of all checkpoints.
    for times in [1, 2, 5] {
        let place = tempfile::tempdir().unwrap();
        let store = Arc::new(Removing(AtomicUsize::new(times)));
        let checkpoints = CheckpointWriter::new(place.path().join("kept"), store.clone(), 2);
        checkpoints.begin_generation(7);
        for part in 0..2 {
            let written = checkpoints.write_part(3, |add| {
                add(Kind::Shard(part), &[1]);
                Ok(())
            });
            assert_eq!(written, Ok(()));
        }
        let submitted = checkpoints.submit_parts();
        assert_eq!((submitted.parts.len(), submitted.failed), (2, None), "{times}");
        assert_eq!(store.0.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_run_that_is_resumed_where_a_checkpoint_is_due_does_not_write_it_again() {
    let place = tempfile::tempdir().unwrap();
    let folder: PathBuf = place.path().join("checkpoint");
    engine(place.path()).epochs(2).run().unwrap();
    assert_eq!(names(&folder), ["2.1"].map(str::to_owned).into());
    let outcome = engine(place.path()).epochs(3).resume(&folder).run().unwrap();
    assert_eq!(names(&folder), ["2.1", "3.2"].map(str::to_owned).into());
    assert_eq!(outcome.report.checkpoints.count, 1);
    assert!(Checkpoint::read(&folder, &identity()).is_err(), "it is of another run than those of the table");
}
