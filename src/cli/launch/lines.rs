//! Lines on stderr: of the launcher, and of commands on other machines.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::ChildStderr;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use raddle::command_line_support::lock;

/// Lines kept of the stderr of a machine.
const KEPT: usize = 20;
/// Timeout for reading the last lines of a command that has ended.
const LAST_LINES: Duration = Duration::from_secs(1);
/// Interval at which a command is polled for its end.
pub(super) const POLL: Duration = Duration::from_millis(20);

/// Lines that a command writes to stderr, passed on with the name of its machine in front.
pub(super) struct Lines {
    last: Arc<Mutex<Vec<String>>>,
    reading: JoinHandle<()>,
}

impl Lines {
    pub(super) fn pass_on(name: String, said: ChildStderr) -> Self {
        let last: Arc<Mutex<Vec<String>>> = Arc::default();
        let into = Arc::clone(&last);
        let reading = thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                // No reader is left if stderr is closed.
                let _ = writeln!(io::stderr(), "{name}: {line}");
                let mut last = lock(&into);
                last.push(line);
                if last.len() > KEPT {
                    last.remove(0);
                }
            }
        });
        Self { last, reading }
    }

    /// Returns the last lines of a command that has ended, without waiting for processes that it left running
    /// and that hold stderr open.
    pub(super) fn take(self) -> Vec<String> {
        let until = Instant::now() + LAST_LINES;
        while !self.reading.is_finished() && Instant::now() < until {
            thread::sleep(POLL);
        }
        std::mem::take(&mut lock(&self.last))
    }
}

/// Writes a line of the launcher.
pub(super) fn note(text: &str) {
    // No reader is left if stderr is closed.
    let _ = writeln!(io::stderr(), "raddle: {text}");
}
