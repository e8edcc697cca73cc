//! [`Place`]: the position of a word.

/// The position of a word: its block, and its index in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) at: u32,
}
