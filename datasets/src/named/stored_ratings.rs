//! [`StoredRatings::open`]: opens ratings, by the names that users give, in files that are read on demand.

use std::path::{Path, PathBuf};

use crate::bytes::source::{self, names_a_file, stem};
use crate::error::ReadError;
use crate::ratings::generate::Drawn;
use crate::ratings::{Ratings, RatingsOptions, StoredRatings, format_of, stored};
use crate::registry::{self, SetKind, compare};

impl StoredRatings {
    /// Opens the ratings that [`read_any_ratings`](crate::read_any_ratings) would read from `source`, in a
    /// file of `folder`. The file is made if it does not exist, is incomplete, or comes from another kind of
    /// machine; several processes that ask at once make it once. Text and generated ratings are never in
    /// memory as a whole meanwhile.
    ///
    /// # Errors
    /// The errors of [`read_any_ratings`](crate::read_any_ratings), and a folder that cannot be written to.
    pub fn open(source: &str, options: &RatingsOptions, folder: &Path) -> Result<Self, ReadError> {
        let source = &*registry::as_path(source);
        if source.starts_with("synth:") {
            let drawn = Drawn::of(source)?.less(options.offset.unwrap_or(0.0));
            let less = Some(drawn.offset).filter(|&offset| offset != 0.0);
            let less = less.map_or_else(String::new, |offset| format!("-less-{:016x}", offset.to_bits()));
            let path = folder.join(format!("{}{less}.ratings", source::digest(source.as_bytes())));
            return Self::at(&path, drawn.described(source), |path| stored::drawn(&drawn, path));
        }
        let (path, options, name) = match registry::verified_set(SetKind::Ratings, source) {
            Some(set) => {
                let options = registry::reading(options);
                let (path, sha256) = registry::path_of(set)?;
                (path, options, Some((set.name, sha256)))
            }
            None if names_a_file(source) => (PathBuf::from(source), options.clone(), None),
            None => return Err(registry::not_found(source, SetKind::Ratings).into()),
        };
        let source = options.dialect.open(&path)?;
        if let Some((_, sha256)) = name {
            compare(&path, &source.digest(), sha256)?;
        }
        let place = folder.join(format!("{}-{}.ratings", source.digest(), stored::variant(&options, &path)));
        let described = Ratings {
            name: name.map_or_else(|| stem(&source.path), |(name, _)| name.into()),
            digest: source.digest(),
            path: Some(source.path.clone()),
            ..Ratings::default()
        };
        let format = format_of(&source, &options)?;
        let make = |place: &Path| stored::converted(source, format, &options, place);
        let stored = Self::at(&place, described, make)?;
        Ok(if name.is_some() { stored.into_known() } else { stored })
    }
}
