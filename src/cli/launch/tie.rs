//! `raddle tie SECONDS HOW COMMAND...`: runs a command that does not outlive whoever started it. It is no
//! verb for people: a launcher starts ssh by it, and a pool its jobs.
//!
//! The command is asked to end once the standard input does, because the other end was closed or is dead; if
//! it has not ended so many seconds later, as ssh where the network is gone, it is killed with its group. HOW
//! says what the command's own standard input is: `input`, this one, whose end is then the question; or
//! `nothing`, and SIGTERM is.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::children::ended;
use crate::cli::exit::{Error, ExitStatus};

/// The word behind `raddle`.
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
    /// The word of it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Nothing => "nothing",
        }
    }
}

/// Runs the command behind the seconds and the kind, and gives its exit status.
pub(super) fn tie(mut line: impl Iterator<Item = OsString>) -> Result<u8, Error> {
    let usage = || Error::usage("tie: give seconds, input or nothing, and a command; a launcher does");
    let seconds = line.next().and_then(|word| word.to_str()?.parse().ok());
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(usage)?;
    let how = line.next().ok_or_else(usage)?;
    let tied = [Tied::Input, Tied::Nothing].into_iter().find(|tied| how == tied.word()).ok_or_else(usage)?;
    let program = line.next().ok_or_else(usage)?;
    // Signals to the group are the command's: this process ends behind it, and is deaf before it starts.
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
            // A command that reads no more is not the end of what is passed on.
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
        // Who waits for the command sees a signal, too.
        signal_group(Ends::Killed);
    }
    Ok(u8::try_from(ended(status).0).unwrap_or(ExitStatus::Failed.code()))
}

/// How a group is ended.
enum Ends {
    Asked,
    Killed,
}

/// Ends the group of this process, which whoever has started it has made for it, and so the command and what
/// that has started. Where it leads none, it ends nobody.
#[cfg(unix)]
fn signal_group(how: Ends) {
    use rustix::process::{Signal, getpgrp, getpid, kill_process_group};

    if getpgrp() == getpid() {
        let signal = match how {
            Ends::Asked => Signal::TERM,
            Ends::Killed => Signal::KILL,
        };
        // There is one, as this process is in it.
        let _ = kill_process_group(getpgrp(), signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_: Ends) {}
