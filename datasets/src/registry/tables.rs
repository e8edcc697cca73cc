//! The public tables that are known by name.

use std::path::PathBuf;

use super::folder::{compare, data_folder, find};
use crate::bytes::source::Source;
use crate::error::{ReadError, RegistryError};
use crate::table::{Format, Options, Table, table_in};

/// How comparisons prepare a set before the fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Dense, with every column centred and divided by its population standard deviation.
    DenseStd,
    /// Sparse, with the values as stored.
    SparseRaw,
}

/// A public table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// File, relative to the data folder.
    pub file: &'static str,
    /// SHA-256 of the file as stored.
    pub sha256: &'static str,
    /// Number of rows, n.
    pub rows: usize,
    /// Number of columns, p.
    pub cols: usize,
    /// Number of stored values, all of them nonzero.
    pub nonzeros: usize,
    /// How comparisons prepare the set.
    pub mode: Mode,
    /// Meaning of the response.
    pub target: &'static str,
}

/// Every table that is known by name.
pub static ENTRIES: [Entry; 9] = [
    Entry {
        name: "diabetes",
        file: "lasso/diabetes.svm.gz",
        sha256: "4cb7cb9ac73feadfacd6a30bf5b5bbc4c600c60a9950634722169110a24dfe9e",
        rows: 442,
        cols: 10,
        nonzeros: 4_420,
        mode: Mode::DenseStd,
        target: "disease progression after one year",
    },
    Entry {
        name: "colon",
        file: "lasso/colon.svm.gz",
        sha256: "8e8d7f2c6243250b758b449fe89e16ef3603f3d092cc5b4cfd90527e8d04c226",
        rows: 62,
        cols: 2_000,
        nonzeros: 124_000,
        mode: Mode::DenseStd,
        target: "tumour or normal tissue, +-1",
    },
    Entry {
        name: "leukemia",
        file: "lasso/leukemia.svm.gz",
        sha256: "6285f851520b24fc3de1bc056f6c0c25112a32a0668e1a46e3484e95543ea5ff",
        rows: 72,
        cols: 7_129,
        nonzeros: 511_673,
        mode: Mode::DenseStd,
        target: "kind of leukaemia, +-1 (AML = +1)",
    },
    Entry {
        name: "riboflavin",
        file: "lasso/riboflavin.svm.gz",
        sha256: "af5efe27c9536fcca9f485366ff1b5145c4d34b70e35ccd2ff4790267178d68b",
        rows: 71,
        cols: 4_088,
        nonzeros: 290_248,
        mode: Mode::DenseStd,
        target: "logarithm of the riboflavin production rate",
    },
    Entry {
        name: "mice",
        file: "lasso/mice.svm.gz",
        sha256: "1ef34fae5d84c0b032fdb4723f7fbc26a027d040d2c1f59b1ed000780a9b400f",
        rows: 1_814,
        cols: 10_346,
        nonzeros: 8_722_572,
        mode: Mode::DenseStd,
        target: "body-mass index, as distributed, times 1000",
    },
    Entry {
        name: "w8a",
        file: "lasso/w8a.svm.gz",
        sha256: "cef40c82850ca6f8e0da8fff1e393e091d43aac7e0f8f7d2bd6006a3ec164515",
        rows: 49_749,
        cols: 300,
        nonzeros: 579_586,
        mode: Mode::SparseRaw,
        target: "class of a web page, +-1",
    },
    Entry {
        name: "farmads",
        file: "lasso/farmads.svm.gz",
        sha256: "3d697890ebf26b983c00021c36a3dc7b37c00d6c969951df9670b1084b2bbcd9",
        rows: 4_143,
        cols: 54_877,
        nonzeros: 817_141,
        mode: Mode::SparseRaw,
        target: "whether an advertisement is relevant, 0 or 1",
    },
    Entry {
        name: "imdb2",
        file: "lasso/imdb2.svm.gz",
        sha256: "18c0085bfd01b47bc5c1639a19771577ac543f07b7337c0407f1d19200a25913",
        rows: 25_000,
        cols: 197_239,
        nonzeros: 7_389_040,
        mode: Mode::SparseRaw,
        target: "a film's rating, 1 to 10",
    },
    Entry {
        name: "cocoa-demo",
        file: "linear/cocoa-demo.svm.gz",
        sha256: "b7e62fb588b2530a91b00f6c7727683583cc074f8cdf29f5ecea2abe06233162",
        rows: 2_000,
        cols: 9_947,
        nonzeros: 94_790,
        mode: Mode::SparseRaw,
        target: "class of a text, +-1",
    },
];

/// Makes the error for a name that no table has.
pub(crate) fn unknown(name: &str) -> RegistryError {
    let known = ENTRIES.each_ref().map(|entry| entry.name).join(", ");
    RegistryError::Unknown { name: name.into(), known }
}

/// Returns the entry with this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Returns the path of a public set's file on this machine; its content is not checked.
///
/// # Errors
/// If the name is unknown or the file is missing; the message says which file is needed and which variable to
/// set.
pub fn locate(name: &str) -> Result<PathBuf, RegistryError> {
    search(name).map(|(_, path)| path)
}

fn search(name: &str) -> Result<(&'static Entry, PathBuf), RegistryError> {
    let entry = entry(name).ok_or_else(|| unknown(name))?;
    let folder = data_folder().ok_or(RegistryError::NoFolder { file: entry.file })?;
    find(entry.name, entry.file, &folder).map(|path| (entry, path))
}

/// Reads a public set with `threads` threads and checks that it is the registry's, byte for byte.
///
/// # Errors
/// The errors of [`locate`] and of the reader, and a file whose SHA-256 differs from the registry's.
///
/// ```no_run
/// let mice = raddle_datasets::registry::load("mice", 2)?;
/// assert_eq!((mice.x.rows(), mice.x.cols()), (1_814, 10_346));
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub fn load(name: &str, threads: usize) -> Result<Table, ReadError> {
    load_with(name, &Options { threads, ..Options::default() })
}

/// Reads a set as [`load`] does, with other options except the choice of the response.
pub(crate) fn load_with(name: &str, options: &Options) -> Result<Table, ReadError> {
    let (entry, path) = search(name)?;
    verified(entry, path, options)
}

fn verified(entry: &Entry, path: PathBuf, options: &Options) -> Result<Table, ReadError> {
    let options = Options { format: None, y: None, ..options.clone() };
    let table = table_in(&Source::open(&path)?, Format::Libsvm, &options)?;
    compare(&path, &table.digest, entry.sha256)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_says_what_to_set() {
        let folder = tempfile::tempdir().unwrap();
        let error = find("mice", entry("mice").unwrap().file, folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("mice.svm.gz: no such file: set RADDLE_DATA to the folder that holds lasso/"),
            "{error}"
        );
        assert!(locate("mouse").unwrap_err().to_string().contains("known sets are diabetes, colon"));
    }

    #[test]
    fn another_file_under_a_known_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mice.svm.gz");
        std::fs::write(&path, "1 1:2\n").unwrap();
        let error = verified(entry("mice").unwrap(), path, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("mice.svm.gz: its SHA-256 is ") && error.contains("not 1ef34fae"), "{error}");
    }
}
