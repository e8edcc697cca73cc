//! A file of pieces has the content that the readers would hold in memory.

use std::fs;
use std::sync::Arc;

use super::{PartOfRatings, StoredRatings};
use crate::named::read_any_ratings;
use crate::ratings::{Duplicates, HeldOut, Ratings, RatingsOptions, Triples, hashed};

/// Lines of ratings of few users and items, so that pairs repeat, and enough of them for two pieces.
fn lines(count: u64, user: impl Fn(u64) -> String) -> String {
    let hash = |at: u64| crate::counter::splitmix64(at);
    let line = |at: u64| {
        let time = hash(at ^ 9) % 5000;
        format!("{},{},{},{time}\n", user(hash(at) % 700), hash(at ^ 5) % 400, hash(at ^ 7) % 5)
    };
    (0..count).map(line).collect()
}

fn same(source: &str, options: &RatingsOptions) -> (Arc<StoredRatings>, Ratings) {
    let folder = tempfile::tempdir().unwrap();
    let whole = read_any_ratings(source, options).unwrap();
    // Made first, then found.
    for _ in 0..2 {
        let stored = StoredRatings::open(source, options, folder.path()).unwrap();
        assert_eq!(stored.read(0..stored.len()).unwrap(), whole.triples, "{source} {options:?}");
        let described = Ratings { triples: Triples::default(), times: None, ..whole.clone() };
        assert_eq!(*stored.described(), described, "{source}");
        assert_eq!(stored.has_times(), whole.times.is_some(), "{source} {options:?}");
        let times: Vec<f64> =
            (0..stored.pieces()).filter_map(|piece| stored.times(piece).unwrap()).flatten().collect();
        assert_eq!(times, whole.times.clone().unwrap_or_default(), "{source} {options:?}");
        let mut counts = [vec![0; whole.users.len()], vec![0; whole.items.len()]];
        for (user, item, _) in whole.triples.iter() {
            counts[0][user as usize] += 1;
            counts[1][item as usize] += 1;
        }
        assert_eq!(*stored.counts(), counts);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "one file and its lock: {left:?}");
    let stored = StoredRatings::open(source, options, folder.path()).unwrap();
    // The open file stays readable after its name is removed.
    drop(folder);
    (Arc::new(stored), whole)
}

#[test]
fn a_file_has_what_the_readers_have() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let dense = text("dense.csv", &lines(90_000, |user| user.to_string()));
    let sparse = text("sparse.csv", &lines(3000, |user| (user * 7_000_003 + 4).to_string()));
    let names =
        text("names.csv", &format!("user,item,rating,time\n{}", lines(3000, |u| format!("\"u, {u}\""))));
    // The only id that is not a number comes late.
    let late =
        text("late.tsv", &lines(60_000, |user| if user == 699 { "x".into() } else { user.to_string() }));
    let mtx = text("a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 1 2\n3 2 5\n1 4 1\n");
    for source in [&dense, &sparse, &names, &late, &mtx] {
        for duplicates in [Duplicates::Last, Duplicates::First, Duplicates::Sum, Duplicates::Mean] {
            for (threads, times) in [(1, false), (3, source != &mtx)] {
                same(
                    source,
                    &RatingsOptions {
                        duplicates: Some(duplicates),
                        threads,
                        times,
                        ..RatingsOptions::default()
                    },
                );
            }
        }
        same(source, &RatingsOptions { keep_repeated: true, ..RatingsOptions::default() });
    }
    same("synth:ratings:users=90,items=50,n=2000", &RatingsOptions::default());
    // So many that the first estimate of the draws does not suffice.
    same("synth:ratings:users=40,items=50,n=1000,seed=3", &RatingsOptions::default());
}

#[test]
fn what_the_readers_refuse_is_refused_in_the_same_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let source = path.to_str().unwrap();
    let refuse = RatingsOptions { duplicates: Some(Duplicates::Refuse), ..RatingsOptions::default() };
    let timed = RatingsOptions { times: true, ..RatingsOptions::default() };
    let plain = RatingsOptions::default();
    for (text, options) in [
        ("a,b,1\na,c,2\nb,b,1\na,c,4\na,b,4\n", &refuse),
        ("1,2,3\n", &timed),
        ("1,2,3,2020-01-01\n1,3,4,77\n", &timed),
        ("1,2,3\n1,x\n", &plain),
        ("1,2,3\n\n1,2,abc\n", &plain),
        ("user,item\n", &plain),
        ("[{\"a\": 1}]", &plain),
    ] {
        fs::write(&path, text).unwrap();
        let expected = read_any_ratings(source, options).unwrap_err().to_string();
        let found = StoredRatings::open(source, options, &folder.path().join("cache")).unwrap_err();
        assert_eq!(found.to_string(), expected);
        let left = fs::read_dir(folder.path().join("cache")).into_iter().flatten();
        let left: Vec<_> = left.map(|file| file.unwrap().path()).collect();
        assert!(left.iter().all(|file| file.extension().unwrap() == "lock"), "{left:?}");
    }
    for source in ["synth:ratings:users=3", "nobody", "nothing.csv"] {
        let expected = read_any_ratings(source, &plain).unwrap_err().to_string();
        let found = StoredRatings::open(source, &plain, folder.path()).unwrap_err().to_string();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_damaged_or_foreign_file_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let open =
        || StoredRatings::open("synth:ratings:users=90,items=50,n=2000", &Default::default(), folder.path());
    let whole = open().unwrap().read(0..2000).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| file.extension().unwrap() == "ratings").unwrap();
    let bytes = fs::read(&file).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    for damaged in [&flipped[..], &bytes[..900], b"", &[7; 300]] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(open().unwrap().read(0..2000).unwrap(), whole);
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn splits_are_those_of_observations_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, lines(80_000, |user| user.to_string())).unwrap();
    let options = RatingsOptions { times: true, ..RatingsOptions::default() };
    let (stored, whole) = same(path.to_str().unwrap(), &options);
    let (users, items) = (whole.users.len(), whole.items.len());
    let all = PartOfRatings::all(stored);
    let check = |found: (PartOfRatings, PartOfRatings, usize), held: HeldOut| {
        assert_eq!(found.0.read(0..found.0.len()).unwrap(), held.train);
        assert_eq!(found.1.read(0..found.1.len()).unwrap(), held.out);
        assert_eq!(found.2, held.cold);
        found.0
    };
    let is_out = |user: u32, item: u32| hashed(user, item, 4, 0.0, 0.3) || user < 40 || item == 7;
    let held = HeldOut::out(whole.triples.clone(), users, items, is_out);
    assert!(held.cold > 0);
    let left = check(all.hold_out(is_out).unwrap(), held.clone());
    for range in [0..0, 5..9, 100..left.len(), left.len() - 3..left.len()] {
        let expected: Triples = held.train.iter().skip(range.start).take(range.len()).collect();
        assert_eq!(left.read(range).unwrap(), expected);
    }
    for share in [0.001, 0.1, 0.5] {
        let times = whole.times.clone().unwrap();
        let held = HeldOut::latest(whole.triples.clone(), times, users, items, share).unwrap().0;
        check(all.hold_out_latest(share).unwrap().unwrap(), held);
    }
    assert!(all.hold_out_latest(1.0).unwrap().is_none());
}
