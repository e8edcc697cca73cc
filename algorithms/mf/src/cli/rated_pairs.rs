//! [`RatedPairs`]: pairs that users have rated, which lists leave out and the folder of the model stores.

use raddle_cli::{Error, Session};
use raddle_datasets::{Ids, Ratings};
use raddle_mf::files::{SeenFile, SeenWriter};
use raddle_mf::{RatingsSource, Seen};

/// Number of users in the summary.
pub(super) const SUMMARISED: usize = 20;

/// Pairs that users have rated: all but the test data, which lists must not know.
pub(super) struct RatedPairs {
    /// Items rated by the users of the summary.
    pub(super) first: Seen,
    folder: Folder,
}

/// Pairs for the folder of the model.
enum Folder {
    /// The folder stores no pairs.
    Unkept,
    /// The file, made before the fit frees the ratings.
    Made(SeenFile),
    /// Ratings in a file, from which that of the pairs is made after the fit.
    Stored(RatingsSource),
}

impl RatedPairs {
    /// Collects the pairs of these ratings, and those of the model to start from, whose rows come first; they
    /// are stored in the folder if `keeps` is true.
    pub(super) fn new(
        known: &RatingsSource,
        earlier: Option<&Seen>,
        Ratings { users, items, .. }: &Ratings,
        keeps: bool,
    ) -> Result<Self, Error> {
        let [users, items] = [users, items].map(Ids::len);
        let of_first = |count: usize| -> Result<Seen, Error> {
            let own = Seen::of(known, 0..count).map_err(Error::input)?;
            let both = |earlier: &Seen| {
                Seen::from_rows((0..count as u32).map(|user| [earlier.row(user), own.row(user)].concat()))
            };
            Ok(earlier.map(both).unwrap_or(own))
        };
        let folder = match known {
            _ if !keeps => Folder::Unkept,
            RatingsSource::Memory(..) => {
                Folder::Made(SeenFile::new(&of_first(users)?, items).map_err(Error::failed)?)
            }
            RatingsSource::Stored(_) => Folder::Stored(known.clone()),
        };
        Ok(Self { first: of_first(users.min(SUMMARISED))?, folder })
    }

    /// Writes the pairs, if the folder stores them.
    pub(super) fn write(&self, ratings: &Ratings, session: &mut Session) -> Result<(), Error> {
        match &self.folder {
            Folder::Unkept => Ok(()),
            Folder::Made(seen) => Ok(seen.write(session)?),
            Folder::Stored(known) => {
                Ok(file_of(known, ratings.users.len(), ratings.items.len())?.write(session)?)
            }
        }
    }
}

/// Largest number of (user, item) pairs in memory at once.
const TOGETHER: usize = 1 << 25;

/// Makes the file of the pairs of ratings, some users at a time, so that memory stays bounded.
fn file_of(known: &RatingsSource, users: usize, items: usize) -> Result<SeenFile, Error> {
    let mut counts = vec![0_u32; users];
    known.each(|user, _, _| counts[user as usize] += 1).map_err(Error::input)?;
    let mut file = SeenWriter::new((users, items), known.len()).map_err(Error::failed)?;
    let mut first = 0;
    while first < users {
        let (mut end, mut some) = (first, 0);
        while end < users && (some == 0 || some + counts[end] as usize <= TOGETHER) {
            some += counts[end] as usize;
            end += 1;
        }
        file.push(&Seen::of(known, first..end).map_err(Error::input)?).map_err(Error::failed)?;
        first = end;
    }
    file.finish().map_err(Error::failed)
}
