//! Changes of ratings, in terms of users and items.

use raddle::changes::{Key, Record};
use serde::{Deserialize, Serialize};

/// The kinds of keys that a rating has.
pub(super) const USER: u8 = 0;
pub(super) const ITEM: u8 = 1;

/// A rating in the live view: its user and its item, by row.
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

/// A change of ratings, by the ids of the data.
#[derive(Debug, Clone, PartialEq)]
pub enum RatingChange {
    /// A user rates an item.
    Insert {
        /// Id of the user; an unknown id makes a new user.
        user: String,
        /// Id of the item; an unknown id makes a new item.
        item: String,
        /// The rating.
        value: f64,
    },
    /// The last rating of an item by a user is retracted; an earlier one counts again.
    Retract {
        /// Id of the user.
        user: String,
        /// Id of the item.
        item: String,
    },
    /// All ratings of a user are retracted.
    Forget {
        /// Id of the user.
        user: String,
    },
}
