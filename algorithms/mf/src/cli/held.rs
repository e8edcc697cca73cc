//! [`RatingsSource`]: ratings in memory, or in a file that is read by parts.

use std::borrow::Cow;

use raddle_cli::Error;
use raddle_datasets::{PartOfRatings, Triples};

/// Ratings in memory, or in a file until they are needed.
pub(super) enum RatingsSource {
    Whole(Triples),
    Stored(PartOfRatings),
}

impl RatingsSource {
    /// Returns the ratings themselves.
    pub(super) fn read(&self) -> Result<Cow<'_, Triples>, Error> {
        match self {
            Self::Whole(triples) => Ok(Cow::Borrowed(triples)),
            Self::Stored(part) => part.read(0..part.len()).map(Cow::Owned).map_err(Error::input),
        }
    }
}

/// Concatenates all ratings; `None` for an empty list.
pub(super) fn together(all: &[RatingsSource]) -> Result<Option<Cow<'_, Triples>>, Error> {
    let [first, others @ ..] = all else { return Ok(None) };
    let mut triples = first.read()?;
    for other in others {
        let other = other.read()?;
        other.iter().for_each(|(user, item, value)| triples.to_mut().push(user, item, value));
    }
    Ok(Some(triples))
}
