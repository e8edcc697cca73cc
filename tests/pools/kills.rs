//! Pools, launchers and runs that are killed.

use std::time::{Duration, Instant};

use super::{Running, assert_done, jobs};
use crate::commands::{ends, next, number};

/// `RADDLE_POOL_KILLS` processes are killed, at random times and whoever they are; in the end each job has
/// ended once, with the model of its line alone.
#[test]
fn whoever_is_killed_each_job_ends_once_with_the_model_of_its_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kills = number("RADDLE_POOL_KILLS", 2);
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

/// Nobody calls `pool run` again, as after a machine was out of memory.
#[test]
fn the_jobs_of_a_pool_that_is_killed_end_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // One that is held, and one that cannot be, which would go on for long.
    let text = "[[job]]\nrun = \"lda fit --topics 8 --epochs 100000 --shards 4 --out held\"\n\
                [[job]]\nrun = \"lasso path synth:groups:n=400,p=4000,s=40 --points 2000 --ratio 10000 --out \
                path\"\n";
    std::fs::write(folder.join("jobs.toml"), text).unwrap();
    let line = "pool run jobs.toml --workers 2 --alive 2 --policy drf --out nightly";
    let mut pool = Running::begin(folder, line);
    // Of each job what ties it to the pool and its program; of the one that is held its launcher, too.
    pool.until("both jobs", |pool| pool.processes().len() >= 5);
    pool.kill();
    let killed = Instant::now();
    while !pool.processes().is_empty() {
        // The deadline is 10 s, of a machine that does nothing else.
        assert!(killed.elapsed() < Duration::from_secs(30), "{:?} are left", pool.processes());
        crate::commands::pause();
    }
}
