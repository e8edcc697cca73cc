//! Signals to processes, where the system has them.

/// Signal to processes.
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
        // One that is gone needs none.
        let _ = kill_process_group(leader, signal);
    }
}

#[cfg(not(unix))]
pub(super) fn signal_group(_: u32, _: Signal) {}

/// Ends a process, whoever started it.
#[cfg(unix)]
pub(super) fn kill(process: u32) {
    use rustix::process::{Pid, Signal as Known, kill_process};
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // One that is gone needs none.
        let _ = kill_process(process, Known::KILL);
    }
}

#[cfg(not(unix))]
pub(super) fn kill(_: u32) {}
