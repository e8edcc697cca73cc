//! The arrays of a file of ratings, and the facts stored with them.

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::Pieces;
use crate::metadata::metadata;
use crate::ratings::Ratings;
use crate::records::RecordCounts;

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

/// How the ids of users or of items are stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum StoredIds {
    Dense(u32),
    /// As numbers, in the array of ids.
    Integers,
    /// As texts, in the array of names one after another; the array of ids has their lengths.
    Names,
}

/// Facts stored with the arrays of a file of ratings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RatingsFacts {
    pub(super) users: StoredIds,
    pub(super) items: StoredIds,
    pub(super) timed: bool,
    #[serde(flatten)]
    pub(super) described: Described,
}

metadata! {
    /// Metadata of the ratings; see [`Ratings`].
    Described of Ratings {
        offset: f64,
        pairs_only: bool,
        duplicates: usize,
        format: String,
        records: RecordCounts,
        notes: Vec<String>,
    }
}

/// Checks that the arrays of a file fit its facts.
pub(super) fn fits(pieces: &Pieces, about: &RatingsFacts) -> Option<bool> {
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let same = count(USERS) == count(VALUES) && count(ITEMS) == count(VALUES);
    let timed = count(TIMES) == if about.timed { count(VALUES) } else { 0 };
    Some(same && timed)
}
