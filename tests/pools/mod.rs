//! Pools that run: the jobs are real processes. A job's model is that of its line alone, whatever the pool
//! does with it, and whoever is killed.

mod completion;
mod disturbed;
mod kills;
mod promised;
mod several;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use raddle_common::testing::pairs;
use serde_json::Value;

use crate::commands::{command, ends, number, pause, run};
use crate::launched::{WATCHDOG, digest, signal};

/// Fits of all programs, of some epochs each.
const LINES: [&str; 6] = [
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 8 --tol 1e-14",
    "lasso path synth:groups:n=100,p=200,s=10 --shards 4",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --shards 4",
    "mf fit synth:ratings:users=200,items=100,n=5000 --rank 6 --epochs 4 --solver als --shards 6",
    "lda fit --topics 8 --epochs 8 --shards 4",
    "linear fit diabetes --C 0.01 --parts 4 --epochs 6",
];

/// Jobs of so many lines in turn, each with a seed of its own and after the one before with its line: of more
/// at a time few would get to their next epoch under shares drawn anew. Returns their names and the digests
/// of their lines alone.
fn jobs(folder: &Path, count: usize) -> Vec<(String, String)> {
    let (mut text, mut expected) = (String::new(), Vec::new());
    for at in 0..count {
        let line = format!("{} --seed {}", LINES[at % LINES.len()], at / LINES.len() + 1);
        let name = format!("job{at}");
        text += &format!("[[job]]\nrun = \"{line} --out {name}\"\n");
        if let Some(before) = at.checked_sub(LINES.len()) {
            text += &format!("after = [\"job{before}\"]\n");
        }
        let ran = run(folder, &format!("{line} --workers 1 --out alone{at}"));
        assert!([Some(0), Some(3)].contains(&ran.code), "{line}: {}", ran.err);
        expected.push((name, digest(&folder.join(format!("alone{at}")))));
    }
    fs::write(folder.join("jobs.toml"), text).unwrap();
    expected
}

/// Asserts that all of these jobs are done, each once, with these digests.
fn assert_done(folder: &Path, expected: &[(String, String)]) {
    let status = json(folder, "pool status nightly --json");
    let jobs = status["jobs"].as_array().unwrap();
    for (job, (name, expected)) in pairs(jobs, expected) {
        let is_done = job["state"].as_str().unwrap().starts_with("done");
        assert!(job["name"] == name.as_str() && is_done, "{job}");
        assert_eq!(&digest(&folder.join(name)), expected, "{name}");
    }
    // Nothing of a job is told after its end but by who never heard of it.
    let journal = fs::read_to_string(folder.join("nightly/journal.jsonl")).unwrap();
    for (name, _) in expected {
        let ended = format!("\"ended\":{{\"job\":\"{name}\",\"status\":");
        let done = journal.lines().filter(|line| {
            let status =
                line.split_once(&ended).map(|(_, rest)| rest.starts_with('0') || rest.starts_with('3'));
            line.contains("\"event\"") && status == Some(true)
        });
        assert_eq!(done.count(), 1, "{name}");
    }
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&ends(folder, line, 0).out).unwrap()
}

/// A pool in the background, in the folder `nightly`. Its processes end with the test.
struct Running {
    pool: Child,
    folder: PathBuf,
    began: Instant,
}

impl Running {
    fn begin(folder: &Path, line: &str) -> Self {
        let pool = command(folder, line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        Self { pool, folder: folder.join("nightly"), began: Instant::now() }
    }

    /// Waits until something is true.
    fn until(&mut self, what: &str, mut is: impl FnMut(&Self) -> bool) {
        while !is(self) {
            assert!(self.began.elapsed() < WATCHDOG, "{what} never came");
            pause();
        }
    }

    /// Processes of the pool's jobs, the pool itself aside: numbers and command lines.
    fn processes(&self) -> Vec<(String, String)> {
        let Ok(place) = fs::canonicalize(&self.folder) else { return Vec::new() };
        let wanted = format!("RADDLE_POOL={}", place.display());
        let numbers = fs::read_dir("/proc").unwrap().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().into_string().ok());
        let numbers = numbers.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        let of = |number: &String, file: &str| fs::read(format!("/proc/{number}/{file}")).unwrap_or_default();
        let is_of = |number: &String| {
            of(number, "environ").split(|byte| *byte == 0).any(|at| at == wanted.as_bytes())
        };
        let line = |number: &String| String::from_utf8_lossy(&of(number, "cmdline")).replace('\0', " ");
        numbers.filter(is_of).map(|number| (number.clone(), line(&number))).collect()
    }

    fn kill(&mut self) {
        let _ = self.pool.kill();
        let _ = self.pool.wait();
    }

    /// The exit status. A pool that does not end says where its jobs are.
    fn end(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.pool.try_wait().unwrap() {
                return status.code();
            }
            if began.elapsed() > 2 * WATCHDOG {
                let status = run(self.folder.parent().unwrap(), "pool status nightly").out;
                panic!("the pool does not end: {:?}\n{status}", self.processes());
            }
            pause();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        while let [left, ..] = &self.processes()[..] {
            let _ = std::process::Command::new("kill").args(["-9", &left.0]).stderr(Stdio::null()).status();
        }
    }
}

/// `RADDLE_POOL_JOBS` jobs: fits of all programs.
#[test]
fn shares_drawn_at_every_boundary_and_pauses_change_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let count = number("RADDLE_POOL_JOBS", 4);
    let expected = jobs(folder, count as usize);
    let ran = ends(folder, "pool run jobs.toml --workers 3 --alive 2 --policy random --out nightly", 0);
    let changes = |text: &str| ran.err.matches(text).count() as u64;
    assert!(changes(": paused") * 3 >= count && changes(": continues with") * 3 >= count, "{}", ran.err);
    assert_done(folder, &expected);
}

#[test]
fn a_pool_that_is_interrupted_pauses_all_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let expected = jobs(folder, 6);
    let line = "pool run jobs.toml --workers 2 --policy drf --out nightly";
    let mut pool = Running::begin(folder, line);
    pool.until("a job", |pool| !pool.processes().is_empty());
    signal(&pool.pool.id().to_string(), "-TERM");
    assert_eq!(pool.end(), Some(130));
    assert_eq!(pool.processes(), []);
    // The folder of a pool is shown by the program `pool`.
    let status = json(folder, "raddle status nightly --json");
    assert_eq!(status["ending"], "interrupted");
    assert!(status["numbers"]["waiting"].as_u64() > Some(0), "{status}");
    assert_eq!(ends(folder, "raddle status nightly --watch", 130).out.lines().count(), 1);
    let mut pool = Running::begin(folder, "pool run --out nightly");
    pool.until("a job", |pool| !pool.processes().is_empty());
    let watched = ends(folder, "pool status nightly --watch", 0).out;
    assert!(watched.starts_with("running (process "), "{watched}");
    assert!(watched.trim_end().ends_with("6 done, 0 late"), "{watched}");
    assert_eq!(pool.end(), Some(0));
    assert_done(folder, &expected);
    ends(folder, "raddle report nightly --out page.html", 0);
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("class=\"band\"") && page.contains("all workers"), "bars of workers over time");
}
