//! The cache: parsed text in files of columns, so that the next run reads numbers instead of parsing them.
//!
//! A file is named after the SHA-256 of the stored text, the format, and the way in which it was read, so
//! that it is never out of date. A file that is damaged or from another kind of machine is written again.

use std::path::PathBuf;

use super::data::Table;
use super::gaps::Gaps;
use super::libsvm::Indices;
use super::options::{Format, Options};
use super::stored::{read_cached, write_cached};
use super::{libsvm, response};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Returns the content of a file, from the folder of [`Options::cache`] if it was parsed before; otherwise
/// parses it and stores it there.
pub(super) fn parsed(source: &Source, format: Format, options: &Options) -> Result<Table, ReadError> {
    let gaps = Gaps::of(options.columns.missing);
    let indices = Indices { zero_based: options.zero_based, width: options.width, gaps };
    let mut variant = String::new();
    if options.zero_based && format == Format::Libsvm {
        variant += "-0";
    }
    if gaps == Gaps::Taken {
        variant += "-gaps";
    }
    let kept = Kept::of(source, options, format, &variant);
    match kept.load() {
        Some(table) => Ok(table),
        None if format == Format::Libsvm => kept.save(libsvm::load(source, &indices, options.threads)?.0),
        None => kept.save(response::load(source, format, options.threads, gaps)?),
    }
}

/// The path of a table in the folder of [`Options::cache`], if there is one.
pub(super) struct Kept(Option<PathBuf>);

impl Kept {
    /// Returns no path: nothing is cached.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Returns the path for a file that is read as `variant` says.
    pub(super) fn of(source: &Source, options: &Options, format: Format, variant: &str) -> Self {
        let is_text = matches!(format, Format::Libsvm | Format::Csv | Format::MatrixMarket | Format::Parquet);
        // A table that is cut to a width is not cached, as it differs.
        let folder = options.cache.as_deref().filter(|_| is_text && options.width.is_none());
        Self(folder.map(|folder| folder.join(format!("{}.{format}{variant}.table", source.digest()))))
    }

    pub(super) fn load(&self) -> Option<Table> {
        read_cached(self.0.as_deref()?)
    }

    /// Stores a table in the cache and returns it.
    pub(super) fn save(&self, table: Table) -> Result<Table, ReadError> {
        self.0.as_deref().map_or(Ok(()), |path| write_cached(&table, path))?;
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::read;

    fn only_file(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().unwrap();
        assert_eq!(files.next(), None, "one table, nothing half written");
        file
    }

    /// A complete table of the previous version: two rows and one column of zeros.
    fn of_earlier_version() -> Vec<u8> {
        let header = [0x0102_0304_0506_0708, 0, 2, 1, 2, 1, 2, 0_u64].map(u64::to_ne_bytes).concat();
        let mut table = [&b"raddle table 4\n\0"[..], &header, &[0; 32], b"{}"].concat();
        let mut crc = flate2::Crc::new();
        crc.update(&table);
        table.extend(crc.sum().to_ne_bytes());
        table
    }

    /// Every text format, with the response inside or in its own file: the table from the cache is the same.
    #[test]
    fn what_was_kept_is_what_was_parsed() {
        let texts = [
            ("a.svm", "1.5 1:2 3:0.5\n-1 2:4\n", None),
            ("a.csv", "age,height,weight\n31,1.7,68\n45,0,80\n", Some("weight")),
            ("a.csv", "age,height,weight\n31,1.7,68\n45,0,80\n", Some("age")),
            ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2.5\n2 3 7\n", Some("3")),
        ];
        for (name, text, y) in texts {
            let folder = tempfile::tempdir().unwrap();
            let (file, cache) = (folder.path().join(name), folder.path().join("cache"));
            fs::write(&file, text).unwrap();
            let plain = Options { y: y.map(str::to_owned), ..Options::default() };
            let kept = Options { cache: Some(cache.clone()), ..plain.clone() };
            let expected = read(&file, &plain).unwrap();
            assert_eq!(read(&file, &kept).unwrap(), expected, "{name} as it is parsed");
            let table = only_file(&cache);
            let written = fs::metadata(&table).unwrap().modified().unwrap();
            assert_eq!(read(&file, &kept).unwrap(), expected, "{name} from the cache");
            assert_eq!(
                fs::metadata(&table).unwrap().modified().unwrap(),
                written,
                "{name} is not written again"
            );
            // Truncated, changed or foreign: parsed again, and repaired.
            let whole = fs::read(&table).unwrap();
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            let earlier = of_earlier_version();
            for damaged in [&whole[..whole.len() - 5], &flipped, &whole[..3], b"", &[7; 400], &earlier] {
                fs::write(&table, damaged).unwrap();
                assert_eq!(read(&file, &kept).unwrap(), expected, "{name} beside a damaged table");
                assert_eq!(fs::read(&table).unwrap(), whole, "{name} is mended");
            }
        }
    }

    #[test]
    fn another_content_is_another_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.svm");
        let options = Options { cache: Some(folder.path().join("cache")), ..Options::default() };
        for value in [2.0, 3.0] {
            fs::write(&file, format!("{value} 1:1\n1 1:2\n")).unwrap();
            assert_eq!(read(&file, &options).unwrap().y[0], value);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.svm");
        fs::write(&file, "1 1:1\n2 1:2\n").unwrap();
        let cache = file.join("cache");
        let options = Options { cache: Some(cache.clone()), ..Options::default() };
        let error = read(&file, &options).unwrap_err().to_string();
        assert!(error.contains(cache.to_str().unwrap()) && error.contains("name another cache"), "{error}");
    }
}
