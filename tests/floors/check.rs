//! Imports of a crate go one way: a room on a floor names only rooms on lower ones, and no file names, by way
//! of others, itself.
//!
//! A room is a file of a folder, or a folder with all that is in it. A test of a crate lists its rooms, floor
//! by floor, the lowest first; rooms of one floor do not name each other. A name is followed through `pub
//! use` to the file that defines it; code compiled for tests alone is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::imports::arrows;

/// Arrow that a circle of files may have: from a child to its parent, or between two files of one idea, with
/// the reason.
pub(crate) type Allowed = (&'static str, &'static str, &'static str);

/// Checks the rooms of `src/` below `room` (`""`: of the crate): every one listed, none naming a room on its
/// own floor or on a higher one. `besides` are no part of the library, such as its program.
pub(crate) fn check(src: &Path, room: &str, floors: &[&[&str]], besides: &[&str]) {
    let listed: BTreeMap<&str, usize> = floors
        .iter()
        .enumerate()
        .flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor)))
        .collect();
    let (files, arrows) = arrows(src);
    let room_of = |file: &str| -> Option<String> {
        let inside = file.strip_prefix(room)?.trim_start_matches('/');
        let name = inside.split('/').next()?.trim_end_matches(".rs").to_owned();
        (!["mod", "lib"].contains(&&*name) && !besides.contains(&&*name)).then_some(name)
    };
    let found: BTreeSet<String> = files.iter().filter_map(|file| room_of(file)).collect();
    let missing: Vec<&String> = found.iter().filter(|room| !listed.contains_key(&***room)).collect();
    assert!(missing.is_empty(), "rooms that stand on no floor: {missing:?}");
    assert_eq!(found.len(), listed.len(), "every room that is listed is there: {found:?}");
    let mut between = BTreeSet::new();
    let mut climbs = BTreeSet::new();
    for (from, to) in &arrows {
        let (Some(from_room), Some(to_room)) = (room_of(from), room_of(to)) else { continue };
        if from_room != to_room {
            if listed[&*to_room] >= listed[&*from_room] {
                climbs.insert(format!("{from} names {to}"));
            }
            between.insert((from_room, to_room));
        }
    }
    println!("{} rooms, {} arrows between them", found.len(), between.len());
    assert!(
        2 * between.len() >= found.len(),
        "{} imports between {} rooms: were they found?",
        between.len(),
        found.len()
    );
    assert!(climbs.is_empty(), "imports that go up or sideways:\n{}", join(&climbs));
}

/// Checks that no file names itself by way of others, but for the arrows allowed, each of which is needed.
pub(crate) fn check_circles(src: &Path, allowed: &[Allowed]) {
    let (_, arrows) = arrows(src);
    let is_allowed = |from: &str, to: &str| allowed.iter().any(|&(a, b, _)| (a, b) == (from, to));
    for (from, to, reason) in allowed {
        assert!(!reason.is_empty());
        assert!(
            arrows.contains(&((*from).into(), (*to).into())),
            "{from} does not name {to}: no reason is needed"
        );
    }
    let graph: DiGraphMap<&str, ()> =
        arrows.iter().map(|(a, b)| (&**a, &**b)).filter(|(a, b)| !is_allowed(a, b)).collect();
    let circles: Vec<Vec<&str>> = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1).collect();
    let of_circle = |circle: &Vec<&str>| {
        let inside = graph.all_edges().filter(|(a, b, ())| circle.contains(a) && circle.contains(b));
        join(&inside.map(|(a, b, ())| format!("{a} names {b}")).collect())
    };
    assert!(
        circles.is_empty(),
        "{} circles of files:\n{}",
        circles.len(),
        circles.iter().map(of_circle).collect::<Vec<_>>().join("\n\n")
    );
}

fn join(lines: &BTreeSet<String>) -> String {
    lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
}
