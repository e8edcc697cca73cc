//! Names the ways in which a file can be read; each has its own file of ratings.

use std::path::Path;

use crate::bytes::source::short_digest;
use crate::dialect::is_tabs;
use crate::ratings::RatingsOptions;

/// Returns the way in which a file is read, as a part of a file name.
pub(crate) fn variant(options: &RatingsOptions, path: &Path) -> String {
    // Exact values are not stored.
    let RatingsOptions { format, columns, duplicates, keep_repeated, dialect, times, threads: _, .. } =
        options;
    let RatingsOptions { drops_missing, offset, .. } = options;
    let is_tabs = is_tabs(path);
    let all = format!(
        "{format:?} {columns:?} {duplicates:?} {keep_repeated} {dialect:?} {times} {is_tabs} {drops_missing} \
         {offset:?} by time, in double precision"
    );
    short_digest(all.as_bytes())
}
