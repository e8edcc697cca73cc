//! [`Started`]: a running program, for tests that send it signals.

use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use super::{Program, Ran};

/// A running program; it is killed when dropped.
#[derive(Debug)]
pub struct Started {
    child: Child,
    said: Lines<BufReader<ChildStderr>>,
    lines: Vec<String>,
}

impl Program<'_> {
    /// Checks that SIGTERM ends the program at once while it waits for standard input: with status 130, and
    /// without leaving the folder `out` that the line names.
    pub fn ends_while_it_reads(self, folder: &Path, line: &str, out: &str) {
        let mut reading = self.start(folder, line);
        reading.until_it_handles(15).signal("-TERM");
        let ran = reading.end();
        assert_eq!(ran.code, Some(130), "{line}: {}", ran.err);
        assert!(ran.err.contains("before the training began: nothing is written"), "{line}: {}", ran.err);
        assert!(!folder.join(out).exists(), "{line}");
    }

    /// Starts the program with a line of arguments, in a folder. Its standard input is open and empty.
    pub fn start(self, folder: &Path, line: &str) -> Started {
        let mut command = self.command(folder, line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap()).lines();
        Started { child, said, lines: Vec::new() }
    }
}

impl Started {
    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line on stderr that starts with this text.
    pub fn until(&mut self, beginning: &str) -> &mut Self {
        let is_it = |line: &String| line.starts_with(beginning);
        while !self.lines.last().is_some_and(is_it) {
            let line = self.said.next();
            let line = line.unwrap_or_else(|| panic!("it ended without `{beginning}`: {:?}", self.lines));
            self.lines.push(line.unwrap());
        }
        self
    }

    /// Waits until the process handles a signal itself: `signal` is its bit in the mask that the system
    /// shows.
    pub fn until_it_handles(&mut self, signal: u32) -> &mut Self {
        let handled = || {
            let status =
                std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
            u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & (1 << (signal - 1)) != 0)
        };
        while !handled() {
            std::thread::yield_now();
        }
        self
    }

    /// Sends a signal, such as `-TERM`.
    pub fn signal(&mut self, signal: &str) -> &mut Self {
        let sent = Command::new("kill").args([signal, &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self
    }

    /// Waits for the program to end.
    pub fn end(mut self) -> Ran {
        for line in &mut self.said {
            self.lines.push(line.unwrap());
        }
        let mut out = String::new();
        if let Some(mut from) = self.child.stdout.take() {
            std::io::Read::read_to_string(&mut from, &mut out).unwrap();
        }
        let code = self.child.wait().unwrap().code();
        Ran { code, out, err: self.lines.join("\n") }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // The process may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
