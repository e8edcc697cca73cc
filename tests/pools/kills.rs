//! Pools, launchers and runs that are killed.

use std::time::{Duration, Instant};

use super::{Running, assert_done, jobs};
use crate::commands::{ends, next, number};

/// `RADDLE_POOL_KILLS` processes are killed, at random times and whoever they are; in the end each job has ended once, with the
/// model of its line alone.
#[test]
fn whoever_is_killed_each_job_ends_once_with_the_model_of_its_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kills = number("RADDLE_POOL_KILLS", 5);
    let expected = jobs(folder, 6 + kills as usize);
    let mut state = number("RADDLE_POOL_SEED", 5);
    let line = |jobs: &str| format!("pool run {jobs} --workers 3 --policy random --alive 3 --out nightly");
    let mut pool = Running::begin(folder, &line("jobs.toml"));
    let mut killed = [0; 3];
    for _ in 0..kills {
        // Any time may be the wrong one.
        let moment = Instant::now() + Duration::from_millis(next(&mut state) % 300);
        pool.until("the moment", |_| Instant::now() >= moment);
        let kind = next(&mut state) as usize % 3;
        let processes = pool.processes();
        let is_launcher = |line: &str| line.contains(" launch ");
        let of_kind: Vec<&String> = match kind {
            0 => Vec::new(),
            _ => processes
                .iter()
                .filter(|(_, line)| is_launcher(line) == (kind == 1))
                .map(|(id, _)| id)
                .collect(),
        };
        match of_kind.get(next(&mut state) as usize % of_kind.len().max(1)) {
            Some(process) => {
                // It may have ended meanwhile.
                let _ = std::process::Command::new("kill").args(["-9", process]).output();
                killed[kind] += 1;
            }
            None => {
                pool.kill();
                killed[0] += 1;
                pool = Running::begin(folder, &line(""));
            }
        }
    }
    println!("killed: {} pools, {} launchers, {} runs", killed[0], killed[1], killed[2]);
    assert_eq!(killed.iter().sum::<u64>(), kills);
    // The last one may have ended before the last kill, or with a job that was done when it began.
    pool.end();
    ends(folder, "pool run --out nightly", 0);
    assert_eq!(pool.processes(), []);
    assert_done(folder, &expected);
}
