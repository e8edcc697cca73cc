//! [`Ratings`]: observations with the ids of users and items, and what is known of them.

use std::path::PathBuf;

use super::ids::Ids;
use super::triples::Triples;
use crate::records::RecordCounts;

/// Ratings with the ids of users and items.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The registry's name, the file's name without its endings, or the `synth:` specification.
    pub name: String,
    /// The observations, in the order of the file, each pair of user and item once.
    pub triples: Triples,
    /// Number taken off every value: 0, but where single precision would not tell ratings apart as they are,
    /// such as 1000000001 from 1000000002. A rating is this and its value, added in double precision.
    pub offset: f64,
    /// The ratings in double precision, offset included; only where
    /// [`RatingsOptions::keeps_exact`](super::RatingsOptions::keeps_exact) asks for them, and not where they
    /// were generated.
    pub exact: Option<Vec<f64>>,
    /// When each was observed, in seconds or as dates count (seconds from 1970, UTC); only where
    /// [`RatingsOptions::times`](super::RatingsOptions::times) asks for it.
    pub times: Option<Vec<f64>>,
    /// The users' ids, by row.
    pub users: Ids,
    /// The items' ids, by row.
    pub items: Ids,
    /// `true` if the data has pairs alone: every value is 1, or how often the pair occurs.
    pub pairs_only: bool,
    /// Observations of a pair that had been observed before, which [`Duplicates`](super::Duplicates) merged
    /// or dropped.
    pub duplicates: usize,
    /// SHA-256 of the file's bytes as stored (compression not undone), 64 hexadecimal digits; of the
    /// specification's text for generated data.
    pub digest: String,
    /// The file that was read; `None` for generated data.
    pub path: Option<PathBuf>,
    /// The name of its format; `generated` where there is no file.
    pub format: String,
    /// The observations of the data, and those that are left out here, such as repeated ones of a pair.
    pub records: RecordCounts,
    /// Notes for users on how the ratings were read.
    pub notes: Vec<String>,
}
