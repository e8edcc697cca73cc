//! [`Stop`]: asks a run to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a run to end after the epoch under way; clones ask the same run.
///
/// ```
/// let stop = raddle::Stop::default();
/// let handler = stop.clone();
/// handler.request(); // say, from a Ctrl-C handler
/// assert!(stop.is_requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Requested>);

/// Requests made so far.
#[derive(Debug, Default)]
struct Requested {
    stop: AtomicBool,
    now: AtomicBool,
}

impl Stop {
    /// Requests an end at the next boundary.
    pub fn request(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Asks the run to end between two rounds of the epoch under way. The model is then that of a part of an
    /// epoch, and no checkpoint is written there. A plan that is known for the whole epoch, whose changes
    /// become visible at the boundary, ends with its epoch all the same.
    pub fn request_now(&self) {
        self.0.now.store(true, Ordering::Relaxed);
        self.request();
    }

    /// `true` once an end is requested, at a boundary or at once.
    pub fn is_requested(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// `true` once an end between two rounds is requested.
    pub(crate) fn is_requested_now(&self) -> bool {
        self.0.now.load(Ordering::Relaxed)
    }
}
