//! [`Away`]: the `raddle join` that a launcher starts by ssh on each machine of a run, and starts again where
//! it is lost.
//!
//! No process outlives the launcher there. `raddle join` reads its token from stdin, and leaves the run when
//! stdin ends, which it does when the launcher or the connection is gone. The ssh command is tied to the
//! launcher in the same way ([`tie`](super::tie)).

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use raddle::cluster::{Remote, Token};
use raddle::command_line_support::lock;

use super::children::ended;
use super::hosts::Host;
use super::lasting::{Cause, NO_FOLDER, cause};
use super::lines::{Lines, POLL};
use super::tie::{TIE, Tied};
use crate::exit::Error;

/// Pauses before a machine is tried again, the first and the longest: each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// An ssh command that lasts this long has connected: the machine is there.
const SETTLED: Duration = Duration::from_secs(15);

/// Settings of ssh and of `raddle join` that are the same for all machines.
pub(super) struct SshSettings {
    /// The command that runs another one on a machine, in words: `ssh` and its options.
    pub(super) ssh: String,
    /// Arguments of `raddle join` after its address.
    pub(super) arguments: Vec<String>,
    /// The address that the machines reach.
    pub(super) address: String,
    pub(super) token: Token,
    /// Time for which a machine that cannot be reached is retried.
    pub(super) wait: Duration,
    /// Time within which every process of the run ends once its launcher is dead.
    pub(super) deadline: Duration,
    /// Number of processes that the run starts with.
    pub(super) needed: usize,
}

/// The commands that run `raddle join` on other machines.
pub(super) struct Away {
    shared: Arc<Shared>,
    keeping: Vec<JoinHandle<()>>,
}

struct Shared {
    way: SshSettings,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// `true` once no machine is retried.
    is_over: bool,
    /// Number of processes with which the run can still start.
    possible: usize,
    /// Stdin of the ssh of each machine: its process leaves the run once that is closed.
    ties: Vec<Option<ChildStdin>>,
}

impl Away {
    /// Starts `raddle join` on each machine, in addition to the `own` processes of the launcher. A machine
    /// that cannot take part for a lasting cause, such as a missing program, is reported; if too few remain,
    /// the run ends before it has started. A machine that is lost, or not there yet, is retried after growing
    /// pauses.
    pub(super) fn start(
        hosts: Vec<Host>,
        own: usize,
        way: SshSettings,
        remote: &Remote,
    ) -> Result<Self, Error> {
        let here =
            std::env::current_dir().map_err(|why| Error::failed(format!("the folder of raddle: {why}")))?;
        let ties = hosts.iter().map(|_| None).collect();
        let state = Mutex::new(State { is_over: false, possible: own + hosts.len(), ties });
        let shared = Arc::new(Shared { way, state, changed: Condvar::new() });
        let mut away = Self { shared: Arc::clone(&shared), keeping: Vec::new() };
        for (number, host) in hosts.into_iter().enumerate() {
            let line = shared.way.line(&host, &here)?;
            let machine = Machine { shared: Arc::clone(&shared), number, line, host, remote: remote.clone() };
            let keeping = thread::Builder::new().name("raddle:host".into()).spawn(move || machine.keep());
            away.keeping.push(keeping.map_err(|why| Error::failed(format!("no thread for a host: {why}")))?);
        }
        Ok(away)
    }

    /// Waits at most this long for all commands to end, and kills those that have not.
    pub(super) fn end(&mut self, at_most: Duration) {
        let until = Instant::now() + at_most;
        self.shared.end();
        while Instant::now() < until && !self.keeping.iter().all(JoinHandle::is_finished) {
            thread::sleep(POLL);
        }
        lock(&self.shared.state).ties.iter_mut().for_each(|tie| drop(tie.take()));
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        // The processes there leave by themselves, and the commands end after them.
        self.end(Duration::ZERO);
    }
}

impl Shared {
    fn end(&self) {
        lock(&self.state).is_over = true;
        self.changed.notify_all();
    }

    /// Waits this long, or until all is over; returns `true` if it is.
    fn pause(&self, seconds: Duration) -> bool {
        let state = lock(&self.state);
        let waited = self.changed.wait_timeout_while(state, seconds, |state| !state.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }
}

impl SshSettings {
    /// Returns the words of the command that runs `raddle join` on a machine.
    fn line(&self, host: &Host, here: &Path) -> Result<Vec<String>, Error> {
        let program =
            std::env::current_exe().map_err(|why| Error::failed(format!("the path of raddle: {why}")))?;
        let folder = host.folder.as_deref().unwrap_or(here);
        let mut words = vec![program.display().to_string(), "join".into(), self.address.clone()];
        words.extend(["--token-file", "-", "--workers"].map(str::to_owned));
        words.push(host.workers.to_string());
        words.extend(self.arguments.iter().cloned());
        let there: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let folder = quoted(&folder.display().to_string());
        let there = format!("cd {folder} || exit {NO_FOLDER}; exec {}", there.join(" "));
        let mut line: Vec<String> = self.ssh.split_whitespace().map(str::to_owned).collect();
        if line.is_empty() {
            return Err(Error::usage("--ssh: give a command"));
        }
        line.extend([host.name.clone(), there]);
        Ok(line)
    }
}

/// State of the thread that keeps a process of the run on a machine.
struct Machine {
    shared: Arc<Shared>,
    number: usize,
    host: Host,
    line: Vec<String>,
    remote: Remote,
}

impl Machine {
    /// Starts `raddle join` again and again, until the run is over or the machine cannot take part.
    fn keep(&self) {
        let mut absence = Absence::new(Instant::now());
        loop {
            let began = Instant::now();
            let (code, how, said) = match self.carry_out() {
                Ok(Some((status, said))) => {
                    let (code, _, how) = ended(status);
                    (code, how, said)
                }
                Ok(None) => return,
                Err(why) => return self.give_up(1, format!("{}: raddle tie: {why}", self.host.name)),
            };
            if code == 0 || lock(&self.shared.state).is_over {
                return;
            }
            let name = &self.host.name;
            let Cause { what, is_lasting } = cause(code, &said);
            let last = said.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
            let why = format!("{name}: {what}: {}", last.unwrap_or(&how));
            if is_lasting {
                return self.give_up(2, why);
            }
            let Some(pause) = absence.pause(began, Instant::now(), self.shared.way.wait) else {
                let seconds = self.shared.way.wait.as_secs_f64();
                return self.give_up(1, format!("{why}: not tried again after {seconds} s (--wait)"));
            };
            let again = format!("{why}: tried again in {} s", pause.as_secs());
            self.remote.absent(name, Some(again));
            if self.shared.pause(pause) {
                return;
            }
        }
    }

