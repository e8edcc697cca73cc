//! [`RatingsOptions`]: options for reading ratings; [`RatingsFormat`], one of them.

use super::duplicates::Duplicates;
use super::precision::{Precision, Spread};
use crate::dialect::Dialect;
use crate::names::named;

/// Options for reading ratings.
#[derive(Clone, Debug, Default)]
pub struct RatingsOptions {
    /// The format; `None` recognises it from the content.
    pub format: Option<RatingsFormat>,
    /// The columns of user, item and, optionally, rating and time: names in the header, or numbers from 1.
    /// `None` takes those that the header names, else the first three.
    pub columns: Option<Vec<String>>,
    /// The rule for pairs that are observed more than once. `None` takes the [default](Duplicates::or_usual):
    /// pairs without ratings add up, and of ratings the last counts.
    pub duplicates: Option<Duplicates>,
    /// `true` to keep all observations of a pair, which the caller merges later ([`Duplicates::merge`]). In
    /// memory, if times are requested, the observations of each pair are sorted by time.
    pub keep_repeated: bool,
    /// The dialect of delimited text, and its encoding.
    pub dialect: Dialect,
    /// `true` to read [`Ratings::times`](super::Ratings::times): from the fourth of `columns`, else from the
    /// column that the header names so, else from the fourth.
    pub times: bool,
    /// Days after which a rating weighs half: each is multiplied by 1/2 to the power of its age over this,
    /// before the ratings of a pair are merged. The latest has the age 0. Needs `times`; ratings that are
    /// [stored](super::StoredRatings) or generated are not weighed.
    pub half_life: Option<f64>,
    /// `true` to leave out and count lines without a rating or an id; otherwise they are errors.
    pub drops_missing: bool,
    /// The number to subtract from ratings ([`Ratings::offset`](super::Ratings::offset)); 0 leaves them
    /// unchanged. `None` determines it from the data.
    pub offset: Option<f64>,
    /// `true` to keep ratings in double precision, too ([`Ratings::exact`](super::Ratings::exact)).
    pub keeps_exact: bool,
    /// Number of threads, 0 for one; the result is the same for any number.
    pub threads: usize,
}

impl RatingsOptions {
    /// Returns the rule for pairs that are observed more than once.
    pub(crate) fn rule(&self, pairs_only: bool) -> Duplicates {
        Duplicates::or_usual(self.duplicates, pairs_only)
    }

    /// Returns the precision in which ratings are read: double to be kept, added, or reduced by an offset.
    pub(super) fn precision(&self, pairs_only: bool) -> Precision {
        let are_added = !self.keep_repeated && !pairs_only && self.rule(pairs_only).adds();
        let is_double = self.keeps_exact
            || are_added
            || self.half_life.is_some()
            || self.offset.is_some_and(|offset| offset != 0.0);
        if is_double { Precision::Double } else { Precision::Single }
    }

    /// Returns `true` if ratings that were narrowed must be read again in double precision, as they may need
    /// an offset.
    pub(super) fn is_read_again(&self, narrowed: &Spread, precision: Precision) -> bool {
        precision == Precision::Single && self.offset.is_none() && narrowed.centre().is_some()
    }

    /// Returns the same for ratings of which others of their pair were merged away: those left may be closer
    /// together.
    pub(super) fn is_merged_again(&self, narrowed: &Spread, left: &Spread) -> bool {
        self.offset.is_none() && !narrowed.still_holds(left)
    }
}

/// A file format of ratings. Files may be compressed with gzip or zstd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingsFormat {
    /// A line for each rating: fields separated by tabs, `,`, `;`, `|`, `::` or blanks, with or without a
    /// header.
    Text,
    /// Matrix Market in coordinate format: users by items.
    MatrixMarket,
    /// Apache Parquet, in builds with the feature `parquet`: columns of users, items and, optionally, ratings
    /// and times.
    Parquet,
}

named! {
    RatingsFormat {
        Text = "text", Text = "csv", Text = "tsv", Text = "movielens", Text = "libmf", MatrixMarket = "mtx",
        Parquet = "parquet",
    }
    unknown
}

fn unknown(name: &str) -> String {
    let others = if cfg!(feature = "parquet") { ", mtx or parquet" } else { " or mtx" };
    format!("`{name}` is no format of ratings: choose text (csv, tsv, movielens and libmf are){others}")
}
