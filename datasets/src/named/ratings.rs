//! Reads ratings by the names that users give.

use crate::bytes::source::names_a_file;
use crate::error::ReadError;
use crate::ratings::{Ratings, RatingsOptions, generate, read_ratings};
use crate::registry::{self, SetKind};

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
    match source {
        _ if source.starts_with("synth:") => {
            Ok(generate::ratings_less(source, options.offset.unwrap_or(0.0))?.ratings)
        }
        _ if registry::verified_set(SetKind::Ratings, source).is_some() => {
            registry::load_ratings_with(source, options)
        }
        _ if names_a_file(source) => read_ratings(source, options),
        _ => Err(registry::not_found(source, SetKind::Ratings).into()),
    }
}
