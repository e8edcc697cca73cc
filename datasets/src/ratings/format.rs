//! [`RatingsFormat`]: the file formats of ratings.

use crate::names::named;

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
