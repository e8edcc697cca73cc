//! [`Key`]: what records belong to.

use serde::{Deserialize, Serialize};

/// Something that records belong to, such as a user, an item or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Its kind, as the program numbers them.
    pub kind: u8,
    /// Its number among those of its kind.
    pub number: u32,
}

impl Key {
    /// The key of this kind and number.
    pub fn new(kind: u8, number: u32) -> Self {
        Self { kind, number }
    }
}
