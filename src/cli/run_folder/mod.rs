//! The folder that is a run: its model, its trace and checkpoints, and the run's request.

pub(crate) mod begun;
pub(crate) mod folder;
mod identity;
pub(crate) mod life;
pub(crate) mod resume;
pub(crate) mod snapshot;
pub(crate) mod tail;

pub use identity::identity;
pub use resume::Free;
