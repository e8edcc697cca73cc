//! Launched runs in the background that suffer faults; and a proxy that cuts connections.

mod own;
mod proxy;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use self::own::OwnProcesses;
pub(crate) use self::proxy::{Flip, OneFlip, Proxy, Role, Tampering, free_port};
use crate::commands::{command, ends, pause, run};

/// Longest time that anything takes.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(60);

pub(crate) fn report(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("report.json")).unwrap()).unwrap()
}

pub(crate) fn digest(run: &Path) -> String {
    report(run)["model_digest"].as_str().unwrap().to_owned()
}

/// The digest and the status of a line that runs alone, undisturbed.
pub(crate) fn alone(folder: &Path, line: &str) -> (String, Option<i32>) {
    let ran = run(folder, &format!("{line} --workers 1 --out alone --force"));
    (digest(&folder.join("alone")), ran.code)
}

/// Every epoch takes this many times as long.
pub(crate) fn slow(folder: &Path, factor: u64) {
    fs::write(folder.join("slow"), format!("0 0 {factor}\n")).unwrap();
}

pub(crate) fn signal(process: &str, signal: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

/// `true` if a process is there, and not only its entry.
pub(crate) fn is_alive(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// A launched run in the background, in the folder `run`.
pub(crate) struct Launched {
    pub launcher: Child,
    said: BufReader<ChildStderr>,
    heard: String,
    pub run: PathBuf,
    /// Time of its start, or of the last line or epoch that was seen.
    moved: Instant,
}

impl Launched {
    pub(crate) fn begin(folder: &Path, line: &str) -> Self {
        Self::of(folder, command(folder, line))
    }

    pub(crate) fn of(folder: &Path, mut launch: Command) -> Self {
        let mut launcher = launch.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(launcher.stderr.take().unwrap());
        Self { launcher, said, heard: String::new(), run: folder.join("run"), moved: Instant::now() }
    }

    /// Number of epochs traced.
    pub(crate) fn epochs(&self) -> u64 {
        fs::read_to_string(self.run.join("trace.jsonl")).unwrap_or_default().lines().count() as u64
    }

    /// Waits until this number of epochs is traced.
    pub(crate) fn await_epoch(&mut self, epochs: u64) {
        let mut before = 0;
        loop {
            let traced = self.epochs();
            if traced > epochs {
                return;
            }
            assert!(self.launcher.try_wait().unwrap().is_none(), "it has ended: {}", self.rest());
            if traced > before {
                (before, self.moved) = (traced, Instant::now());
            }
            assert!(self.moved.elapsed() < WATCHDOG, "the run does not go on after {traced} epochs");
            pause();
        }
    }

    /// Waits for a line on stderr, and gives it.
    pub(crate) fn await_line(&mut self, with: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "`{with}` is never said: {}", self.heard);
            self.heard += &line;
            if line.contains(with) {
                return line;
            }
            assert!(self.moved.elapsed() < WATCHDOG, "`{with}` is not said: {}", self.heard);
            self.moved = Instant::now();
        }
    }

    /// The system's numbers of the processes, in their order.
    pub(crate) fn processes(&self) -> Vec<String> {
        let children = format!("/proc/{0}/task/{0}/children", self.launcher.id());
        fs::read_to_string(children).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    pub(crate) fn rest(&mut self) -> String {
        let mut line = String::new();
        while self.said.read_line(&mut line).unwrap() > 0 {}
        self.heard += &line;
        self.heard.clone()
    }

    /// The status and the text on stderr; `None` if the run has not ended in so long: then it is ended.
    pub(crate) fn end_within(mut self, at_most: Duration) -> Option<(Option<i32>, String)> {
        let since = Instant::now();
        while self.launcher.try_wait().unwrap().is_none() {
            if since.elapsed() > at_most {
                return None;
            }
            pause();
        }
        Some(self.end())
    }

    /// The status and the text on stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let said = self.rest();
        (self.launcher.wait().unwrap().code(), said)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // A test that fails leaves no process behind; a launcher that has ended is as it should be.
        let _ = self.launcher.kill();
        let _ = self.launcher.wait();
    }
}

