//! [`VersionOf`]: the version of the data on which a model was fitted.

use serde::{Deserialize, Serialize};

/// Version of the data on which a model was fitted, as in `model.json`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VersionOf {
    /// The number of the version; 0 before any change.
    pub data_version: u64,
    /// Epochs of the run up to this version.
    pub epochs: u64,
}
