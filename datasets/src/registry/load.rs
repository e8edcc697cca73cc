//! Reads verified public sets: their files must be the known ones, byte for byte.

use std::path::{Path, PathBuf};

use super::folder::{compare, data_folder, find, missing, unknown};
use super::sets::{PublicSet, SetKind, verified_set};
use crate::bytes::source::{Source, digest};
use crate::corpus::{Corpus, CorpusOptions, read_corpus};
use crate::dialect::Dialect;
use crate::error::{ReadError, RegistryError};
use crate::ratings::{COLUMNS, Ratings, RatingsOptions, read_ratings};
use crate::table::{Format, Options, Table, table_in};

/// Returns the path of a public table's file on this machine; its content is not checked.
///
/// # Errors
/// If the name is unknown or the file is missing; the message says which file is needed and which variable to
/// set.
pub fn locate(name: &str) -> Result<PathBuf, RegistryError> {
    Ok(path_of(known(SetKind::Table, name)?)?.0)
}

/// Reads a public table with `threads` threads and checks that it is the known one, byte for byte.
///
/// # Errors
/// The errors of [`locate`] and of the reader, and a file whose SHA-256 differs from the known one.
///
/// ```no_run
/// let mice = raddle_datasets::registry::load("mice", 2)?;
/// assert_eq!((mice.x.rows(), mice.x.cols()), (1_814, 10_346));
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub fn load(name: &str, threads: usize) -> Result<Table, ReadError> {
    table_of(known(SetKind::Table, name)?, &Options { threads, ..Options::default() })
}

/// Reads a table as [`load`] does, with other options except the choice of the response.
pub(crate) fn table_of(set: &'static PublicSet, options: &Options) -> Result<Table, ReadError> {
    let (path, sha256) = path_of(set)?;
    verified(&path, sha256, options)
}

fn verified(path: &Path, sha256: &'static str, options: &Options) -> Result<Table, ReadError> {
    let options = Options { format: None, y: None, ..options.clone() };
    let table = table_in(&Source::open(path)?, Format::Libsvm, &options)?;
    compare(path, &table.digest, sha256)?;
    Ok(table)
}

/// Reads a public set of ratings with `threads` threads and checks that it is the known one, byte for byte.
///
/// # Errors
/// If the name is unknown, the file is missing or differs from the known one, or the reader fails.
pub fn load_ratings(name: &str, threads: usize) -> Result<Ratings, ReadError> {
    ratings_of(known(SetKind::Ratings, name)?, &RatingsOptions { threads, ..RatingsOptions::default() })
}

/// Reads a public set as [`load_ratings`] does, with the threads and the offset of options.
pub(crate) fn ratings_of(set: &'static PublicSet, options: &RatingsOptions) -> Result<Ratings, ReadError> {
    let (path, sha256) = path_of(set)?;
    let ratings = read_ratings(&path, &reading(options))?;
    compare(&path, &ratings.digest, sha256)?;
    Ok(Ratings { name: set.name.into(), ..ratings }.into_known())
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

/// Reads a public corpus with `threads` threads and checks its counts and words against the known ones.
///
/// # Errors
/// If the name is unknown, a file is missing or differs from the known one, or the reader fails.
pub fn load_corpus(name: &str, threads: usize) -> Result<Corpus, ReadError> {
    corpus_of(known(SetKind::Corpus, name)?, threads)
}

/// Reads a corpus as [`load_corpus`] does.
pub(crate) fn corpus_of(set: &'static PublicSet, threads: usize) -> Result<Corpus, ReadError> {
    let (counts, sha256, vocabulary) = paths_of_corpus(set)?;
    let options = CorpusOptions { vocabulary: Some(vocabulary), threads, ..CorpusOptions::default() };
    let mut corpus = read_corpus(&counts, &options)?;
    compare(&counts, &corpus.digest, sha256)?;
    corpus.name = set.name.into();
    Ok(corpus)
}

/// Returns the path of a corpus's counts with its SHA-256, and the path of its words, which are checked.
pub(crate) fn paths_of_corpus(
    set: &'static PublicSet,
) -> Result<(PathBuf, &'static str, PathBuf), ReadError> {
    let (counts, sha256) = path_of(set)?;
    let words = set.files.last().map(|words| (words.file, words.text_sha256.unwrap_or_default()));
    let (file, expected) = words.unwrap_or_default();
    let folder = data_folder().ok_or(RegistryError::NoFolder { file })?;
    let words = find(set, file, &folder)?;
    let found = digest(&Source::open(&words)?.content()?);
    compare(&words, &found, expected)?;
    Ok((counts, sha256, words))
}

fn known(kind: SetKind, name: &str) -> Result<&'static PublicSet, RegistryError> {
    verified_set(kind, name).ok_or_else(|| unknown(kind, name))
}

/// Returns the path of a set's main file in one of its forms, and the SHA-256 that it should have.
pub(crate) fn path_of(set: &'static PublicSet) -> Result<(PathBuf, &'static str), RegistryError> {
    let folder = data_folder().ok_or(RegistryError::NoFolder { file: set.main_file() })?;
    path_in(set, &folder)
}

fn path_in(set: &'static PublicSet, folder: &Path) -> Result<(PathBuf, &'static str), RegistryError> {
    let mut forms = set.forms().map(|(file, sha256)| (folder.join(file), sha256));
    let found = forms.find(|(path, _)| path.is_file());
    found.ok_or_else(|| missing(set, set.main_file(), folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_says_what_to_set() {
        let folder = tempfile::tempdir().unwrap();
        let set = known(SetKind::Table, "mice").unwrap();
        let error = path_in(set, folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("mice.svm.gz: no such file: set RADDLE_DATA to the folder that holds lasso/"),
            "{error}"
        );
        assert!(locate("mouse").unwrap_err().to_string().contains("known sets are diabetes, colon"));
        let error = load_ratings("ml-2m", 1).unwrap_err().to_string();
        assert!(error.contains("known sets are ml-100k, ml-1m"), "{error}");
    }

    #[test]
    fn another_file_under_a_known_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mice.svm.gz");
        std::fs::write(&path, "1 1:2\n").unwrap();
        let (_, sha256) = known(SetKind::Table, "mice").unwrap().forms().next().unwrap();
        let error = verified(&path, sha256, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("mice.svm.gz: its SHA-256 is ") && error.contains("not 1ef34fae"), "{error}");
    }

    #[test]
    fn a_set_is_found_compressed_or_not_each_with_its_digest() {
        for name in ["ml-1m", "gowalla"] {
            let folder = tempfile::tempdir().unwrap();
            let set = known(SetKind::Ratings, name).unwrap();
            let missing = path_in(set, folder.path()).unwrap_err().to_string();
            assert!(missing.contains(".tsv.gz: no such file"), "{missing}");
            std::fs::create_dir(folder.path().join("mf")).unwrap();
            let forms: Vec<_> = set.forms().collect();
            assert_eq!((forms.len(), forms[0].0.trim_end_matches(".gz")), (2, forms[1].0));
            for (file, sha256) in forms.into_iter().rev() {
                let path = folder.path().join(file);
                std::fs::write(&path, "").unwrap();
                assert_eq!(path_in(set, folder.path()).unwrap(), (path, sha256));
            }
        }
    }
}
