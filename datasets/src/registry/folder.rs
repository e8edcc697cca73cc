//! The folder of public sets, and names and files that are not there: the errors say what to do.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::sets::{PublicSet, Reading, SetKind, public_sets, verified_names};
use crate::bytes::source::names_a_file;
use crate::error::RegistryError;

/// Returns the folder of public sets: `RADDLE_DATA` if it is set, else the cache folder.
pub fn data_folder() -> Option<PathBuf> {
    let set = |variable| env::var_os(variable).filter(|value| !value.is_empty());
    folder(set("RADDLE_DATA"), set("XDG_CACHE_HOME"), set("HOME").or_else(|| set("USERPROFILE")))
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

/// Returns the set that the readers know by this name, of any kind.
fn known(name: &str) -> Option<&'static PublicSet> {
    public_sets().iter().find(|set| set.name == name && set.reading != Reading::None)
}

/// Returns the path of the fetched set that the source names, else the source itself. A file with that name
/// in the working directory comes first.
pub(crate) fn as_path(source: &str) -> Cow<'_, str> {
    let is_path = |set: &&PublicSet| set.reading == Reading::Unverified && !names_a_file(source);
    let set = known(source).filter(is_path);
    let path = set.zip(data_folder()).map(|(set, folder)| folder.join(set.main_file()));
    match path.filter(|path| path.is_file()) {
        Some(path) => Cow::Owned(path.to_string_lossy().into_owned()),
        None => Cow::Borrowed(source),
    }
}

/// Returns the error for a name that the reader of a kind does not know: it is of another kind, its file is
/// missing, or no set has it. Texts are read as a corpus, too.
pub(crate) fn not_found(name: &str, kind: SetKind) -> RegistryError {
    let Some(set) = known(name) else { return unknown(kind, name) };
    if set.kind != kind && (kind, set.kind) != (SetKind::Corpus, SetKind::Texts) {
        return RegistryError::OtherKind { name: name.into(), what: set.kind.to_string() };
    }
    match (set.reading, data_folder()) {
        (Reading::Unverified, Some(folder)) => missing(set, set.main_file(), &folder),
        (Reading::Unverified, None) => RegistryError::NoFolder { file: set.main_file() },
        _ => unknown(kind, name),
    }
}

/// Makes the error for a name that no set of this kind has.
pub(crate) fn unknown(kind: SetKind, name: &str) -> RegistryError {
    let neither = match kind {
        SetKind::Table => "a file nor a public set: known sets are ",
        SetKind::Ratings => "a file nor a public set of ratings: known sets are ",
        SetKind::Corpus | SetKind::Texts => {
            "a file, a folder nor a public corpus: known are pydoc (embedded), "
        }
    };
    RegistryError::Unknown { name: name.into(), neither, known: verified_names(kind) }
}

/// Returns the path of a public set's file in this folder.
pub(super) fn find(set: &PublicSet, file: &'static str, folder: &Path) -> Result<PathBuf, RegistryError> {
    let path = folder.join(file);
    path.is_file().then_some(path).ok_or_else(|| missing(set, file, folder))
}

/// Makes the error for a file of a set that the folder lacks.
pub(super) fn missing(set: &PublicSet, file: &'static str, folder: &Path) -> RegistryError {
    let name = set.name;
    let data = format!("set RADDLE_DATA to the folder that holds {file}");
    let how = match set.downloads().next() {
        Some(_) => format!(
            "`raddle data fetch {name}` fetches it, in a program of a release or one built by `cargo build \
             --release --features raddle-data/fetch`; or {data}"
        ),
        None => format!("{data}; `raddle data list {name}` says how it was made"),
    };
    RegistryError::Missing { file, looked_for: folder.join(file), how }
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

    #[test]
    fn the_absence_of_a_public_set_says_how_to_have_it() {
        for set in public_sets().iter().filter(|set| set.reading == Reading::Unverified) {
            let said = not_found(set.name, set.kind).to_string();
            assert!(said.contains(&format!("`raddle data fetch {}` fetches it", set.name)), "{said}");
            assert!(said.contains("--features raddle-data/fetch"), "{said}");
        }
        let said = not_found("nothing", SetKind::Table).to_string();
        assert!(said.starts_with("`nothing` is neither a file nor a public set: known"), "{said}");
    }

    #[test]
    fn a_set_of_another_form_is_said_to_be_one() {
        for (name, kind, said) in [
            ("ml-1m", SetKind::Table, "`ml-1m` is a set of ratings, which mf reads"),
            ("mice", SetKind::Ratings, "`mice` is a table, which lasso and linear read"),
            ("rcv1", SetKind::Corpus, "`rcv1` is a table, which lasso and linear read"),
            ("imdb", SetKind::Table, "`imdb` is a corpus, which lda reads"),
        ] {
            assert_eq!(not_found(name, kind).to_string(), said);
        }
    }
}
