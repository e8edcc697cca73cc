//! [`VersionOf`]: the version of its data that a model is of.

use serde::{Deserialize, Serialize};

/// Version of the data that a model is of, as in `model.json`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VersionOf {
    /// The number of the version; 0 before any change.
    pub data_version: u64,
    /// Epochs of the run up to it.
    pub epochs: u64,
}
