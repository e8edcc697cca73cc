//! [`RatingsFacts`]: facts stored with the arrays of a file of ratings.

use serde::{Deserialize, Serialize};

use super::arrays::{ARRAYS, ITEMS, TIMES, USERS, VALUES};
use super::ids::StoredIds;
use crate::arrays::pieces::Pieces;
use crate::records::RecordCounts;

/// Facts stored with the arrays of a file of ratings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RatingsFacts {
    pub(super) users: StoredIds,
    pub(super) items: StoredIds,
    pub(super) offset: f64,
    pub(super) pairs_only: bool,
    pub(super) duplicates: usize,
    pub(super) format: String,
    pub(super) records: RecordCounts,
    pub(super) notes: Vec<String>,
    pub(super) timed: bool,
}

/// Checks that the arrays of a file fit its facts.
pub(super) fn fits(pieces: &Pieces, about: &RatingsFacts) -> Option<bool> {
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let same = count(USERS) == count(VALUES) && count(ITEMS) == count(VALUES);
    let timed = count(TIMES) == if about.timed { count(VALUES) } else { 0 };
    Some(same && timed)
}
