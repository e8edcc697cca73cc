//! A process may be killed or stopped at any moment, the launcher too: the run ends with the bytes of an undisturbed one. The
//! long forms are in `tests/README.md`.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod commands;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use commands::{command, ends, next, number, run};
use serde_json::Value;

/// Nothing takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Fits that take a while on a worker that is slowed down, with the epochs to wait for at most before something is killed.
const LINES: [(&str, u64); 3] = [
    ("lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 30 --tol 1e-14", 15),
    ("mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 30 --shards 4", 15),
    ("lda fit --topics 8 --epochs 40 --shards 4", 25),
];

fn report(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("report.json")).unwrap()).unwrap()
}

fn digest(run: &Path) -> String {
    report(run)["model_digest"].as_str().unwrap().to_owned()
}

/// The digest and the status of a line that runs alone, undisturbed.
fn alone(folder: &Path, line: &str) -> (String, Option<i32>) {
    let ran = run(folder, &format!("{line} --workers 1 --out alone --force"));
    (digest(&folder.join("alone")), ran.code)
}

/// Every epoch takes this many times as long.
fn slow(folder: &Path, factor: u64) {
    fs::write(folder.join("slow"), format!("0 0 {factor}\n")).unwrap();
}

fn signal(process: &str, signal: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

/// Whether a process is there, and not only its entry.
fn is_alive(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// A launched run in the background, in the folder `run`.
struct Launched {
    launcher: Child,
    said: BufReader<ChildStderr>,
    heard: String,
    run: PathBuf,
    began: Instant,
}

impl Launched {
    fn begin(folder: &Path, line: &str) -> Self {
        let mut launcher =
            command(folder, line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(launcher.stderr.take().unwrap());
        Self { launcher, said, heard: String::new(), run: folder.join("run"), began: Instant::now() }
    }

    /// Waits until so many epochs are traced.
    fn await_epoch(&mut self, epochs: u64) {
        let trace = self.run.join("trace.jsonl");
        while !fs::read_to_string(&trace).is_ok_and(|text| text.lines().count() as u64 > epochs) {
            assert!(self.launcher.try_wait().unwrap().is_none(), "it has ended: {}", self.rest());
            assert!(self.began.elapsed() < WATCHDOG, "the run does not go on");
            std::thread::yield_now();
        }
    }

    /// Waits for a line on stderr, and gives it.
    fn await_line(&mut self, with: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "`{with}` is never said: {}", self.heard);
            self.heard += &line;
            if line.contains(with) {
                return line;
            }
            assert!(self.began.elapsed() < WATCHDOG, "`{with}` is not said: {}", self.heard);
        }
    }

    /// The system's numbers of the processes, in their order.
    fn processes(&self) -> Vec<String> {
        let children = format!("/proc/{0}/task/{0}/children", self.launcher.id());
        fs::read_to_string(children).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    fn rest(&mut self) -> String {
        let mut line = String::new();
        while self.said.read_line(&mut line).unwrap() > 0 {}
        self.heard += &line;
        self.heard.clone()
    }

    /// The status and what was said to stderr.
    fn end(mut self) -> (Option<i32>, String) {
        let said = self.rest();
        (self.launcher.wait().unwrap().code(), said)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // A test that fails leaves nobody behind; a launcher that has ended is as it should be.
        let _ = self.launcher.kill();
        let _ = self.launcher.wait();
    }
}

fn launch(processes: usize, line: &str) -> String {
    format!("raddle launch --processes {processes} -- {line} --slowdown slow --out run --force")
}

/// A process that is chosen at random is killed at a random epoch: `RADDLE_KILLS` times.
#[test]
fn a_process_may_be_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let mut dice = number("RADDLE_KILLS_FROM", 1);
    let expected = LINES.map(|(line, _)| alone(folder, line));
    let mut pauses = Vec::new();
    for kill in 0..number("RADDLE_KILLS", 12) as usize {
        let ((line, most), (digest_alone, status)) = (LINES[kill % 3], &expected[kill % 3]);
        // The trace of the run before is not this one's.
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut run = Launched::begin(folder, &launch(3, &format!("{line} --checkpoint-every 5")));
        run.await_epoch(next(&mut dice) % most);
        let whom = (next(&mut dice) % 3) as usize;
        signal(&run.processes()[whom], "-KILL");
        let killed = Instant::now();
        let lost = run.await_line("killed by signal 9");
        assert!(lost.contains(&format!("process {whom} ")), "{lost}");
        run.await_line("has begun");
        pauses.push(killed.elapsed().as_secs_f64());
        let place = run.run.clone();
        let (code, said) = run.end();
        assert_eq!(code, *status, "kill {kill} of {line}: {said}");
        assert_eq!(digest(&place), *digest_alone, "kill {kill} of process {whom}, {line}: {said}");
    }
    pauses.sort_by(f64::total_cmp);
    println!(
        "from the kill to the next generation: median {:.3} s, most {:.3} s",
        pauses[pauses.len() / 2],
        pauses[pauses.len() - 1]
    );
    assert!(pauses[pauses.len() - 1] < 10.0, "{pauses:?}");
}

#[test]
fn without_a_checkpoint_a_loss_begins_the_run_anew() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 10);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let mut run = Launched::begin(folder, &launch(3, line));
    run.await_epoch(3);
    signal(&run.processes()[1], "-KILL");
    run.await_line("it has no checkpoint yet");
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
}

