//! Changes of ratings, and their effect.

use raddle::changes::{Key, Record};
use serde::{Deserialize, Serialize};

/// The kinds of keys that a rating has.
pub(super) const USER: u8 = 0;
pub(super) const ITEM: u8 = 1;

/// A rating as the view knows it: its user and its item, by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// The user's row.
    pub user: u32,
    /// The item's row.
    pub item: u32,
}

impl Record for Pair {
    type Id = (u32, u32);

    fn id(&self) -> (u32, u32) {
        (self.user, self.item)
    }

    fn keys(&self) -> Vec<(Key, u64)> {
        vec![(Key::new(USER, self.user), 1), (Key::new(ITEM, self.item), 1)]
    }
}

/// One change, by the ids of the data.
#[derive(Debug, Clone, PartialEq)]
pub enum RatingChange {
    /// A user rates an item.
    Insert {
        /// The user's id; a new one is a new user.
        user: String,
        /// The item's id; a new one is a new item.
        item: String,
        /// The rating.
        value: f64,
    },
    /// The last rating of an item by a user is taken back; one before it counts again.
    Retract {
        /// The user's id.
        user: String,
        /// The item's id.
        item: String,
    },
    /// All ratings of a user are taken back.
    Forget {
        /// The user's id.
        user: String,
    },
}
