//! Imports of a crate go one way: what stands on a floor names only what stands on lower ones.
//!
//! A room is a file of `src/`, or a folder with all that is in it. A test of a crate lists its rooms, floor by floor, the
//! lowest first; rooms of one floor do not name each other.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Checks every `crate::` in `src`, comments and the crate's own root (`lib.rs`) aside; `besides` names what is no part of
/// the library, such as its program.
pub(crate) fn check(src: &Path, floors: &[&[&str]], besides: &[&str]) {
    let rooms: BTreeMap<&str, usize> = floors
        .iter()
        .enumerate()
        .flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor)))
        .collect();
    let (mut climbs, mut arrows, mut found) = (Vec::new(), 0, 0);
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let room = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if room == "lib" || besides.contains(&&*room) {
            continue;
        }
        let Some(&floor) = rooms.get(&*room) else { panic!("{room} stands on no floor: list it") };
        found += 1;
        for name in named(&path) {
            if name == room {
                continue;
            }
            arrows += 1;
            match rooms.get(&*name) {
                Some(&other) if other < floor => {}
                _ => climbs.push(format!("{room} names {name}")),
            }
        }
    }
    assert_eq!(found, rooms.len(), "every room that is listed is there");
    assert!(arrows > rooms.len() / 2, "{arrows} imports between {found} rooms: were they found?");
    climbs.sort();
    climbs.dedup();
    assert!(climbs.is_empty(), "imports that go up or sideways: {climbs:?}");
}

/// The names that stand behind `crate::` in a file, or in all files of a folder.
fn named(path: &Path) -> Vec<String> {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().flat_map(|entry| named(&entry.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let behind = lines.flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>());
    behind
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned())
        .collect()
}
