//! [`Place`]: where a word is.

/// The place of a word: its block, and its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) at: u32,
}
