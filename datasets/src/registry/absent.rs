//! Names of public sets of all kinds: their files, and the errors where these are missing.

use std::borrow::Cow;

use super::corpora::CORPORA;
use super::fetched::{FETCHED, FetchedSet, SetKind, how_to_have};
use super::folder::data_folder;
use super::ratings::RATINGS;
use super::tables::ENTRIES;
use crate::bytes::source::names_a_file;
use crate::error::RegistryError;

/// Returns the fetched set with this name, unless the registry knows its digest.
fn fetched(name: &str) -> Option<&'static FetchedSet> {
    let is_known = RATINGS.iter().any(|entry| entry.name == name);
    FETCHED.iter().find(|set| set.name == name && !is_known)
}

/// Returns the path of the fetched set that the source names, else the source itself. A file with that name
/// in the working directory comes first.
pub(crate) fn as_path(source: &str) -> Cow<'_, str> {
    let named = || fetched(source).filter(|_| !names_a_file(source));
    let path = named().zip(data_folder()).map(|(set, folder)| folder.join(set.file));
    match path.filter(|path| path.is_file()) {
        Some(path) => Cow::Owned(path.to_string_lossy().into_owned()),
        None => Cow::Borrowed(source),
    }
}

/// Returns the error for a name that a reader of the `readable` kinds does not know, if it is a public set:
/// it is of another kind, or its file is missing.
pub(crate) fn absent(name: &str, readable: &[SetKind]) -> Option<RegistryError> {
    let of = |kind, is_one: bool| is_one.then_some(kind);
    let kind = of(SetKind::Table, ENTRIES.iter().any(|entry| entry.name == name))
        .or_else(|| of(SetKind::Ratings, RATINGS.iter().any(|entry| entry.name == name)))
        .or_else(|| of(SetKind::Corpus, CORPORA.iter().any(|entry| entry.name == name)))
        .or_else(|| FETCHED.iter().find(|set| set.name == name).map(|set| set.kind))?;
    if !readable.contains(&kind) {
        return Some(RegistryError::OtherKind { name: name.into(), what: kind.to_string() });
    }
    let FetchedSet { name, file, .. } = fetched(name)?;
    Some(match data_folder() {
        Some(folder) => {
            RegistryError::Missing { file, looked_for: folder.join(file), how: how_to_have(name, file) }
        }
        None => RegistryError::NoFolder { file },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_set_has_one_name_and_its_absence_says_how_to_have_it() {
        for FetchedSet { name, kind, .. } in FETCHED {
            let said = absent(name, &[kind]).map(|error| error.to_string());
            match fetched(name) {
                None => assert!(said.is_none() && RATINGS.iter().any(|entry| entry.name == name), "{name}"),
                Some(_) => {
                    let said = said.unwrap();
                    assert!(said.contains(&format!("`raddle data fetch {name}` fetches it")), "{said}");
                    assert!(said.contains("--features raddle-data/fetch"), "{said}");
                }
            }
        }
        assert!(absent("nothing", &[SetKind::Table]).is_none());
    }

    #[test]
    fn a_set_of_another_form_is_said_to_be_one() {
        for (name, kind, said) in [
            ("ml-1m", SetKind::Table, "`ml-1m` is a set of ratings, which mf reads"),
            ("mice", SetKind::Ratings, "`mice` is a table, which lasso and linear read"),
            ("rcv1", SetKind::Corpus, "`rcv1` is a table, which lasso and linear read"),
            ("imdb", SetKind::Table, "`imdb` is a corpus, which lda reads"),
        ] {
            assert_eq!(absent(name, &[kind]).unwrap().to_string(), said);
        }
    }
}
