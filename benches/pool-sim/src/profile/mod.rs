//! Jobs by profiles of finished runs: speeds by workers, and the number of epochs.

mod job;
mod synthetic;

pub use self::job::submitted;
pub(crate) use self::synthetic::synthetic;
