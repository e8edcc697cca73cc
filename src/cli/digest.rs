//! Digests of files that options name.

use std::path::Path;

use super::manifest::digest_of;

/// The SHA-256 of the file that an option names, as 64 hexadecimal digits; empty where it names none, and where the file
/// cannot be read, which whoever reads it will say. Part of a run's [`identity`](crate::Engine::identity): a path says
/// nothing of what is in the file today.
pub(super) fn content_digest(option: &str) -> String {
    let path = Path::new(option);
    if path.is_file() { digest_of(path).unwrap_or_default() } else { String::new() }
}
