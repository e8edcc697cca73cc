//! [`Ratings`]: observations with the ids of users and items, and their metadata.

use std::path::PathBuf;

use super::ids::Ids;
use super::triples::Triples;
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
