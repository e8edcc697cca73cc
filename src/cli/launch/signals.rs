//! Signals to a launcher: Ctrl-C, and SIGUSR1.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use raddle::cluster::Remote;

use super::children::Children;
use super::lines::note;
use crate::exit::ExitStatus;
use crate::interrupt::{ONCE, TWICE};

/// Handles Ctrl-C. The first one ends the run at its next boundary, or at the last one if the next is far.
/// The second one ends the run at once, and so does the first one before the run has started.
pub(super) fn on_interrupt(remote: Remote, children: Arc<Mutex<Children>>, begun: Arc<AtomicBool>) {
    let mut pressed = false;
    // If the handler cannot be installed, Ctrl-C kills the launcher, and the processes notice that it is
    // gone.
    let _ = ctrlc::set_handler(move || {
        if std::mem::replace(&mut pressed, true) {
            note(TWICE);
            if let Ok(children) = children.try_lock() {
                children.kill();
            }
            std::process::exit(ExitStatus::Interrupted.code().into());
        }
        note(match begun.load(Ordering::Acquire) {
            true => ONCE,
            false => "interrupted: the run has not started, and ends at once",
        });
        remote.stop();
    });
}

/// Handles SIGUSR1, which asks for a checkpoint of the next boundary, as a job scheduler does before it takes
/// a machine back.
#[cfg(unix)]
pub(super) fn on_user_signal(remote: Remote, folder: Option<&Path>) {
    use signal_hook::consts::SIGUSR1;
    use signal_hook::iterator::Signals;

    // If the handler cannot be installed, the signal has the system's effect.
    let Ok(mut signals) = Signals::new([SIGUSR1]) else { return };
    let has_folder = folder.is_some();
    let hear = move || {
        for _ in signals.forever() {
            if has_folder {
                note("asked for a checkpoint: it is written after this epoch");
                remote.checkpoint();
            } else {
                note("asked for a checkpoint, and the run has no folder for it: give PROGRAM --out");
            }
        }
    };
    // Without a thread for it, the signal has no effect.
    let _ = std::thread::Builder::new().name("raddle:signals".into()).spawn(hear);
}

#[cfg(not(unix))]
pub(super) fn on_user_signal(_: Remote, _: Option<&Path>) {}
