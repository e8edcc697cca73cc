//! [`RatingsFormat`]: the file formats of ratings.

use std::fmt;
use std::str::FromStr;

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

impl fmt::Display for RatingsFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::MatrixMarket => "mtx",
            Self::Parquet => "parquet",
        })
    }
}

impl FromStr for RatingsFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" | "csv" | "tsv" | "movielens" | "libmf" => Ok(Self::Text),
            "mtx" => Ok(Self::MatrixMarket),
            "parquet" => Ok(Self::Parquet),
            _ => {
                let others = if cfg!(feature = "parquet") { ", mtx or parquet" } else { " or mtx" };
                Err(format!(
                    "`{name}` is no format of ratings: choose text (csv, tsv, movielens and libmf \
                     are){others}"
                ))
            }
        }
    }
}
