//! Bits that flip on the way, on connections in clear: the run ends with the right bytes or with a named
//! cause, and always ends. "Another machine" is `raddle join` behind a proxy.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::commands::{command, next, number, pause};
use crate::encryption::{LINES, write_data};
use crate::launched::{
    Flip, Joined, Launched, OneFlip, Proxy, Role, alone, coordinator, digest, free_port, launch, slow,
};

/// Longest time of a run, whatever happens to it.
const LONGEST: Duration = Duration::from_secs(90);
/// Number of runs at the same time: they wait most of the time.
const SIDE_BY_SIDE: usize = 4;
const ROLES: [Role; 3] = [Role::Member, Role::Neighbour, Role::AdminClient];

/// A run of two processes that both join, so that every connection goes by a proxy.
struct Apart {
    run: Launched,
    joined: Vec<Joined>,
    proxies: [Proxy; 2],
}

impl Apart {
    fn begin(folder: &Path, line: &str, flip: &OneFlip) -> Self {
        let launching = "launch --plain --wait-for 2 --wait 40 --deadline 4 --balance off";
        let run = Launched::begin(folder, &launch(0, line).replace("launch", launching));
        let control = Proxy::flipping(coordinator(&run.run), flip);
        let inside = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let link = Proxy::flipping(inside, flip);
        let one = |rank: u32, more: String| {
            let to = control.address;
            let line = format!("raddle join {to} --token-file run/token --deadline 30 --plain {more}");
            let mut join = command(folder, &line);
            join.env("RADDLE_RANK", rank.to_string()).stdout(std::process::Stdio::null());
            Joined::of(join)
        };
        let first = one(0, format!("--listen {inside} --advertise {}", link.address));
        // The one that dials the other comes second.
        let since = Instant::now();
        while control.lengths().len() < 4 {
            if since.elapsed() > LONGEST {
                panic!("the first does not join: {:?}: {}", control.lengths(), first.said());
            }
            pause();
        }
        let second = one(1, String::new());
        Self { run, joined: vec![first, second], proxies: [control, link] }
    }
}

/// Bytes of the longest connection of each role, by direction, in a run that nothing happens to.
fn lengths(folder: &Path, line: &str, expected: &str) -> BTreeMap<(u8, bool), usize> {
    let Apart { run, joined, proxies } = Apart::begin(folder, line, &OneFlip::default());
    let place = run.run.clone();
    let (code, said) = run.end_within(LONGEST).expect("it ends");
    assert!(code == Some(0) || code == Some(3), "{code:?}: {said}");
    assert_eq!(digest(&place), expected);
    drop(joined);
    let mut lengths = BTreeMap::new();
    for (role, forth, length) in proxies.iter().flat_map(Proxy::lengths) {
        let most = lengths.entry((role, forth)).or_default();
        *most = length.max(*most);
    }
    assert_eq!(lengths.len(), 6, "connections of every role go by a proxy: {lengths:?}");
    lengths
}

/// The place of a flip: in the beginning of a connection, with its handshake, plans and hand-over, or
/// anywhere.
fn place(dice: &mut u64, length: usize) -> usize {
    let most = match next(dice) % 3 {
        0 => length.min(400),
        1 => length.min(4_000),
        _ => length,
    };
    next(dice) as usize % most
}

/// Outcome of a flip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// The run ended before the place.
    Nothing,
    RightBytes,
    NamedEnd,
}

/// Carries a run out with this flip.
fn flipped(line: &str, expected: &str, flip: Flip) -> Came {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    slow(folder, 1);
    let one = OneFlip::default();
    *one.lock().unwrap() = Some(flip);
    let Apart { run, joined, proxies } = Apart::begin(folder, line, &one);
    let ended = run.end_within(LONGEST);
    drop(joined);
    drop(proxies);
    let (code, said) = ended.unwrap_or_else(|| panic!("{line}: {flip:?}: it does not end"));
    if one.lock().unwrap().is_some() {
        return Came::Nothing;
    }
    if matches!(code, Some(0 | 3)) {
        assert_eq!(digest(&folder.join("run")), expected, "{line}: {flip:?}: {said}");
        return Came::RightBytes;
    }
    assert!(code == Some(1) && said.contains("raddle: "), "{line}: {flip:?}: {code:?}: {said}");
    assert!(!fs::exists(folder.join("run/model.json")).unwrap(), "{line}: {flip:?}: {said}");
    Came::NamedEnd
}

/// A flip at the beginning, in the middle or at the end of every kind of connection, in each direction, of a
/// fit of each program.
#[test]
fn a_bit_that_flips_on_the_way_changes_no_model_and_hangs_no_run() {
    let (seed, count) = (number("RADDLE_FLIPS_FROM", 1), number("RADDLE_WIRE_FLIPS", 12));
    let plain: Vec<_> = LINES
        .iter()
        .map(|(_, line)| {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            write_data(folder);
            slow(folder, 1);
            let (expected, _) = alone(folder, line);
            (*line, lengths(folder, line, &expected), expected)
        })
        .collect();
    let (at, came) = (AtomicU64::new(0), std::sync::Mutex::new(BTreeMap::<Came, u64>::new()));
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let number = at.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let mut dice = seed.wrapping_mul(1_000_003).wrapping_add(number);
                    // Each of six ways on each of four programs, in turn.
                    let (line, lengths, expected) = &plain[number as usize / 6 % plain.len()];
                    let (role, forth) = (ROLES[number as usize % 3], (number as usize / 3).is_multiple_of(2));
                    let byte = place(&mut dice, lengths[&(role as u8, forth)]);
                    let bit = (next(&mut dice) % 8) as u8;
                    let what = flipped(line, expected, Flip { role, forth, byte, bit });
                    *came.lock().unwrap().entry(what).or_default() += 1;
                }
            });
        }
    });
    let came = came.into_inner().unwrap();
    println!("{came:?}");
    let of = |what| came.get(&what).copied().unwrap_or_default();
    let (right, flips) = (of(Came::RightBytes), count - of(Came::Nothing));
    assert!(2 * flips > count, "places are within the connections of most runs: {came:?}");
    assert!(2 * right > flips, "a flip costs a loss, and the run goes on: {came:?}");
}
