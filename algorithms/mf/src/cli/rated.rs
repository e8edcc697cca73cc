//! [`Rated`]: pairs that users have rated, which lists leave out and the folder of the model stores.

use raddle_cli::{Error, Session};
use raddle_datasets::{PartOfRatings, Triples};
use raddle_mf::Seen;
use raddle_mf::files::{SeenFile, SeenWriter};

/// Number of users in the summary.
pub(super) const SUMMARISED: usize = 20;

/// Pairs that users have rated: all but the test data, which lists must not know.
pub(super) struct Rated {
    /// Items rated by the users of the summary.
    pub(super) first: Seen,
    folder: Folder,
}

/// Pairs for the folder of the model.
enum Folder {
    /// The folder stores no pairs.
    Unkept,
    File(SeenFile),
    /// Pairs in a file that is read by parts.
    Stored(PartOfRatings),
}

impl Rated {
    /// Collects the pairs of ratings in memory, and those of the model to start from, whose rows come first;
    /// they are stored in the folder if `keeps` is true.
    pub(super) fn new(
        triples: &Triples,
        earlier: Option<&Seen>,
        (users, items): (usize, usize),
        keeps: bool,
    ) -> Result<Self, Error> {
        let of_first = |count: usize| {
            let own = Seen::new(triples, count);
            let both = |earlier: &Seen| {
                Seen::from_rows((0..count as u32).map(|user| [earlier.row(user), own.row(user)].concat()))
            };
            earlier.map(both).unwrap_or(own)
        };
        let folder = match keeps {
            true => Folder::File(SeenFile::new(&of_first(users), items).map_err(Error::failed)?),
            false => Folder::Unkept,
        };
        Ok(Self { first: of_first(users.min(SUMMARISED)), folder })
    }

    /// Collects the pairs of ratings that are read by parts.
    pub(super) fn of_part(part: PartOfRatings, users: usize, keeps: bool) -> Result<Self, Error> {
        let count = users.min(SUMMARISED);
        let first = Seen::new(&of_users(&part, 0..count)?, count);
        Ok(Self { first, folder: if keeps { Folder::Stored(part) } else { Folder::Unkept } })
    }

    /// Writes the pairs, if the folder stores them.
    pub(super) fn write(&self, sizes: (usize, usize), session: &mut Session) -> Result<(), Error> {
        match &self.folder {
            Folder::Unkept => Ok(()),
            Folder::File(seen) => Ok(seen.write(session)?),
            Folder::Stored(_) if session.folder().path().is_none() => Ok(()),
            Folder::Stored(part) => Ok(file_of(part, sizes)?.write(session)?),
        }
    }
}

/// Largest number of (user, item) pairs in memory at once.
const TOGETHER: usize = 1 << 25;

/// Makes the file of a part's pairs, some users at a time, so that memory stays bounded.
fn file_of(part: &PartOfRatings, (users, items): (usize, usize)) -> Result<SeenFile, Error> {
    let mut counts = vec![0_u32; users];
    part.each(0..part.len(), |user, _, _| counts[user as usize] += 1).map_err(Error::input)?;
    let mut file = SeenWriter::new((users, items), part.len()).map_err(Error::failed)?;
    let mut first = 0;
    while first < users {
        let (mut end, mut some) = (first, 0);
        while end < users && (some == 0 || some + counts[end] as usize <= TOGETHER) {
            some += counts[end] as usize;
            end += 1;
        }
        file.push(&Seen::new(&of_users(part, first..end)?, end - first)).map_err(Error::failed)?;
        first = end;
    }
    file.finish().map_err(Error::failed)
}

/// Reads the ratings of some users, numbered from the first of them.
fn of_users(part: &PartOfRatings, users: std::ops::Range<usize>) -> Result<Triples, Error> {
    let mut triples = Triples::default();
    let take = |user: u32, item: u32, value: f32| {
        if users.contains(&(user as usize)) {
            triples.push(user - users.start as u32, item, value);
        }
    };
    part.each(0..part.len(), take).map_err(Error::input)?;
    Ok(triples)
}
