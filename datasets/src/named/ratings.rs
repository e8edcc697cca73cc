//! Reads ratings by the names that users give.

use std::path::Path;

use super::Origin;
use crate::bytes::source::{digest, short_digest, stem};
use crate::dialect::is_tabs;
use crate::error::ReadError;
use crate::ratings::generate::{self, Drawn};
use crate::ratings::{Ratings, RatingsOptions, StoredRatings, format_of, read_ratings, stored};
use crate::registry::{self, SetKind, compare};

/// Reads ratings by name: a `synth:` specification, the name of a public set, or the path of a file.
///
/// A file that has the name of a public set is read as `./NAME`. For generated ratings and public sets, only
/// the options [`threads`](RatingsOptions::threads) and [`offset`](RatingsOptions::offset) have an effect.
///
/// # Errors
/// The errors of [`generate::ratings`], [`registry::load_ratings`] and [`read_ratings`].
///
/// ```
/// use raddle_datasets::{RatingsOptions, read_any_ratings};
/// let data = read_any_ratings("synth:ratings:users=50,items=40,n=600", &RatingsOptions::default())?;
/// assert_eq!((data.users.len(), data.items.len(), data.triples.len()), (50, 40, 600));
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub fn read_any_ratings(source: &str, options: &RatingsOptions) -> Result<Ratings, ReadError> {
    let source = &*registry::as_path(source);
    match Origin::of(source, SetKind::Ratings)? {
        Origin::Generated => Ok(generate::ratings_less(source, options.offset.unwrap_or(0.0))?.ratings),
        Origin::Public(set) => registry::ratings_of(set, options),
        Origin::File | Origin::Embedded => read_ratings(source, options),
    }
}

impl StoredRatings {
    /// Opens the ratings that [`read_any_ratings`] would read from `source`, in a file of `folder`. The file
    /// is made if it does not exist, is incomplete, or comes from another kind of machine; several processes
    /// that ask at once make it once. Text and generated ratings are never in memory as a whole meanwhile.
    ///
    /// # Errors
    /// The errors of [`read_any_ratings`], and a folder that cannot be written to.
    pub fn open(source: &str, options: &RatingsOptions, folder: &Path) -> Result<Self, ReadError> {
        let source = &*registry::as_path(source);
        let set = match Origin::of(source, SetKind::Ratings)? {
            Origin::Generated => return Self::generated(source, options, folder),
            Origin::Public(set) => Some(set),
            Origin::File | Origin::Embedded => None,
        };
        let options = &set.map_or_else(|| options.clone(), |_| registry::reading(options));
        let (path, sha256) = set.map(registry::path_of).transpose()?.unwrap_or((source.into(), ""));
        let opened = options.dialect.open(&path)?;
        let digest = opened.digest();
        if set.is_some() {
            compare(&path, &digest, sha256)?;
        }
        let place = folder.join(format!("{digest}-{}.ratings", variant(options, &path)));
        let name = set.map_or_else(|| stem(&opened.path), |set| set.name.into());
        let described = Ratings { name, digest, path: Some(opened.path.clone()), ..Ratings::default() };
        let format = format_of(&opened, options)?;
        let stored = Self::at(&place, described, |place| stored::converted(opened, format, options, place))?;
        Ok(if set.is_some() { stored.into_known() } else { stored })
    }

    fn generated(source: &str, options: &RatingsOptions, folder: &Path) -> Result<Self, ReadError> {
        let drawn = Drawn::of(source)?.less(options.offset.unwrap_or(0.0));
        let less = Some(drawn.offset).filter(|&offset| offset != 0.0);
        let less = less.map_or_else(String::new, |offset| format!("-less-{:016x}", offset.to_bits()));
        let path = folder.join(format!("{}{less}.ratings", digest(source.as_bytes())));
        Self::at(&path, drawn.described(source), |path| stored::drawn(&drawn, path))
    }
}

/// Returns the way in which a file is read, as a part of a file name.
fn variant(options: &RatingsOptions, path: &Path) -> String {
    // Exact values are not stored.
    let RatingsOptions { format, columns, duplicates, keep_repeated, dialect, times, threads: _, .. } =
        options;
    // Stored ratings are as the file has them: they are not weighed by age.
    let RatingsOptions { drops_missing, offset, .. } = options;
    let is_tabs = is_tabs(path);
    let all = format!(
        "{format:?} {columns:?} {duplicates:?} {keep_repeated} {dialect:?} {times} {is_tabs} {drops_missing} \
         {offset:?} by time, in double precision"
    );
    short_digest(all.as_bytes())
}
