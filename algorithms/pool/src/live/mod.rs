//! Pools whose jobs are processes: [`Processes`] starts them, hears them, and ends them.
//!
//! Nothing else here knows of threads or clocks.

mod child;
mod leftover;
mod processes;

pub use self::leftover::end_leftovers;
pub use self::processes::{Places, Processes};
