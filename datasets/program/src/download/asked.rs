//! [`Asked`]: a file to download.

use std::path::Path;

/// A file to download.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// Addresses, tried in order.
    pub(crate) addresses: &'a [String],
    /// Path to download to.
    pub(crate) place: &'a Path,
    /// Size in bytes, if known.
    pub(crate) bytes: Option<u64>,
    /// SHA-256, if known.
    pub(crate) sha256: Option<&'a str>,
}
