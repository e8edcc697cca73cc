//! Pools whose jobs are processes: [`Processes`] starts them, hears them, and ends them.
//!
//! Nothing else here knows of threads or clocks.

mod child;
mod leftover;
mod processes;

use std::time::{SystemTime, UNIX_EPOCH};

pub use self::leftover::end_leftovers;
pub use self::processes::{Places, Processes};

/// Seconds from the beginning of 1970 to now.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
