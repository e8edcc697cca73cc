//! [`RatingsOptions`]: how to read ratings.

use super::duplicates::Duplicates;
use super::format::RatingsFormat;
use crate::dialect::Dialect;

/// How to read ratings.
#[derive(Clone, Debug)]
pub struct RatingsOptions {
    /// The format; `None` recognises it by the content.
    pub format: Option<RatingsFormat>,
    /// The columns of user, item and, if there are, rating and time: names of the header, or numbers from 1.
    /// `None` takes those that a header names, else the first three.
    pub columns: Option<Vec<String>>,
    /// Value of a pair that is observed more than once.
    pub duplicates: Duplicates,
    /// Leaves all observations of a pair as they stand, for whoever merges them later
    /// ([`Duplicates::merge`]). In memory, where their times are asked for, those of each pair are put into
    /// the order of these.
    pub keep_repeated: bool,
    /// How text is written, and how its bytes are letters.
    pub dialect: Dialect,
    /// `true` if [`Ratings::times`](super::Ratings::times) are read: of the fourth of `columns`, else of the
    /// column that a header names so, else of the fourth.
    pub times: bool,
    /// How many threads may compute; the result is the same for any number.
    pub threads: usize,
}

impl Default for RatingsOptions {
    fn default() -> Self {
        Self {
            format: None,
            columns: None,
            duplicates: Duplicates::Last,
            keep_repeated: false,
            dialect: Dialect::default(),
            times: false,
            threads: 1,
        }
    }
}
