//! [`Asked`]: a file that is asked for.

use std::path::Path;

/// A file that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// Addresses, tried in turn.
    pub(crate) addresses: &'a [String],
    /// The place that it goes to.
    pub(crate) place: &'a Path,
    /// Its bytes, if they are known.
    pub(crate) bytes: Option<u64>,
    /// Its SHA-256, if it is known.
    pub(crate) sha256: Option<&'a str>,
}