pub(crate) fn launch(processes: usize, line: &str) -> String {
    format!("raddle launch --processes {processes} -- {line} --slowdown slow --out run --force")
}

/// Address at which a run listens, as soon as it does.
pub(crate) fn coordinator(run: &Path) -> std::net::SocketAddr {
    let began = Instant::now();
    loop {
        if let Some(address) = address(run) {
            return address;
        }
        assert!(began.elapsed() < WATCHDOG, "the coordinator never listens");
        pause();
    }
}

fn address(run: &Path) -> Option<std::net::SocketAddr> {
    let text = fs::read_to_string(run.join("coordinator")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("coordinator "))?.parse().ok()
}

impl Launched {
    /// Waits until this number of processes runs a generation, and gives their numbers.
    pub(crate) fn await_members(&self, count: usize) -> Vec<u64> {
        let folder = self.run.parent().unwrap();
        loop {
            assert!(self.moved.elapsed() < WATCHDOG, "there are never {count} processes");
            let status: Value =
                serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap();
            let members = status["members"].as_array().unwrap();
            if members.len() == count && members.iter().all(|member| member["state"] == "running") {
                return members.iter().map(|member| member["process"].as_u64().unwrap()).collect();
            }
            pause();
        }
    }
}

/// Waits until this number of processes run a generation of a run whose launcher may not listen yet.
pub(crate) fn await_running(folder: &Path, count: usize) {
    let began = Instant::now();
    loop {
        let said = run(folder, "raddle status run --json").out;
        let status: Value = serde_json::from_str(&said).unwrap_or_default();
        let members = status["members"].as_array().map(Vec::as_slice).unwrap_or_default();
        if members.iter().filter(|member| member["state"] == "running").count() == count {
            return;
        }
        assert!(began.elapsed() < WATCHDOG, "there are never {count} processes: {said}");
        pause();
    }
}

/// `raddle join` in the background.
pub(crate) struct Joined {
    join: Child,
    said: BufReader<ChildStderr>,
}

impl Joined {
    pub(crate) fn begin(folder: &Path, line: &str) -> Self {
        Self::of(command(folder, line))
    }

    pub(crate) fn of(mut join: Command) -> Self {
        let mut join = join.stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(join.stderr.take().unwrap());
        Self { join, said }
    }

    /// Kills the supervisor, and not its process.
    pub(crate) fn kill(&mut self) {
        self.join.kill().unwrap();
        self.join.wait().unwrap();
    }

    /// The system's number of the process that takes part in the run, once it is there.
    pub(crate) fn process(&self) -> String {
        let children = format!("/proc/{0}/task/{0}/children", self.join.id());
        let began = Instant::now();
        loop {
            if let Some(process) = fs::read_to_string(&children).unwrap().split_whitespace().next() {
                return process.to_owned();
            }
            assert!(began.elapsed() < WATCHDOG, "it starts no process");
            pause();
        }
    }

    /// Ends it, and returns what it has said since the last line that was waited for.
    pub(crate) fn said(mut self) -> String {
        let mut said = String::new();
        let _ = self.join.kill();
        self.said.read_to_string(&mut said).unwrap();
        said
    }

    /// Waits for a line on stderr.
    pub(crate) fn await_line(&mut self, with: &str) -> String {
        let mut line = String::new();
        while !line.contains(with) {
            line.clear();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "`{with}` is never said");
        }
        line
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        // Its process notices, or has ended; one that has been stopped does not.
        let children = format!("/proc/{0}/task/{0}/children", self.join.id());
        for process in fs::read_to_string(children).unwrap_or_default().split_whitespace() {
            let _ = Command::new("kill").args(["-KILL", process]).status();
        }
        let _ = self.join.kill();
        let _ = self.join.wait();
    }
}
