//! [`PlaceOptions`]: how a place works.

use std::sync::Arc;

use crate::checkpoint::CheckpointWriter;
use crate::run::cancellation::Cancellation;
use crate::run::fingerprints::Fingerprints;
use crate::run::merging::Merging;

/// Options of a place; no result depends on them.
#[derive(Debug, Clone)]
pub(crate) struct PlaceOptions {
    /// `true` if tasks that may run at the same time run in reverse order.
    pub(crate) reversed: bool,
    pub(crate) fingerprints: Fingerprints,
    pub(crate) merging: Merging,
    /// The writer of parts of a boundary that may become a checkpoint.
    pub(crate) checkpoints: Option<Arc<CheckpointWriter>>,
    pub(crate) cancellation: Arc<Cancellation>,
}