    /// Reports that the machine cannot take part: the run ends with this status if it has not started and too
    /// few machines are left.
    fn give_up(&self, code: i32, why: String) {
        let is_enough = {
            let mut state = lock(&self.shared.state);
            state.possible -= 1;
            state.possible >= self.shared.way.needed
        };
        if is_enough { self.remote.note(why) } else { self.remote.not_coming(code, why) }
    }

    /// Starts the command and waits for its end; returns its status and its last lines, `None` if all is
    /// over.
    fn carry_out(&self) -> io::Result<Option<(ExitStatus, Vec<String>)>> {
        let Some((mut child, lines)) = self.start()? else { return Ok(None) };
        let began = Instant::now();
        let mut status = None;
        while status.is_none() && began.elapsed() < SETTLED {
            status = child.try_wait()?;
            if status.is_none() {
                thread::sleep(POLL);
            }
        }
        let status = match status {
            Some(status) => status,
            None => {
                self.remote.absent(&self.host.name, None);
                child.wait()?
            }
        };
        lock(&self.shared.state).ties[self.number] = None;
        Ok(Some((status, lines.map(Lines::take).unwrap_or_default())))
    }

    fn start(&self) -> io::Result<Option<(Child, Option<Lines>)>> {
        let mut state = lock(&self.shared.state);
        if state.is_over {
            return Ok(None);
        }
        // Half of the deadline is for the command to end by itself.
        let timeout = self.shared.way.deadline.as_secs_f64() / 2.0;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([TIE, &timeout.to_string(), Tied::Input.word()]).args(&self.line);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C reaches the launcher alone, which passes it on.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let mut tie = child.stdin.take();
        if let Some(tie) = &mut tie {
            // If the command has ended already, its status says so.
            let _ = writeln!(tie, "{}", self.shared.way.token.text());
        }
        state.ties[self.number] = tie;
        let lines = child.stderr.take().map(|said| Lines::pass_on(self.host.name.clone(), said));
        Ok(Some((child, lines)))
    }
}

/// Time for which a machine has been absent, and the pause before it is retried.
struct Absence {
    since: Instant,
    next: Duration,
}

impl Absence {
    fn new(now: Instant) -> Self {
        Self { since: now, next: PAUSES.0 }
    }

    /// Returns the pause after an attempt that started at `began` and has just ended; `None` if it would
    /// last beyond `wait`. A machine that was there in the meantime is absent from now on.
    fn pause(&mut self, began: Instant, now: Instant, wait: Duration) -> Option<Duration> {
        if now - began > SETTLED {
            *self = Self::new(now);
        }
        let pause = self.next;
        self.next = (2 * pause).min(PAUSES.1);
        (now - self.since + pause <= wait).then_some(pause)
    }
}

/// Quotes a word so that a shell takes it as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    #[test]
    fn a_machine_that_was_there_for_long_is_waited_for_as_a_new_one() {
        let (start, wait) = (Instant::now(), Duration::from_secs(60));
        let (at, seconds) = (|second: u64| start + Duration::from_secs(second), Duration::from_secs);
        let mut absence = Absence::new(start);
        // Attempts that fail at once, each after the pause of the one before.
        for (second, pause) in [(0, 1), (1, 2), (3, 4), (7, 8), (15, 16)] {
            assert_eq!(absence.pause(at(second), at(second), wait), Some(seconds(pause)));
        }
        // One that was there for an hour.
        for (second, pause) in [(3631, 1), (3632, 2), (3634, 4), (3638, 8), (3646, 16)] {
            let began = if second == 3631 { at(31) } else { at(second) };
            assert_eq!(absence.pause(began, at(second), wait), Some(seconds(pause)));
        }
        // The next pause would end 61 s after the loss.
        assert_eq!(absence.pause(at(3662), at(3662), wait), None);
    }

    #[test]
    fn words_come_through_a_shell_as_they_are() {
        for word in ["plain", "two words", "it's", "$HOME; `ls` \"x\" \\"] {
            let said =
                Command::new("sh").args(["-c", &format!("printf %s {}", quoted(word))]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), word);
        }
    }
}
