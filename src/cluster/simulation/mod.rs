//! A simulated run of several processes: the coordinator, the members, and the real hub and places of
//! `mixing/`, driven by a seeded scheduler under a virtual clock. Every message takes a random time. In one
//! test processes join, leave (the first one too), are refused, and workers are rescaled. In a second one
//! processes are killed, stopped and partitioned, or fail their handshake, disks are slow or full and lose
//! bytes that were not synced, processes that join are stopped before they have, messages come twice, and the
//! launcher dies. In every case the run ends with the bytes of one worker.
//!
//! For a seed that fails the test prints the command that repeats it.

mod attempts;
mod balance_probe;
mod coordination;
mod disk;
mod events;
mod fault_injection;
mod faults;
mod generations;
mod process;
mod world;

#[allow(dead_code, clippy::unwrap_used)] // the integration tests use all of it, and may panic
pub(crate) mod mixing;

use std::collections::HashMap;

use self::events::MembershipCounts;
use self::faults::Counts;
use self::mixing::{Mixing, Problem};
use self::world::{Ended, World};
// `mixing/` is a module of the integration tests, too: there this name is that of the library.
use crate as raddle;
use crate::base::random::splitmix64;
use crate::engine::Engine;
use crate::program::Visibility;

/// Random number generator with a seed.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(splitmix64(seed))
    }

    /// A number from 0 to `end - 1`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = splitmix64(self.0.wrapping_add(1));
        self.0 % end
    }

    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// A number from 0 to 1.
    pub(crate) fn part(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }
}

/// The problem of this number, below [`PROBLEMS`].
fn problem(number: u64) -> Problem {
    let visibility = if number.is_multiple_of(2) { Visibility::AtBoundary } else { Visibility::EachRound };
    Problem {
        shards: [5, 7, 1, 3][number as usize % 4],
        blocks: [4, 3, 2, 0][number as usize / 2 % 4],
        seed: number,
        visibility,
        objective: number.is_multiple_of(3),
    }
}

/// Number of problems.
const PROBLEMS: u64 = 12;

fn engine(number: u64) -> Engine<Mixing> {
    let problem = problem(number);
    let (program, parts) = problem.parts();
    let staleness = number as usize % 3;
    Engine::new(program, problem.schedule(), parts).epochs(2 + number % 3).staleness(staleness)
}

/// Number in an environment variable, or the default.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs those of the seeds that the environment names, by default 1,000, that leave a remainder by a divisor:
/// each ends with the bytes of one worker. Returns their number.
fn simulate(
    (remainder, divisor): (u64, u64),
    run: impl Fn(u64, u64) -> Result<Ended, String>,
    mut count: impl FnMut(Ended),
) -> u64 {
    let mut ran = 0;
    let mut expected: HashMap<u64, String> = HashMap::new();
    let (first, many) = match std::env::var("RADDLE_SIMULATION") {
        Ok(_) => (number("RADDLE_SIMULATION", 0), 1),
        Err(_) => (number("RADDLE_SIMULATION_FROM", 0), number("RADDLE_SIMULATIONS", 1_000)),
    };
    for seed in (first..first + many).filter(|seed| seed % divisor == remainder) {
        let number = splitmix64(seed) % PROBLEMS;
        let alone = expected.entry(number).or_insert_with(|| match engine(number).run() {
            Ok(outcome) => outcome.digest(),
            Err(why) => panic!("problem {number} alone: {why}"),
        });
        let again = format!("RADDLE_SIMULATION={seed} cargo test --workspace --lib simulation");
        let end = run(seed, number).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{again}"));
        assert!(end.outcome.digest() == *alone, "seed {seed}: another digest\n{again}");
        count(end);
        ran += 1;
    }
    ran
}

#[test]
fn whatever_the_order_of_events_the_bytes_are_those_of_one_worker() {
    let (mut generations, mut moved, mut counts) = (0, 0, MembershipCounts::default());
    let count = simulate(
        (0, 1),
        |seed, number| World::new(seed, number).run(),
        |end| {
            let records = &end.outcome.report.generations;
            generations += records.len() as u64;
            moved += records.iter().map(|one| one.bytes_moved).sum::<u64>();
            counts += end.comings;
        },
    );
    if count > 100 {
        // Each kind of event happens often enough.
        let enough = generations > count + count / 2 && moved > 0;
        assert!(enough, "{generations} generations, {moved} bytes");
        let MembershipCounts { joined, left, handed_on, again, refused } = counts;
        assert!(joined > count / 20 && left > count / 20 && refused > count / 200, "{counts:?}");
        assert!(handed_on > count / 20 && again > count / 50, "{counts:?}");
    }
    println!("{counts:?}");
}

/// Two tests, for two threads to run side by side.
#[test]
fn whatever_is_lost_the_bytes_are_those_of_one_worker_by_even_seeds() {
    bytes_with_faults(0);
}

#[test]
fn whatever_is_lost_the_bytes_are_those_of_one_worker_by_odd_seeds() {
    bytes_with_faults(1);
}

fn bytes_with_faults(remainder: u64) {
    let place = tempfile::tempdir().unwrap_or_else(|why| panic!("no folder: {why}"));
    let run = |seed: u64, number| {
        let folder = place.path().join(seed.to_string());
        std::fs::create_dir(&folder).map_err(|why| format!("no folder: {why}"))?;
        let end = World::with_faults(seed, number, folder.clone()).run();
        // A folder that stays does no harm.
        let _ = std::fs::remove_dir_all(folder);
        end
    };
    let mut counts = Counts::default();
    let count = simulate((remainder, 2), run, |end| counts += end.faults);
    if count > 100 {
        let Counts { struck, attempts, resumed, unsynced, refused, silent, late, unmet, told } = counts;
        assert!(struck > count && attempts > count + count / 2 && resumed > count / 10, "{counts:?}");
        let rare = [unsynced, refused, silent, late, unmet, told];
        assert!(rare.iter().all(|&number| number > count / 200), "{counts:?}");
    }
    println!("{counts:?}");
}
