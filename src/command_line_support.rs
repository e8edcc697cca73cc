//! Seam to the command line: what crate `raddle-cli` needs of the engine beyond its public interface. It is
//! no promise: names come and go with any version.

pub use crate::base::identity::Identity;
pub use crate::base::process::{cpu_seconds, peak_memory_bytes};
pub use crate::base::store::{Disk, Store};
pub use crate::base::sync::{into_inner, lock};
pub use crate::checkpoint::folder::remove as remove_checkpoint;
pub use crate::cluster::checkpoints::PROOF;
pub use crate::cluster::client::{LOST, built_from};
pub use crate::cluster::invitation::{FILE, INDEX, INVITATION, write_private};
pub use crate::cluster::net::addresses::{Address, Addresses};
pub use crate::cluster::parent_link::{attach, decline, remove_leftovers};
pub use crate::engine::parts::PreparationSeconds;
#[cfg(feature = "files")]
pub use crate::files::commit::NEXT as NEXT_MODEL;
#[cfg(feature = "files")]
pub use crate::files::manifest::{digest_of, digest_of_bytes};
#[cfg(feature = "files")]
pub use crate::files::model_folder::CARRIED;
#[cfg(feature = "files")]
pub use crate::files::new_model::{
    ATTEMPTS, CHANGES_LOG, CHECKPOINT, EXPLAINED, EarlierRun, LOCK, TRACE, hold_lock, remove_if_empty,
};
pub use crate::parties::bytes::random as random_bytes;
