//! Ratings: users' ratings of items, the input of matrix factorization.
//!
//! An observation is a user, an item and a value; pairs without a value have the value 1. Users and items are
//! rows from 0; [`Ids`] maps rows to the ids in the file.

mod data;
mod duplicates;
pub mod generate;
mod header;
mod ids;
mod layout;
mod loaded;
mod matrix_market;
mod numbers;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod precision;
mod raw;
mod read;
mod split;
pub(crate) mod stored;
mod text;
mod time;
mod values;

pub use data::{Ratings, Triples};
pub use duplicates::Duplicates;
pub use ids::{Ids, Index, whole_id};
pub(crate) use layout::COLUMNS;
pub use numbers::as_in_file;
pub use options::{RatingsFormat, RatingsOptions};
pub use precision::{Exact, Narrowed};
pub(crate) use read::format_of;
pub use read::read_ratings;
pub use split::{HeldOut, hashed, pair_hash};
pub use stored::{PartOfRatings, StoredRatings};
