//! Jobs by profiles of finished runs: speeds by workers, and the number of epochs.

mod job;
mod synthetic;

pub use self::job::{Profile, Profiles};
pub(super) use self::synthetic::synthetic;
