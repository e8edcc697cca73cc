//! `raddle tie SECONDS HOW COMMAND...`: runs a command that does not outlive the process that started it. The
//! verb is not for users: a launcher starts ssh by it, and a pool its jobs.
//!
//! The command is asked to end once stdin ends, because the other end was closed or is dead. If the command
//! has not ended SECONDS later, as an ssh whose network is gone, it is killed with its group. HOW names the
//! stdin of the command: with `input` that is the stdin of this process, and its end is the request to end;
//! with `nothing` it is empty, and SIGTERM is the request.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::children::ended;
use crate::exit::{Error, ExitStatus};

/// The word after `raddle`.
pub const TIE: &str = "tie";
/// Standard input of a tied command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tied {
    /// The standard input of this process.
    Input,
    /// Empty input.
    Nothing,
}

impl Tied {
    /// Returns the word for HOW.
    pub fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Nothing => "nothing",
        }
    }
}

/// Runs the command that follows the seconds and the kind of input, and returns its exit status.
pub(super) fn tie(mut line: impl Iterator<Item = OsString>) -> Result<u8, Error> {
    let usage = || Error::usage("tie: give seconds, input or nothing, and a command; a launcher does");
    let seconds = line.next().and_then(|word| word.to_str()?.parse().ok());
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(usage)?;
    let how = line.next().ok_or_else(usage)?;
    let tied = [Tied::Input, Tied::Nothing].into_iter().find(|tied| how == tied.word()).ok_or_else(usage)?;
    let program = line.next().ok_or_else(usage)?;
    // Signals to the group are for the command: this process ends after it, and ignores them from before it
    // starts.
    let _ = ctrlc::set_handler(|| ());
    let mut command = Command::new(&program);
    command.args(line).stdin(if tied == Tied::Input { Stdio::piped() } else { Stdio::null() });
    let refuse = |why: io::Error| match tied {
        Tied::Input => Error::usage(format!("--ssh {}: {why}", program.display())),
        Tied::Nothing => Error::usage(format!("{}: cannot be started: {why}", program.display())),
    };
    let mut child = command.spawn().map_err(refuse)?;
    let input = child.stdin.take();
    let passing = move || {
        let mut from = io::stdin().lock();
        if let Some(mut input) = input {
            // A command that has closed its stdin may still run.
            let _ = io::copy(&mut from, &mut input);
        }
        let _ = io::copy(&mut from, &mut io::sink());
        if tied == Tied::Nothing {
            signal_group(Ends::Asked);
        }
        // This process ends with the command, if that ends before.
        thread::sleep(timeout);
        signal_group(Ends::Killed);
    };
    thread::Builder::new().name("raddle:input".into()).spawn(passing).map_err(refuse)?;
    let status = child.wait().map_err(refuse)?;
    if status.code().is_none() && tied == Tied::Nothing {
        // The process that waits for the command sees a signal, too.
        signal_group(Ends::Killed);
    }
    Ok(u8::try_from(ended(status).0).unwrap_or(ExitStatus::Failed.code()))
}

/// Signal by which a group is ended.
enum Ends {
    Asked,
    Killed,
}

/// Signals the group of this process, which its parent has made for it, and so the command and all that the
/// command has started. Does nothing if this process leads no group.
#[cfg(unix)]
fn signal_group(how: Ends) {
    use rustix::process::{Signal, getpgrp, getpid, kill_process_group};

    if getpgrp() == getpid() {
        let signal = match how {
            Ends::Asked => Signal::TERM,
            Ends::Killed => Signal::KILL,
        };
        // The group exists, as this process is in it.
        let _ = kill_process_group(getpgrp(), signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_: Ends) {}
