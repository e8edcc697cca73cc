//! The arrays of a file of ratings.

/// Name of each array, with the bytes of one number.
pub(super) const ARRAYS: [(&str, usize); 10] = [
    ("users", 4),
    ("items", 4),
    ("values", 4),
    ("times", 8),
    ("ratings of user", 4),
    ("ratings of item", 4),
    ("user ids", 4),
    ("item ids", 4),
    ("user names", 1),
    ("item names", 1),
];

pub(super) const USERS: usize = 0;
pub(super) const ITEMS: usize = 1;
pub(super) const VALUES: usize = 2;
pub(super) const TIMES: usize = 3;
/// Arrays for users, then for items.
pub(super) const COUNTS: [usize; 2] = [4, 5];
pub(super) const IDS: [usize; 2] = [6, 7];
pub(super) const NAMES: [usize; 2] = [8, 9];
