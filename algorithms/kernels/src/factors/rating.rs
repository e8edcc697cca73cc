//! [`Rating`]: one rating of a cell.

/// A rating inside a cell: rows of the shard and of the block, and the value for training.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Rating {
    /// The user's row in the shard.
    pub user: u16,
    /// The item's row in the block.
    pub item: u16,
    /// The rating less the mean, in standard deviations.
    pub value: f32,
}

/// `true` if two ratings may be one step: their user's row changes once for both, and no other row twice.
pub(super) fn pair(a: Rating, b: Rating) -> bool {
    a.user == b.user && a.item != b.item
}
