//! The folder that is a run: its files, the one commit that puts a model in it, and the run's request.

pub(crate) mod atomic;
pub(crate) mod begun;
pub(crate) mod commit;
pub(crate) mod folder;
mod identity;
pub(crate) mod manifest;
pub(crate) mod model;
pub(crate) mod resume;
pub(crate) mod store;

pub use atomic::{is_place_of_a_file, write_atomic};
pub use identity::identity;
pub use model::ModelFolder;
pub use resume::Free;
pub use store::Out;
