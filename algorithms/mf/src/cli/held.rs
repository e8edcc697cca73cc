//! [`Held`]: ratings in memory, or in a file of which parts are read.

use std::borrow::Cow;

use raddle::cli::Error;
use raddle_datasets::{PartOfRatings, Triples};
use raddle_mf::Seen;
use raddle_mf::files::{SeenFile, SeenWriter};

/// Ratings in memory, or in a file until they are asked for.
pub(super) enum Held {
    Whole(Triples),
    Stored(PartOfRatings),
}

impl Held {
    /// The ratings themselves.
    pub(super) fn read(&self) -> Result<Cow<'_, Triples>, Error> {
        match self {
            Self::Whole(triples) => Ok(Cow::Borrowed(triples)),
            Self::Stored(part) => part.read(0..part.len()).map(Cow::Owned).map_err(Error::input),
        }
    }
}

/// All of them, one after the other; `None` of nothing.
pub(super) fn together(all: &[Held]) -> Result<Option<Cow<'_, Triples>>, Error> {
    let [first, others @ ..] = all else { return Ok(None) };
    let mut triples = first.read()?;
    for other in others {
        let other = other.read()?;
        other.iter().for_each(|(user, item, value)| triples.to_mut().push(user, item, value));
    }
    Ok(Some(triples))
}

/// Pairs that users have rated, from parts of a file: some users at a time, so that no more pairs are in memory than a pass
/// over the file is worth.
pub(super) fn all_seen(parts: &[PartOfRatings], users: usize, items: usize) -> Result<SeenFile, Error> {
    let mut counts = vec![0_u32; users];
    for part in parts {
        part.each(0..part.len(), |user, _, _| counts[user as usize] += 1).map_err(Error::input)?;
    }
    let total = counts.iter().map(|&count| count as usize).sum();
    let mut file = SeenWriter::new((users, items), total).map_err(Error::failed)?;
    let mut first = 0;
    while first < users {
        let (mut end, mut some) = (first, 0);
        while end < users && (some == 0 || some + counts[end] as usize <= TOGETHER) {
            some += counts[end] as usize;
            end += 1;
        }
        let mut triples = Triples::default();
        for part in parts {
            let take = |user: u32, item: u32, value: f32| {
                if (first..end).contains(&(user as usize)) {
                    triples.push(user - first as u32, item, value);
                }
            };
            part.each(0..part.len(), take).map_err(Error::input)?;
        }
        file.push(&Seen::new(&triples, end - first)).map_err(Error::failed)?;
        first = end;
    }
    file.finish().map_err(Error::failed)
}

/// Pairs of users and items that are in memory at once.
const TOGETHER: usize = 1 << 25;

/// Items that the first `users` users have seen.
pub(super) fn seen(train: &PartOfRatings, users: usize) -> Result<Seen, Error> {
    let mut triples = Triples::default();
    train
        .each(0..train.len(), |user, item, value| {
            if (user as usize) < users {
                triples.push(user, item, value);
            }
        })
        .map_err(Error::input)?;
    Ok(Seen::new(&triples, users))
}
