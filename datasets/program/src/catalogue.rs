//! The catalogue of public sets.

use raddle_cli::Error;
use raddle_datasets::registry::{PublicSet, public_sets};

use crate::provenance::Provenance;

/// Returns every set, sorted by provenance.
pub(crate) fn all() -> Vec<&'static PublicSet> {
    let mut all: Vec<&PublicSet> = public_sets().iter().collect();
    all.sort_by_key(|set| Provenance::from_set(set));
    all
}

/// Returns the sets with these names, or all if no name is given.
pub(crate) fn named_or_all(names: &[String]) -> Result<Vec<&'static PublicSet>, Error> {
    match names.is_empty() {
        true => Ok(all()),
        false => names.iter().map(|name| named(name)).collect(),
    }
}

/// Returns the set with this name; the error suggests the nearest name.
pub(crate) fn named(name: &str) -> Result<&'static PublicSet, Error> {
    let all = all();
    if let Some(set) = all.iter().find(|set| set.name == name) {
        return Ok(set);
    }
    let likeness = |set: &&&PublicSet| {
        let near = strsim::jaro_winkler(&name.to_lowercase(), set.name);
        let title = strsim::jaro_winkler(&name.to_lowercase(), &set.title.to_lowercase());
        (near.max(title) * 1e6) as u64
    };
    let nearest = all.iter().max_by_key(likeness).map(|set| set.name).unwrap_or_default();
    Err(Error::usage(format!(
        "`{name}`: no set has this name: the nearest is {nearest}; `raddle data list` has all {}",
        all.len()
    )))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use raddle_datasets::registry::{Converter, Reading, SetFile, SetKind};

    use super::*;

    fn is_digest(text: &str) -> bool {
        text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    }

    #[test]
    fn every_set_has_a_licence_sizes_and_a_way_to_be_had() {
        let all = all();
        assert!(all.len() >= 25, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|set| set.name).collect();
        assert_eq!(names.len(), all.len(), "a name is that of one set");
        for set in &all {
            let name = set.name;
            let said = [set.title, set.task, &set.sizes_as_text(), set.licence];
            assert!(said.iter().all(|text| !text.is_empty() && !text.contains('\n')), "{name}");
            assert!(set.licence_address.starts_with("https://"), "{name}");
            assert_eq!(Provenance::from_set(set) == Provenance::File, set.made.is_some(), "{name}");
            assert!(!set.files.is_empty(), "{name}");
            assert!(set.best.is_none_or(|best| best.value.parse::<f64>().is_ok() && !best.source.is_empty()));
            for SetFile { sha256, or, text_sha256, download, .. } in &set.files {
                let downloaded = download.as_ref().and_then(|download| download.sha256);
                let digests = [*sha256, or.map(|(_, digest)| digest), *text_sha256, downloaded];
                assert!(digests.iter().flatten().all(|digest| is_digest(digest)), "{name}");
            }
            for (file, download) in set.files.iter().filter_map(|file| Some((file, file.download.as_ref()?)))
            {
                assert!(!download.addresses.is_empty(), "{name}");
                assert!(download.addresses.iter().all(|it| it.starts_with("https://")), "{name}");
                assert!(!download.name.contains('/'), "{name}");
                let is_kept = file.file.rsplit('/').next() == Some(download.name);
                assert_eq!(is_kept, download.converter == Converter::Kept, "{name}");
            }
        }
        for provenance in [Provenance::Known, Provenance::Pinned, Provenance::File] {
            assert!(all.iter().filter(|set| Provenance::from_set(set) == provenance).count() >= 5);
        }
    }

    #[test]
    fn every_set_can_be_named_as_data_and_is_verified_where_its_digest_is_known() {
        for set in all() {
            let file = &set.files[0];
            let is_converted = file.download.is_none() || file.or.is_some();
            let reading = match set.name {
                // A sheet of Excel, which no program reads: its converted form has another name.
                "jester" => Reading::None,
                _ if is_converted => Reading::Verified,
                _ => Reading::Unverified,
            };
            assert_eq!(set.reading, reading, "{}", set.name);
            if (set.kind, reading) == (SetKind::Corpus, Reading::Verified) {
                assert!(set.files.len() == 2 && set.files[1].text_sha256.is_some(), "{}", set.name);
            }
        }
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
