//! [`RatingsOptions`]: how to read ratings.

use super::duplicates::Duplicates;
use super::format::RatingsFormat;
use super::precision::Spread;
use crate::dialect::Dialect;

/// How to read ratings.
#[derive(Clone, Debug)]
pub struct RatingsOptions {
    /// The format; `None` recognises it by the content.
    pub format: Option<RatingsFormat>,
    /// The columns of user, item and, if there are, rating and time: names of the header, or numbers from 1.
    /// `None` takes those that a header names, else the first three.
    pub columns: Option<Vec<String>>,
    /// Value of a pair that is observed more than once. `None` is the [usual](Duplicates::or_usual) rule:
    /// pairs without ratings add up, and of ratings the last counts.
    pub duplicates: Option<Duplicates>,
    /// Leaves all observations of a pair as they stand, for whoever merges them later
    /// ([`Duplicates::merge`]). In memory, where their times are asked for, those of each pair are put into
    /// the order of these.
    pub keep_repeated: bool,
    /// How text is written, and how its bytes are letters.
    pub dialect: Dialect,
    /// `true` if [`Ratings::times`](super::Ratings::times) are read: of the fourth of `columns`, else of the
    /// column that a header names so, else of the fourth.
    pub times: bool,
    /// `true` if lines without a rating, or without an id, are left out and counted; else they are refused.
    pub drops_missing: bool,
    /// The number that ratings are less ([`Ratings::offset`](super::Ratings::offset)), if it is known; 0
    /// leaves them as they are. `None` finds out.
    pub offset: Option<f64>,
    /// `true` if ratings are kept in double precision, too ([`Ratings::exact`](super::Ratings::exact)).
    pub keeps_exact: bool,
    /// How many threads may compute; the result is the same for any number.
    pub threads: usize,
}

impl Default for RatingsOptions {
    fn default() -> Self {
        Self {
            format: None,
            columns: None,
            duplicates: None,
            keep_repeated: false,
            dialect: Dialect::default(),
            times: false,
            drops_missing: false,
            offset: None,
            keeps_exact: false,
            threads: 1,
        }
    }
}

impl RatingsOptions {
    /// The rule for pairs that are observed more than once.
    pub(crate) fn rule(&self, pairs_only: bool) -> Duplicates {
        Duplicates::or_usual(self.duplicates, pairs_only)
    }

    /// `true` if ratings are read in double precision: where they are kept so, added up, or less a number.
    pub(super) fn is_wide(&self, pairs_only: bool) -> bool {
        let are_added = !self.keep_repeated && !pairs_only && self.rule(pairs_only).adds();
        self.keeps_exact || are_added || self.offset.is_some_and(|offset| offset != 0.0)
    }

    /// `true` if ratings that were narrowed must be read again in double precision: they may have to be less
    /// a number.
    pub(super) fn is_read_again(&self, narrowed: &Spread, is_wide: bool) -> bool {
        !is_wide && self.offset.is_none() && narrowed.centre().is_some()
    }

    /// The same for ratings of which others of their pair are gone: what is left may lie nearer together.
    pub(super) fn is_merged_again(&self, narrowed: &Spread, left: &Spread) -> bool {
        self.offset.is_none() && !narrowed.still_holds(left)
    }
}
