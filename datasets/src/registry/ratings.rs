//! The public sets of ratings that are known by name.

use std::path::{Path, PathBuf};

use super::folder::{compare, data_folder, find};
use crate::dialect::Dialect;
use crate::error::{ReadError, RegistryError};
use crate::ratings::{COLUMNS, Ratings, RatingsOptions, read_ratings};

/// A public set of ratings, with users and items numbered from 0 and without repeated pairs.
#[derive(Clone, Debug)]
pub struct RatingsEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// File, relative to the data folder.
    pub file: &'static str,
    /// SHA-256 of the file as stored.
    pub sha256: &'static str,
    /// SHA-256 of the decompressed text: a file with the text, named without `.gz`, is accepted, too.
    pub text_sha256: &'static str,
    /// Number of users.
    pub users: usize,
    /// Number of items.
    pub items: usize,
    /// Number of observations.
    pub observations: usize,
    /// `true` if observations are pairs without a value.
    pub pairs_only: bool,
    /// Numbers of training observations and of test observations in the published split.
    pub split: (usize, usize),
}

/// Every set of ratings that is known by name.
pub static RATINGS: [RatingsEntry; 7] = [
    RatingsEntry {
        name: "ml-100k",
        file: "mf/ml-100k.tsv.gz",
        sha256: "5b74515ce2a685cefc7371d5db7b1bb200b033331da1e5f043ca2aa5b414d7bc",
        text_sha256: "a0987bccb7a259505d8e7266c5daf89de745ae0d54d737b9844ec1a45e1cb84b",
        users: 943,
        items: 1_682,
        observations: 100_000,
        pairs_only: false,
        split: (89_829, 10_151),
    },
    RatingsEntry {
        name: "ml-1m",
        file: "mf/ml-1m.tsv.gz",
        sha256: "1f056e6b5ea6a04e0da30e6af76a350909d3e23a0af376f4d98bd113477961e5",
        text_sha256: "bc987faac59e12d2f324598b285e9d3b50e044d37343693fd19c9af91e6d2357",
        users: 6_040,
        items: 3_706,
        observations: 1_000_209,
        pairs_only: false,
        split: (900_036, 100_160),
    },
    RatingsEntry {
        name: "jester-1",
        file: "mf/jester-1.tsv.gz",
        sha256: "d6e609f80a6fb7694f9de1f359226de5bd75c1fc047c1c4c4d5fa2c42d3cc369",
        text_sha256: "082c8e3789b93be9e319ca0d7bc3ebfee7237c7db12df1728fe5a6e53601d6c4",
        users: 24_983,
        items: 100,
        observations: 1_810_455,
        pairs_only: false,
        split: (1_629_121, 181_334),
    },
    RatingsEntry {
        name: "epinions-770k",
        file: "mf/epinions-770k.tsv.gz",
        sha256: "deae25655c8678d1db96259e69723f3749d4d475412483acc16ba05a8a859ce9",
        text_sha256: "c19905bdc2813921679fcea3f25e19c67303af4049323a7238f02620bad03c52",
        users: 18_564,
        items: 262_614,
        observations: 761_795,
        pairs_only: false,
        split: (685_453, 57_806),
    },
    RatingsEntry {
        name: "ml-latest-small",
        file: "mf/ml-latest-small.tsv.gz",
        sha256: "535407db1f280ee4cd47474233c2e0c240332e28fae48ecf0a0233fa6b5a7608",
        text_sha256: "dbea5de306a9d5e930f6b3ff23de04c3e2ee93c5947bf713a7b68b9f78614d90",
        users: 610,
        items: 9_724,
        observations: 100_836,
        pairs_only: false,
        split: (0, 0),
    },
    RatingsEntry {
        name: "douban-3k",
        file: "mf/douban-3k.tsv.gz",
        sha256: "8ab1d6ad00b4cca407e0b35f1f296d3a0c4300a9e1c30de100993b70c2c4ce37",
        text_sha256: "5a6b974d45889b4f32cc469fc483e71670943d94c75dad66bcec707bbed8f800",
        users: 2_999,
        items: 3_000,
        observations: 136_891,
        pairs_only: false,
        split: (0, 0),
    },
    RatingsEntry {
        name: "gowalla",
        file: "mf/gowalla-train-pairs.tsv.gz",
        sha256: "b44b90425c81a339af87825d7d426d9d1e20f957d9377dd2c8bef81431c7c6d0",
        text_sha256: "d7829d518e5989f61845506d12aff6986133f54bf53a0c16ea72f131d5a4b6a7",
        users: 29_858,
        items: 40_981,
        observations: 810_128,
        pairs_only: true,
        split: (0, 0),
    },
];

