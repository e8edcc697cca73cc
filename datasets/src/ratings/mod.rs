//! Ratings: who rated what how high, as matrix factorization reads them.
//!
//! One observation is a user, an item and a value; pairs without a value have the value 1. Users and items are rows
//! from 0, whatever their ids are in the file: [`Ids`] says which is which.

use std::path::PathBuf;

use crate::records::RecordCounts;

mod duplicates;
pub mod generate;
mod ids;
pub(crate) mod known;
mod layout;
mod matrix_market;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod split;
mod stored;
mod text;
mod time;

pub use duplicates::Duplicates;
pub use ids::{Ids, Index, as_in_file};
pub use read::{RatingsFormat, RatingsOptions, read_any_ratings, read_ratings};
pub use split::{Held, hashed, pair_hash};
pub use stored::{PartOfRatings, StoredRatings};

/// Observations as three flat arrays of one length: 12 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triples {
    /// The user's row.
    pub users: Vec<u32>,
    /// The item's row.
    pub items: Vec<u32>,
    /// The rating; 1 where the data has pairs alone. Finite.
    pub values: Vec<f32>,
}

impl Triples {
    /// How many observations there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds an observation.
    pub fn push(&mut self, user: u32, item: u32, value: f32) {
        self.users.push(user);
        self.items.push(item);
        self.values.push(value);
    }

    /// Gives back the room behind the observations.
    pub fn shrink_to_fit(&mut self) {
        self.users.shrink_to_fit();
        self.items.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Keeps this number of first observations.
    fn truncate(&mut self, count: usize) {
        self.users.truncate(count);
        self.items.truncate(count);
        self.values.truncate(count);
    }

    /// The observations in order, as (user, item, value).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32, f32)> + '_ {
        let pairs = self.users.iter().zip(&self.items);
        pairs.zip(&self.values).map(|((&user, &item), &value)| (user, item, value))
    }

    fn with_capacity(count: usize) -> Self {
        Self {
            users: Vec::with_capacity(count),
            items: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        }
    }
}

impl FromIterator<(u32, u32, f32)> for Triples {
    fn from_iter<T: IntoIterator<Item = (u32, u32, f32)>>(observations: T) -> Self {
        let mut triples = Self::default();
        observations.into_iter().for_each(|(user, item, value)| triples.push(user, item, value));
        triples
    }
}

/// Ratings with the ids of users and items.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The registry's name, the file's name without its endings, or the `synth:` specification.
    pub name: String,
    /// The observations, in the order of the file, each pair of user and item once.
    pub triples: Triples,
    /// When each was observed, in seconds or as dates count (seconds from 1970, UTC); only where
    /// [`RatingsOptions::times`] asks for it.
    pub times: Option<Vec<f64>>,
    /// The users' ids, by row.
    pub users: Ids,
    /// The items' ids, by row.
    pub items: Ids,
    /// Whether the data has pairs alone: every value is 1, or how often the pair occurs.
    pub pairs_only: bool,
    /// Observations of a pair that had been observed before, which [`Duplicates`] merged or dropped.
    pub duplicates: usize,
    /// SHA-256 of the file's bytes as stored (compression not undone), 64 hexadecimal digits; of the specification's
    /// text for generated data.
    pub digest: String,
    /// The file that was read; `None` for generated data.
    pub path: Option<PathBuf>,
    /// The name of its format; `generated` where there is no file.
    pub format: String,
    /// The observations of the data, and those that are left out here, such as repeated ones of a pair.
    pub records: RecordCounts,
    /// What users should know of how the ratings were read.
    pub notes: Vec<String>,
}
