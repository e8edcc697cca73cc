//! Live pools, whose jobs are processes: [`Processes`] starts them, receives their events, and ends them.
//!
//! No other module of this crate uses threads or clocks.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "jobs are processes, which threads hear and a clock watches; no algorithm is here"
)]

mod child;
mod leftover;
mod processes;
mod signals;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use self::leftover::end_leftovers;
pub use self::processes::{Places, Processes};

/// Waits a moment, before a folder is looked at again.
pub fn pause() {
    std::thread::sleep(Duration::from_millis(200));
}

/// Seconds since the beginning of 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
