//! The folder of public sets.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::RegistryError;

/// Returns the folder of public sets: `RADDLE_DATA` if it is set, else the cache folder.
pub fn data_folder() -> Option<PathBuf> {
    let set = |variable| env::var_os(variable).filter(|value| !value.is_empty());
    folder(set("RADDLE_DATA"), set("XDG_CACHE_HOME"), set("HOME"))
}

fn folder(data: Option<OsString>, cache: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let cache = || cache.map(PathBuf::from).or_else(|| Some(Path::new(&home?).join(".cache")));
    data.map(PathBuf::from).or_else(|| Some(cache()?.join("raddle")))
}

/// Refuses a file whose SHA-256 differs from the registry's.
pub(crate) fn compare(path: &Path, found: &str, expected: &'static str) -> Result<(), RegistryError> {
    match found == expected {
        true => Ok(()),
        false => Err(RegistryError::Different { path: path.into(), found: found.into(), expected }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_named_or_a_cache() {
        let named = |data: Option<&str>, cache: Option<&str>, home: Option<&str>| {
            let path = folder(data.map(Into::into), cache.map(Into::into), home.map(Into::into));
            path.map(|path| path.to_string_lossy().replace('\\', "/"))
        };
        assert_eq!(named(Some("/d"), Some("/c"), Some("/h")).as_deref(), Some("/d"));
        assert_eq!(named(None, Some("/c"), Some("/h")).as_deref(), Some("/c/raddle"));
        assert_eq!(named(None, None, Some("/h")).as_deref(), Some("/h/.cache/raddle"));
        assert_eq!(named(None, None, None), None);
    }
}
