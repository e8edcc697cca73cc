//! [`Traffic`]: messages that crossed as bytes.

use std::ops::AddAssign;

/// Messages that crossed as bytes: to another process or, in the serialized mode, to another thread. A shared
/// value counts once for each process that receives it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// Bytes of messages that carried a block: a part of `bytes`.
    pub(crate) block_bytes: u64,
}

crate::state!(Traffic { messages, bytes, block_bytes });

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.block_bytes += other.block_bytes;
    }
}