/// Makes the error for a name that no set of ratings has.
pub(crate) fn unknown_ratings(name: &str) -> RegistryError {
    let known = RATINGS.each_ref().map(|entry| entry.name).join(", ");
    RegistryError::UnknownRatings { name: name.into(), known }
}

/// Returns the entry of a set of ratings.
pub fn ratings_entry(name: &str) -> Option<&'static RatingsEntry> {
    RATINGS.iter().find(|entry| entry.name == name)
}

/// Reads a public set of ratings with `threads` threads and checks that it is the registry's, byte for byte.
///
/// # Errors
/// If the name is unknown, the file is missing or differs from the registry's, or the reader fails.
pub fn load_ratings(name: &str, threads: usize) -> Result<Ratings, ReadError> {
    load_ratings_with(name, &RatingsOptions { threads, ..RatingsOptions::default() })
}

/// Reads a public set as [`load_ratings`] does, with the threads and the offset of options.
pub(crate) fn load_ratings_with(name: &str, options: &RatingsOptions) -> Result<Ratings, ReadError> {
    let entry = ratings_entry(name).ok_or_else(|| unknown_ratings(name))?;
    let (path, sha256) = path_of_ratings(entry)?;
    let ratings = read_ratings(&path, &reading(options))?;
    compare(&path, &ratings.digest, sha256)?;
    Ok(Ratings { name: name.into(), ..ratings }.into_known())
}

impl Ratings {
    /// Drops the notes on columns, as those of a public set are known.
    pub(crate) fn into_known(mut self) -> Self {
        self.notes.retain(|note| !note.starts_with(COLUMNS));
        self
    }
}

/// Returns the options with which public sets, none of which has a header, are read: only the threads and the
/// offset of the given ones count.
pub(crate) fn reading(options: &RatingsOptions) -> RatingsOptions {
    let dialect = Dialect { header: Some(false), ..Dialect::default() };
    RatingsOptions { threads: options.threads, offset: options.offset, dialect, ..RatingsOptions::default() }
}

/// Returns the path of a set's file, compressed or not, and the SHA-256 that it should have.
pub(crate) fn path_of_ratings(entry: &RatingsEntry) -> Result<(PathBuf, &'static str), ReadError> {
    let folder = data_folder().ok_or(RegistryError::NoFolder { file: entry.file })?;
    Ok(path_in(entry, &folder)?)
}

fn path_in(entry: &RatingsEntry, folder: &Path) -> Result<(PathBuf, &'static str), RegistryError> {
    let text = entry.file.trim_end_matches(".gz");
    find(entry.name, entry.file, folder)
        .map(|path| (path, entry.sha256))
        .or_else(|why| find(entry.name, text, folder).map(|path| (path, entry.text_sha256)).map_err(|_| why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ratings_are_known_by_name() {
        assert_eq!(ratings_entry("ml-1m").unwrap().users, 6_040);
        let error = load_ratings("ml-2m", 1).unwrap_err().to_string();
        assert!(error.contains("known sets are ml-100k, ml-1m"), "{error}");
    }

    #[test]
    fn a_set_is_found_compressed_or_not_each_with_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let entry = ratings_entry("ml-1m").unwrap();
        let missing = path_in(entry, folder.path()).unwrap_err().to_string();
        assert!(missing.contains("ml-1m.tsv.gz: no such file"), "{missing}");
        std::fs::create_dir(folder.path().join("mf")).unwrap();
        for (file, sha256) in [("mf/ml-1m.tsv", entry.text_sha256), (entry.file, entry.sha256)] {
            let path = folder.path().join(file);
            std::fs::write(&path, "").unwrap();
            assert_eq!(path_in(entry, folder.path()).unwrap(), (path, sha256));
        }
    }
}
