//! [`Interrupt`]: the first Ctrl-C or SIGTERM ends a run with its model written, the second ends the process.

use std::io::Write as _;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use raddle::Stop;
use raddle::command_line_support::lock;

use super::exit::ExitStatus;
use crate::run_folder::folder;

/// Text on the first Ctrl-C during a run.
pub(super) const ONCE: &str = "interrupted: the run ends after this epoch, or cancels it if it takes long, \
                               and writes its model; Ctrl-C again ends the process at once";
/// Text on the second.
pub(super) const TWICE: &str = "interrupted again: the run ends at once, and its last epochs are not written";

/// Handler of Ctrl-C and SIGTERM. Before training the process ends at once, as there is nothing to lose. From
/// then on the run ends with its model written, at the next boundary or, if that is far, at the last one. A
/// second Ctrl-C ends the process at once.
#[derive(Debug, Default)]
pub struct Interrupt {
    stop: Stop,
    training: AtomicBool,
    /// Function that asks to leave the run, if it has other processes.
    leave: Leave,
}

#[derive(Default)]
struct Leave(Mutex<Option<Box<dyn Fn() + Send>>>);

impl std::fmt::Debug for Leave {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Leave")
    }
}

static HANDLER: LazyLock<Interrupt> = LazyLock::new(|| {
    // If the handler cannot be installed, Ctrl-C kills the process.
    let _ = ctrlc::set_handler(|| HANDLER.pressed());
    Interrupt::default()
});

impl Interrupt {
    /// Returns the handler of this process, installed at the first call.
    pub fn handler() -> &'static Self {
        &HANDLER
    }

    /// Notes that from now on there is a model to save. Returns the request that stops an engine.
    pub fn training(&self) -> Stop {
        self.training.store(true, Ordering::Relaxed);
        self.stop.clone()
    }

    /// `true` if the run was asked to end: programs that make several runs make no more of them.
    pub fn is_requested(&self) -> bool {
        self.stop.is_requested()
    }

    /// Makes the signal ask to leave the run, for one of several processes: only the launcher ends the run.
    pub(super) fn leave_by(&self, leave: impl Fn() + Send + 'static) {
        *lock(&self.leave.0) = Some(Box::new(leave));
    }

    fn pressed(&self) {
        if let Some(leave) = &*lock(&self.leave.0) {
            return leave();
        }
        let (trains, gently) = (self.training.load(Ordering::Relaxed), self.gently());
        let text = match (trains, gently) {
            (false, _) => "interrupted before the training began: nothing is written",
            (true, true) => ONCE,
            (true, false) => TWICE,
        };
        // No reader is left if stderr is closed.
        let _ = writeln!(std::io::stderr(), "{text}");
        // Another thread makes no folder until the process has ended.
        let _no_other = (!trains).then(folder::abandon);
        if !gently {
            process::exit(ExitStatus::Interrupted.code().into());
        }
    }

    /// Asks the run to end; returns `false` if there is none, or it was asked before.
    fn gently(&self) -> bool {
        let gently = self.training.load(Ordering::Relaxed) && !self.stop.is_requested();
        if gently {
            self.stop.request();
        }
        gently
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_during_training_is_gentle() {
        let interrupt = Interrupt::default();
        assert!(!interrupt.gently());
        assert!(!interrupt.is_requested());
        let stop = interrupt.training();
        assert!(interrupt.gently());
        assert!(stop.is_requested() && interrupt.is_requested());
        assert!(!interrupt.gently());
    }
}