#[test]
fn a_killed_launcher_leaves_nobody_and_the_run_goes_on_with_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let mut run = Launched::begin(folder, &launch(3, &format!("{line} --checkpoint-every 5")));
    run.await_epoch(12);
    let processes = run.processes();
    run.launcher.kill().unwrap();
    let killed = Instant::now();
    while processes.iter().any(|process| is_alive(process)) {
        assert!(killed.elapsed() < Duration::from_secs(10), "a process is left");
        std::thread::yield_now();
    }
    drop(run);
    ends(folder, "raddle launch --processes 2 --workers 2 --resume run", 0);
    assert_eq!(digest(&folder.join("run")), expected);
    let trace = fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
    assert_eq!(trace.lines().count(), 41, "the trace goes on where the checkpoint was");
}

#[test]
fn a_process_that_is_silent_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let line = launch(2, &format!("{line} --checkpoint-every 5")).replace("launch", "launch --deadline 3");
    let mut run = Launched::begin(folder, &line);
    run.await_epoch(7);
    signal(&run.processes()[1], "-STOP");
    let stopped = Instant::now();
    run.await_line("process 1 has said nothing for 3 s");
    run.await_line("has begun");
    assert!(stopped.elapsed() < Duration::from_secs(8), "{:?}", stopped.elapsed());
    let place = run.run.clone();
    assert_eq!(run.end().0, Some(0));
    assert_eq!(digest(&place), expected);
}

#[test]
fn a_second_launcher_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 30);
    let mut run = Launched::begin(folder, &launch(2, LINES[2].0));
    run.await_epoch(1);
    for line in
        ["raddle launch --resume run", "raddle launch -- lda fit --out run --force", "lda fit --resume run"]
    {
        let ran = ends(folder, line, 2);
        assert!(ran.err.contains("its run is alive"), "{}", ran.err);
    }
    assert_eq!(run.end().0, Some(0));
}

/// Removes the newest checkpoint, so that there is something left to do, and gives the folder another name.
fn step_back(folder: &Path, from: &str, to: &str) {
    let _ = fs::remove_dir_all(folder.join(to));
    let copied = Command::new("cp").args(["-r", from, to]).current_dir(folder).status().unwrap();
    assert!(copied.success());
    let all = fs::read_dir(folder.join(to).join("checkpoint")).unwrap().map(|entry| entry.unwrap().path());
    let epoch = |path: &PathBuf| -> u64 {
        path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().parse().unwrap()
    };
    let mut all: Vec<PathBuf> = all.collect();
    all.sort_by_key(epoch);
    assert_eq!(all.len(), 2, "the last two are kept: {all:?}");
    fs::remove_dir_all(all.pop().unwrap()).unwrap();
}

#[test]
fn a_run_goes_on_with_any_number_of_processes_and_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, _) in LINES {
        let (expected, status) = alone(folder, line);
        let begins = [
            format!("raddle launch --processes 3 -- {line}"),
            format!("raddle launch --processes 2 --workers 2 -- {line}"),
            format!("{line} --workers 1"),
        ];
        for begin in begins {
            run(folder, &format!("{begin} --checkpoint-every 4 --out run --force"));
            assert!(report(&folder.join("run"))["checkpoints"]["count"].as_u64().unwrap() >= 2, "{begin}");
            let program = line.split(' ').next().unwrap();
            // For the Lasso, epochs are a limit: of one sitting.
            let more = if program == "lasso" { " --epochs 30" } else { "" };
            for go_on in [
                format!("{program} fit --resume copy --workers 2{more}"),
                format!("raddle launch --processes 3 --resume copy -- {program} fit{more}"),
                format!("raddle launch --processes 1 --workers 3 -- {program} fit --resume copy{more}"),
            ] {
                step_back(folder, "run", "copy");
                let ran = run(folder, &go_on);
                assert_eq!(ran.code, status, "{begin}, then {go_on}: {}", ran.err);
                assert_eq!(digest(&folder.join("copy")), expected, "{begin}, then {go_on}: {}", ran.err);
            }
        }
    }
}
