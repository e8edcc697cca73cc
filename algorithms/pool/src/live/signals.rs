//! Signals to processes, on systems that have them.

use std::thread;
use std::time::{Duration, Instant};

/// Timeout for the system to end a group, which is checked every `PAUSE`.
const MOMENT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(5);

/// Signal to a process.
pub(super) enum Signal {
    Term,
    Kill,
}

/// Sends a signal to the group that a process leads.
#[cfg(unix)]
pub(super) fn signal_group(leader: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as Known, kill_process_group};
    let signal = match signal {
        Signal::Term => Known::TERM,
        Signal::Kill => Known::KILL,
    };
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // A process that is gone needs no signal.
        let _ = kill_process_group(leader, signal);
    }
}

#[cfg(not(unix))]
pub(super) fn signal_group(_: u32, _: Signal) {}

/// Kills the group that a process led, and waits a moment until it is empty.
pub(super) fn end_group(leader: u32) {
    signal_group(leader, Signal::Kill);
    let began = Instant::now();
    while is_there(leader) && began.elapsed() < MOMENT {
        thread::sleep(PAUSE);
    }
}

/// `true` if the group that a process led has members.
#[cfg(unix)]
fn is_there(leader: u32) -> bool {
    let leader = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw);
    leader.is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_ok())
}

#[cfg(not(unix))]
fn is_there(_: u32) -> bool {
    false
}

/// Kills a process, whoever started it.
#[cfg(unix)]
pub(super) fn kill(process: u32) {
    use rustix::process::{Pid, Signal as Known, kill_process};
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // A process that is gone needs no signal.
        let _ = kill_process(process, Known::KILL);
    }
}

#[cfg(not(unix))]
pub(super) fn kill(_: u32) {}
