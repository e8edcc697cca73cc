//! [`Extent`]: the number of ratings, and the bounds of their rows.

use super::rating::Rating;
use super::ratings::Ratings;

/// Number and bounds of ratings that are given in pieces.
pub(super) struct Extent {
    pub(super) count: usize,
    /// One more than the largest row of a user, and of an item; 0 if there is none.
    pub(super) users: usize,
    pub(super) items: usize,
    /// `true` if users are in ascending order.
    pub(super) by_user: bool,
}

impl Extent {
    pub(super) fn of(pieces: &[Ratings]) -> Self {
        let count: usize = pieces.iter().map(|piece| piece.len()).sum();
        let (mut last_user, mut last_item, mut by_user) = (0, 0, true);
        for &Rating { user, item, .. } in pieces.iter().flat_map(|piece| piece.iter()) {
            by_user &= last_user <= user;
            (last_user, last_item) = (last_user.max(user), last_item.max(item));
        }
        let [users, items] =
            [last_user, last_item].map(|last| if count == 0 { 0 } else { usize::from(last) + 1 });
        Self { count, users, items, by_user }
    }
}
