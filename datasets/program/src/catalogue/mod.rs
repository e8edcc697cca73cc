//! The catalogue of public sets.

mod best;
mod elsewhere;
mod movielens;
mod ours;
mod sizes;
mod texts;

use raddle_cli::Error;

use crate::entry::Entry;

/// Returns every set, sorted by provenance and name.
pub(crate) fn all() -> Vec<Entry> {
    let sets = [movielens::entries(), texts::entries(), elsewhere::entries(), ours::entries()];
    sets.into_iter().flatten().collect()
}

/// Returns the set with this name; the error suggests the nearest name.
pub(crate) fn named(name: &str) -> Result<Entry, Error> {
    let all = all();
    if let Some(entry) = all.iter().find(|entry| entry.name == name) {
        return Ok(entry.clone());
    }
    let likeness = |entry: &&Entry| {
        let near = strsim::jaro_winkler(&name.to_lowercase(), entry.name);
        let title = strsim::jaro_winkler(&name.to_lowercase(), &entry.title.to_lowercase());
        (near.max(title) * 1e6) as u64
    };
    let nearest = all.iter().max_by_key(likeness).map(|entry| entry.name).unwrap_or_default();
    Err(Error::usage(format!(
        "`{name}`: no set has this name: the nearest is {nearest}; `raddle data list` has all {}",
        all.len()
    )))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use raddle_datasets::registry::{CORPORA, ENTRIES, FETCHED, RATINGS, SetKind};

    use super::*;
    use crate::entry::{Converter, Kind, Provenance};

    #[test]
    fn every_set_has_a_licence_sizes_and_a_way_to_be_had() {
        let all = all();
        assert!(all.len() >= 25, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all.len(), "a name is that of one set");
        for entry in &all {
            let said = [entry.title, entry.task, &entry.sizes, entry.licence];
            assert!(said.iter().all(|text| !text.is_empty() && !text.contains('\n')), "{}", entry.name);
            assert!(entry.licence_address.starts_with("https://"), "{}", entry.name);
            assert_eq!(entry.provenance() == Provenance::File, entry.made.is_some(), "{}", entry.name);
            assert!(!entry.files.is_empty(), "{}", entry.name);
            assert!(
                entry.best.is_none_or(|best| best.value.parse::<f64>().is_ok() && !best.source.is_empty())
            );
            for file in &entry.files {
                let digests = file.sha256.iter().chain(file.or.iter().map(|(_, digest)| digest));
                let download = file.download.as_ref();
                for digest in digests.chain(download.iter().filter_map(|it| it.sha256.as_ref())) {
                    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
                    assert!(digest.len() == 64 && digest.bytes().all(is_digit), "{}", entry.name);
                }
                if let Some(download) = download {
                    assert!(!download.addresses.is_empty(), "{}", entry.name);
                    assert!(download.addresses.iter().all(|it| it.starts_with("https://")), "{}", entry.name);
                    assert!(!download.name.contains('/'), "{}", entry.name);
                    let is_kept = file.file.rsplit('/').next() == Some(download.name);
                    assert_eq!(is_kept, download.converter == Converter::Kept, "{}", entry.name);
                }
            }
        }
        for provenance in [Provenance::Known, Provenance::Pinned, Provenance::File] {
            assert!(all.iter().filter(|entry| entry.provenance() == provenance).count() >= 5);
        }
    }

    #[test]
    fn every_set_that_the_readers_know_by_name_is_here_with_their_digest() {
        let tables = ENTRIES.iter().map(|entry| (entry.name, entry.file, entry.sha256));
        let ratings = RATINGS.iter().map(|entry| (entry.name, entry.file, entry.sha256));
        let corpora = CORPORA.iter().map(|entry| (entry.name, entry.file, entry.sha256));
        for (name, file, sha256) in tables.chain(ratings).chain(corpora) {
            let entry = named(name).unwrap();
            let first = &entry.files[0];
            let forms = [(first.file, first.sha256), first.or.map_or(("", None), |(it, of)| (it, Some(of)))];
            assert!(forms.contains(&(file, Some(sha256))), "{name}");
        }
        for entry in RATINGS.iter().filter(|entry| entry.name.starts_with("ml-")) {
            assert_eq!(named(entry.name).unwrap().files[0].sha256, Some(entry.text_sha256));
        }
    }

    #[test]
    fn every_set_that_is_fetched_can_be_named_as_data() {
        let form = |kind| match kind {
            SetKind::Table => Kind::Table,
            SetKind::Ratings => Kind::Ratings,
            SetKind::Corpus => Kind::Corpus,
            SetKind::Texts => Kind::Texts,
        };
        let named: BTreeSet<_> =
            FETCHED.iter().map(|set| (set.name, form(set.kind).name(), set.file)).collect();
        let all = all();
        // Jester is published as an Excel sheet, which no program reads: its converted form has the name.
        let fetched =
            all.iter().filter(|entry| entry.provenance() != Provenance::File && entry.name != "jester");
        let fetched: BTreeSet<_> =
            fetched.map(|entry| (entry.name, entry.kind.name(), entry.files[0].file)).collect();
        assert_eq!(named, fetched);
    }

    #[test]
    fn the_nearest_name_is_told() {
        for (given, nearest) in
            [("ml1m", "ml-1m"), ("MovieLens 1M", "ml-1m"), ("pubmet", "pubmed"), ("realsim", "real-sim")]
        {
            let said = named(given).unwrap_err().to_string();
            assert!(said.contains(&format!("the nearest is {nearest};")), "{said}");
        }
    }
}
