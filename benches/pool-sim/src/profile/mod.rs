//! Jobs from profiles of finished runs, which have speeds by workers and numbers of epochs.

mod job;
mod synthetic;

pub use self::job::submitted;
pub(crate) use self::synthetic::synthetic;
