//! [`Key`]: a thing that records belong to.

use serde::{Deserialize, Serialize};

/// A thing that records belong to, such as a user, an item or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The kind of thing, by the program's own numbers, such as 0 for users and 1 for items.
    pub kind: u8,
    /// Number of the thing among those of its kind.
    pub number: u32,
}

impl Key {
    /// The key of this kind and number.
    pub fn new(kind: u8, number: u32) -> Self {
        Self { kind, number }
    }

    /// Number of the key among those of all kinds, in their order.
    pub(super) fn code(self) -> u64 {
        u64::from(self.kind) << 32 | u64::from(self.number)
    }

    /// Key of this code.
    pub(super) fn of(code: u64) -> Self {
        Self { kind: (code >> 32) as u8, number: code as u32 }
    }
}
