//! [`Triples`]: observations as flat arrays; [`Ratings`]: with the ids of users and items, and metadata.

use std::path::PathBuf;

use super::ids::Ids;
use crate::records::RecordCounts;

/// Ratings with the ids of users and items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// Name in the registry, the file's name without its extensions, or the `synth:` specification.
    pub name: String,
    /// The observations, in the order of the file; each pair of user and item occurs once.
    pub triples: Triples,
    /// Number that was subtracted from every value. It is 0 unless single precision would not distinguish the
    /// ratings, such as 1000000001 and 1000000002. A rating is its value plus this number, added in double
    /// precision.
    pub offset: f64,
    /// The ratings in double precision, offset included, if
    /// [`RatingsOptions::keeps_exact`](super::RatingsOptions::keeps_exact) is set; `None` for generated
    /// ratings.
    pub exact: Option<Vec<f64>>,
    /// Time of each observation, in seconds (for dates: seconds from 1970, UTC), if
    /// [`RatingsOptions::times`](super::RatingsOptions::times) is set.
    pub times: Option<Vec<f64>>,
    /// Ids of the users, by row.
    pub users: Ids,
    /// Ids of the items, by row.
    pub items: Ids,
    /// `true` if the data has only pairs: every value is 1, or how often the pair occurs.
    pub pairs_only: bool,
    /// Number of repeated observations of a pair, which [`Duplicates`](super::Duplicates) merged or dropped.
    pub duplicates: usize,
    /// SHA-256 of the stored bytes (still compressed) as 64 hexadecimal digits; for generated data, of the
    /// specification.
    pub digest: String,
    /// The file that was read; `None` for generated data.
    pub path: Option<PathBuf>,
    /// Name of the format; `generated` if there is no file.
    pub format: String,
    /// Numbers of observations: all in the data, and those left out, such as repeated ones.
    pub records: RecordCounts,
    /// Notes for users on how the ratings were read.
    pub notes: Vec<String>,
}

/// Observations as three flat arrays of equal length: 12 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triples {
    /// Row of the user.
    pub users: Vec<u32>,
    /// Row of the item.
    pub items: Vec<u32>,
    /// The rating minus the data's [offset](super::Ratings::offset), a finite number; 1 if the data has only
    /// pairs.
    pub values: Vec<f32>,
}

impl Triples {
    /// Returns the number of observations.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if there are no observations.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds an observation.
    pub fn push(&mut self, user: u32, item: u32, value: f32) {
        self.users.push(user);
        self.items.push(item);
        self.values.push(value);
    }

    /// Frees the unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.users.shrink_to_fit();
        self.items.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Keeps only the first `count` observations.
    pub(super) fn truncate(&mut self, count: usize) {
        self.users.truncate(count);
        self.items.truncate(count);
        self.values.truncate(count);
    }

    /// Iterates over the observations in order, as (user, item, value).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32, f32)> + '_ {
        let pairs = self.users.iter().zip(&self.items);
        pairs.zip(&self.values).map(|((&user, &item), &value)| (user, item, value))
    }

    pub(super) fn with_capacity(count: usize) -> Self {
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
