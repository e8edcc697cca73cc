//! [`Stop`]: the request that a run end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Asks a run to end; clones ask the same run.
///
/// The run ends at the boundary of the current epoch, if that comes soon: within 0.3 s, or a twentieth of the
/// time that the run has taken. Otherwise the epoch is cancelled, and the run ends in the state of the last
/// boundary that it has kept (`Engine::stop`).
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
    /// Moment of the first one.
    at: OnceLock<Instant>,
    now: AtomicBool,
}

impl Stop {
    /// Requests an end at the next boundary, or before it if that is far.
    pub fn request(&self) {
        self.0.at.get_or_init(Instant::now);
    }

    /// Requests an end at once: the current epoch is cancelled.
    pub fn request_now(&self) {
        self.request();
        self.0.now.store(true, Ordering::Release);
    }

    /// `true` once an end is requested.
    pub fn is_requested(&self) -> bool {
        self.0.at.get().is_some()
    }

    /// Returns the moment of the first request.
    pub fn requested_at(&self) -> Option<Instant> {
        self.0.at.get().copied()
    }

    /// `true` once an end at once is requested.
    pub fn is_requested_now(&self) -> bool {
        self.0.now.load(Ordering::Acquire)
    }
}
